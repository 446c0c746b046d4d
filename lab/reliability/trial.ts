import type { DeliveryWorld } from "./world.ts";

/** The sizes of a run; the short ones are for CI. */
export interface Sizes {
  short: boolean;
  /** Of trial 7. */
  minutes: number;
}

/** The result of a trial. */
export interface Verdict {
  ok: boolean;
  measured: string;
}

/** Measures one figure of docs/reliability.md. */
export interface Trial {
  /** The number of its figure in docs/reliability.md. */
  number: number;
  target: string;
  run(world: DeliveryWorld, sizes: Sizes): Promise<Verdict>;
}
