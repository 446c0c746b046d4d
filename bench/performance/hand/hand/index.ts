/**
 * The function that a good engineer writes in an afternoon for four of the API's operations. One statement checks the
 * key, the scope, the rate limit and the workspace, and does the work. There is no row-level security, event, lock,
 * idempotency, search or rate-limit header.
 */
import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { openSql } from "../../../../run/local/sql.ts";
import { CALLS_A_MINUTE, GATED } from "../statements.ts";

const { env } = Deno;
const prepare = env.get("DATABASE_PREPARE") === "true";
// Connects as the owner of the tables, because the functions' role has no rights on them.
const sql = openSql(env.get("OWNER_DATABASE_URL")!, { max: Number(env.get("DATABASE_POOL_SIZE")) });

type Row = Record<string, unknown>;
const send = (text: string, values: unknown[]): Promise<Row[]> =>
  sql.unsafe(text, values as string[], { prepare });

const NewContact = z.object({
  name: z.string().min(1).max(255),
  email: z.email().optional(),
  phone: z.string().max(255).optional(),
});
const NewLead = z.object({
  first_name: z.string().min(1).max(255),
  last_name: z.string().max(255).optional(),
  email: z.email(),
  phone: z.string().max(255).optional(),
  company_name: z.string().min(1).max(255),
  value: z.number().min(0).optional(),
  source: z.string().max(255).optional(),
});
const contactValues = (input: unknown) => {
  const { name, email, phone } = NewContact.parse(input);
  return [name, email ?? null, phone ?? null];
};
const leadValues = (input: unknown) => {
  const lead = NewLead.parse(input);
  const name = [lead.first_name, lead.last_name].filter(Boolean).join(" ");
  return [name, lead.email, lead.phone ?? null, lead.company_name, lead.value ?? null, lead.source ?? null];
};

/** An operation: its scope, the values of its statement that follow the gate's values, and its answer. */
interface Operation {
  name: keyof typeof GATED;
  scope: string;
  values(c: Context): unknown[] | Promise<unknown[]>;
  answer(c: Context, rows: Row[]): Response;
}

const single = (status: 200 | 201) => (c: Context, [row]: Row[]) =>
  row?.id ? c.json(withoutCalls(row), status) : c.json({ error: { code: "not_found" } }, 404);

const OPERATIONS: Record<string, Operation> = {
  "GET /contacts/:id": {
    name: "read",
    scope: "contacts:read",
    values: (c) => [c.req.param("id")],
    answer: single(200),
  },
  "GET /contacts": {
    name: "list",
    scope: "contacts:read",
    values: () => [],
    answer: (c, rows) => c.json({ data: rows.filter(({ id }) => id).map(withoutCalls) }),
  },
  "POST /contacts": {
    name: "create",
    scope: "contacts:write",
    values: async (c) => contactValues(await c.req.json()),
    answer: single(201),
  },
  "POST /leads": {
    name: "lead",
    scope: "leads:write",
    values: async (c) => leadValues(await c.req.json()),
    answer: single(201),
  },
};

const app = new Hono().basePath("/hand");
for (const [address, { name, scope, values, answer }] of Object.entries(OPERATIONS)) {
  const [method, path] = address.split(" ") as [string, string];
  app.on(method, path, async (c) => {
    const rows = await send(GATED[name], [hashOfKey(c), scope, ...await values(c)]);
    return refusal(c, rows[0]) ?? answer(c, rows);
  });
}
app.onError((error, c) =>
  error instanceof z.ZodError
    ? c.json({ error: { code: "validation_error", details: error.issues } }, 422)
    : c.json({ error: { code: "internal_error" } }, 500)
);

function hashOfKey(c: Context): Uint8Array {
  return createHash("sha256").update(c.req.header("X-API-Key") ?? "").digest();
}

function refusal(c: Context, caller: Row | undefined): Response | null {
  if (!caller) return c.json({ error: { code: "unauthorized" } }, 401);
  if (Number(caller.calls) <= CALLS_A_MINUTE) return null;
  return c.json({ error: { code: "rate_limit_exceeded" } }, 429, { "Retry-After": "60" });
}

function withoutCalls({ calls: _, ...record }: Row): Row {
  return record;
}

Deno.serve(app.fetch);
