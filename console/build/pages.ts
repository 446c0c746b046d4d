/** The documents of the console. Each is an index.html in its own folder, so that static hosting finds it. */

/** One HTML document and what it loads. */
export interface Page {
  /** Path below the base path, with a slash at both ends; `404.html` is the only file. */
  path: string;
  /** Its first script; documents with the same script share it. */
  script: string;
  /** The module that this script imports for the page; the document asks for it early. */
  module?: string;
  /** In Portuguese; the script sets the title in the language of the person. */
  title: string;
}

const CONSOLE = "app/main.tsx";

export const PAGES: Page[] = [
  { path: "/", script: CONSOLE, module: "pages/keys/page.tsx", title: "Console" },
  { path: "/entrar/", script: CONSOLE, module: "pages/sign_in.tsx", title: "Entrar" },
  { path: "/senha/", script: CONSOLE, module: "pages/password.tsx", title: "Senha" },
  { path: "/funil/", script: CONSOLE, module: "pages/funnel/page.tsx", title: "Funil" },
  { path: "/chaves/", script: CONSOLE, module: "pages/keys/page.tsx", title: "Chaves de API" },
  { path: "/webhooks/", script: CONSOLE, module: "pages/webhooks/page.tsx", title: "Webhooks" },
  { path: "/atividade/", script: CONSOLE, module: "pages/activity/page.tsx", title: "Atividade" },
  { path: "/conta/", script: CONSOLE, module: "pages/account/page.tsx", title: "Conta" },
  { path: "/proposta/", script: "proposal/main.tsx", title: "Proposta" },
  { path: "/404.html", script: CONSOLE, title: "Página não encontrada" },
];
