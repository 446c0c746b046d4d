import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { startReceiver } from "../../bench/harness/receiver.ts";
import { migrate } from "../../run/local/migrate.ts";
import { connect } from "../../bench/harness/world.ts";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { prepareAsSupabase, startDebianPostgres } from "../support/debian_postgres.ts";
import { readSnippet } from "../docs/page.ts";
import { call } from "../support/client.ts";
import { pause } from "../../bench/harness/waiting.ts";
import { eventually } from "../support/mailbox.ts";
import { openFolder } from "../support/folder.ts";
import { needing } from "../support/needing.ts";
import { run } from "../support/run.ts";

const SCHEMAS = join(import.meta.dirname!, "../../supabase/schemas");

Deno.test(needing(["postgresql-15", "postgresql-15-cron"], {
  name:
    "The commands of docs/deployment.md move a live database: keys, replies, the feed and the queue go on",
  fn: moveDatabase,
}));

async function moveDatabase(): Promise<void> {
  await using temporary = await openFolder();
  await using dataFolder = await openFolder();
  const [folder, dataDir] = [temporary.path, dataFolder.path];
  /** How often each delivery arrived, with a valid signature. */
  const arrived = new Map<string, number>();
  let secret = "";
  // The receiver answers nothing until it is released, so the dump contains deliveries under way and waiting.
  const released = Promise.withResolvers<void>();
  await using stack = new AsyncDisposableStack();
  const receiver = await startReceiver(folder, async (request) => {
    const body = await request.text();
    await released.promise;
    const signed = createHmac("sha256", secret).update(
      `${request.headers.get("X-Service-Timestamp")}.${body}`,
    );
    assert.equal(request.headers.get("X-Service-Signature"), `sha256=${signed.digest("hex")}`);
    const { delivery_id } = JSON.parse(body);
    arrived.set(delivery_id, (arrived.get(delivery_id) ?? 0) + 1);
    return new Response();
  });
  stack.defer(() => receiver.close());
  stack.defer(() => released.resolve());
  const [old, next] = [stack.use(await startDebianPostgres()), stack.use(await startDebianPostgres())];
  for (const { superuserUrl } of [old, next]) {
    await using admin = connect(superuserUrl);
    await prepareAsSupabase(admin);
  }

  const before = await startStackProcess(dataDir, { ...receiver.env, DATABASE_URL: old.url });
  const key = before.file.demo_key;
  const create = (base: string, n: number) => {
    const headers = { "Idempotency-Key": `contact-${n}` };
    return call("POST", "/api-v1-contacts", { base, key, headers, body: { name: `Ana ${n}` } });
  };
  const readEvents = (base: string, query: string) =>
    call("GET", `/api-v1-events?event_types=contact.created&${query}`, { base, key });
  const subscription = await call("POST", "/api-v1-webhooks", {
    base: before.file.base_url,
    key,
    body: { event_types: ["contact.created"], target_url: `${receiver.origins[0]}/` },
  });
  secret = subscription.body.secret;
  for (let n = 0; n < 20; n++) assert.equal((await create(before.file.base_url, n)).status, 201);
  const read = await eventually(async () => {
    const page = await readEvents(before.file.base_url, "limit=5");
    return page.body.data.length === 5 && page;
  }, "the feed");
  // Clients continue to call while the dump is made.
  let sending = true;
  const traffic = (async () => {
    for (let n = 20; sending && n < 80; n++) {
      assert.equal((await create(before.file.base_url, n)).status, 201);
      await pause(20);
    }
  })();

  const [dump, restore] = (await readSnippet("deployment.md", "10. Backup and restore", "sh")).split("\n\n");
  const env = { OLD_DATABASE_URL: old.url, DATABASE_URL: next.url };
  const runScript = (script: string) => run("sh", ["-e", "-c", script], { cwd: folder, env });
  await runScript(dump!);
  sending = false;
  await traffic;
  released.resolve();
  assert.equal((await before.stop()).code, 0, before.output());
  const arrivedBefore = new Set(arrived.keys());

  // What `deno task deploy` does to the database of the new project.
  const sql = stack.use(connect(next.url));
  await migrate(sql);
  await runScript(restore!.replaceAll("supabase/schemas", SCHEMAS));
  const [{ kept, leased }] = await sql<[{ kept: number; leased: string[] }]>`
    select
      (select count(*)::integer from crm.contacts c where c.name like 'Ana %') as kept,
      array(select q.delivery_id::text from crm.webhook_queue q where q.lease_until is not null) as leased`;
  assert.ok(kept >= 20 && leased.length > 0);
  // Makes it look as if the leases had ended.
  await sql`update crm.webhook_queue set lease_until = now() where lease_until is not null`;

  const after = await startStackProcess(dataDir, { ...receiver.env, DATABASE_URL: next.url });
  try {
    const { base_url } = after.file;
    assert.equal(after.file.demo_key, key);
    const repeated = await create(base_url, 7);
    assert.deepEqual([repeated.status, repeated.headers.get("Idempotent-Replayed")], [200, "true"]);
    assert.equal((await create(base_url, 100_000)).status, 201);

    await eventually(async () => {
      const names: string[] = [];
      let cursor = read.body.meta.next_cursor;
      for (let more = true; more;) {
        const { body, status } = await readEvents(base_url, `cursor=${cursor}`);
        assert.equal(status, 200, JSON.stringify(body));
        names.push(...body.data.map(({ data }: { data: { name: string } }) => data.name));
        cursor = body.meta.next_cursor;
        more = body.meta.has_more;
      }
      const expected = [...Array(kept - 5).keys()].map((n) => `Ana ${n + 5}`);
      if (names.length < expected.length + 1) return false;
      assert.deepEqual(names, [...expected, "Ana 100000"]);
      return true;
    }, "the feed after the restore");

    const ids = await eventually(
      async () => {
        const rows = await sql<{ id: string; state: string }[]>`select id, state from crm.webhook_deliveries`;
        return rows.length === kept + 1 && rows.every(({ state }) => state === "delivered") &&
          rows.map(({ id }) => id);
      },
      "the deliveries after the restore",
      60,
    );
    assert.deepEqual(ids.filter((id) => !arrived.has(id)), []);
    // Only deliveries that were under way or waiting at the time of the dump may arrive twice.
    const twice = ids.filter((id) => arrived.get(id)! > 1);
    assert.ok(twice.every((id) => arrivedBefore.has(id)));
    assert.ok([...arrived.values()].every((times) => times <= 2));
  } finally {
    await after.stop();
  }
}
