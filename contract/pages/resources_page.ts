import { resources } from "../resources.ts";
import type { Resource } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { type Page, replaceSection, table } from "./page.ts";

/** Parameters of every paginated list. The tables omit them, because docs/resources.md explains them once. */
const PAGINATION = ["limit", "cursor", "since", "until", "updated_since"];

/** docs/resources.md: the operations of each resource that requires a key; the rest of the page is written by hand. */
export const resourcesPage: Page = {
  file: "docs/resources.md",
  write(page) {
    const written = resources
      .filter(({ gate }) => gate === "key")
      .reduce((text, resource) => replaceSection(text, resource.name, operations(resource)), page);
    return Promise.resolve(written);
  },
};

function operations({ name, routes }: Resource): string[] {
  const rows = routes.map(({ method, path, endpoint }) => {
    const filters = Object.keys(endpoint.query.shape).filter((parameter) => !PAGINATION.includes(parameter));
    return [
      `\`${method} /${name}${path.replaceAll(/:(\w+)/g, "<$1>").replace(/\/$/, "")}\``,
      endpoint.summary.description_en,
      endpoint.scope ? `\`${endpoint.scope}\`` : "any key",
      filters.map((filter) => `\`${filter}\``).join(", "),
    ];
  });
  const filtered = rows.some((cells) => cells[3] !== "");
  return table(
    ["call", "what it does", "scope", ...(filtered ? ["filters"] : [])],
    filtered ? rows : rows.map((cells) => cells.slice(0, 3)),
  );
}
