import { securityPage } from "../../lab/attacks/page.ts";
import { performancePage } from "../../lab/performance/page.ts";
import { contractPage } from "./contract_page.ts";
import { errorsPage } from "./errors_page.ts";
import type { Page } from "./page.ts";
import { resourcesPage } from "./resources_page.ts";
import { webhooksPage } from "./webhooks_page.ts";

/** Every page that `deno task docs` writes. */
export const pages: readonly Page[] = [
  contractPage,
  errorsPage,
  performancePage,
  resourcesPage,
  securityPage,
  webhooksPage,
];
