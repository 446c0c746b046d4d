import { type Signal, useSignal } from "@preact/signals";
import { asFailure, type Failure } from "./failure.ts";

export interface Action {
  busy: Signal<boolean>;
  /** Why the last try failed; null if it succeeded, before the first try, and while a try runs. */
  failure: Signal<Failure | null>;
  /** Does the work; resolves with true if it succeeded. Does nothing while another try runs. */
  run: (work: () => Promise<void>) => Promise<boolean>;
}

export function useAction(): Action {
  const busy = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const run = async (work: () => Promise<void>) => {
    if (busy.value) return false;
    busy.value = true;
    failure.value = null;
    try {
      await work();
      return true;
    } catch (thrown) {
      failure.value = asFailure(thrown);
      return false;
    } finally {
      busy.value = false;
    }
  };
  return { busy, failure, run };
}
