// Declares tests of pages, whose readers need certain programs.
import assert from "node:assert/strict";
import { makeKey } from "../support/fixtures.ts";
import { needing } from "../support/needing.ts";
import { type Scenario, withScenario } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { openReader, type Reader } from "./reader.ts";

/** A reader who has these programs. */
const withPrograms = (...programs: string[]) => ({
  /** Registers a test that gets a new workspace, and is skipped if a program is missing. */
  test(title: string, run: (scenario: Scenario) => Promise<void>): void {
    Deno.test(needing(programs, { name: title, fn: () => withScenario(run) }));
  },
});

export const shell = withPrograms("sh", "curl", "sed");
export const python = withPrograms("sh", "curl", "sed", "python3");
export const node = withPrograms("sh", "curl", "sed", "node");

/** Opens a reader whose key has only these scopes. Asserts that the page names them in both languages. */
export async function openGuide(
  { sql, workspace }: Scenario,
  page: { pt: string; en: string },
  scopes: string[],
): Promise<Reader> {
  for (const scope of scopes) assert.ok([page.pt, page.en].every((text) => text.includes(`\`${scope}\``)));
  const { key } = await makeKey(sql, workspace.id, { scopes });
  return await openReader(baseUrl, key);
}
