import assert from "node:assert/strict";
import { join } from "node:path";
import { startServer } from "../../bench/harness/functions.ts";
import { openWorld } from "../../bench/harness/world.ts";
import { MAKE_REST } from "../../bench/performance/hand/rest_statements.ts";
import { CALLS_A_MINUTE, MAKE_TABLES } from "../../bench/performance/hand/statements.ts";
import { REST_JWT_SECRET, restToken } from "../../bench/performance/load/requests.ts";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";
import { readReply } from "../support/reply.ts";

const FOLDER = join(import.meta.dirname!, "../../bench/performance/hand");
const CONTACT = { name: "Bia Lima", email: "bia@exemplo.com.br", phone: "+55 11 97777-1234" };
const LEAD = { first_name: "Caio", email: "caio@exemplo.com.br", company_name: "Padaria Sol", value: 10 };

/** Starts the functions of bench/performance/hand/ for two workspaces. */
async function openHand() {
  await using opening = new AsyncDisposableStack();
  const { sql, functionsDatabaseUrl, databaseUrl } = opening.use(await openWorld());
  const [workspace, other] = [await makeWorkspace(sql), await makeWorkspace(sql)];
  await sql.unsafe(MAKE_TABLES);
  await sql.unsafe(MAKE_REST);
  const env = { DATABASE_URL: functionsDatabaseUrl, OWNER_DATABASE_URL: databaseUrl, REST_JWT_SECRET };
  const { baseUrl } = opening.use(await startServer(env, [FOLDER]));
  /** POSTs the body, or GETs if there is none. */
  const send = async (path: string, headers: Record<string, string>, body?: unknown) =>
    await readReply(
      await fetch(baseUrl + path, {
        method: body === undefined ? "GET" : "POST",
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  const opened = opening.move();
  return { sql, workspace, other, send, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

Deno.test("The hand-written function does the work for which it is compared with the API, and refuses invalid callers", async (t) => {
  await using hand = await openHand();
  const { sql, workspace, other } = hand;
  const send = (key: string, path: string, body?: unknown) =>
    hand.send(`/hand${path}`, { "X-API-Key": key }, body);

  await t.step("It creates, shows and lists only the contacts of its workspace", async () => {
    const { status, body: { id } } = await send(workspace.key, "/contacts", CONTACT);
    assert.equal(status, 201);
    const shown = await send(workspace.key, `/contacts/${id}`);
    assert.deepEqual([shown.status, shown.body.name, shown.body.owner_id], [
      200,
      "Bia Lima",
      workspace.memberId,
    ]);
    const listed = await send(workspace.key, "/contacts");
    assert.equal(listed.body.data[0].id, id);
    assert.equal("calls" in listed.body.data[0], false);
    assert.equal((await send(other.key, `/contacts/${id}`)).status, 404);
    assert.deepEqual((await send(other.key, "/contacts")).body, { data: [] });
  });

  await t.step("It takes in a lead, and finds its company and contact again", async () => {
    const first = await send(workspace.key, "/leads", LEAD);
    const second = await send(workspace.key, "/leads", LEAD);
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.equal(second.body.company_id, first.body.company_id);
    assert.equal(second.body.contact_id, first.body.contact_id);
    assert.notEqual(second.body.id, first.body.id);
  });

  await t.step(
    "It refuses an unknown key, a missing scope, a wrong body and a call over the limit",
    async () => {
      assert.equal((await send("svc_unknown", "/contacts")).status, 401);
      const { key } = await makeKey(sql, workspace.id, { scopes: ["contacts:read"] });
      assert.equal((await send(key, "/contacts", CONTACT)).status, 401);
      assert.equal((await send(workspace.key, "/contacts", { name: "" })).status, 422);
      await sql`update hand.call_counts set calls = ${CALLS_A_MINUTE}, minute = date_trunc('minute', now())`;
      // Tries more calls than a minute allows: a new minute may have begun and restarted the count.
      const replies = [];
      for (let call = 0; call < CALLS_A_MINUTE + 2; call++) {
        replies.push((await send(workspace.key, "/contacts")).status);
        if (replies.at(-1) === 429) break;
      }
      assert.equal(replies.at(-1), 429);
      await sql`truncate hand.call_counts`;
    },
  );
});

Deno.test("The statements of PostgREST do the same work, only for the workspace in the token", async () => {
  await using hand = await openHand();
  const { sql, workspace, other } = hand;
  const send = (token: string, path: string, body?: unknown) =>
    hand.send(`/rest${path}`, { Authorization: `Bearer ${token}` }, body);
  const token = restToken(workspace);
  const contact = { ...CONTACT, workspace_id: workspace.id, owner_id: workspace.memberId };

  const created = await send(token, "/contacts", contact);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  assert.equal((await send(token, `/contacts/${created.body.id}`)).body.name, "Bia Lima");
  assert.equal((await send(token, "/contacts")).body[0].id, created.body.id);
  const lead = await send(token, "/rpc/take_lead", {
    p_workspace_id: workspace.id,
    p_member_id: workspace.memberId,
    p_name: "Caio",
    p_email: "caio@exemplo.com.br",
    p_company_name: "Padaria Sol",
  });
  assert.equal(lead.status, 201);
  const [deal] = await sql`select contact_id, company_id from hand.deals where id = ${lead.body.id}`;
  assert.deepEqual(deal, { contact_id: lead.body.contact_id, company_id: lead.body.company_id });

  const stranger = restToken(other);
  assert.equal((await send(stranger, `/contacts/${created.body.id}`)).status, 406);
  assert.deepEqual((await send(stranger, "/contacts")).body, []);
  assert.equal((await send(stranger, "/contacts", contact)).status, 400);
  assert.equal((await send(`${token.slice(0, -4)}AAAA`, "/contacts")).status, 401);
});
