// What can be read of the workspace as a whole, and the public link of proposals.
import type { CallOptions } from "./http.ts";
import { List } from "./list.ts";
import type { ChangesListQuery, EventsListQuery } from "./operations.ts";
import { Resource } from "./resource.ts";
import type * as T from "./types.ts";

/** The sales funnels. */
export class Pipelines extends Resource {
  /** Lists the active pipelines with their stages. Scope `pipelines:read`. */
  list(options?: CallOptions): List<T.Pipeline, T.PipelineList> {
    return new List(() => this.http.call("pipelines.list", { options }));
  }
}

/** Who changed what in the last 90 days: names of fields, never values. */
export class Changes extends Resource {
  /** Lists changes. Scope `changes:read`. */
  list(query?: ChangesListQuery, options?: CallOptions): List<T.Change, T.ChangePage> {
    return new List((at) => this.http.call("changes.list", { query: { ...query, ...at }, options }), query);
  }
}

/** What happened in the last 30 days, in order. `crm.sync()` reads it from a cursor on. */
export class Events extends Resource {
  /** Lists events, the oldest first. Scope `events:read`. */
  list(query?: EventsListQuery, options?: CallOptions): List<T.Event, T.EventPage> {
    return new List((at) => this.http.call("events.list", { query: { ...query, ...at }, options }), query);
  }

  /**
   * Returns the cursor of the present moment. Take it before you copy all records: what changes meanwhile is then read
   * from it. Scope `events:read`.
   */
  async currentCursor(options?: CallOptions): Promise<string> {
    let cursor = "";
    for await (const { meta } of this.list({ since: new Date() }, options).pages()) cursor = meta.next_cursor;
    return cursor;
  }
}

/** The public link of a proposal, without an API key: its token is enough. */
export class Proposals extends Resource {
  /** Reads a proposal, as its recipient sees it. */
  get(token: string, options?: CallOptions): Promise<T.ProposalView> {
    return this.http.call("proposals.get", { path: { token }, options });
  }

  /** Accepts a proposal. */
  accept(token: string, options?: CallOptions): Promise<T.ProposalAnswer> {
    return this.http.call("proposals.accept", { path: { token }, options });
  }

  /** Rejects a proposal, with a reason. */
  reject(token: string, rejection?: T.ProposalRejection, options?: CallOptions): Promise<T.ProposalAnswer> {
    return this.http.call("proposals.reject", { path: { token }, body: rejection, options });
  }
}
