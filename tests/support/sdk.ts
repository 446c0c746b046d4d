import { Crm, type CrmOptions, type Retry } from "../../clients/sdk/src/index.ts";
import type { OperationId } from "../../clients/sdk/src/operations.ts";
import { startProxy } from "../../bench/harness/proxy.ts";
import { openMailbox } from "./mailbox.ts";
import { baseUrl } from "./stack.ts";

/** A request that the SDK sent. */
export interface Sent {
  method: string;
  /** Below the base URL, without the query. */
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: string | null;
}

/** A client of the shared stack that keeps what it sends and why it repeats. */
export function recordingCrm(key: string | null, options: Partial<CrmOptions> = {}) {
  const sent: Sent[] = [];
  const retries: Retry[] = [];
  const base = options.baseUrl ?? baseUrl;
  const crm = new Crm({
    key,
    baseUrl: base,
    onRetry: (retry) => retries.push(retry),
    fetch: (input, init) => {
      const { pathname, searchParams } = new URL(String(input));
      sent.push({
        method: init!.method!,
        path: pathname.slice(new URL(base).pathname.length),
        query: searchParams,
        headers: new Headers(init!.headers),
        body: init!.body ? new TextDecoder().decode(init!.body as Uint8Array<ArrayBuffer>) : null,
      });
      return fetch(input, init);
    },
    ...options,
  });
  return { crm, sent, retries };
}

/** Where a connection ends: before the service has the request, before the client has the answer, or within the answer. */
export type Cut = "request" | "answer" | "half";

/** A proxy that cuts the first connections, one for each of `cuts`, and then forwards. */
export function startCuttingProxy(cuts: Cut[]) {
  const left = [...cuts];
  const cutOf = new Map<Deno.TcpConn, Cut | undefined>();
  return startProxy(
    baseUrl,
    async (client, server) => {
      const cut = left.shift();
      cutOf.set(client, cut);
      if (cut !== "request") return await client.readable.pipeTo(server.writable);
      await client.read(new Uint8Array(1));
      for (const socket of [client, server]) socket.close();
    },
    async (server, client) => {
      const cut = cutOf.get(client);
      if (cut === "request") return;
      if (cut === undefined) return await server.readable.pipeTo(client.writable);
      // The first byte of an answer shows that the request was carried out.
      const answer = new Uint8Array(100);
      const length = await server.read(answer) ?? 0;
      if (cut === "half") await client.write(answer.subarray(0, length));
      client.close();
    },
  );
}

/** What the calls of every operation need. */
export interface Samples {
  crm: Crm;
  dealId: string;
  contactId: string;
  companyId: string;
  stageId: string;
  operationId: string;
  /** Creates a proposal that waits for an answer, and returns the token of its link. */
  newToken(): Promise<string>;
}

const name = "Ana";
const overlap_seconds = 60;

async function subscribe({ crm }: Samples): Promise<string> {
  return (await crm.webhooks.create({ event_types: ["deal.won"], target_url: openMailbox().url })).id;
}

async function deliver({ crm }: Samples, id: string): Promise<string> {
  return (await crm.webhooks.test(id)).delivery_id;
}

async function newCompany({ crm }: Samples): Promise<string> {
  return (await crm.companies.create({ name })).id;
}

/**
 * A call of each operation by the method that the SDK has for it. A new endpoint without a line here does not compile, and
 * its line has nothing to call until the SDK has a method.
 */
export const CALLS: Readonly<Record<OperationId, (samples: Samples) => Promise<unknown>>> = {
  "activities.list": ({ crm }) => crm.activities.list({ status: ["pendente"] }).page(),
  "activities.create": ({ crm, dealId: deal_id }) => crm.activities.create({ deal_id }),
  "activities.batch": ({ crm, dealId: deal_id }) =>
    crm.activities.batch([{ op: "create", data: { deal_id } }]),
  "activities.get": async ({ crm, dealId: deal_id }) =>
    crm.activities.get((await crm.activities.create({ deal_id })).id),
  "activities.update": async ({ crm, dealId: deal_id }) =>
    crm.activities.update((await crm.activities.create({ deal_id })).id, { title: "Ligar" }),
  "changes.list": ({ crm }) => crm.changes.list({ since: new Date(0) }).page(),
  "companies.list": ({ crm }) => crm.companies.list({ name }).page(),
  "companies.create": ({ crm }) => crm.companies.create({ name }),
  "companies.upsert": ({ crm }) => crm.companies.upsert("external_id", { name, external_id: "e-1" }),
  "companies.batch": ({ crm }) => crm.companies.batch([{ op: "create", data: { name } }]),
  "companies.get": ({ crm, companyId }) => crm.companies.get(companyId),
  "companies.update": ({ crm, companyId }) => crm.companies.update(companyId, { name }),
  "companies.merge": async (samples) =>
    samples.crm.companies.merge(samples.companyId, await newCompany(samples)),
  "companies.archive": ({ crm, companyId }) => crm.companies.archive(companyId),
  "companies.restore": ({ crm, companyId }) => crm.companies.restore(companyId),
  "contacts.list": ({ crm, companyId: company_id }) => crm.contacts.list({ company_id }).page(),
  "contacts.create": ({ crm }) => crm.contacts.create({ name }),
  "contacts.upsert": ({ crm }) => crm.contacts.upsert("external_id", { name, external_id: "c-1" }),
  "contacts.batch": ({ crm }) => crm.contacts.batch([{ op: "create", data: { name } }]),
  "contacts.get": ({ crm, contactId }) => crm.contacts.get(contactId),
  "contacts.update": ({ crm, contactId }) => crm.contacts.update(contactId, { name }),
  "contacts.merge": async ({ crm, contactId }) =>
    crm.contacts.merge(contactId, (await crm.contacts.create({ name })).id),
  "contacts.archive": ({ crm, contactId }) => crm.contacts.archive(contactId),
  "contacts.restore": ({ crm, contactId }) => crm.contacts.restore(contactId),
  "contacts.erase": ({ crm, contactId }) => crm.contacts.erase(contactId, { texts: true }),
  "deals.list": ({ crm }) => crm.deals.list({ status: ["aberto", "ganho"] }).page(),
  "deals.create": ({ crm }) => crm.deals.create({ title: "Plano anual" }),
  "deals.summary": ({ crm }) => crm.deals.summary({ status: "aberto" }),
  "deals.upsert": ({ crm }) => crm.deals.upsert("external_id", { title: "Plano", external_id: "d-1" }),
  "deals.batch": ({ crm }) => crm.deals.batch([{ op: "create", data: { title: "Plano" } }]),
  "deals.get": ({ crm, dealId }) => crm.deals.get(dealId),
  "deals.update": ({ crm, dealId }) => crm.deals.reopen(dealId),
  "deals.move_stage": ({ crm, dealId, stageId: stage_id }) => crm.deals.moveStage(dealId, { stage_id }),
  "deals.win": ({ crm, dealId }) => crm.deals.win(dealId, { value: 10 }),
  "deals.lose": ({ crm, dealId }) => crm.deals.lose(dealId, { loss_note: "Preço" }),
  "deals.archive": ({ crm, dealId }) => crm.deals.archive(dealId),
  "deals.restore": ({ crm, dealId }) => crm.deals.restore(dealId),
  "events.list": ({ crm }) => crm.events.list({ event_types: ["lead.received"] }).page(),
  "leads.create": ({ crm }) => crm.leads.create({ first_name: name }),
  "me.get": ({ crm }) => crm.me(),
  "operations.get": ({ crm, operationId }) => crm.operation(operationId),
  "notes.list": ({ crm, dealId: deal_id }) => crm.notes.list({ deal_id }).page(),
  "notes.create": ({ crm, dealId: deal_id }) => crm.notes.create({ deal_id, body: "Olá" }),
  "notes.batch": ({ crm, dealId: deal_id }) =>
    crm.notes.batch([{ op: "create", data: { deal_id, body: "Olá" } }]),
  "notes.get": async ({ crm, dealId: deal_id }) =>
    crm.notes.get((await crm.notes.create({ deal_id, body: "Olá" })).id),
  "pipelines.list": ({ crm }) => crm.pipelines.list().page(),
  "webhooks.list": ({ crm }) => crm.webhooks.list().page(),
  "webhooks.create": subscribe,
  "webhooks.get": async (samples) => samples.crm.webhooks.get(await subscribe(samples)),
  "webhooks.delete": async (samples) => samples.crm.webhooks.delete(await subscribe(samples)),
  "webhooks.deliveries": async (samples) => samples.crm.webhooks.deliveries(await subscribe(samples)).page(),
  "webhooks.delivery": async (samples) => {
    const id = await subscribe(samples);
    return await samples.crm.webhooks.delivery(id, await deliver(samples, id));
  },
  "webhooks.redeliver": async (samples) => {
    const id = await subscribe(samples);
    return await samples.crm.webhooks.redeliver(id, await deliver(samples, id));
  },
  "webhooks.test": async (samples) => deliver(samples, await subscribe(samples)),
  "webhooks.reactivate": async (samples) => samples.crm.webhooks.reactivate(await subscribe(samples)),
  "webhooks.recover": async (samples) =>
    samples.crm.webhooks.recover(await subscribe(samples), {
      since: new Date(Date.now() - 60_000).toISOString(),
    }),
  "webhooks.rotate_secret": async (samples) =>
    samples.crm.webhooks.rotateSecret(await subscribe(samples), { overlap_seconds }),
  "workspace.get": ({ crm }) => crm.workspace(),
  "proposals.get": async ({ crm, newToken }) => crm.proposals.get(await newToken()),
  "proposals.accept": async ({ crm, newToken }) => crm.proposals.accept(await newToken()),
  "proposals.reject": async ({ crm, newToken }) =>
    crm.proposals.reject(await newToken(), { reason: "Preço" }),
  "health.get": ({ crm }) => crm.health(),
};
