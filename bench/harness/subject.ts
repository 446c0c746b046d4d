import type { Measurement } from "./figures.ts";

export interface Conditions {
  /** Fewer rounds and smaller sizes, as in CI. */
  short: boolean;
  /** How long a subject that lasts some minutes may take (`--minutes`); absent: as long as it is meant to. */
  minutes?: number;
  /** Whether it is one of all subjects. */
  amongAll: boolean;
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
