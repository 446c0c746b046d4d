import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { openSql } from "../../run/local/sql.ts";
import { type Moved, type MoveRequest, moveWorkspace } from "../../run/nodes/move.ts";
import { slotOf } from "../../supabase/functions/_shared/contract/credentials.ts";
import { crm } from "../cli/crm.ts";
import type { TestWorkspace } from "../support/fixtures.ts";
import { makeContacts, makeEvents } from "../support/feed_rows.ts";
import { eventually } from "../support/mailbox.ts";
import { needing } from "../support/needing.ts";
import { addApp, assertLeft, NODE_PROGRAMS, startForMoves } from "../support/nodes.ts";
import { daysOf } from "../support/partitions.ts";

const DAY_S = 86_400;
/** The day, in UTC like the partitions, of the row that makeEvents inserts with this age. */
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_S * 1000).toISOString().slice(0, 10);

Deno.test(needing(NODE_PROGRAMS, {
  name: "While a workspace has rows at two nodes",
  fn: async (t) => {
    await using stack = new AsyncDisposableStack();
    const { nodes, proxy, owners } = await startForMoves(stack);
    // One connection, because a move holds locks that belong to a session.
    const open = (url: string) => stack.use(openSql(url, { max: 1, max_lifetime: null }));
    const admin = open(proxy.superuserUrl);
    await admin.unsafe("create database another");
    const another = proxy.superuserUrl.replace(/postgres$/, "another");
    const env = { DATABASE_URL: proxy.superuserUrl, FUNCTIONS_PASSWORD: "password" };
    const run = (...args: string[]) => crm(args, env);
    const json = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(...args, "--json");
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };

    /** Moves the workspace until the mover prints a matching line. */
    async function moveUntil(line: RegExp, to: number): Promise<void> {
      const interruption = new Error("interrupted");
      const log = (said: string) => {
        if (line.test(said)) throw interruption;
      };
      await assert.rejects(move({ to, log }), (error) => error === interruption);
    }

    function move(request: Partial<MoveRequest>): Promise<Moved> {
      const rest = { to: undefined, undo: false, log: () => {} };
      return moveWorkspace(admin, { workspaceId: workspace.id, ...rest, ...request });
    }

    let workspace: TestWorkspace;
    let key: string;
    const nameAt = async (sql: Sql) =>
      (await sql`select name from crm.api_keys where id = ${key}`)[0]?.["name"];

    await t.step("node add and workspace create tell every proxy", async () => {
      await json("node", "add", nodes[0].superuserUrl);
      await json("proxy", "add", another);
      await json("node", "add", nodes[1].superuserUrl);
      const made = await json("workspace", "create", "--name", "Nova", "--node", "1");
      workspace = { ...made, memberId: made.member_id };
      key =
        (await json("key", "create", "--workspace", made.id, "--name", "K", "--scopes", "contacts:read")).id;
      const told = async (sql: Sql) =>
        [
          await sql`select node, url from nodes.operators order by node`,
          await sql`select nodes.numbers() as node`,
          await sql`select slot, node from nodes.slots`,
        ].map((rows) => rows.map((row) => ({ ...row })));
      assert.deepEqual(await told(open(another)), await told(admin));
      assert.deepEqual((await told(admin))[2], [{ slot: slotOf(made.id), node: 1 }]);
    });

    await t.step(
      "a command changes nothing while another proxy does not answer, until it is removed",
      async () => {
        assert.deepEqual(await json("proxy", "list"), [another]);
        const { stdout } = await crm(["proxy", "list", "--json"], { ...env, DATABASE_URL: another });
        assert.deepEqual(JSON.parse(stdout), [proxy.superuserUrl]);
        await admin.unsafe("alter database another allow_connections false");
        await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'another'`;
        const create = () => run("workspace", "create", "--name", "Outra", "--node", "1");
        const { code, stderr } = await create();
        assert.equal(code, 1);
        assert.match(stderr, /^error: The proxy at .* does not answer .* `deno task crm proxy remove`\n$/);
        assert.equal((await owners[1]`select from crm.workspaces`).length, 1);
        await assert.rejects(move({ to: 0 }), /^StackError: The proxy at .* does not answer/);
        await json("proxy", "remove", another);
        assert.equal((await create()).code, 0);
        await admin.unsafe("drop database another with (force)");
        await admin.unsafe("create database another");
        await json("proxy", "add", another);
      },
    );

    await t.step(
      "a move does not begin, and is not retried, if a default partition has too many rows",
      async () => {
        const superuser = open(nodes[1].superuserUrl);
        const [{ text }] = await superuser<[{ text: string }]>`
          select pg_get_functiondef('crm.manage_partitions'::regproc) as text`;
        await superuser.unsafe(text.replace("100000", "1"));
        await makeEvents(owners[1], workspace.id, 2, { ageS: 6 * DAY_S });
        await assert.rejects(
          move({ to: 0 }),
          /has not begun: crm\.events_default has too many rows\. `deno task doctor`/,
        );
        await superuser.unsafe(text);
        await owners[1]`truncate crm.events_default`;
      },
    );

    await t.step("the target has each day's partition of the source before rows are copied", async () => {
      const tables = ["crm.events", "crm.webhook_deliveries", "crm.webhook_attempts", "crm.requests"];
      for (const table of tables.slice(1)) {
        await owners[1]`select crm.make_partition(${table}, ${dayBefore(5)})`;
      }
      // This event is in the source's default partition. For 1 s a reader keeps that partition from being emptied.
      await makeEvents(owners[1], workspace.id, 1, { ageS: 5 * DAY_S });
      const reading = open(nodes[1].superuserUrl).begin((sql) =>
        sql`select pg_sleep(1) from crm.events limit 1`
      );
      await moveUntil(/^Step: drain/, 0);
      await reading;
      for (const table of tables) {
        assert.ok((await daysOf(owners[0], table)).includes(dayBefore(5)), table);
        // The owner's job could not drop a partition of another role.
        const owned = await owners[0]`
          select distinct relowner from pg_class where oid = ${table}::text::regclass
            or oid in (select partition from crm.partitions_of(${table}::text::regclass))`;
        assert.equal(owned.length, 1, table);
      }
      for (const owner of owners) assert.equal((await owner`select from crm.events_default`).length, 0);
      const [copied] =
        await owners[0]`select tableoid::regclass::text as name from crm.events order by id limit 1`;
      assert.equal(copied!["name"], `crm.events_${dayBefore(5).replaceAll("-", "_")}`);
    });

    await t.step("a command reaches the workspace's node, although another node has a copy", async () => {
      await json("key", "rename", key, "Renamed");
      assert.equal(await nameAt(owners[1]), "Renamed");
    });

    await t.step("a member who names no workspace is found, despite another node's copy", async () => {
      const { user, session } = await addApp(owners[0], owners[1], workspace);
      const isCopied = async () =>
        (await owners[0]`select from crm.members where user_id = ${user}`).length === 1;
      await eventually(isCopied, "the copy of the member");
      const [reply] = await open(proxy.functionsDatabaseUrl)`
      select * from app.call(${user}, ${session}, null, 'vendedor', null, null)`;
      assert.deepEqual([reply!["error_code"], reply!["workspace_id"]], [null, workspace.id]);
    });

    await t.step("a command fails while nothing may be written, and a job skips the rows", async () => {
      const superuser = open(nodes[1].superuserUrl);
      await superuser`update nodes.fences set phase = 'frozen'`;
      const { code, stderr } = await run("key", "revoke", key);
      assert.deepEqual([code, stderr], [
        1,
        "error: The records are locked, or their workspace is moving: try again\n",
      ]);
      assert.equal((await owners[1]`update crm.api_keys set revoked_at = now() where id = ${key}`).count, 0);
      await superuser`update nodes.fences set phase = 'open'`;
    });

    await t.step("a move is undone although the target has a partition that the source lacks", async () => {
      await owners[0]`select crm.make_partition('crm.events', ${dayBefore(9)})`;
      await makeEvents(owners[1], workspace.id, 1, { ageS: 9 * DAY_S });
      const [{ count }] = await owners[1]<[{ count: number }]>`select count(*)::int as count from crm.events`;
      await eventually(async () => (await owners[0]`select from crm.events`).length === count, "the copy");
      assert.equal((await move({ undo: true })).node, 1);
      await assertLeft(owners[0], workspace.id);
    });

    await t.step("after the step cut, an app and a command reach only the new node", async () => {
      await move({ to: 0 });
      const scopes = ["contacts:read"];
      const { user, session, client } = await addApp(owners[0], owners[0], workspace, scopes);
      await moveUntil(/^Step: settle/, 1);
      const [contact] = await makeContacts(owners[1], workspace, 1);
      const functions = open(proxy.functionsDatabaseUrl);
      const [reply] = await functions`
        select * from api.call_by_grant(
          ${user}, ${session}, ${client}, ${scopes[0]!}, 'contact_get', ${
        functions.json({ id: contact! })
      }, null, null
        )`;
      assert.equal(reply!["error_code"], null);
      await json("key", "rename", key, "Again");
      assert.deepEqual(await Promise.all(owners.map(nameAt)), ["Renamed", "Again"]);
      assert.equal((await move({})).node, 1);
      await assertLeft(owners[0], workspace.id);
    });
  },
}));
