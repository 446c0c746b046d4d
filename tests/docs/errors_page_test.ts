import assert from "node:assert/strict";
import { ERROR_TEXTS } from "../../tools/errors/texts.ts";
import { ERRORS, isErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";
import { baseUrl } from "../support/stack.ts";
import { openPage } from "./claims.ts";
import { shell } from "./guide.ts";
import { openReader } from "./reader.ts";

const page = await openPage("errors", { sh: 1, json: 1 });

shell.test("The call on the page of errors gets the error that the page shows", async ({ workspace }) => {
  await using reader = await openReader(baseUrl, workspace.key);
  const printed = await reader.run(page.blocks.sh[0]!);
  assert.deepEqual(JSON.parse(printed.join("\n")), JSON.parse(page.blocks.json[0]!));
});

Deno.test("Every code of the contract's part 7 is on the page of errors, with its status, in both languages", async () => {
  const spec = await Deno.readTextFile(new URL("../../docs/spec.md", import.meta.url));
  const part = spec.slice(spec.indexOf("\n## 7."), spec.indexOf("\n## 8."));
  const codes = [...part.matchAll(/^\| ([a-z_]+) \| (\d{3}) \|/gm)];
  assert.equal(codes.length, 28);
  for (const [, code = "", status = ""] of codes) {
    for (const text of [page.pt, page.en]) {
      const row = new RegExp(`^\\| \`${code}\`<br>${status} \\|(.*)\\|$`, "m").exec(text);
      assert.ok(row, `${code} ${status}`);
      assert.equal(row[1]!.split(" | ").filter((cell) => cell.trim() !== "").length, 3, code);
    }
  }
});

Deno.test("The page on errors advises a retry exactly for the codes for which a retry may succeed", () => {
  const temporary = Object.keys(ERRORS).filter((code) =>
    isErrorCode(code) && ([408, 429].includes(ERRORS[code].status) || ERRORS[code].status >= 500)
  );
  const repeated = Object.entries(ERROR_TEXTS).filter(([, { repeat }]) => repeat).map(([code]) => code);
  assert.deepEqual(repeated.sort(), [...temporary, "idempotency_in_progress"].sort());
});

Deno.test("The Portuguese and English texts of an error differ", () => {
  for (const [code, { when, remedy }] of Object.entries(ERROR_TEXTS)) {
    for (const { description, description_en } of [when, remedy]) {
      assert.ok(description !== "" && description_en !== "", code);
      assert.notEqual(description, description_en, code);
    }
  }
});
