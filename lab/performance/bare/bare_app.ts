import { Hono } from "hono";
import { INSERT_CONTACT, INSERT_LEAD, LIST_AS_TEXT, LIST_CONTACTS, READ_CONTACT } from "./statements.ts";

/** Sends one statement, each time under the same name where the connection keeps named statements. */
export type Send = (name: string, text: string, values: unknown[]) => Promise<Record<string, unknown>[]>;

/**
 * What the API is measured against: the same answers without a key, a limit, isolation, validation or events. Who
 * calls is believed in everything.
 */
export function bareApp(name: string, send: Send): Hono {
  const app = new Hono().basePath(`/${name}/:workspace`);

  app.get("/contacts/:id", async (c) => {
    const [contact] = await send("read_contact", READ_CONTACT, [c.req.param("workspace"), c.req.param("id")]);
    return contact ? c.json(contact) : c.notFound();
  });

  app.get("/contacts", async (c) => {
    return c.json({ data: await send("list_contacts", LIST_CONTACTS, [c.req.param("workspace")]) });
  });

  app.get("/contacts-as-text", async (c) => {
    const [row] = await send("list_as_text", LIST_AS_TEXT, [c.req.param("workspace")]);
    return c.body(String(row?.["page"]), 200, { "Content-Type": "application/json" });
  });

  app.post("/contacts", async (c) => {
    const { name, email, phone, owner_id } = await c.req.json();
    const values = [c.req.param("workspace"), name, email, phone, owner_id];
    const [contact] = await send("insert_contact", INSERT_CONTACT, values);
    return c.json(contact, 201);
  });

  app.post("/leads", async (c) => {
    const { name, email, phone, company_name, value, source, owner_id, pipeline_id, stage_id } = await c.req
      .json();
    const values = [c.req.param("workspace"), name, email, phone, company_name, value, source, owner_id];
    const [lead] = await send("insert_lead", INSERT_LEAD, [...values, pipeline_id, stage_id]);
    return c.json(lead, 201);
  });

  return app;
}
