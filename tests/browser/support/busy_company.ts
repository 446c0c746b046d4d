// A company after some weeks of use, for the checks of every page and the pictures of the console's guide.
import type { Sql } from "postgres";
import { createKey } from "../../../run/operator/keys.ts";
import { operate } from "../../../run/operator/operator.ts";
import { grant } from "../../support/apps.ts";
import { client } from "../../support/client.ts";
import { customer, makeProposal } from "../../support/proposals.ts";
import { eventually, openMailbox } from "../../support/mailbox.ts";
import { letTimePass, subscribe, waitForDelivery } from "../../support/webhooks.ts";
import { makePerson, type Person, sessionOf, signUp } from "./company.ts";

export interface BusyCompany {
  id: string;
  /** An administrator. */
  person: Person;
  /** Ids of records to open. */
  keyId: string;
  webhookId: string;
  deliveryId: string;
  /** A deal with something in each section of its page. */
  dealId: string;
  /** A webhook that has stopped, for which deliveries wait. */
  stoppedId: string;
}

const DEALS: [name: string, company: string, value: number, stage: number][] = [
  ["João Lima", "Café Central", 1_850, 0],
  ["Marina Alves", "Hotel Beira-Mar", 12_400, 0],
  ["Rui Prado", "Mercado do Povo", 3_200.5, 0],
  ["Conceição Reis", "Escola Girassol", 7_900, 1],
  ["Davi Nunes", "Restaurante Sabiá", 5_600, 1],
  ["Lia Campos", "Empório Serra", 980, 2],
  ["Téo Martins", "Lanches da Praça", 2_300, 3],
];

/**
 * @param name of the company, at most 255 characters
 * @param domain of its people's addresses, which no other company on the stack may have
 */
export async function makeBusyCompany(sql: Sql, name: string, domain: string): Promise<BusyCompany> {
  const email = `bia@${domain}`;
  const { id } = await operate(sql, "workspace_create", {
    name,
    member_name: "Bia Lima",
    member_email: email,
  });
  const person = await signUp(email);
  await makePerson(sql, { id }, "gestor", { name: "Ana Souza", email: `ana@${domain}` });
  await operate(sql, "member_invite", {
    workspace_id: id,
    name: "Caio Dias",
    email: `caio@${domain}`,
    role: "vendedor",
  });

  const keys = await makeKeys(sql, id);
  const dealId = await makeDeals(client(keys.all));
  await fillDeal(sql, dealId, keys.all);
  const webhooks = await makeDeliveries(sql, keys.all);
  await makeHistory(sql, id, keys.ids);
  const { access_token } = JSON.parse(await sessionOf(person));
  await grant(access_token, crypto.randomUUID(), ["deals:read", "contacts:read"]);
  return { id, person, keyId: keys.ids[1]!, dealId, ...webhooks };
}

async function makeKeys(sql: Sql, workspaceId: string) {
  const make = (name: string, scopes: string[]) => createKey(sql, { workspaceId, name, scopes });
  const old = await make("Antiga", ["contacts:read"]);
  const agency = await make("Agência", ["deals:read", "webhooks:manage"]);
  const erp = await make("ERP", ["contacts:read", "contacts:write", "companies:read", "companies:write"]);
  const site = await make("Site", ["leads:write"]);
  const all = await make("Integração", [
    "leads:write",
    "deals:read",
    "deals:write",
    "pipelines:read",
    "webhooks:manage",
    "contacts:write",
    "activities:write",
    "notes:write",
  ]);
  await operate(sql, "key_revoke", { workspace_id: workspaceId, id: old.id });
  return { ids: [agency.id, erp.id, site.id, all.id], all: all.key };
}

/** Creates the deals of the funnel, and returns the id of the last deal. */
async function makeDeals(api: ReturnType<typeof client>): Promise<string> {
  let last = "";
  const { body: pipelines } = await api.get("/api-v1-pipelines");
  const { id: pipeline_id, stages } = pipelines.data[0];
  for (const [person, company, value, stage] of DEALS) {
    const [first_name, last_name] = person.split(" ");
    const { body } = await api.post("/api-v1-leads", {
      first_name,
      last_name,
      company_name: company,
      value,
      source: "Site",
    });
    const { deal_id } = body.lead;
    last = deal_id;
    if (stage === 1) {
      await api.post(`/api-v1-deals/${deal_id}/move-stage`, { pipeline_id, stage_id: stages[1].id });
    }
    if (stage === 2) await api.post(`/api-v1-deals/${deal_id}/win`, {});
    if (stage === 3) await api.post(`/api-v1-deals/${deal_id}/lose`, {});
  }
  return last;
}

/** Adds a contact, proposals, activities and a note to a deal, some with long texts. */
async function fillDeal(sql: Sql, dealId: string, key: string): Promise<void> {
  const api = client(key);
  const { body: other } = await api.post("/api-v1-contacts", {
    name: "Nilza Teles",
    email: `${"nilza.".repeat(9)}teles@lanches.example`,
    phone: "+55 11 91234-5678",
  });
  await api.post(`/api-v1-deals/${dealId}/contacts`, { contact_id: other.id, role: "decisora" });
  await api.patch(`/api-v1-deals/${dealId}`, { recurring_value: 300, tags: ["vip", "padaria"] });
  const offer = "Pães para o café da manhã ".repeat(9).trim();
  await customer((await makeProposal(sql, dealId, { title: offer, value: 2_300 })).link).accept();
  await makeProposal(sql, dealId, {
    title: "Plano mensal",
    recurringValue: 300,
    expiresAt: "2030-01-31T12:00:00Z",
  });
  const due_at = "2026-01-05T14:00:00Z";
  await api.post("/api-v1-activities", { deal_id: dealId, type: "reuniao", title: "Apresentar", due_at });
  await api.post("/api-v1-notes", { deal_id: dealId, body: "Reunião: 40 min\nDecisor presente: sim" });
}

/** Makes a webhook with a delivery that succeeded at the second attempt, and a webhook that stopped. */
async function makeDeliveries(
  sql: Sql,
  key: string,
): Promise<Pick<BusyCompany, "webhookId" | "deliveryId" | "stoppedId">> {
  const api = client(key);
  const good = await subscribe(key, openMailbox("status=503,204").url, ["contact.created"]);
  const bad = await subscribe(key, openMailbox("status=500").url, ["contact.created", "deal.won"]);
  await api.post("/api-v1-contacts", { name: "Marina Alves", email: "marina@hotel.example" });
  const { id } = await waitForDelivery(sql, good.id, ({ attempts }) => attempts === 1);
  await letTimePass(sql, good.id);
  await waitForDelivery(sql, good.id, ({ state }) => state === "delivered");
  for (const name of ["Rui Prado", "Lia Campos", "Davi Nunes"]) await api.post("/api-v1-contacts", { name });
  await waitUntilQuiet(sql, [good.id, bad.id]);
  // The new addresses are only shown: the first webhook has no delivery left, and the stopped one sends none.
  await sql`
    update crm.webhook_deliveries
    set attempts = 5, state = 'failed'
    where id = (select min(id::text)::uuid from crm.webhook_deliveries where subscription_id = ${bad.id})`;
  await sql`
    update crm.webhook_subscriptions
    set is_active = id = ${good.id}, failure_count = case when id = ${bad.id} then 5 else 0 end,
      deactivated_reason = case when id = ${bad.id} then 'failures' end,
      target_url = case when id = ${good.id} then 'https://erp.padariasol.example/avisos'
        else 'https://agencia.example/entrada' end
    where id in (${good.id}, ${bad.id})`;
  return { webhookId: good.id, deliveryId: id, stoppedId: bad.id };
}

async function waitUntilQuiet(sql: Sql, subscriptions: string[]): Promise<void> {
  await eventually(async () => {
    const [row] = await sql<[{ waiting: number }]>`
      select count(*)::integer as waiting from crm.webhook_deliveries
      where subscription_id = any (${subscriptions}) and attempts = 0`;
    return row.waiting === 0;
  }, "the first attempts");
}

/** Adds calls in the last 30 days, more on working days. */
async function makeHistory(sql: Sql, workspaceId: string, keyIds: string[]): Promise<void> {
  const [, erp, site] = keyIds;
  await sql`
    insert into crm.key_calls (workspace_id, key_id, hour, calls)
    select ${workspaceId}, k.id, date_trunc('hour', now()) - n * interval '1 hour',
      (k.most * (2 + sin(n / 5.0)) * case when extract(isodow from now() - n * interval '1 hour') > 5 then 0.3 else 1 end)::int + 1
    from generate_series(1, 700) n, (values (${erp!}::uuid, 4), (${site!}::uuid, 1)) as k (id, most)`;
  // The log of the last 6 days: some requests without a valid e-mail, and a few for a contact that does not exist.
  await sql`
    insert into crm.requests (workspace_id, key_id, id, method, path, status, request_id, duration_ms, error)
    select c.workspace_id, c.key_id, crm.uuid_v7(c.hour + n * interval '4 minutes'), 'POST', '/api-v1-contacts',
      case when c.calls > 9 and n = 1 then 422 when c.calls > 12 and n = 2 then 404 else 201 end, gen_random_uuid(), 9 + n,
      case
        when c.calls > 9 and n = 1 then
          '{"code": "validation_error", "message": "A requisição tem campos inválidos",
            "details": [{"field": "email", "message": "Deve ser um e-mail válido"}]}'
        when c.calls > 12 and n = 2 then '{"code": "not_found", "message": "Não existe"}'
      end::json
    from crm.key_calls c, generate_series(1, c.calls) n
    where c.key_id = ${erp!} and c.hour > now() - interval '6 days'`;
  await sql`
    insert into crm.key_counters (workspace_id, key_id, counted_since, calls, last_call_at)
    select ${workspaceId}, k.id, now() - interval '30 days', k.calls, now() - k.ago
    from (values
      (${erp!}::uuid, 5000, interval '4 minutes'), (${site!}::uuid, 1500, interval '2 hours')
    ) as k (id, calls, ago)`;
}
