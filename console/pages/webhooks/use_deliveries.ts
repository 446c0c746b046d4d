import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Action, call, type Resource, useAction, useResource } from "../../app/mod.ts";
import type { Page } from "../../app/types.ts";
import { withOlder } from "./older.ts";
import type { Delivery } from "./records.ts";

/** Deliveries, newest first: the first page, which can be read again, and the older pages that were loaded. */
export interface Deliveries {
  first: Resource<Page<Delivery>>;
  /** Undefined until the first page was read. */
  shown: Delivery[] | undefined;
  reload: () => Promise<void>;
  /** Replaces a delivery in the older pages, after it was sent again. */
  replace: (delivery: Delivery) => void;
  /**
   * Drops the older pages and reads the first page again, after a recovery added deliveries anywhere in the list.
   */
  restart: () => Promise<void>;
  /** Loads another older page; null if there is none. */
  showOlder: (() => void) | null;
  reading: Action;
}

/** Reads the deliveries at `path`, which must have a query, because `&cursor=…` is appended. */
export function useDeliveries(path: string): Deliveries {
  const first = useResource<Page<Delivery>>(path);
  const older = useSignal<Page<Delivery> | null>(null);
  const reading = useAction();
  useEffect(() => {
    older.value = null;
  }, [path]);

  const page = first.data.value;
  const next = (cursor: string) => call<Page<Delivery>>("GET", `${path}&cursor=${cursor}`);
  /** Reads the older rows again, as many as are shown. */
  const readOlder = async (from: Page<Delivery>, count: number) => {
    let read: Page<Delivery> = { data: [], meta: from.meta };
    while (read.data.length < count && read.meta.next_cursor !== null) {
      const { data, meta } = await next(read.meta.next_cursor);
      read = { data: [...read.data, ...data], meta };
    }
    older.value = read;
  };
  const reload = async () => {
    const before = first.data.peek();
    await first.reload();
    const fresh = first.data.peek();
    if (!before || !fresh || !older.value) return;
    older.value = withOlder(fresh, before, older.value);
    const rows = older.value?.data ?? [];
    // Older deliveries rarely change. They are read again only while one of them is pending.
    if (rows.some(({ state }) => state === "pending")) {
      await reading.run(() => readOlder(fresh, rows.length));
    }
  };
  const replace = (delivery: Delivery) => {
    if (!older.value) return;
    const { data, meta } = older.value;
    older.value = { meta, data: data.map((row) => row.id === delivery.id ? delivery : row) };
  };
  const restart = () => {
    older.value = null;
    return first.reload();
  };
  const cursor = (older.value ?? page)?.meta.next_cursor ?? null;
  const showOlder = () =>
    reading.run(async () => {
      const { data, meta } = await next(cursor!);
      older.value = { data: [...older.value?.data ?? [], ...data], meta };
    });
  return {
    first,
    shown: page && [...page.data, ...older.value?.data ?? []],
    reload,
    replace,
    restart,
    showOlder: cursor === null ? null : showOlder,
    reading,
  };
}
