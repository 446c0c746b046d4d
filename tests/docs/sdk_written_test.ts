import assert from "node:assert/strict";
import { basename } from "node:path";
import { formatted, writtenFiles } from "../../clients/sdk/write/files.ts";
import { docstring, typeOf } from "../../clients/sdk/write/schema.ts";

for (const [path, text] of Object.entries(writtenFiles())) {
  Deno.test(`clients/sdk/src/${basename(path)} is what \`deno task sdk\` writes`, async () => {
    assert.equal(await Deno.readTextFile(path), await formatted(text));
  });
}

Deno.test("An unknown schema is an error for the writer of the SDK's types, and does not become the type unknown", () => {
  assert.throws(() => typeOf({ format: "date-time" }), /No type for/);
  assert.throws(() => typeOf({ type: "tuple" }), /No type for/);
});

Deno.test("A list of several types is written in parentheses, and a nullable type as a union", () => {
  assert.equal(typeOf({ type: "array", items: { enum: ["a", "b"] } }), '("a" | "b")[]');
  assert.equal(typeOf({ type: ["string", "null"] }), "string | null");
  assert.equal(typeOf({ anyOf: [{ $ref: "#/components/schemas/Deal" }, { type: "null" }] }), "Deal | null");
});

Deno.test("A text that would end the comment of its docstring is refused", () => {
  assert.throws(() => docstring("a */ b"), /cannot have/);
});
