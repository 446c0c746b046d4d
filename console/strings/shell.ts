/** Texts of the bar and the menu, texts about failures, and texts that several pages share. */
export const shell = {
  "app.name": ["Console", "Console"],
  "app.skip": ["Ir para o conteúdo", "Skip to content"],
  "app.menu": ["Menu", "Menu"],
  "app.close": ["Fechar", "Close"],
  "app.cancel": ["Cancelar", "Cancel"],
  "app.save": ["Salvar", "Save"],
  "app.saving": ["Salvando…", "Saving…"],
  "app.loading": ["Carregando…", "Loading…"],
  "app.retry": ["Tentar de novo", "Try again"],
  "app.retrying": ["Tentando…", "Trying…"],
  "app.copy": ["Copiar", "Copy"],
  "app.copied": ["Copiado", "Copied"],
  "app.copy_by_hand": [
    "O navegador não deixou copiar. O texto está selecionado: copie com Ctrl+C.",
    "The browser did not allow copying. The text is selected: copy it with Ctrl+C.",
  ],
  "chart.numbers": ["Ver os números", "See the numbers"],
  "app.more": ["Mostrar mais", "Show more"],
  "app.never": ["nunca", "never"],
  "app.filter": ["Filtrar", "Filter"],
  "app.filter_none": ["Nada com “{text}”.", "Nothing with “{text}”."],
  "app.not_found": ["Esta página não existe", "This page does not exist"],
  "app.not_found_text": [
    "O endereço pode ter mudado. Comece pela lista de chaves.",
    "The address may have changed. Start from the list of keys.",
  ],
  "app.to_keys": ["Ver as chaves", "See the keys"],
  "app.broken": ["Algo deu errado nesta página", "Something went wrong on this page"],
  "app.broken_text": [
    "O erro é nosso. O que já estava gravado continua gravado.",
    "The mistake is ours. What was saved stays saved.",
  ],
  "app.reload": ["Recarregar", "Reload"],

  "nav.label": ["Páginas", "Pages"],
  "nav.funnel": ["Funil", "Funnel"],
  "nav.keys": ["Chaves", "Keys"],
  "nav.webhooks": ["Webhooks", "Webhooks"],
  "nav.activity": ["Atividade", "Activity"],
  "nav.account": ["Conta", "Account"],

  "alert.label": ["Aviso", "Alert"],
  "alert.count.one": ["{n} aviso", "{n} alert"],
  "alert.count.many": ["{n} avisos", "{n} alerts"],
  "alert.webhook_stopped": ["Webhook parou por falhas", "Webhook stopped by failures"],
  "alert.webhook_failing": ["Webhook falhando", "Webhook failing"],
  "alert.key_expired": ["Chave venceu", "Key expired"],
  "alert.key_expiring": ["Chave vence", "Key expires"],
  "alert.mend.webhook_stopped": ["Ver e reativar", "See and reactivate"],
  "alert.mend.webhook_failing": ["Ver entregas", "See deliveries"],
  "alert.mend.key_expired": ["Ver e prorrogar", "See and extend"],
  "alert.mend.key_expiring": ["Ver e prorrogar", "See and extend"],

  "menu.theme": ["Tema", "Theme"],
  "menu.theme_system": ["Do sistema", "System"],
  "menu.theme_light": ["Claro", "Light"],
  "menu.theme_dark": ["Escuro", "Dark"],
  "menu.language": ["Idioma", "Language"],
  "menu.password": ["Trocar a senha", "Change the password"],
  "menu.sign_out": ["Sair", "Sign out"],
  "menu.workspace": ["Empresa", "Company"],
  "menu.signed_in_as": ["Você entrou como {email}", "You are signed in as {email}"],

  "role.admin": ["Administrador", "Administrator"],
  "role.gestor": ["Gestor", "Manager"],
  "role.vendedor": ["Vendedor", "Salesperson"],
  "role.read_only": [
    "Como vendedor, você vê tudo e não altera nada. Quem altera: gestor ou administrador.",
    "As a salesperson you see everything and change nothing. A manager or administrator can.",
  ],
  "role.admin_only": ["Só um administrador altera isto.", "Only an administrator changes this."],

  "workspace.choose": ["Escolha a empresa", "Choose the company"],
  "workspace.choose_text": [
    "Você pertence a mais de uma. Dá para trocar depois, na barra.",
    "You belong to more than one. You can switch later, in the bar.",
  ],
  "workspace.none": ["Você não pertence a nenhuma empresa", "You do not belong to a company"],
  "workspace.none_text": [
    "Peça a um administrador que convide {email} ou devolva o seu acesso. Se foi convidado com outro e-mail, saia e entre com ele.",
    "Ask an administrator to invite {email}, or to give you access again. If you were invited with another address, sign out and use that one.",
  ],
  "workspace.suspended": [
    "Esta empresa está suspensa: a API recusa chamadas e os webhooks esperam. Fale com o suporte.",
    "This company is suspended: the API refuses calls and webhooks wait. Contact support.",
  ],
  "workspace.no_api": [
    "A API desta empresa está desligada: chaves não funcionam. Fale com o suporte.",
    "The API of this company is off: keys do not work. Contact support.",
  ],

  "failure.away": ["Sem conexão com o servidor.", "The server cannot be reached."],
  "failure.away_read": ["Confira a internet e tente de novo.", "Check your connection and try again."],
  "failure.away_write": [
    "Não sabemos se foi gravado. Confira antes de repetir; o que você digitou continua aqui.",
    "We do not know whether it was saved. Check before you repeat it; what you typed is still here.",
  ],
  "failure.limited": ["Muitas chamadas em pouco tempo.", "Too many calls in a short time."],
  "failure.limited_when": [
    "Nada foi gravado. Tente de novo em {seconds} s.",
    "Nothing was saved. Try again in {seconds} s.",
  ],
  "failure.server": ["O servidor falhou.", "The server failed."],
  "failure.server_read": [
    "Tente de novo em instantes. Se continuar, envie o código abaixo ao suporte.",
    "Try again in a moment. If it persists, send the code below to support.",
  ],
  "failure.server_write": [
    "Não sabemos se foi gravado. Confira antes de repetir. Se continuar, envie o código abaixo ao suporte.",
    "We do not know whether it was saved. Check before you repeat it. If it persists, send the code below to support.",
  ],
  "failure.session": [
    "Sua sessão acabou. Entre de novo; o que você digitou foi guardado neste navegador.",
    "Your session has ended. Sign in again; what you typed is kept in this browser.",
  ],
  "failure.role": [
    "Seu papel não permite isto. Nada foi gravado.",
    "Your role does not allow this. Nothing was saved.",
  ],
  "failure.not_found": [
    "Isto não existe mais, ou não é desta empresa.",
    "This no longer exists, or is not of this company.",
  ],
  "failure.fields": ["Confira os campos. Nada foi gravado.", "Check the fields. Nothing was saved."],
  "failure.nothing_kept": ["Nada foi gravado.", "Nothing was saved."],
  "failure.request": ["Código da chamada", "Request code"],
  "failure.code.email_taken": [
    "Já existe um membro com este e-mail.",
    "There is a member with this e-mail address already.",
  ],
  "failure.code.last_admin": [
    "Esta pessoa é o último administrador ativo. Antes, torne outra pessoa administradora. Nada foi gravado.",
    "This is the last active administrator. Make somebody else administrator first. Nothing was saved.",
  ],
  "failure.code.key_revoked": [
    "Esta chave já não funciona. Nada foi gravado.",
    "This key no longer works. Nothing was saved.",
  ],
  "failure.code.already_signed_in": [
    "Esta pessoa já entrou; o convite já não é necessário.",
    "This person has signed in; the invitation is not needed any more.",
  ],
  "failure.code.too_many_invitations": [
    "Muitos convites na última hora. Espere antes de convidar de novo. Nada foi gravado.",
    "Too many invitations in the last hour. Wait before you invite again. Nothing was saved.",
  ],

  "time.exact": ["{relative} · {exact}", "{relative} · {exact}"],

  "overlap.0": ["nada: para agora", "nothing: it stops now"],
  "overlap.3600": ["1 hora", "1 hour"],
  "overlap.86400": ["24 horas", "24 hours"],
  "overlap.604800": ["7 dias", "7 days"],

  "secret.old_until": ["Segredo antigo vale até", "Old secret works until"],
  "secret.leave": ["Você ainda não copiou", "You have not copied it yet"],
  "secret.leave_text": [
    "Este valor não aparece de novo. Se sair sem copiar, só trocando por outro.",
    "This value is not shown again. If you leave without copying it, you will have to replace it.",
  ],
  "secret.leave_yes": ["Sair sem copiar", "Leave without copying"],
  "secret.leave_no": ["Ficar", "Stay"],
} as const;
