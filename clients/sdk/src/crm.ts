import { Deals } from "./deals.ts";
import { type CallOptions, type CrmOptions, Http } from "./http.ts";
import { Activities, Companies, Contacts, Leads, Notes } from "./records.ts";
import { readFeed, type Synced, type SyncOptions } from "./sync.ts";
import type { BackgroundOperation, EventType, Health, Me, Workspace } from "./types.ts";
import { Webhooks } from "./webhooks.ts";
import { Changes, Events, Pipelines, Proposals } from "./workspace.ts";

/**
 * The API, for one key.
 *
 * ```ts
 * const crm = new Crm({ key: process.env.CRM_KEY, baseUrl: process.env.CRM_URL });
 * const { lead } = await crm.leads.create({ first_name: "Ana", email: "ana@exemplo.com.br" });
 * ```
 */
export class Crm {
  readonly #http: Http;
  /** Lead intake: company, contact and deal in one call. */
  readonly leads: Leads;
  /** The people that the workspace deals with. */
  readonly contacts: Contacts;
  /** The companies that the workspace deals with. */
  readonly companies: Companies;
  /** The deals, from first contact to won or lost. */
  readonly deals: Deals;
  /** Tasks, calls, meetings and other activities of a deal. */
  readonly activities: Activities;
  /** Notes of a deal. */
  readonly notes: Notes;
  /** The sales funnels. */
  readonly pipelines: Pipelines;
  /** What happened in the last 30 days. */
  readonly events: Events;
  /** Who changed what in the last 90 days. */
  readonly changes: Changes;
  /** Subscriptions to events, and their deliveries. */
  readonly webhooks: Webhooks;
  /** The public link of a proposal. */
  readonly proposals: Proposals;

  /** @throws TypeError without a key or an address, so that a missing variable shows at the start */
  constructor(options: CrmOptions) {
    this.#http = new Http(options);
    this.leads = new Leads(this.#http);
    this.contacts = new Contacts(this.#http);
    this.companies = new Companies(this.#http);
    this.deals = new Deals(this.#http);
    this.activities = new Activities(this.#http);
    this.notes = new Notes(this.#http);
    this.pipelines = new Pipelines(this.#http);
    this.events = new Events(this.#http);
    this.changes = new Changes(this.#http);
    this.webhooks = new Webhooks(this.#http);
    this.proposals = new Proposals(this.#http);
  }

  /** Whose the key is, and what it may do. */
  me(options?: CallOptions): Promise<Me> {
    return this.#http.call("me.get", { options });
  }

  /** What can be chosen in the workspace: members, pipelines, reasons of losses. */
  workspace(options?: CallOptions): Promise<Workspace> {
    return this.#http.call("workspace.get", { options });
  }

  /** How far an erasure or a merge is that goes on in the background. */
  operation(id: string, options?: CallOptions): Promise<BackgroundOperation> {
    return this.#http.call("operations.get", { path: { id }, options });
  }

  /** The state of the service; without a key. */
  health(options?: CallOptions): Promise<Health> {
    return this.#http.call("health.get", { options });
  }

  /**
   * Reads what happened from a cursor on, until there is nothing more to read now, or with `pollEvery` for ever. Store
   * the cursor after the work of each turn, also where there are no events. Scope `events:read`.
   *
   * ```ts
   * for await (const { events, cursor } of crm.sync({ cursor: await load() })) {
   *   for (const event of events) await apply(event);
   *   await save(cursor);
   * }
   * ```
   *
   * @throws CrmError `cursor_expired` where the cursor is older than 30 days: copy the records again, from
   *   `events.currentCursor()` on
   */
  sync<Type extends EventType = EventType>(
    options: SyncOptions<Type> = {},
  ): AsyncGenerator<Synced<Type>, void, undefined> {
    return readFeed(this.#http, options);
  }
}
