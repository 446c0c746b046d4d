import { type Signal, useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { call } from "./api.ts";
import { asFailure, type Failure } from "./failure.ts";
import { rememberedReply, rememberReply } from "./resource_cache.ts";

/** A skeleton appears only after this wait, because one that flashes up disturbs the reader. */
const SKELETON_AFTER_MS = 150;

export interface Resource<T> {
  /** The last reply. It stays while the data is being read again, and after a failure. */
  data: Signal<T | undefined>;
  failure: Signal<Failure | null>;
  /** True if there is nothing to show yet and SKELETON_AFTER_MS have passed. */
  waiting: Signal<boolean>;
  /** Reads the data again; never rejects. */
  reload: () => Promise<void>;
  /** Replaces the data with a reply that the caller already has, such as the reply to a change. */
  set: (data: T) => void;
}

/** Reads `path` when the component is mounted; reads nothing if `path` is null. */
export function useResource<T>(path: string | null): Resource<T> {
  const data = useSignal<T | undefined>(path === null ? undefined : rememberedReply<T>(path));
  const failure = useSignal<Failure | null>(null);
  const waiting = useSignal(false);
  const current = useRef<AbortController | null>(null);

  const reload = useCallback(async () => {
    current.current?.abort();
    if (path === null) return;
    const abort = current.current = new AbortController();
    const timer = setTimeout(() => waiting.value = data.peek() === undefined, SKELETON_AFTER_MS);
    try {
      const reply = await call<T>("GET", path, { signal: abort.signal });
      if (abort.signal.aborted) return;
      rememberReply(path, reply);
      data.value = reply;
      failure.value = null;
    } catch (thrown) {
      if (!abort.signal.aborted) failure.value = asFailure(thrown);
    } finally {
      clearTimeout(timer);
      if (!abort.signal.aborted) waiting.value = false;
    }
  }, [path]);

  useEffect(() => {
    data.value = path === null ? undefined : rememberedReply<T>(path);
    failure.value = null;
    void reload();
    return () => current.current?.abort();
  }, [reload]);

  const set = useCallback((reply: T) => {
    // A read that began before the change would bring the old state back.
    current.current?.abort();
    waiting.value = false;
    if (path !== null) rememberReply(path, reply);
    data.value = reply;
  }, [path]);
  return { data, failure, waiting, reload, set };
}
