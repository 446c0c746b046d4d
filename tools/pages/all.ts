import { errorsPages } from "./errors_page.ts";
import type { Page } from "./page.ts";
import { resourcesPages } from "./resources_page.ts";
import { scopesPages } from "./scopes_page.ts";
import { webhooksPages } from "./webhooks_page.ts";

/** Every page that `deno task docs` writes. */
export const pages: readonly Page[] = [
  ...errorsPages,
  ...resourcesPages,
  ...scopesPages,
  ...webhooksPages,
];
