// Limits on the cost of a batch with invalid items: how many errors its reply names, and how much work is repeated.
import assert from "node:assert/strict";
import type { ISql, Sql } from "postgres";
import { BATCH, create, full, upsert } from "../../support/batches.ts";
import { call } from "../../support/client.ts";
import { test } from "../../support/scenario.ts";

interface Line {
  status: number;
  error?: { code: string; details: { field: string; id?: string }[] };
}

const detailsOf = (results: Line[]) => results.map(({ error }) => error?.details.length);

/** Counts the bytes of the stored replies for the workspace's Idempotency-Keys. */
async function storedBytes(sql: Sql, workspaceId: string): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select sum(octet_length(body))::int as bytes from crm.idempotency_keys where workspace_id = ${workspaceId}`;
  return row!.bytes;
}

test("the reply to 100 items with 99 errors each, and its stored copy, have only the first error of each item", async ({ sql, workspace: { id, key } }) => {
  const wrong = Object.fromEntries(
    Array.from({ length: 99 }, (_, index) => [`${"x".repeat(40)}${index}`, 1]),
  );
  const send = (atomic: boolean) =>
    call("POST", BATCH, {
      key,
      body: { items: full(() => create({ name: "A", ...wrong })), atomic },
      headers: { Prefer: "handling=strict", "Idempotency-Key": "k" },
    });
  const { status, body } = await send(false);
  assert.equal(status, 200);
  assert.deepEqual(new Set(detailsOf(body.results)), new Set([1]));
  // Each of the 100 results has one code, one message and one detail: less than 400 bytes.
  assert.ok(await storedBytes(sql, id) < 40_000, `${await storedBytes(sql, id)} bytes`);
});

test("a batch, atomic or not, names at most 100 errors: one of each failed item, then further errors of the first items", async ({ api }) => {
  const wrong = { name: 1, email: 1, phone: 1 };
  const items = full((index) => create(index < 60 ? wrong : { name: "A" }));
  const { body } = await api.post(BATCH, { items });
  assert.deepEqual(detailsOf(body.results), [
    ...Array(20).fill(3),
    ...Array(40).fill(1),
    ...Array(40).fill(undefined),
  ]);
  const atomic = await api.post(BATCH, { items, atomic: true });
  const named = atomic.body.error.details.map(({ field }: { field: string }) => field.split(".")[0]);
  assert.deepEqual([atomic.status, named.length, new Set(named).size], [422, 100, 60]);
});

test("if a field name has 9,000 characters, the item's error names the field by the first 255 characters of its path", async ({ sql, workspace: { id, key } }) => {
  const { body } = await call("POST", BATCH, {
    key,
    body: { items: full(() => create({ name: "A", ["x".repeat(9_000)]: 1 })) },
    headers: { Prefer: "handling=strict", "Idempotency-Key": "k" },
  });
  assert.equal(body.results[0].error.details[0].field, `items[0].${"x".repeat(246)}`);
  assert.ok(await storedBytes(sql, id) < 60_000);
});

test("a batch also names at most 100 errors that the database finds", async ({ api }) => {
  await api.post(BATCH, { items: full(() => create({ name: "A", email: "a@x.com" })) });
  const { body } = await api.post(BATCH, { items: full(() => upsert("email", { email: "a@x.com" })) });
  const lines: Line[] = body.results;
  assert.deepEqual(detailsOf(lines), Array(100).fill(1));
  for (const { error } of lines) assert.ok(error!.code === "ambiguous_match" && error!.details[0]!.id);
});

/** The good (G) and bad (B) items in each group of ten. */
const MIXES = ["GGGGGBBBBB", "BBBBBGGGGG", "GBGBGBGBGB", "GGGGGGGGGB", "BGGGGGGGGG"];

/** For each kind of failure, makes an item that succeeds or one that fails. */
const items: Record<string, (name: string, isGood: boolean) => unknown> = {
  "creations with an external_id that is taken": (name, isGood) =>
    create({ name, external_id: isGood ? name : "taken" }),
  "creations with the external_id of the first item": (name, isGood) =>
    create({ name, external_id: isGood ? name : name.replace(/\d+$/, "0") }),
  "creations for an unknown owner": (name, isGood) =>
    create({ name, ...(!isGood && { owner_id: "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5" }) }),
  "upserts with an external_id that is taken": (name, isGood) =>
    upsert("email", { name, email: `${name.toLowerCase()}@x.com`, external_id: isGood ? name : "taken" }),
  "upserts without a name": (name, isGood) =>
    upsert("external_id", { external_id: name, ...(isGood && { name }) }),
};

/** Counts the rows that this transaction inserted into contacts, also those that it undid by a savepoint. */
async function inserted(sql: ISql): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    select n_tup_ins::int as rows from pg_stat_xact_user_tables where relid = 'crm.contacts'::regclass`;
  return row!.rows;
}

/** An item in the form in which the function passes it to the verb. */
const asArguments = ({ op, data, ...named }: { op: string; data: object }) => ({
  op,
  args: { ...data, ...named },
});

for (const [kind, item] of Object.entries(items)) {
  test(`${kind}: a batch inserts at most two rows for each item, in at most half as many subtransactions as items`, async ({ sql, workspace: { id }, api }) => {
    await api.post("/api-v1-contacts", { name: "A", external_id: "taken" });
    for (const mix of MIXES) {
      const sent = full((index) => item(`${mix}${index}`, mix[index % 10] === "G")) as {
        op: string;
        data: object;
      }[];
      const good = mix.replaceAll("B", "").length * 10;
      await sql.begin(async (sql) => {
        await sql`select set_config('app.workspace_id', ${id}, true)`;
        const args = sql.json({ items: sent.map(asArguments) } as never);
        const before = await inserted(sql);
        const [row] = await sql`select crm.run_batch('contact', ${args}) as reply`;
        const made = row!.reply.results.flatMap(({ id }: { id?: string }) => id ?? []);
        // If a bad item is the first with its external_id, it creates a record too.
        assert.ok(made.length === good || (made.length === good + 1 && kind.endsWith("first item")), mix);
        const rows = await inserted(sql) - before;
        assert.ok(rows <= 2 * sent.length, `${mix}: ${rows} rows inserted for ${made.length}`);
        const [kept] = await sql`
          select count(distinct xmin::text)::int as subtransactions from crm.contacts where id = any (${made}::uuid[])`;
        assert.ok(kept!.subtransactions <= 50, `${mix}: ${kept!.subtransactions} subtransactions`);
      });
    }
  });
}
