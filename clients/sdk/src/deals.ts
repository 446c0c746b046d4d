import { type BatchOptions, sendBatch } from "./batch.ts";
import type { CallOptions, CreateOptions, ReadAgainOptions, ReadOptions, UpdateOptions } from "./http.ts";
import { List } from "./list.ts";
import type { DealsListQuery, DealsSummaryQuery } from "./operations.ts";
import { Resource } from "./resource.ts";
import type * as T from "./types.ts";

type Item = T.DealBatch["items"][number];

/** The deals, from first contact to won or lost. */
export class Deals extends Resource {
  /** Lists deals. Scope `deals:read`. */
  list(query?: DealsListQuery, options?: CallOptions): List<T.Deal, T.DealPage> {
    return new List((at) => this.http.call("deals.list", { query: { ...query, ...at }, options }), query);
  }

  /** Reads a deal with its contact, its company and its last activity. Scope `deals:read`. */
  get(id: string, options?: ReadOptions): Promise<T.DealDetail>;
  /** Reads it again; null if it has not changed. */
  get(id: string, options: ReadAgainOptions): Promise<T.DealDetail | null>;
  get(id: string, options?: ReadOptions | ReadAgainOptions): Promise<T.DealDetail | null> {
    return this.http.call("deals.get", { path: { id }, options });
  }

  /** Creates a deal. Scope `deals:write`. */
  create(deal: T.NewDeal, options?: CreateOptions): Promise<T.Deal> {
    return this.http.call("deals.create", { body: deal, options });
  }

  /** Changes the fields that are given. Scope `deals:write`. */
  update(id: string, changes: T.DealPatch, options?: UpdateOptions): Promise<T.Deal> {
    return this.http.call("deals.update", { path: { id }, body: changes, options });
  }

  /** Changes the deal that has the same `external_id`, or creates it. Scope `deals:write`. */
  upsert(matchBy: "external_id", deal: T.DealUpsert, options?: CreateOptions): Promise<T.Deal> {
    return this.http.call("deals.upsert", { query: { match_by: matchBy }, body: deal, options });
  }

  /** Writes any number of deals, 100 a call. An item that fails stops no other. Scope `deals:write`. */
  batch(items: Iterable<Item> | AsyncIterable<Item>, options: BatchOptions = {}): Promise<T.BatchResult> {
    return sendBatch(items, options, (body, options) => this.http.call("deals.batch", { body, options }));
  }

  /** Takes a deal out of the lists. Scope `deals:write`. */
  archive(id: string, options?: CallOptions): Promise<T.Deal> {
    return this.http.call("deals.archive", { path: { id }, options });
  }

  /** Puts an archived deal back. Scope `deals:write`. */
  restore(id: string, options?: CallOptions): Promise<T.Deal> {
    return this.http.call("deals.restore", { path: { id }, options });
  }

  /** Counts and adds up deals by pipeline, stage and status. Scope `deals:read`. */
  summary(query?: DealsSummaryQuery, options?: CallOptions): Promise<T.DealSummary> {
    return this.http.call("deals.summary", { query, options });
  }

  /** Moves a deal to a stage. Scope `deals:write`. */
  moveStage(id: string, to: T.MoveStage, options?: CallOptions): Promise<T.DealAction> {
    return this.http.call("deals.move_stage", { path: { id }, body: to, options });
  }

  /** Marks a deal won, with its final amounts where they differ. A closed one stays as it is. Scope `deals:write`. */
  win(id: string, amounts?: T.Win, options?: CallOptions): Promise<T.DealAction> {
    return this.http.call("deals.win", { path: { id }, body: amounts, options });
  }

  /** Marks a deal lost, with the reason. A closed one stays as it is. Scope `deals:write`. */
  lose(id: string, reason?: T.Lose, options?: CallOptions): Promise<T.DealAction> {
    return this.http.call("deals.lose", { path: { id }, body: reason, options });
  }

  /** Opens a closed deal again: an update of its `status`. Scope `deals:write`. */
  reopen(id: string, options?: UpdateOptions): Promise<T.Deal> {
    return this.update(id, { status: "aberto" }, options);
  }
}
