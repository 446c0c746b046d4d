import type { DeliveryWorld } from "./world.ts";

/** How much of everything; the short sizes are for CI. */
export interface Sizes {
  short: boolean;
  /** Of trial 1. */
  events: number;
  /** Of trial 7. */
  minutes: number;
}

/** What a trial came to. */
export interface Verdict {
  ok: boolean;
  measured: string;
}

/** Measures one figure of docs/reliability.md. */
export interface Trial {
  /** That of its figure. */
  number: number;
  asked: string;
  run(world: DeliveryWorld, sizes: Sizes): Promise<Verdict>;
}
