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

const app = new Hono().basePath("/hand");
app.get("/contacts/:id", (c) => answer(c, "read", "contacts:read", [c.req.param("id")]));
app.get("/contacts", (c) => answer(c, "list", "contacts:read", []));
app.post("/contacts", async (c) => answer(c, "create", "contacts:write", contactValues(await c.req.json())));
app.post("/leads", async (c) => answer(c, "lead", "leads:write", leadValues(await c.req.json())));
app.onError((error, c) =>
  error instanceof z.ZodError
    ? c.json({ error: { code: "validation_error", details: error.issues } }, 422)
    : c.json({ error: { code: "internal_error" } }, 500)
);

/** @param values of the operation's statement, after the gate's values */
async function answer(
  c: Context,
  operation: keyof typeof GATED,
  scope: string,
  values: unknown[],
): Promise<Response> {
  const hash = createHash("sha256").update(c.req.header("X-API-Key") ?? "").digest();
  const rows = await sql.unsafe<Row[]>(GATED[operation], [hash, scope, ...values] as string[], { prepare });
  const [row] = rows;
  if (!row) return c.json({ error: { code: "unauthorized" } }, 401);
  if (Number(row.calls) > CALLS_A_MINUTE) {
    return c.json({ error: { code: "rate_limit_exceeded" } }, 429, { "Retry-After": "60" });
  }
  if (operation === "list") return c.json({ data: rows.filter(({ id }) => id).map(withoutCalls) });
  if (!row.id) return c.json({ error: { code: "not_found" } }, 404);
  return c.json(withoutCalls(row), operation === "read" ? 200 : 201);
}

function withoutCalls({ calls: _, ...record }: Row): Row {
  return record;
}

Deno.serve(app.fetch);
