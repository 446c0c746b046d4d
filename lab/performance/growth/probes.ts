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
  /** Among many records the page ends early, after the rows that one call looks through. */
  early?: true;
  /** The fewest records among which it is measured: fewer would end before one call has looked through its rows. */
  least?: number;
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

/** A list whose filter matches many records, the oldest: a full page among few, none among many. */
const old = (args: Record<string, string>) => ({ ...page(args), early: true as const });

/** A list whose filters each match many records, but hardly ever the same. */
const never = (args: Record<string, string>) => ({ ...page(args), early: true as const, least: 100_000 });

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
  never({ email: "'many@contato.com'", company_id: "bench.id(0, 12)" }),
  never({ company_id: MANY, updated_since: "bench.made_at(total + 990)" }),
  create({ name: "'Ana'", email: "'ana' || r || '@contato.com'", phone: "'+55 21 ' || r", company_id: MANY }),
  update({ job_title: "'Diretora ' || r" }),
];

/** When the oldest companies were changed. */
const CHANGED_LAST = "timestamptz '2026-01-01'";

const companies = [
  read,
  ...list,
  old({ updated_since: CHANGED_LAST }),
  page({ updated_since: CHANGED_LAST, cursor: "bench.id(0, total * 6 / 100)" }),
  ...pages("name", "'empresa few'", "'EMPRESA MANY'"),
  single("name", "'Empresa ' || bench.own(r, total)"),
  ...pages("domain", "'few.com'", "'many.com'"),
  ...pages("tax_id", "'FEW'", "'MANY'"),
  ...owners,
  never({ updated_since: CHANGED_LAST, owner_id: "bench.id(0, 3)" }),
  never({ updated_since: CHANGED_LAST, name: "'Empresa many'" }),
  never({ owner_id: "bench.id(0, 1)", domain: "'many.com'" }),
  never({ tax_id: "'MANY'", owner_id: "bench.id(0, 1)" }),
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
  never({ status: "'ganho'", owner_id: "bench.id(0, 1)" }),
  never({ status: "'perdido'", stage_id: "bench.id(0, 1)" }),
  never({ pipeline_id: "bench.id(0, 1)", stage_id: "bench.id(0, 1)", owner_id: "bench.id(0, 1)" }),
  never({ contact_id: MANY, status: "'perdido'" }),
  never({ company_id: MANY, owner_id: "bench.id(0, 1)" }),
  never({ external_id: "'many'", status: "'perdido'" }),
  never({ status: "'ganho'", updated_since: "bench.made_at(total + 990)" }),
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
  old({ is_overdue: "true" }),
  ...pages("is_overdue", "false"),
  ...pages("due_before", `bench.made_at(120) + ${WEEK}`),
  old({ due_before: MIDDLE }),
  ...pages("due_after", MIDDLE, "bench.made_at(total - 699) + interval '100 years'"),
  page({ due_before: MIDDLE, cursor: "bench.id(0, total / 4)" }),
  page({ due_after: MIDDLE, due_before: `bench.made_at(total / 2 + 100) + ${WEEK}` }),
  never({ is_overdue: "true", owner_id: "bench.id(0, 3)" }),
  never({ is_overdue: "true", updated_since: "bench.made_at(total / 2)" }),
  never({ is_overdue: "true", due_after: `bench.made_at(total / 50) + ${WEEK}` }),
  never({ is_overdue: "false", status: "'pendente'" }),
  never({ due_before: MIDDLE, status: "'pendente'" }),
  never({ due_before: MIDDLE, updated_since: "bench.made_at(total / 4)" }),
  never({ due_after: MIDDLE, type: "'ligacao'", status: "'concluida'" }),
  never({ deal_id: MANY, status: "'concluida'" }),
  never({ contact_id: MANY, type: "'tarefa'" }),
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
    never({ kind: "'observation'", updated_since: "bench.made_at(total / 2)" }),
  ]),
  create({ deal_id: ANY, body: "'Ligou ' || r" }),
];

/** The feed, oldest first. Its events are spread over the month that is kept. */
const events = [
  page({}),
  ...pages("cursor", "bench.cursor_at(total / 2, total)", "bench.cursor_at(total - 60, total)"),
  ...pages("since", "bench.happened_at(total - 99, total)", "bench.happened_at(1, total)"),
  ...pages("object_id", FEW, MANY),
  ...pages("event_types", `'["contact.created"]'::jsonb`),
  never({ event_types: `'["deal.won"]'::jsonb` }),
  page({ since: "bench.happened_at(total / 2, total)", object_id: MANY }),
];

/** The deliveries of the only subscription. The pages of a state or an event that it never had end early. */
const sent = (probe: Omit<Probe, "resource">) => ({
  ...probe,
  route: "GET /:id/deliveries",
  args: { id: FEW, ...probe.args },
});
const DELIVERY = { id: FEW, delivery_id: "bench.delivery_at(bench.anywhere(r, total), total)" };
const webhooks = [
  ...[
    page({}),
    ...pages("cursor", "bench.delivery_at(total / 2, total)", "bench.delivery_at(60, total)"),
    ...pages("since", "bench.happened_at(total - 99, total)", "bench.happened_at(1, total)"),
    ...pages("state", "'delivered'", "'failed'"),
    ...pages("event", "'contact.created'"),
    never({ state: "'held'" }),
    never({ event: "'deal.won'" }),
    never({ state: "'failed'", event: "'deal.won'" }),
  ].map(sent),
  { route: "GET /:id/deliveries/:delivery_id", args: DELIVERY },
  { route: "POST /:id/deliveries/:delivery_id/redeliver", args: DELIVERY },
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
export const PROBES: Probe[] = Object.entries({
  contacts,
  companies,
  deals,
  activities,
  notes,
  leads,
  events,
  webhooks,
})
  .flatMap(([name, probes]) => probes.map((probe) => ({ resource: `api-v1-${name}`, ...probe })));
