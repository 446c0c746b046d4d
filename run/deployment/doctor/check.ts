import { isLoopback } from "../../../supabase/functions/_shared/runtime/service.ts";
import type { Project } from "./project.ts";

/** What mends a finding: SQL for the owner of the schema, a command for the repository's root, or a sentence. */
export type Remedy = { sql: string } | { command: string } | { advice: string };

/** Something that is wrong, in one sentence, and what mends it. */
export interface Finding {
  message: string;
  remedy: Remedy;
}

/** What a check saw. Without findings all is well. */
export interface Observation {
  findings: Finding[];
  /** What an operator should know although nothing is wrong. */
  note?: string;
  /** Whether it could not look, because of what another check says; the note says why. */
  skipped?: true;
}

/** One thing that the doctor looks at. */
export interface Check {
  /** In the report and in its JSON. */
  name: string;
  /** Whether it is left out while the database cannot be reached. */
  needsDatabase: boolean;
  look(project: Project): Promise<Observation>;
}

/** An observation of nothing wrong. */
export function fine(note?: string): Observation {
  return note === undefined ? { findings: [] } : { findings: [], note };
}

/** No observation, because of what another check says. */
export function skipped(note: string): Observation {
  return { findings: [], note, skipped: true };
}

/** An observation of one thing that is wrong. */
export function wrong(message: string, remedy: Remedy): Observation {
  return { findings: [{ message, remedy }] };
}

/** What puts migrations, roles, secrets, functions and schedule in place, and changes nothing that is right. */
export function deployAgain({ functionsUrl }: Pick<Project, "functionsUrl">): Remedy {
  return { command: isLoopback(new URL(functionsUrl).hostname) ? "deno task start" : "deno task deploy" };
}
