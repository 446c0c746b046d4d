import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Sql } from "postgres";
import { openSql } from "../../run/local/sql.ts";
import { examine } from "../../run/deployment/doctor/examine.ts";
import { checksum, slotOf } from "../../supabase/functions/_shared/contract/credentials.ts";
import { table as me } from "../../supabase/functions/api-v1-me/table.ts";
import { serveResource } from "../../supabase/functions/_shared/http/serve.ts";
import { crmProcess } from "../cli/crm.ts";
import { withEnvironment } from "../support/environment.ts";
import { makeWorkspace, type TestWorkspace } from "../support/fixtures.ts";
import { killIfRunning } from "../support/kill.ts";
import { startLoad } from "../support/move_load.ts";
import { needing } from "../support/needing.ts";
import { assertLeft, NODE_PROGRAMS, startForMoves } from "../support/nodes.ts";
import { addDeliveries, addSubscription } from "../support/queue.ts";

const MAIN = join(import.meta.dirname!, "..", "..", "run", "cli", "main.ts");
const RECORDS = 3_000;
const OVERDUE = 20;

/** When the mover is killed: this many milliseconds after it has printed a matching line. */
const KILLS: [RegExp, number][] = [
  [/^Step: copy/m, 20],
  [/^Step: copy/m, 700],
  [/^Step: drain/m, 0],
  [/^Calls wait/m, 0],
  [/^Nothing is written/m, 0],
  [/^All changes/m, 0],
  [/^The rest is copied/m, 0],
  [/^Both nodes have/m, 0],
  [/^(Calls go on|Step: settle)/m, 0],
  [/^Step: settle/m, 50],
  [/^Step: remove/m, 20],
  [/^Step: remove/m, 150],
];

/**
 * Refuses to drop a publication that still has tables. Such a drop could make a write to one of its tables fail, but
 * too rarely for a test to see.
 */
const REFUSE_DROP = `
  create function refuse_drop() returns event_trigger language plpgsql as $$
  begin
    if exists (select from pg_event_trigger_dropped_objects() where object_type = 'publication relation') then
      raise exception 'the publication has tables';
    end if;
  end
  $$;
  create event trigger refuse_drop on sql_drop when tag in ('DROP PUBLICATION') execute function refuse_drop();`;

Deno.test(needing(NODE_PROGRAMS, {
  name: "A workspace moves to another database while it is called",
  fn: async (t) => {
    await using stack = new AsyncDisposableStack();
    const open = (url: string) => stack.use(openSql(url, { max: 4 }));
    const { nodes: [node0, node1], proxy, owners } = await startForMoves(stack);
    for (const { superuserUrl } of [node0, node1]) await open(superuserUrl).unsafe(REFUSE_DROP);
    const admin = open(proxy.superuserUrl);
    const env = { DATABASE_URL: proxy.superuserUrl, FUNCTIONS_PASSWORD: "password" };
    const crm = async (...args: string[]) => {
      const { code, stdout, stderr } = await crmProcess([...args, "--json"], env);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };

    const workspace = await makeWorkspace(owners[0]);
    const other = await makeWorkspace(owners[0]);
    const slot = slotOf(workspace.id);
    await seed(owners[0], workspace);
    const old = `svc_${"a".repeat(43)}`;
    const oldKey = old + checksum(old);
    await owners[0]`
      update crm.key_secrets set hash = sha256(${oldKey}::text::bytea) where workspace_id = ${other.id}`;

    await t.step("an operator puts a proxy before the database, and adds a second database", async () => {
      assert.deepEqual(await crm("node", "add", node0.superuserUrl), { node: 0 });
      assert.deepEqual(await crm("node", "add", node1.superuserUrl), { node: 1 });
      const { nodes, slots } = await crm("node", "list");
      assert.deepEqual(nodes.map(({ node }: { node: number }) => node), [0, 1]);
      assert.deepEqual(slots, { [slot]: 0, [slotOf(other.id)]: 0 });
      const made = await crm("workspace", "create", "--name", "Nova");
      const list = await crm("workspace", "list");
      assert.deepEqual(
        list.map(({ id, node }: { id: string; node: number }) => [id, node]),
        [[workspace.id, 0], [other.id, 0], [made.id, 1]],
      );
      assert.equal((await crm("workspace", "update", made.id, "--name", "Novo")).name, "Novo");
      await crm("key", "create", "--workspace", made.id, "--name", "K", "--scopes", "contacts:read");
    });

    await t.step("the doctor checks each node, and once what the nodes share", async () => {
      const { checks } = await examine({
        databaseUrl: proxy.superuserUrl,
        functionsUrl: "http://127.0.0.1:9",
        region: null,
        appOrigin: null,
      });
      const named = (name: string) => checks.find((check) => check.name === name)?.state;
      for (const node of [0, 1]) {
        for (const name of ["database", "migrations", "roles", "partitions"]) {
          assert.equal(named(`node ${node}: ${name}`), "ok", name);
        }
      }
      assert.deepEqual([named("node 0: functions"), named("node 1: functions")], ["wrong", undefined]);
    });

    await withEnvironment(
      {
        DATABASE_URL: proxy.functionsDatabaseUrl,
        DATABASE_PREPARE: "true",
        SUPABASE_URL: "http://127.0.0.1:9",
      },
      async () => {
        const load = startLoad(workspace.key, owners);
        const move = (...args: string[]) => crm("workspace", "move", workspace.id, ...args);
        await setTimeout(500);

        stack.defer(() => load.end());
        await t.step("a move that is killed at any step is continued by the same command", async () => {
          let [kills, to] = [0, 1];
          for (const [line, ms] of KILLS) {
            // If the previous kill came after this line, the move now ends without printing the line. The next move
            // then goes back.
            if (await killAt(line, ms, ["--to", `${to}`])) kills++;
            else to = 1 - to;
          }
          assert.ok(kills >= 8, `${kills}`);
          if ((await admin`select from nodes.moves`).length > 0) assert.equal((await move()).node, to);
          if ((await admin`select node from nodes.slots where slot = ${slot}`)[0]!["node"] === 0) {
            await move("--to", "1");
          }
          await assertLeft(owners[0], workspace.id);
        });

        await t.step("a move that was killed is undone, whether or not it had changed over", async () => {
          for (const [line, ms] of [[/^Step: copy/m, 500], [/^The rest is copied/m, 0]] as const) {
            assert.ok(await killAt(line, ms, ["--to", "0"]));
            assert.equal((await move("--undo")).node, 1);
            await assertLeft(owners[0], workspace.id);
          }
          assert.ok(await killAt(/^Step: settle/m, 0, ["--to", "0"]));
          assert.equal((await move("--undo")).node, 1);
          await assertLeft(owners[0], workspace.id);
        });

        await t.step("calls wait, none is refused, and nothing is lost or done twice", async () => {
          await setTimeout(500);
          load.refused.length = 0;
          const { node } = await move("--to", "0");
          await setTimeout(500);
          assert.equal(node, 0);
          assert.deepEqual(load.refused, []);
          await load.end();
          await assertLeft(owners[1], workspace.id);
          await assertComplete(owners[0], workspace.id, load);
        });

        await t.step("both nodes know a person and a key without a slot; a proxy is rebuilt", async () => {
          const call = async () => {
            const request = new Request("http://localhost/api-v1-me", { headers: { "X-API-Key": oldKey } });
            const reply = await serveResource(me)(request);
            await reply.body?.cancel();
            return reply.status;
          };
          assert.equal(await call(), 200);
          const [person] = await owners[0]`
            insert into auth.users (id, email, email_confirmed_at)
            values (gen_random_uuid(), 'ana@empresa.example', now()) returning id`;
          await owners[0]`update crm.members set user_id = ${person!["id"]} where id = ${other.memberId}`;
          await crm("workspace", "move", other.id, "--to", "1");
          const [known] = await owners[1]`select crm.has_no_person(${person!["id"]}) as is_deleted`;
          assert.equal(known!["is_deleted"], false);
          assert.equal(await call(), 200);
          const data = await crm("node", "list");
          const file = await Deno.makeTempFile({ prefix: "crm-proxy-" });
          try {
            await Deno.writeTextFile(file, JSON.stringify(data));
            await admin.unsafe("create database another");
            const url = proxy.superuserUrl.replace(/postgres$/, "another");
            assert.equal(
              (await crmProcess(["node", "restore", file], { ...env, DATABASE_URL: url })).code,
              0,
            );
            const again = await crmProcess(["node", "list", "--json"], { ...env, DATABASE_URL: url });
            assert.deepEqual(JSON.parse(again.stdout), data);
            await admin.unsafe("drop database another with (force)");
            await admin.unsafe("create database another");
            await crm("proxy", "add", url);
            // The move must make both proxies send the calls to the other node.
            await crm("workspace", "move", other.id, "--to", "0");
            const found = await open(url)`select node, paused from nodes.slots where slot = ${
              slotOf(other.id)
            }`;
            assert.deepEqual({ ...found[0] }, { node: 0, paused: false });
            assert.equal(await call(), 200);
          } finally {
            await Deno.remove(file);
          }
        });
      },
    );

    /** Starts a move and kills it; returns false if the move ended before the kill. */
    async function killAt(line: RegExp, ms: number, args: string[]): Promise<boolean> {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--quiet", MAIN, "workspace", "move", workspace.id, ...args],
        env,
        stdout: "null",
        stderr: "piped",
      }).spawn();
      let text = "";
      for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (!line.test(text)) continue;
        await setTimeout(ms);
        break;
      }
      killIfRunning(child, "SIGKILL");
      const { signal, success } = await child.status;
      assert.ok(success || signal === "SIGKILL", text);
      return signal === "SIGKILL";
    }
  },
}));

/** Inserts companies, waiting deliveries, and activities that become overdue one after the other. */
async function seed(sql: Sql, { id, memberId, pipelineId, stages }: TestWorkspace): Promise<void> {
  await sql`
    insert into crm.companies (workspace_id, name, owner_id)
    select ${id}, 'Empresa ' || k, ${memberId} from generate_series(1, ${RECORDS}::integer) k`;
  const subscription = await addSubscription(sql, id);
  await addDeliveries(sql, id, subscription, 500);
  await sql`
    with deal as (
      insert into crm.deals (workspace_id, title, pipeline_id, stage_id, owner_id)
      values (${id}, 'Negócio', ${pipelineId}, ${stages[0].id}, ${memberId}) returning id
    )
    insert into crm.activities (workspace_id, deal_id, type, title, created_by_id, owner_id, due_at)
    select ${id}, d.id, 'tarefa', 'T' || k, ${memberId}, ${memberId}, now() + k * interval '1 second'
    from deal d, generate_series(1, ${OVERDUE}::integer) k`;
}

/** Asserts that each acknowledged contact is stored, appears in the feed and was delivered, exactly once. */
async function assertComplete(sql: Sql, id: string, load: ReturnType<typeof startLoad>): Promise<void> {
  const sorted = (ids: Iterable<string>) => [...ids].sort();
  const rows = await sql`select id from crm.contacts where workspace_id = ${id}`;
  assert.ok(load.created.length > 200, `${load.created.length}`);
  assert.deepEqual(sorted(rows.map((row) => row["id"])), sorted(load.created));
  const events = await sql`select id from crm.events where workspace_id = ${id} and not is_test`;
  assert.deepEqual(sorted(load.read.map(({ id }) => id)), sorted(events.map((row) => row["id"])));
  assert.deepEqual(
    sorted(
      load.read.filter(({ event, objectId }) =>
        event === "contact.created" && load.created.includes(objectId)
      )
        .map(({ objectId }) => objectId),
    ),
    sorted(load.created),
  );
  const overdue = load.read.filter(({ event }) => event === "activity.overdue").map(({ objectId }) =>
    objectId
  );
  assert.equal(overdue.length, OVERDUE);
  assert.equal(new Set(overdue).size, OVERDUE);
  const deliveries =
    await sql`select id, state, attempts from crm.webhook_deliveries where workspace_id = ${id}`;
  assert.equal(deliveries.length, 500 + load.created.length);
  assert.deepEqual(
    deliveries.filter(({ state, attempts }) => state !== "delivered" || attempts !== 1).slice(0, 3),
    [],
  );
  assert.deepEqual([...load.sent].filter(([, times]) => times > 1), []);
  assert.equal(load.sent.size, deliveries.length);
}
