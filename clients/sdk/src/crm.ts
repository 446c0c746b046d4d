import { type CallOptions, type CrmOptions, Http, type UpdateOptions } from "./http.ts";
import { methodsOf } from "./methods.ts";
import type { Deals, Events, Resources } from "./operations.ts";
import { readFeed, type Synced, type SyncOptions } from "./sync.ts";
import type { Deal, EventType } from "./types.ts";

/**
 * A client that calls the API with one key. {@link Resources} lists its methods.
 *
 * ```ts
 * const crm = new Crm({ key: process.env.CRM_KEY, baseUrl: process.env.CRM_URL });
 * const { lead } = await crm.leads.create({ first_name: "Ana", email: "ana@exemplo.com.br" });
 * ```
 */
export class Crm {
  readonly #http: Http;
  declare readonly deals: Deals & {
    /** Reopens a closed deal by updating its `status`. */
    reopen(id: string, options?: UpdateOptions): Promise<Deal>;
  };
  declare readonly events: Events & {
    /**
     * Returns the cursor after the newest event. Get it before you copy all records: `sync` from this cursor then
     * returns every change made during the copy.
     */
    currentCursor(options?: CallOptions): Promise<string>;
  };

  /** @throws TypeError if key or address is missing or malformed, so that an unset variable is noticed at startup */
  constructor(options: CrmOptions) {
    this.#http = new Http(options);
    Object.assign(this, methodsOf(this.#http));
    this.deals.reopen = (id, options) => this.deals.update(id, { status: "aberto" }, options);
    this.events.currentCursor = async (options) => {
      let cursor = "";
      const pages = this.events.list({ since: new Date() }, options).pages();
      for await (const { meta } of pages) cursor = meta.next_cursor;
      return cursor;
    };
  }

  /**
   * Reads the events after a cursor, up to the newest; with `pollEvery` it does not end. After you have handled a group
   * of events, store its cursor, even if the group is empty. Scope `events:read`.
   *
   * ```ts
   * for await (const { events, cursor } of crm.sync({ cursor: await load() })) {
   *   for (const event of events) await apply(event);
   *   await save(cursor);
   * }
   * ```
   *
   * @throws CrmError `cursor_expired` if the cursor is older than 30 days: get `events.currentCursor()`, copy all
   *   records again, and continue from the new cursor
   */
  sync<Type extends EventType = EventType>(
    options: SyncOptions<Type> = {},
  ): AsyncGenerator<Synced<Type>, void, undefined> {
    return readFeed(this.#http, options);
  }
}

/** The methods that the constructor assigns. */
export interface Crm extends Resources {}
