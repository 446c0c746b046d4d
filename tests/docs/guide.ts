// Declares tests of pages: the reader has a new workspace, and a key with only the scopes that the page asks for.
import assert from "node:assert/strict";
import { makeKey } from "../support/fixtures.ts";
import { needing } from "../support/needing.ts";
import { type Scenario, withScenario } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { openReader, type Reader } from "./reader.ts";

export const SHELL = ["sh", "curl", "sed"];
export const PYTHON = ["sh", "curl", "sed", "python3"];

/** Asserts that the page names these scopes in both languages; returns a reader whose key has only them. */
type OpenReader = (page: { pt: string; en: string }, scopes: string[]) => Promise<Reader>;

/** Registers a test of a page. */
export function guide(
  title: string,
  programs: string[],
  follow: (scenario: Scenario, openReader: OpenReader) => Promise<void>,
): void {
  Deno.test(needing(programs, {
    name: title,
    fn: () =>
      withScenario(async (scenario) => {
        await using readers = new AsyncDisposableStack();
        await follow(scenario, async (page, scopes) => {
          for (const scope of scopes) {
            assert.ok([page.pt, page.en].every((text) => text.includes(`\`${scope}\``)));
          }
          const { key } = await makeKey(scenario.sql, scenario.workspace.id, { scopes });
          return readers.use(await openReader(baseUrl, key));
        });
      }),
  }));
}
