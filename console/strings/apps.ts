/** Texts about apps that act in a person's name, and about the page on which the person allows this. */
export const apps = {
  "apps.title": ["Aplicativos autorizados", "Authorised apps"],
  "apps.text": [
    "Um assistente de IA pode agir em nome de uma pessoa, sem chave:",
    "An AI assistant can act in a person's name, without a key:",
  ],
  "apps.none": ["Nenhum aplicativo tem acesso.", "No app has access."],
  "apps.connect": [
    "Para conectar um assistente de IA, dê a ele este endereço:",
    "To connect an AI assistant, give it this address:",
  ],
  "apps.app": ["Aplicativo", "App"],
  "apps.member": ["Em nome de", "In the name of"],
  "apps.revoke_title": ["Revogar o acesso?", "Revoke the access?"],
  "apps.revoke_text": [
    "O aplicativo perde o acesso na próxima chamada, e os webhooks que ele criou param. Para o aplicativo voltar, a pessoa precisa permitir de novo.",
    "The app loses access with its next call, and the webhooks that it created stop. The app can return only if the person allows it again.",
  ],
  "apps.revoke_yes": ["Revogar o acesso", "Revoke the access"],
  "apps.revoked": ["Acesso revogado", "Access revoked"],

  "authorize.title": ["{app} pede acesso", "{app} asks for access"],
  "authorize.warning": [
    "O aplicativo vai agir em seu nome, {email}. O próprio aplicativo escolheu o nome acima: permita só se foi você quem começou esta conexão.",
    "The app will act in your name, {email}. The app itself chose the name above: allow it only if you started this connection.",
  ],
  "authorize.target": ["Depois você volta para", "Afterwards you return to"],
  "authorize.here": ["um programa neste aparelho ({address})", "a program on this device ({address})"],
  "authorize.scopes": ["O que ele pode fazer", "What it may do"],
  "authorize.undo": [
    "Você pode tirar o acesso quando quiser, em Chaves, Aplicativos autorizados.",
    "You can revoke the access at any time, in Keys, Authorised apps.",
  ],
  "authorize.allow": ["Permitir", "Allow"],
  "authorize.deny": ["Não permitir", "Do not allow"],
  "authorize.gone": ["Este pedido não vale mais", "This request is no longer valid"],
  "authorize.gone_text": [
    "Um pedido vale por alguns minutos e só pode ser respondido uma vez. Volte ao aplicativo e conecte de novo.",
    "A request is valid for a few minutes and can be answered only once. Return to the app and connect again.",
  ],
  "authorize.back": ["Voltando ao aplicativo…", "Returning to the app…"],
  "authorize.back_text": [
    "Se o aplicativo não abrir, continue pelo link. Depois, feche esta página.",
    "If the app does not open, continue with the link. Then close this page.",
  ],
  "authorize.continue": ["Continuar no aplicativo", "Continue in the app"],
} as const;
