import type { Measurement } from "../harness/figures.ts";

export interface Conditions {
  /** As in CI: fewer rounds, and nothing that needs minutes. */
  short: boolean;
  /** Prints a line: progress, and what is worth knowing but is no figure. */
  note(line: string): void;
}

/** One part of the bench. Each starts what it needs and leaves nothing running. */
export interface Subject {
  /** By which it is called: `deno task bench -- <name>`. */
  name: string;
  title: string;
  measure(conditions: Conditions): Promise<Measurement[]>;
}
