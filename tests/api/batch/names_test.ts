// Batches whose items have very many unknown fields, or field names that Postgres cannot store.
import assert from "node:assert/strict";
import fc from "fast-check";
import { ApiError } from "../../../supabase/functions/_shared/contract/errors.ts";
import { validateBatch } from "../../../supabase/functions/_shared/http/batch_items.ts";
import { isStorableText } from "../../../supabase/functions/_shared/contract/json.ts";
import { batches } from "../../support/batches.ts";
import { call } from "../../support/client.ts";
import { UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

Deno.test("A batch with 48,000 unknown fields collects only as many names as fit into X-Ignored-Fields, in order", () => {
  const { operations } = batches.find(({ resource }) => resource.name === "api-v1-contacts")!.route.endpoint;
  const names = Array.from({ length: 480 }, (_, index) => `u${index}`);
  const data = { name: "Ana", ...Object.fromEntries(names.map((name) => [name, 1])) };
  const items = Array.from({ length: 100 }, () => ({ op: "create", data }));
  const valid = validateBatch(operations!, { value: { x: 1, items }, fieldErrors: [] }, { strict: false });
  assert.ok(!(valid instanceof ApiError));
  const ofFirst = names.map((name) => `items[0].${name}`);
  const ofSecond = names.slice(0, 19).map((name) => `items[1].${name}`);
  assert.deepEqual(valid.ignored, ["x", ...ofFirst, ...ofSecond]);
  assert.equal((valid.args["items"] as unknown[]).length, 100);
  const strict = validateBatch(operations!, { value: { items }, fieldErrors: [] }, { strict: true });
  assert.ok(!(strict instanceof ApiError));
  const errors = strict.args["items"] as unknown as { error: { details: unknown[] } }[];
  assert.deepEqual(errors.map(({ error }) => error.details.length), items.map(() => 1));
});

for (const { resource, route, title } of batches) {
  test(`${title} refuses the items, not the batch, if field names at any depth cannot be stored`, async ({ workspace: { key } }) => {
    const characters = ["\u0000", "\ud800", "\udc00"];
    const wrap = (value: unknown, depth: number): unknown =>
      depth === 0 ? value : depth % 3 === 0 ? [wrap(value, depth - 1)] : { x: wrap(value, depth - 1) };
    const item = fc.record({
      op: fc.constantFrom(...Object.keys(route.endpoint.operations!), "delete"),
      name: fc.tuple(fc.string(), fc.constantFrom(...characters), fc.string())
        .map((parts) => parts.join("")).filter((name) => !isStorableText(name)),
      depth: fc.nat({ max: 20 }),
      place: fc.constantFrom("item", "data", "custom_fields"),
    }).map(({ op, name, depth, place }) => {
      const bad = { [name]: wrap({ [name]: name }, depth) };
      return place === "item"
        ? { op, data: {}, ...bad }
        : { op, data: place === "data" ? bad : { custom_fields: bad } };
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 1, maxLength: 10 }),
        fc.boolean(),
        async (items, strict) => {
          const headers = strict ? { Prefer: "handling=strict" } : {};
          const reply = await call("POST", `/${resource.name}/batch`, { key, body: { items }, headers });
          assert.equal(reply.status, 200, reply.text);
          const errors = reply.body.results.map(({ error }: { error: { code: string } }) => error.code);
          assert.deepEqual(errors, items.map(() => "validation_error"));
        },
      ),
      { numRuns: 20 },
    );
    const items = [{ op: "create", data: { "a\u0000b\ud800": 1 } }, { op: "get", id: UNKNOWN_ID }];
    const { body: { results } } = await call("POST", `/${resource.name}/batch`, { key, body: { items } });
    assert.equal(results[0].error.details[0].field, "items[0].a\ufffdb\ufffd");
    assert.equal(results[1].error.code, "not_found", "the other item was executed");
  });
}
