/**
 * A call to measure. Arguments are expressions of SQL, for the `r`-th call to a workspace with `total` records of the
 * resource and `companies` companies and deals; seed.sql defines the rows.
 */
export interface Probe {
  /** As in the table of endpoints: `api-v1-contacts`, `GET /`. */
  resource: string;
  route: string;
  args: Record<string, string>;
  /** The number of records that a list must return at every size; 50 is a full page. */
  finds?: number;
  /** It cannot be repeated on the same record. */
  once?: true;
}

const FULL = 50;
const ANY = "bench.id(0, bench.anywhere(r, total))";
const OWN = "bench.id(0, bench.own(r, total))";
/** Only the oldest records refer to the first, every tenth record to the second. */
const FEW = "bench.id(0, 1)";
const MANY = "bench.id(0, 10)";

/** A list by several filters, which must return a full page. */
const page = (args: Record<string, string>) => ({ route: "GET /", args, finds: FULL });

/** Lists by one filter; each value must return a full page. */
function pages(filter: string, ...values: string[]): Omit<Probe, "resource">[] {
  return values.map((value) => page({ [filter]: value }));
}

const single = (filter: string, value: string) => ({ route: "GET /", args: { [filter]: value }, finds: 1 });
const read = { route: "GET /:id", args: { id: ANY } };
const create = (args: Record<string, string>) => ({ route: "POST /", args });
const update = (args: Record<string, string>) => ({ route: "PATCH /:id", args: { id: OWN, ...args } });

/** The probes of every list. */
const list = [
  page({}),
  ...pages("cursor", "bench.id(0, total / 2)", "bench.id(0, 60)"),
  ...pages("since", "bench.made_at(total - 99)", "bench.made_at(1)"),
  ...pages("updated_since", "bench.made_at(total + 300)", "bench.made_at(1)"),
  page({ updated_since: "bench.made_at(1)", cursor: "bench.id(0, total / 2)" }),
];

const owners = pages("owner_id", "bench.id(0, 2)", "bench.id(0, 3)", "bench.id(0, 1)");

const contacts = [
  read,
  ...list,
  ...pages("email", "'few@contato.com'", "'many@contato.com'"),
  single("email", "bench.own(r, total) || '@contato.com'"),
  ...pages("company_id", FEW, MANY),
  create({ name: "'Ana'", email: "'ana' || r || '@contato.com'", phone: "'+55 21 ' || r", company_id: MANY }),
  update({ job_title: "'Diretora ' || r" }),
];

const companies = [
  read,
  ...list,
  // The oldest were changed last.
  ...pages("updated_since", "timestamptz '2026-01-01'"),
  page({ updated_since: "timestamptz '2026-01-01'", cursor: "bench.id(0, total * 6 / 100)" }),
  ...pages("name", "'empresa few'", "'EMPRESA MANY'"),
  single("name", "'Empresa ' || bench.own(r, total)"),
  ...pages("domain", "'few.com'", "'many.com'"),
  ...pages("tax_id", "'FEW'", "'MANY'"),
  ...owners,
  create({ name: "'Padaria ' || r", domain: "'padaria' || r || '.com'" }),
  update({ industry: "'Alimentos ' || r" }),
];

const deals = [
  read,
  ...list,
  ...pages("status", "'aberto'", "'ganho'", "'perdido'"),
  ...pages("pipeline_id", "bench.id(0, 2)", "bench.id(0, 1)"),
  ...pages("stage_id", "bench.id(0, 5)", "bench.id(0, 1)", "bench.id(0, 2)"),
  ...owners,
  ...pages("contact_id", FEW, MANY),
  ...pages("company_id", FEW, MANY),
  ...pages("external_id", "'few'", "'many'"),
  create({ title: "'Venda ' || r", contact_id: ANY, company_id: ANY }),
  update({ value: "r" }),
  { route: "POST /:id/move-stage", args: { id: OWN, stage_id: "bench.id(0, 1 + r / 12 % 2)" } },
  { route: "POST /:id/win", args: { id: "bench.id(0, 1 + r)" }, once: true as const },
  { route: "POST /:id/lose", args: { id: "bench.id(0, 61 + r)" }, once: true as const },
];

const WEEK = "interval '7 days'";
const MIDDLE = `bench.made_at(total / 2) + ${WEEK}`;

const activities = [
  read,
  ...list,
  ...pages("deal_id", FEW, MANY),
  ...pages("contact_id", FEW, MANY),
  ...owners,
  ...pages("type", "'visita'", "'ligacao'", "'tarefa'"),
  ...pages("status", "'pendente'", "'concluida'"),
  ...pages("is_overdue", "true", "false"),
  ...pages("due_before", `bench.made_at(120) + ${WEEK}`, MIDDLE),
  ...pages("due_after", MIDDLE, "bench.made_at(total - 699) + interval '100 years'"),
  page({ due_before: MIDDLE, cursor: "bench.id(0, total / 4)" }),
  page({ due_after: MIDDLE, due_before: `bench.made_at(total / 2 + 100) + ${WEEK}` }),
  create({ deal_id: ANY, title: "'Ligar ' || r" }),
  update({ title: "'Ligar ' || r" }),
];

/** A list of notes needs a deal. */
const ofDeal = (deal: string, probes: Omit<Probe, "resource">[]) =>
  probes.map(({ args, ...probe }) => ({ ...probe, args: { deal_id: deal, ...args } }));

const notes = [
  read,
  ...pages("deal_id", FEW, MANY),
  single("deal_id", OWN),
  ...ofDeal(MANY, [
    ...pages("cursor", "bench.id(0, total / 2)"),
    ...pages("since", "bench.made_at(total - 199)", "bench.made_at(1)"),
    ...pages("updated_since", "bench.made_at(total + 200)", "bench.made_at(1)"),
    ...pages("kind", "'note'", "'observation'"),
  ]),
  create({ deal_id: ANY, body: "'Ligou ' || r" }),
];

/** A contact by e-mail, by phone or new; a company by name or new; the same lead again. */
const leads = [
  {
    first_name: "'Ana'",
    email: "bench.own(r, total) || '@contato.com'",
    company_name: "'Empresa ' || bench.own(r, companies)",
    external_id: "'lead ' || r",
  },
  { first_name: "'Ana'", phone: "'+55 11 ' || bench.own(r, total)", company_name: "'Empresa many'" },
  {
    first_name: "'Ana'",
    email: "'lead' || r || '@contato.com'",
    phone: "'+55 31 ' || r",
    company_name: "'Mercado ' || r",
  },
  { first_name: "'Ana'", external_id: "bench.own(r, companies)::text" },
].map(create);

/** The probes of every operation; coverage.ts throws if one is missing. */
export const PROBES: Probe[] = Object.entries({ contacts, companies, deals, activities, notes, leads })
  .flatMap(([name, probes]) => probes.map((probe) => ({ resource: `api-v1-${name}`, ...probe })));
