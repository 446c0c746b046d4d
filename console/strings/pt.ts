import { ptDeliveries } from "./pt_deliveries.ts";
import { ptFunnel } from "./pt_funnel.ts";
import { ptWebhooks } from "./pt_webhooks.ts";

/** Texts in Portuguese. Você, short sentences, words of the trade. `en.ts` has the same keys. */
export const pt = {
  "app.name": "Console",
  "app.skip": "Ir para o conteúdo",
  "app.menu": "Menu",
  "app.close": "Fechar",
  "app.cancel": "Cancelar",
  "app.save": "Salvar",
  "app.saving": "Salvando…",
  "app.back": "Voltar",
  "app.loading": "Carregando…",
  "app.retry": "Tentar de novo",
  "app.copy": "Copiar",
  "app.copied": "Copiado",
  "app.copy_by_hand": "O navegador não deixou copiar. O texto está selecionado: copie com Ctrl+C.",
  "app.more": "Mostrar mais",
  "app.never": "nunca",
  "app.filter": "Filtrar",
  "app.filter_none": "Nada com “{text}”.",
  "app.not_found": "Esta página não existe",
  "app.not_found_text": "O endereço pode ter mudado. Comece pela lista de chaves.",
  "app.to_keys": "Ver as chaves",
  "app.yes": "Sim",
  "app.no": "Não",

  "nav.label": "Páginas",
  "nav.funnel": "Funil",
  "nav.keys": "Chaves",
  "nav.webhooks": "Webhooks",
  "nav.activity": "Atividade",
  "nav.account": "Conta",

  "menu.theme": "Tema",
  "menu.theme_system": "Do sistema",
  "menu.theme_light": "Claro",
  "menu.theme_dark": "Escuro",
  "menu.language": "Idioma",
  "menu.sign_out": "Sair",
  "menu.workspace": "Empresa",
  "menu.signed_in_as": "Você entrou como {email}",

  "role.admin": "Administrador",
  "role.gestor": "Gestor",
  "role.vendedor": "Vendedor",
  "role.read_only": "Como vendedor, você vê tudo e não altera nada. Quem altera: gestor ou administrador.",
  "role.admin_only": "Só um administrador altera isto.",

  "workspace.choose": "Escolha a empresa",
  "workspace.choose_text": "Você pertence a mais de uma. Dá para trocar depois, na barra.",
  "workspace.none": "Você ainda não pertence a nenhuma empresa",
  "workspace.none_text":
    "Peça a um administrador que convide {email}. Se foi convidado com outro e-mail, saia e entre com ele.",
  "workspace.suspended":
    "Esta empresa está suspensa: a API recusa chamadas e os webhooks esperam. Fale com o suporte.",
  "workspace.no_api": "A API desta empresa está desligada: chaves não funcionam. Fale com o suporte.",

  "failure.away": "Sem conexão com o servidor.",
  "failure.away_read": "Confira a internet e tente de novo.",
  "failure.away_write":
    "Não sabemos se foi gravado. Confira antes de repetir; o que você digitou continua aqui.",
  "failure.limited": "Muitas chamadas em pouco tempo.",
  "failure.limited_when": "Nada foi gravado. Tente de novo em {seconds} s.",
  "failure.server": "O servidor falhou.",
  "failure.server_read": "Tente de novo em instantes. Se continuar, mande o código abaixo ao suporte.",
  "failure.server_write":
    "Não sabemos se foi gravado. Confira antes de repetir. Se continuar, mande o código abaixo ao suporte.",
  "failure.session": "Sua sessão acabou. Entre de novo; o que você digitou foi guardado neste navegador.",
  "failure.role": "Seu papel não permite isto. Nada foi gravado.",
  "failure.not_found": "Isto não existe mais, ou não é desta empresa.",
  "failure.fields": "Confira os campos. Nada foi gravado.",
  "failure.nothing_kept": "Nada foi gravado.",
  "failure.request": "Código da chamada",
  "failure.code.email_taken": "Já existe um membro com este e-mail.",
  "failure.code.last_admin":
    "É o último administrador ativo. Torne outra pessoa administradora antes. Nada foi gravado.",
  "failure.code.key_revoked": "Esta chave já não funciona. Nada foi gravado.",
  "failure.code.already_signed_in": "Esta pessoa já entrou; o convite não é mais preciso.",

  "time.exact": "{relative} · {exact}",

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

  "activity.title": "Atividade",
  "activity.text": "Quem fez o quê nesta empresa.",

  "account.title": "Conta",

  "keys.title": "Chaves de API",
  "keys.text": "Cada chave pertence a um sistema. Dê a cada um só o que ele usa.",
  "keys.create": "Criar chave",
  "keys.empty": "Nenhuma chave ainda. Crie uma para o seu site começar a enviar leads.",
  "keys.name": "Nome",
  "keys.prefix": "Começa com",
  "keys.scopes": "Permissões",
  "keys.last_used": "Último uso",
  "keys.calls": "7 dias",

  ...ptWebhooks,
  ...ptDeliveries,
  ...ptFunnel,
} as const;
