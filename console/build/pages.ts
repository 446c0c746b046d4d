/** The documents of the console. Each is an index.html in its own folder, so that static hosting finds it. */

export interface Page {
  /** Path below the base path: a folder with a slash at both ends, except `404.html`, which is a file. */
  path: string;
  /** The first script of the document; several documents may share a script. */
  script: string;
  /** The module that this script imports for the page. The document preloads it. */
  module?: string;
  /** The title in Portuguese, until the script sets it in the person's language. */
  title: string;
}

const CONSOLE = "app/main.tsx";

export const PAGES: Page[] = [
  { path: "/", script: CONSOLE, module: "pages/keys/page.tsx", title: "Console" },
  { path: "/entrar/", script: CONSOLE, module: "pages/sign_in.tsx", title: "Entrar" },
  { path: "/senha/", script: CONSOLE, module: "pages/password.tsx", title: "Senha" },
  { path: "/autorizar/", script: CONSOLE, module: "pages/authorize/page.tsx", title: "Permitir acesso" },
  { path: "/funil/", script: CONSOLE, module: "pages/funnel/page.tsx", title: "Funil" },
  { path: "/importar/", script: CONSOLE, module: "pages/import/page.tsx", title: "Importar contatos" },
  { path: "/chaves/", script: CONSOLE, module: "pages/keys/page.tsx", title: "Chaves de API" },
  { path: "/webhooks/", script: CONSOLE, module: "pages/webhooks/page.tsx", title: "Webhooks" },
  { path: "/atividade/", script: CONSOLE, module: "pages/activity/page.tsx", title: "Atividade" },
  { path: "/conta/", script: CONSOLE, module: "pages/account/page.tsx", title: "Conta" },
  { path: "/proposta/", script: "proposal/main.tsx", title: "Proposta" },
  { path: "/404.html", script: CONSOLE, title: "Página não encontrada" },
];
