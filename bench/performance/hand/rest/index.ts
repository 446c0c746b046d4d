/**
 * Sends to Postgres what PostgREST sends: for each request a transaction of four statements, with a member's role.
 * PostgREST itself is written in Haskell, so the processor time of this process says nothing about PostgREST's. There
 * is no key and no rate limit, and the only rules are the constraints and policies of the tables.
 */
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { type Context, Hono } from "hono";
import { openSql } from "../../../../run/local/sql.ts";
import { MEMBER_ROLE, REST, SET_REQUEST } from "../rest_statements.ts";

const { env } = Deno;
const prepare = env.get("DATABASE_PREPARE") === "true";
const sql = openSql(env.get("OWNER_DATABASE_URL")!, { max: Number(env.get("DATABASE_POOL_SIZE")) });

const app = new Hono().basePath("/rest");
app.get("/contacts/:id", (c) => answer(c, "read", [c.req.param("id")]));
app.get("/contacts", (c) => answer(c, "list", [50, 0]));
app.post("/contacts", async (c) => answer(c, "create", [await c.req.text()]));
app.post("/rpc/take_lead", async (c) => answer(c, "lead", [await c.req.text()]));
app.onError((error, c) => c.json({ message: error.message }, 400));

async function answer(
  c: Context,
  operation: keyof typeof REST,
  values: (string | number)[],
): Promise<Response> {
  const claims = claimsOf(c.req.header("Authorization") ?? "");
  if (claims === null) return c.json({ message: "JWSInvalidSignature" }, 401);
  const isRead = c.req.method === "GET";
  const mode = `isolation level read committed${isRead ? " read only" : ""}`;
  const [row] = await sql.begin(mode, async (transaction) => {
    await transaction.unsafe(SET_REQUEST, [MEMBER_ROLE, claims], { prepare });
    return await transaction.unsafe<{ body: string }[]>(REST[operation], values, { prepare });
  });
  const { body } = row!;
  const status = body === "null" ? 406 : isRead ? 200 : 201;
  return new Response(body, { status, headers: { "Content-Type": "application/json; charset=utf-8" } });
}

/** The claims of a token; null if it is not signed with the secret of this bench. */
function claimsOf(authorization: string): string | null {
  const [, content, payload, signature] = /^Bearer ([\w-]+\.([\w-]+))\.([\w-]+)$/.exec(authorization) ?? [];
  if (content === undefined) return null;
  const expected = createHmac("sha256", env.get("REST_JWT_SECRET")!).update(content).digest();
  const given = Buffer.from(signature!, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return Buffer.from(payload!, "base64url").toString();
}

Deno.serve(app.fetch);
