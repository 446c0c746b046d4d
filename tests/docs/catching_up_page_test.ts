// Follows the site's page on catching up, as its reader would: with a key, a shell and the page. The receiver was off
// during all five attempts in the first test, and during two in the second.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { freePort } from "../../run/local/free_port.ts";
import { stopPostgres } from "../../run/local/postgres.ts";
import { openSql } from "../../run/local/sql.ts";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { eventually } from "../support/mailbox.ts";
import { needing } from "../support/needing.ts";
import { makeStartedDataDir } from "../support/own_stack.ts";
import { openPage } from "./claims.ts";
import { openReader as openShell } from "./reader.ts";
import { readSample } from "./sample_receivers.ts";

/** Milliseconds after which the commands are stopped. Several commands wait until a delivery has arrived. */
const LONGEST_MS = 120_000;

const page = await openPage("catching-up", { sh: 8 });
const [setup, choose, sendNow, list] = page.blocks.sh as [string, string, string, string];

function test(
  title: string,
  follow: (reader: Awaited<ReturnType<typeof openReader>>) => Promise<void>,
): void {
  const fn = async () => {
    await using reader = await openReader();
    await follow(reader);
  };
  Deno.test(needing(["sh", "curl", "awk", "sed"], { name: title, fn }));
}

test("The commands of the page on catching up deliver every missed event once to a receiver that was away", async (reader) => {
  const { sql, makeContact, run } = reader;
  const working = await reader.startReceiver();
  await makeContact("Arrived before");
  await working.expect(1);

  const failing = await makeContact("Failed five times");
  for (let attempt = 1; attempt <= 4; attempt++) await failOnce(sql, failing, attempt);
  const waiting = await makeContact("Waited when the subscription became inactive");
  await failOnce(sql, waiting, 1);
  await failOnce(sql, failing, 5);
  const unsent = [await makeContact("Made while it was inactive"), await makeContact("And one more")];
  const missed = [failing, waiting, ...unsent];

  const receiver = await reader.startReceiver();
  const printed = await run(page.blocks.sh.join("\n"));
  assert.match(printed, /"deactivated_reason" *: *"failures"/);
  assert.match(
    printed,
    /^failed:\n[^]*"last_reason" *: *"[a-z_]+"[^]*^held:\n[^]*"state" *: *"held"[^]*^cancelled:\n/m,
  );
  assert.match(printed, /"number" *: *5\b/);
  // Reactivating the subscription sends the held delivery, so recovering sends the other three.
  assert.match(printed, /"count" *: *3\b/);

  // The test event and the four missed events, each once, and no event that had arrived before.
  const arrived = await outcomesOf(sql, await receiver.expect(5));
  const contacts = arrived.filter((row) => !row["is_test"]).map((row) => row["object_id"]);
  assert.deepEqual(contacts, missed);
});

test("The commands of the page on catching up send all waiting deliveries at once to a receiver that was away briefly", async (reader) => {
  const { sql, makeContact, run } = reader;
  const missed = [await makeContact("Failed twice"), await makeContact("And one more")];
  // After two failures a delivery's next attempt is due in 5 minutes, so here only the page's command sends it.
  for (const contact of missed) for (const attempt of [1, 2]) await failOnce(sql, contact, attempt);

  const listed = await run([setup, choose, list].join("\n"));
  assert.match(listed, /"is_active" *: *true/);
  const [, pending] = /^pending:\n([^]*?)^failed:$/m.exec(listed)!;
  assert.deepEqual(objects(pending!).sort(), missed.toSorted());

  const receiver = await reader.startReceiver();
  await run([setup, choose, sendNow].join("\n"));
  const arrived = await outcomesOf(sql, await receiver.expect(2));
  assert.deepEqual(arrived.map((row) => [row["object_id"], row["attempts"]]), missed.map((id) => [id, 3]));
  const again = await run([setup, choose, sendNow].join("\n"));
  assert.doesNotMatch(again, /"state" *: *"pending"/);
});

/** Waits for the outcomes of the deliveries whose lines a receiver printed: they are recorded after the answers. */
function outcomesOf(sql: postgres.Sql, lines: string[]) {
  const ids = lines.map((line) => line.split(" ")[0]!);
  return eventually(async () => {
    const rows = await sql`
      select e.object_id, e.is_test, d.attempts from crm.webhook_deliveries d
      join crm.events e on e.workspace_id = d.workspace_id and e.id = d.event_id
      where d.id = any(${ids}) and d.state = 'delivered' order by e.id`;
    return rows.length === lines.length && rows;
  }, "the outcomes");
}

/** The contacts of the printed contact.created events, in order. */
function objects(printed: string): string[] {
  const lines = printed.matchAll(/"event" *: *"contact.created".*?"object_id" *: *"([^"]*)"/g);
  return [...lines].map(([, object]) => object!);
}

/** Makes a contact's delivery due, and waits until the attempt with this number has failed. */
async function failOnce(sql: postgres.Sql, contactId: string, attempt: number): Promise<void> {
  const delivery = sql`
    select d.id from crm.events e
    join crm.webhook_deliveries d on d.workspace_id = e.workspace_id and d.event_id = e.id
    where e.object_id = ${contactId}`;
  await eventually(async () => {
    await sql`
      update crm.webhook_deliveries set next_attempt_at = now()
      where id = (${delivery}) and attempts < ${attempt} and next_attempt_at > now()`;
    await sql`select crm.poke_dispatcher()`;
    const [row] = await sql`select attempts from crm.webhook_deliveries where id = (${delivery})`;
    return row?.["attempts"] === attempt;
  }, `attempt ${attempt} of the delivery of contact ${contactId}`);
}

/** Starts a stack with a subscription to a port where nothing listens yet. Returns functions for the page's steps. */
async function openReader() {
  const [dataDir, port] = [await makeStartedDataDir(), freePort()];
  const stack = await startStackProcess(dataDir, { WEBHOOK_DEV_TARGETS: `127.0.0.1:${port}` });
  const { base_url, database_url, demo_key } = stack.file;
  const sql = openSql(database_url, { max: 1 });
  const post = async (path: string, body: unknown) => {
    const headers = { "X-API-Key": demo_key, "Content-Type": "application/json" };
    const response = await fetch(`${base_url}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 201);
    return await response.json();
  };
  const { secret } = await post("/api-v1-webhooks", {
    event_types: ["contact.created"],
    target_url: `http://127.0.0.1:${port}/hooks/crm`,
  });
  const reader = await openShell(base_url, demo_key, {}, LONGEST_MS);
  const started = new AsyncDisposableStack();
  return {
    sql,
    makeContact: async (name: string): Promise<string> => (await post("/api-v1-contacts", { name })).id,
    /** Starts the page's receiver. `expect` waits for that many printed lines, stops it and returns the lines. */
    async startReceiver() {
      await reader.write("receiver.ts", await readSample("ts"));
      const command = '"$DENO" run --no-check --quiet --no-config --allow-env --allow-net receiver.ts';
      const env = { DENO: Deno.execPath(), CRM_WEBHOOK_SECRET: secret, PORT: String(port) };
      const receiver = started.use(reader.start(command, env));
      await eventually(() => isListening(port), "the receiver");
      const lines = () => receiver.printed().split("\n").filter((line) => line.includes("contact.created"));
      return {
        async expect(count: number): Promise<string[]> {
          await eventually(() => lines().length >= count, `${count} deliveries`);
          await receiver[Symbol.asyncDispose]();
          return lines();
        },
      };
    },
    /** Runs a script as a reader does, and returns what it printed. */
    async run(script: string): Promise<string> {
      const printed = (await reader.run(script)).join("\n");
      assert.ok(!printed.includes('"error"'), printed);
      return printed;
    },
    async [Symbol.asyncDispose]() {
      await started.disposeAsync();
      await sql.end();
      await stack.stop();
      await stopPostgres(dataDir);
      await reader[Symbol.asyncDispose]();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}

/** Whether a process listens on a port of 127.0.0.1. */
const isListening = (port: number) =>
  Deno.connect({ hostname: "127.0.0.1", port }).then((connection) => (connection.close(), true), () => false);
