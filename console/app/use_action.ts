import { type Signal, useSignal } from "@preact/signals";
import { asFailure, type Failure } from "./failure.ts";

export interface Action {
  busy: Signal<boolean>;
  /** Why the last try failed; null before it, and while another runs. */
  failure: Signal<Failure | null>;
  /** Does the work, and resolves with whether it succeeded; while another try runs, it does nothing. */
  run: (work: () => Promise<void>) => Promise<boolean>;
}

/** A change that a person makes by a button or a form. */
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
