/** An entry of the sidebar: a page with its own title or a label, or a link to something else. */
export type Entry = string | { label: string; en: string } & ({ slug: string } | { link: string });

export interface Group {
  label: string;
  en: string;
  entries: Entry[];
}

/** The sidebar, in the order in which an integrator needs the pages. "Previous" and "next" follow this order. */
export const GROUPS: Group[] = [
  {
    label: "Começar",
    en: "Start",
    entries: [{ label: "Início", en: "Home", slug: "index" }, "first-call", "leads-from-a-form", "keys"],
  },
  {
    label: "Guias",
    en: "Guides",
    entries: [
      "nightly-sync",
      "import-a-csv",
      "find-by-phone",
      "who-owns-what",
      "edit-without-overwriting",
      "erase-a-person",
    ],
  },
  {
    label: "Webhooks e eventos",
    en: "Webhooks and events",
    entries: ["webhooks", "receivers", "events", "catching-up"],
  },
  { label: "Administrar", en: "Administer", entries: ["console"] },
  {
    label: "Consultar",
    en: "Look up",
    entries: [
      "resources",
      "errors",
      "limits",
      "idempotency",
      "sdk",
      "mcp",
      "n8n",
      "zapier",
      "tools",
      { label: "Referência da API", en: "API reference", link: "/reference/" },
    ],
  },
];

/** The pages in the order of the sidebar, without the language. */
export const SLUGS: string[] = GROUPS.flatMap(({ entries }) => entries).flatMap((entry) =>
  typeof entry === "string" ? [entry] : "slug" in entry ? [entry.slug] : []
);
