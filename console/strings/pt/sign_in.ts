/** Texts of signing in and passwords. */
export const sign_in = {
  "sign_in.title": "Entrar",
  "sign_in.email": "E-mail",
  "sign_in.password": "Senha",
  "sign_in.submit": "Entrar",
  "sign_in.busy": "Entrando…",
  "sign_in.forgotten": "Esqueci a senha",
  "sign_in.wrong": "E-mail ou senha não conferem. Confira os dois e tente de novo.",
  "sign_in.unconfirmed": "Este e-mail ainda não foi confirmado. Abra o convite que você recebeu.",
  "sign_in.limited": "Muitas tentativas. Espere um minuto e tente de novo.",
  "sign_in.away": "Sem conexão com o servidor. Confira a internet e tente de novo; o e-mail continua aqui.",
  "sign_in.server": "O servidor falhou. Tente de novo em instantes.",
  "sign_in.ending": "Saindo…",
  "sign_in.ended": "Você saiu. A sessão foi encerrada.",
  "sign_in.ended_unconfirmed":
    "Você saiu deste navegador, mas o servidor não confirmou. Se o aparelho não é seu, entre e saia de novo.",
  "sign_in.recover": "Trocar a senha",
  "sign_in.recover_text":
    "Mandamos um link para o seu e-mail. Ele abre uma página para escolher outra senha.",
  "sign_in.recover_submit": "Mandar o link",
  "sign_in.recover_busy": "Mandando…",
  "sign_in.recover_sent":
    "Se {email} tem acesso, o link chega em alguns minutos. Confira também a caixa de spam.",
  "sign_in.back": "Voltar para entrar",

  "password.title": "Escolha uma senha",
  "password.text": "Ela vale para {email}.",
  "password.field": "Senha nova",
  "password.hint": "Pelo menos 8 caracteres.",
  "password.short": "Use pelo menos 8 caracteres.",
  "password.submit": "Salvar e continuar",
  "password.saved": "Senha salva",
  "password.same": "A senha nova é igual à atual. Escolha outra.",
  "password.weak": "Esta senha é fácil de adivinhar. Escolha outra.",
  "password.expired": "Este link já foi usado ou venceu",
  "password.expired_text": "Peça outro: ao administrador, se era um convite, ou por “Esqueci a senha”.",
} as const;
