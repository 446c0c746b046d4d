import type { World } from "./world.ts";

/** How much of everything; the short sizes are for CI. */
export interface Sizes {
  short: boolean;
  /** Of figure 1. */
  events: number;
  /** Of figure 7. */
  minutes: number;
}

/** What a figure came to. */
export interface Result {
  ok: boolean;
  measured: string;
}

/** One of the figures of docs/reliability.md. */
export interface Figure {
  number: number;
  asked: string;
  run(world: World, sizes: Sizes): Promise<Result>;
}
