import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../../app/api.ts";
import { type Resource, useResource } from "../../app/resource.ts";
import type { Page } from "../../app/types.ts";
import { type Action, useAction } from "../../app/use_action.ts";
import { withOlder } from "./older.ts";
import type { Delivery } from "./records.ts";

/** Deliveries, newest first: the first page, which can be read again, and the older ones that were asked for. */
export interface Deliveries {
  first: Resource<Page<Delivery>>;
  /** Undefined until the first page has been read. */
  shown: Delivery[] | undefined;
  reload: () => Promise<void>;
  /** Reads the first page alone: rows have come between the others, as what is recovered does. */
  restart: () => Promise<void>;
  /** Null if there is nothing older. */
  showOlder: (() => void) | null;
  reading: Action;
}

/** Reads the deliveries of `path`, which has a query. */
export function useDeliveries(path: string): Deliveries {
  const first = useResource<Page<Delivery>>(path);
  const older = useSignal<Page<Delivery> | null>(null);
  const reading = useAction();
  useEffect(() => {
    older.value = null;
  }, [path]);

  const page = first.data.value;
  const reload = async () => {
    const before = first.data.peek();
    await first.reload();
    const fresh = first.data.peek();
    if (before && fresh && fresh !== before && older.value) {
      older.value = withOlder(fresh, before, older.value);
    }
  };
  const restart = () => {
    older.value = null;
    return first.reload();
  };
  const cursor = (older.value ?? page)?.meta.next_cursor ?? null;
  const showOlder = () =>
    reading.run(async () => {
      const next = await call<Page<Delivery>>("GET", `${path}&cursor=${cursor}`);
      older.value = { ...next, data: [...older.value?.data ?? [], ...next.data] };
    });
  return {
    first,
    shown: page && [...page.data, ...older.value?.data ?? []],
    reload,
    restart,
    showOlder: cursor === null ? null : showOlder,
    reading,
  };
}
