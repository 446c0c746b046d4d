import {
  ANY,
  batch,
  create,
  FEW,
  few,
  IMPORTED,
  item,
  MANY,
  never,
  old,
  OWN,
  page,
  pages,
  type Probe,
  read,
  single,
  update,
  upsert,
  words,
} from "./probe_parts.ts";

/** The probes of every list. */
const list = [
  page({}),
  ...pages("cursor", "bench.id(0, total / 2)", "bench.id(0, 120)"),
  ...pages("since", "bench.made_at(total - 99)", "bench.made_at(1)"),
  ...pages("until", "bench.made_at(total / 2)", "bench.made_at(120)"),
  ...pages("updated_since", "bench.made_at(total + 300)", "bench.made_at(1)"),
  page({ updated_since: "bench.made_at(1)", cursor: "bench.id(0, total / 2)" }),
];

/** The oldest 60 are archived. */
const archived = [
  ...pages("archived", "'any'", "'true'"),
  page({ archived: "'true'", updated_since: "bench.made_at(1)" }),
  { ...page({ until: "bench.made_at(61)" }), finds: 0 },
];

/** Of the newest hundred records. Every tenth has the value of a filter that many have. */
const since = "bench.made_at(total - 99)";

const owners = [
  ...pages("owner_id", "bench.id(0, 2)", "bench.id(0, 3)", "bench.id(0, 1)"),
  few(10, { owner_id: "bench.id(0, 3)", since }),
];

/** Records with values of their own, of which every size has sixty. */
const archive = {
  route: "POST /:id/archive",
  args: { id: "bench.id(0, 134 + 10 * r)" },
  once: true as const,
};
const restore = { ...archive, route: "POST /:id/restore" };

const contacts = [
  read,
  ...list,
  ...archived,
  ...pages("email", "'few@contato.com'", "'many@contato.com'"),
  single("email", "bench.own(r, total) || '@contato.com'"),
  ...pages("company_id", FEW, MANY),
  few(10, { email: "'many@contato.com'", since }),
  few(10, { company_id: MANY, since }),
  single("q", "bench.longest(r, total) || '@contato'"),
  ...pages("q", "'contato'", "'55 co'"),
  old({ q: "'few@'" }),
  never({ email: "'many@contato.com'", company_id: "bench.id(0, 11)" }),
  never({ company_id: MANY, updated_since: "bench.made_at(total + 990)" }),
  create({ name: "'Ana'", email: "'ana' || r || '@contato.com'", phone: "'+55 21 ' || r", company_id: MANY }),
  update({ job_title: "'Diretora ' || r" }),
  archive,
  restore,
  {
    route: "POST /:id/merge",
    args: { id: "bench.id(0, 131 + 10 * r)", merge_id: "bench.id(0, 132 + 10 * r)" },
    once: true as const,
  },
  {
    route: "POST /:id/erase",
    args: { id: "bench.id(0, 133 + 10 * r)", texts: "true" },
    once: true as const,
    grows: "It looks through stored replies and texts until a call is full; the rest is an operation",
  },
  single("external_id", "'erp-103'"),
  upsert("external_id", "'novo ' || r", { name: "'Ana'", email: "'nova' || r || '@contato.com'" }),
  upsert("external_id", IMPORTED, { job_title: "'Gerente ' || r" }),
  upsert("email", "bench.own(r, total) || '@contato.com'", { job_title: "'Gerente ' || r" }),
  upsert("phone", "'+55 11 ' || bench.own(r, total)", { job_title: "'Gerente ' || r" }),
  batch(
    item("create", { name: "'Ana'", email: "'lote' || r || '@contato.com'" }),
    item("update", { id: OWN, job_title: "'Lote ' || r" }),
    item("upsert", { match_by: "'external_id'", external_id: IMPORTED, job_title: "'Lote ' || r" }),
  ),
];

/** When the oldest companies were changed. */
const CHANGED_LAST = "timestamptz '2026-01-01'";

const companies = [
  read,
  ...list,
  ...archived,
  old({ updated_since: CHANGED_LAST }),
  page({ updated_since: CHANGED_LAST, cursor: "bench.id(0, total * 6 / 100 + 60)" }),
  ...pages("name", "'empresa few'", "'EMPRESA MANY'"),
  single("name", "'Empresa ' || bench.own(r, total)"),
  ...pages("domain", "'few.com'", "'many.com'"),
  ...pages("tax_id", "'FEW'", "'MANY'"),
  single("q", "'empresa ' || bench.longest(r, total) || '.com'"),
  ...pages("q", "'empresa'"),
  ...owners,
  few(10, { name: "'Empresa many'", since }),
  never({ updated_since: CHANGED_LAST, owner_id: "bench.id(0, 3)" }),
  never({ updated_since: CHANGED_LAST, name: "'Empresa many'" }),
  never({ owner_id: "bench.id(0, 1)", domain: "'many.com'" }),
  never({ tax_id: "'MANY'", owner_id: "bench.id(0, 1)" }),
  create({ name: "'Padaria ' || r", domain: "'padaria' || r || '.com'" }),
  update({ industry: "'Alimentos ' || r" }),
  archive,
  restore,
  // Of the companies without contacts, which are more at some sizes.
  {
    route: "POST /:id/merge",
    args: { id: "bench.id(0, 911)", merge_id: "bench.id(0, 912 + r)" },
    once: true as const,
  },
  single("external_id", "'erp-103'"),
  upsert("external_id", IMPORTED, { industry: "'Varejo ' || r" }),
  upsert("tax_id", "bench.own(r, total)::text", { industry: "'Varejo ' || r" }),
  upsert("domain", "bench.own(r, total) || '.com'", { industry: "'Varejo ' || r" }),
  upsert("domain", "'mercado' || r || '.com'", { name: "'Mercado ' || r" }),
  batch(
    item("create", { name: "'Lote ' || r" }),
    item("update", { id: OWN, industry: "'Lote ' || r" }),
    item("upsert", { match_by: "'external_id'", external_id: IMPORTED, industry: "'Lote ' || r" }),
  ),
];

/** Sums over as many deals at every size. */
const summaries = [
  { since: "bench.made_at(total - 900)" },
  { since: "bench.made_at(total - 900)", owner_id: "bench.id(0, 1)", status: words("ganho", "perdido") },
  { until: "bench.made_at(900)", archived: "'any'", pipeline_id: "bench.id(0, 1)" },
  { stage_id: "bench.id(0, 5)" },
  { contact_id: FEW },
  { company_id: FEW },
  { external_id: "'few'" },
  { closed_since: "bench.made_at(total - 900)" },
  { closed_since: "bench.made_at(1)", closed_until: "bench.made_at(900)" },
  { updated_since: "bench.made_at(total + 90)" },
].map((args) => ({ route: "GET /summary", args }));

const deals = [
  read,
  ...list,
  ...archived,
  ...pages("status", words("aberto"), words("ganho"), words("perdido"), words("aberto", "ganho")),
  ...pages("closed_since", "bench.made_at(1)", "bench.made_at(total - 99)"),
  ...pages("closed_until", "bench.made_at(200)"),
  old({ closed_until: "bench.made_at(total / 2)" }),
  page({ closed_since: "bench.made_at(total / 2)", closed_until: "bench.made_at(total / 2 + 99)" }),
  never({ closed_until: "bench.made_at(total / 2)", owner_id: "bench.id(0, 1)" }),
  never({ status: words("aberto", "ganho"), owner_id: "bench.id(0, 1)" }),
  ...pages("pipeline_id", "bench.id(0, 2)", "bench.id(0, 1)"),
  ...pages("stage_id", "bench.id(0, 5)", "bench.id(0, 1)", "bench.id(0, 2)"),
  ...owners,
  ...pages("contact_id", FEW, MANY),
  ...pages("company_id", FEW, MANY),
  ...pages("external_id", "'few'", "'many'"),
  ...pages("q", "'negocio'", "'many neg'"),
  few(10, { status: words("ganho"), since }),
  few(9, { status: words("ganho"), owner_id: "bench.id(0, 3)", since: "bench.made_at(total - 89)" }),
  never({ status: words("ganho"), owner_id: "bench.id(0, 1)" }),
  never({ status: words("perdido"), stage_id: "bench.id(0, 1)" }),
  never({ pipeline_id: "bench.id(0, 1)", stage_id: "bench.id(0, 1)", owner_id: "bench.id(0, 1)" }),
  never({ contact_id: MANY, status: words("perdido") }),
  never({ company_id: MANY, owner_id: "bench.id(0, 1)" }),
  never({ external_id: "'many'", status: words("perdido") }),
  never({ status: words("ganho"), updated_since: "bench.made_at(total + 990)" }),
  ...summaries,
  create({ title: "'Venda ' || r", contact_id: ANY, company_id: ANY }),
  update({ value: "r" }),
  upsert("external_id", "bench.own(r, total)::text", { value: "r + 1" }),
  upsert("external_id", "'novo ' || r", { title: "'Venda ' || r" }),
  batch(
    item("create", { title: "'Lote ' || r" }),
    item("update", { id: OWN, value: "r + 2" }),
    item("upsert", { match_by: "'external_id'", external_id: "bench.own(r, total)::text", value: "r + 3" }),
  ),
  { route: "POST /:id/move-stage", args: { id: OWN, stage_id: "bench.id(0, 1 + r / 12 % 2)" } },
  { route: "POST /:id/win", args: { id: "bench.id(0, 1 + r)" }, once: true as const },
  { route: "POST /:id/lose", args: { id: "bench.id(0, 61 + r)" }, once: true as const },
  archive,
  restore,
];

const WEEK = "interval '7 days'";
const MIDDLE = `bench.made_at(total / 2) + ${WEEK}`;

const activities = [
  read,
  ...list,
  ...pages("deal_id", FEW, MANY),
  ...pages("contact_id", FEW, MANY),
  few(10, { deal_id: MANY, since }),
  ...owners,
  ...pages("type", words("visita"), words("ligacao"), words("tarefa"), words("visita", "ligacao")),
  ...pages("status", words("pendente"), words("concluida"), words("pendente", "cancelada")),
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
  never({ is_overdue: "false", status: words("pendente") }),
  never({ due_before: MIDDLE, status: words("pendente") }),
  never({ due_before: MIDDLE, updated_since: "bench.made_at(total / 4)" }),
  never({ due_after: MIDDLE, type: words("ligacao"), status: words("concluida") }),
  never({ deal_id: MANY, status: words("concluida") }),
  never({ contact_id: MANY, type: words("tarefa") }),
  create({ deal_id: ANY, title: "'Ligar ' || r" }),
  update({ title: "'Ligar ' || r" }),
  batch(
    item("create", { deal_id: ANY, title: "'Lote ' || r" }),
    item("update", { id: OWN, title: "'Lote ' || r" }),
  ),
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
    ...pages("until", "bench.made_at(total / 2)"),
    few(30, { since: "bench.made_at(total - 59)" }),
    ...pages("kind", words("note"), words("observation"), words("note", "observation")),
    never({ kind: words("observation"), updated_since: "bench.made_at(total / 2)" }),
  ]),
  create({ deal_id: ANY, body: "'Ligou ' || r" }),
  batch(item("create", { deal_id: ANY, body: "'Lote ' || r" })),
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

/** The change log, newest first, of the same events. */
const changes = [
  page({}),
  ...pages("cursor", "bench.event_at(total / 2, total)", "bench.event_at(60, total)"),
  ...pages("since", "bench.happened_at(total - 99, total)", "bench.happened_at(1, total)"),
  ...pages("until", "bench.happened_at(total / 2, total)", "bench.happened_at(60, total)"),
  ...pages("object_id", FEW, MANY),
  page({ object_id: MANY, cursor: "bench.event_at(total * 3 / 4, total)" }),
  page({ object_id: MANY, until: "bench.happened_at(total * 3 / 4, total)" }),
  ...pages("object_type", "'contact'"),
  never({ object_type: "'deal'" }),
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
    ...pages("until", "bench.happened_at(total / 2, total)", "bench.happened_at(60, total)"),
    few(9, { since: "bench.happened_at(total - 9, total) + interval '1 ms'" }),
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
  changes,
  webhooks,
})
  .flatMap(([name, probes]) => probes.map((probe) => ({ resource: `api-v1-${name}`, ...probe })));
