import { type CallOptions, type CrmOptions, Http, type UpdateOptions } from "./http.ts";
import { methodsOf } from "./methods.ts";
import type { Deals, Events, Resources } from "./operations.ts";
import { readFeed, type Synced, type SyncOptions } from "./sync.ts";
import type { Deal, EventType } from "./types.ts";

/**
 * A client of the API for one key. Its methods are those of {@link Resources}.
 *
 * ```ts
 * const crm = new Crm({ key: process.env.CRM_KEY, baseUrl: process.env.CRM_URL });
 * const { lead } = await crm.leads.create({ first_name: "Ana", email: "ana@exemplo.com.br" });
 * ```
 */
export class Crm {
  readonly #http: Http;
  declare readonly deals: Deals & {
    /** Opens a closed deal again: an update of its `status`. */
    reopen(id: string, options?: UpdateOptions): Promise<Deal>;
  };
  declare readonly events: Events & {
    /**
     * Returns the cursor of the present moment. Take it before you copy all records: what changes meanwhile is then read
     * from it.
     */
    currentCursor(options?: CallOptions): Promise<string>;
  };

  /** @throws TypeError without a key or an address, so that a missing variable shows at the start */
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

/** The methods that the constructor assigns. */
export interface Crm extends Resources {}
