export const sign_in = {
  "sign_in.title": ["Entrar", "Sign in"],
  "sign_in.text": ["O console da API do CRM", "The console of the CRM API"],
  "sign_in.email": ["E-mail", "E-mail"],
  "sign_in.password": ["Senha", "Password"],
  "sign_in.busy": ["Entrando…", "Signing in…"],
  "sign_in.forgotten": ["Esqueci a senha", "I forgot my password"],
  "sign_in.wrong": [
    "E-mail ou senha não conferem. Confira os dois e tente de novo.",
    "E-mail and password do not match. Check both and try again.",
  ],
  "sign_in.unconfirmed": [
    "Este e-mail ainda não foi confirmado. Abra o convite que você recebeu.",
    "This address is not confirmed yet. Open the invitation that you received.",
  ],
  "sign_in.limited": [
    "Muitas tentativas. Espere um minuto e tente de novo.",
    "Too many attempts. Wait a minute and try again.",
  ],
  "sign_in.away": [
    "Sem conexão com o servidor. Confira a internet e tente de novo; o e-mail continua aqui.",
    "The server cannot be reached. Check your connection and try again; the address is still here.",
  ],
  "sign_in.server": [
    "O servidor falhou. Tente de novo em instantes.",
    "The server failed. Try again in a moment.",
  ],
  "sign_in.ending": ["Saindo…", "Signing out…"],
  "sign_in.ended": ["Você saiu. A sessão foi encerrada.", "You signed out. The session has ended."],
  "sign_in.ended_unconfirmed": [
    "Você saiu deste navegador, mas o servidor não confirmou. Se o aparelho não é seu, entre e saia de novo.",
    "You signed out of this browser, but the server did not confirm. If the device is not yours, sign in and out again.",
  ],
  "sign_in.recover_text": [
    "Você recebe um link por e-mail. Ele abre uma página para escolher outra senha.",
    "You get a link by e-mail. It opens a page to choose another password.",
  ],
  "sign_in.recover_submit": ["Enviar o link", "Send the link"],
  "sign_in.recover_sent": [
    "Se {email} tem acesso, o link chega em alguns minutos. Confira também a caixa de spam.",
    "If {email} has access, the link arrives in a few minutes. Look in the spam folder too.",
  ],
  "sign_in.back": ["Voltar para entrar", "Back to signing in"],

  "code.title": ["Verificação em duas etapas", "Two-step verification"],
  "code.text": [
    "Digite o código que o aplicativo no seu celular mostra.",
    "Type the code that the app on your phone shows.",
  ],
  "code.field": ["Código", "Code"],
  "code.hint": ["6 dígitos; cada código vale uma vez.", "6 digits; each code works once."],
  "code.wrong": [
    "O código não confere. Espere o próximo e tente de novo.",
    "The code does not match. Wait for the next one and try again.",
  ],

  "password.title": ["Escolha uma senha", "Choose a password"],
  "password.text": ["Ela vale para {email}.", "It is for {email}."],
  "password.field": ["Senha nova", "New password"],
  "password.hint": ["Pelo menos 8 caracteres.", "At least 8 characters."],
  "password.short": ["Use pelo menos 8 caracteres.", "Use at least 8 characters."],
  "password.submit": ["Salvar e continuar", "Save and continue"],
  "password.saved": ["Senha salva", "Password saved"],
  "password.same": [
    "A senha nova é igual à atual. Escolha outra.",
    "The new password is the current one. Choose another.",
  ],
  "password.weak": [
    "Esta senha é fácil de adivinhar. Escolha outra.",
    "This password is easy to guess. Choose another.",
  ],
  "password.expired": ["Este link já foi usado ou venceu", "This link has been used or has expired"],
  "password.expired_text": [
    "Peça outro: ao administrador, se era um convite, ou por “Esqueci a senha”.",
    "Ask for another: from the administrator if it was an invitation, or by “I forgot my password”.",
  ],
} as const;
