import type { Measurement } from "./figures.ts";

export interface Conditions {
  /** Fewer rounds and smaller sizes, as in CI. */
  short: boolean;
  /** Prints a line: progress, or a number that is not a figure. */
  note(line: string): void;
}

/** One part of the bench. It starts the processes that it needs, and stops them. */
export interface Subject {
  /** The argument that selects it: `deno task bench -- <name>`. */
  name: string;
  title: string;
  measure(conditions: Conditions): Promise<Measurement[]>;
}
