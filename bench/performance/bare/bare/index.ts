/**
 * The baseline of the API: the same answers without a key, a limit, isolation, validation or events.
 */
import { Hono } from "hono";
import { openSql } from "../../../../run/local/sql.ts";
import { INSERT_CONTACT, INSERT_LEAD, LIST_CONTACTS, READ_CONTACT } from "../statements.ts";

const { env } = Deno;
const prepare = env.get("DATABASE_PREPARE") === "true";
// Connects as the owner of the tables, because the functions' role has no rights on them.
const sql = openSql(env.get("BARE_DATABASE_URL")!, { max: Number(env.get("DATABASE_POOL_SIZE")) });
const send = (text: string, ...values: string[]) => sql.unsafe(text, values, { prepare });

const app = new Hono().basePath("/bare/:workspace");

app.get("/contacts/:id", async (c) => {
  const [contact] = await send(READ_CONTACT, c.req.param("workspace"), c.req.param("id"));
  return contact ? c.json(contact) : c.notFound();
});

app.get("/contacts", async (c) => c.json({ data: await send(LIST_CONTACTS, c.req.param("workspace")) }));

app.post("/contacts", async (c) => {
  const { name, email, phone, owner_id } = await c.req.json();
  const [contact] = await send(INSERT_CONTACT, c.req.param("workspace"), name, email, phone, owner_id);
  return c.json(contact, 201);
});

app.post("/leads", async (c) => {
  const { name, email, phone, company_name, value, source, owner_id, pipeline_id, stage_id } = await c.req
    .json();
  const person = [name, email, phone, company_name, value, source, owner_id];
  const [lead] = await send(INSERT_LEAD, c.req.param("workspace"), ...person, pipeline_id, stage_id);
  return c.json(lead, 201);
});

Deno.serve(app.fetch);
