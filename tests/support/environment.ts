import { closeDatabase } from "../../supabase/functions/_shared/postgres/database.ts";

export type LogLine = Record<string, unknown>;

/**
 * Runs `work` in this process with these variables (null: unset) and a new connection pool, then restores both.
 *
 * @returns the lines that the functions logged meanwhile
 */
export async function withEnvironment(
  variables: Record<string, string | null>,
  work: (lines: LogLine[]) => Promise<void>,
): Promise<LogLine[]> {
  const { log } = console;
  const before = Object.keys(variables).map((name) => [name, Deno.env.get(name) ?? null] as const);
  const lines: LogLine[] = [];
  Object.entries(variables).forEach(([name, value]) => setVariable(name, value));
  console.log = (line: string) => lines.push(JSON.parse(line));
  try {
    await work(lines);
  } finally {
    console.log = log;
    await closeDatabase();
    before.forEach(([name, value]) => setVariable(name, value));
  }
  return lines;
}

function setVariable(name: string, value: string | null): void {
  if (value === null) Deno.env.delete(name);
  else Deno.env.set(name, value);
}
