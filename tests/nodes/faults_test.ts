import assert from "node:assert/strict";
import { signUpUser } from "../../run/local/auth/users.ts";
import { connect } from "../../bench/harness/world.ts";
import { checkHealth } from "../../supabase/functions/api-v1-health/check.ts";
import { table as pipelines } from "../../supabase/functions/api-v1-pipelines/table.ts";
import { checksum, slotOf } from "../../supabase/functions/_shared/contract/credentials.ts";
import { serveResource } from "../../supabase/functions/_shared/http/serve.ts";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { claimDeliveries, nextDeliveryDue } from "../../supabase/functions/webhook-dispatcher/queue.ts";
import { sentStatements } from "../../tools/nodes/statements.ts";
import { withEnvironment } from "../support/environment.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { eventually } from "../support/mailbox.ts";
import { needing } from "../support/needing.ts";
import { addApp, NODE_PROGRAMS, recordSuccess, startNodes } from "../support/nodes.ts";
import { addDeliveries, addSubscription } from "../support/queue.ts";

/** The reply to a call whose workspace is on a node that does not answer. */
const UNAVAILABLE = { status: 503, retryAfter: "5", code: "service_unavailable" };
const OK = { status: 200, retryAfter: null, code: undefined };

async function call(key: string) {
  const request = new Request("http://localhost/api-v1-pipelines", { headers: { "X-API-Key": key } });
  const reply = await serveResource(pipelines)(request);
  const { error } = await reply.json();
  return { status: reply.status, retryAfter: reply.headers.get("Retry-After"), code: error?.code };
}

Deno.test(needing(NODE_PROGRAMS, {
  name: "Through the proxy",
  fn: async (t) => {
    await using nodes = await startNodes();
    const [sql0, sql1] = nodes.sql;
    const on0 = await makeWorkspace(sql0);
    const on1 = await makeWorkspace(sql1);
    await using functions = connect(nodes.proxy.functionsDatabaseUrl);

    const steps = async () => {
      await t.step("every statement of the functions can be prepared", async () => {
        const statements = await sentStatements();
        assert.ok(statements.length >= 11);
        for (const [index, { text }] of statements.entries()) {
          await functions.unsafe(
            `prepare s${index} as ${text.replace("$1 * interval", "$1::float8 * interval")}`,
          );
        }
      });

      await t.step("slots, which determine the node, are the same in TypeScript and in SQL", async () => {
        const ids = Array.from({ length: 1000 }, () => crypto.randomUUID());
        ids.push("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff");
        const rows = await nodes.admin<{ id: string; slot: string }[]>`
          select id, nodes.slot_of(id) as slot from unnest(${ids}::uuid[]) id`;
        assert.deepEqual(rows.map(({ slot }) => slot), rows.map(({ id }) => slotOf(id)));
      });

      await t.step("workspaces of both nodes answer, also to an old key, which has no slot", async () => {
        assert.deepEqual(await call(on0.key), OK);
        assert.deepEqual(await call(on1.key), OK);
        const old = `svc_${"a".repeat(43)}`;
        const key = old + checksum(old);
        const rename = (sql: typeof sql0, { id }: typeof on0) =>
          sql`update crm.key_secrets set hash = sha256(${key}::text::bytea) where workspace_id = ${id}`;
        const first = await makeWorkspace(sql0);
        await rename(sql0, first);
        assert.deepEqual(await call(key), OK);
        // Moves the old key to a workspace of node 1, as a move would do. Then the proxy must be told where the key is.
        await sql0`update crm.key_secrets set hash = sha256('x') where workspace_id = ${first.id}`;
        const moved = await makeWorkspace(sql1);
        await rename(sql1, moved);
        assert.equal((await call(key)).status, 401);
        await nodes.admin`
          insert into nodes.old_credentials (hash, slot)
          values (sha256(${key}::text::bytea), ${slotOf(moved.id)})`;
        assert.deepEqual(await call(key), OK);
      });

      await t.step("a person's list has both nodes' workspaces; only a live session opens them", async () => {
        const [admin0, admin1] = await Promise.all(
          ([[sql0, on0], [sql1, on1]] as const).map(async ([sql, { id, memberId }]) => {
            await sql`update crm.members set email = 'ana@pessoa.example' where workspace_id = ${id}`;
            return memberId;
          }),
        );
        assert.ok(admin0 && admin1);
        await signUpUser(sql0, "ana@pessoa.example", "");
        await sql0`update auth.users set email_confirmed_at = now() where email = 'ana@pessoa.example'`;
        const [{ user, session }] = await sql0<[{ user: string; session: string }]>`
        insert into auth.sessions (user_id)
        select id from auth.users where email = 'ana@pessoa.example' returning user_id as user, id as session`;
        const choose = async (workspace: string | null, role: string | null, verb: string) => {
          const [reply] = await functions<{ error_code: string | null; body: string }[]>`
          select error_code, body from app.call(${user}, ${session}, ${workspace}, ${role}, ${verb}, '{}')`;
          return { code: reply!.error_code, body: JSON.parse(reply!.body) };
        };
        const ids = [on0.id, on1.id].sort();
        const choices = await choose(null, null, "workspace_choices");
        assert.deepEqual(choices.body.data.map(({ id }: { id: string }) => id).sort(), ids);
        assert.equal((await choose(null, "vendedor", "workspace_get")).code, "workspace_required");
        for (const id of ids) {
          const { body } = await choose(id, "vendedor", "workspace_get");
          assert.deepEqual([body.id, body.workspaces.length], [id, 2]);
        }
        await sql0`delete from auth.sessions where id = ${session}`;
        for (const id of ids) {
          assert.equal((await choose(id, "vendedor", "workspace_get")).code, "invalid_session");
        }
      });

      await t.step("a node's deliveries have its lease numbers, and are recorded there", async () => {
        const subscribed = [[sql0, on0.id], [sql1, on1.id]] as const;
        for (const [sql, id] of subscribed) {
          await addDeliveries(sql, id, await addSubscription(sql, id), 2);
        }
        const claimed = [...await claimDeliveries(1), ...await claimDeliveries(10)];
        assert.equal(claimed.length, 4);
        assert.deepEqual(claimed.map(({ lease_token }) => Number(lease_token) % 1024).sort(), [0, 0, 1, 1]);
        assert.equal(await nextDeliveryDue(1000), null);
        const recorded = await recordSuccess(claimed);
        assert.deepEqual(recorded.map(({ state }) => state), Array(4).fill("delivered"));
        for (const [sql, id] of subscribed) {
          const [{ count }] = await sql<[{ count: number }]>`
          select count(*)::int from crm.webhook_deliveries where workspace_id = ${id} and state = 'delivered'`;
          assert.equal(count, 2);
        }
      });

      await t.step("outcomes for an unknown slot are refused, after the others were recorded", async () => {
        await addDeliveries(sql1, on1.id, await addSubscription(sql1, on1.id), 2);
        const [known, lost] = await claimDeliveries(10);
        assert.ok(known && lost);
        const recorded = recordSuccess([{ ...lost, workspace_id: crypto.randomUUID() }, known]);
        await assert.rejects(
          recorded,
          ({ cause }) => cause.code === "08006" && /unknown node/.test(cause.message),
        );
        const states = await sql1`
          select state from crm.webhook_deliveries where id = any (${[known.delivery_id, lost.delivery_id]})`;
        assert.deepEqual(states.map(({ state }) => state).sort(), ["delivered", "pending"]);
        await sql1`delete from crm.webhook_queue where workspace_id = ${on1.id}`;
      });

      await t.step("logged requests are written to the node of their workspace", async () => {
        await eventually(async () => {
          const [{ count }] = await sql1<[{ count: number }]>`
            select count(*)::int from crm.requests where workspace_id = ${on1.id}`;
          return count > 0;
        }, "the request in the log of node 1");
      });

      await t.step("a statement cancelled at a node is a 503 within the functions' 10 s", async () => {
        await using blocker = connect(nodes.nodes[1].superuserUrl, 2);
        await blocker.begin(async (tx) => {
          await tx`lock table crm.key_secrets`;
          const answered = call(on1.key);
          await eventually(async () => {
            const cancelled = await blocker`
            select pg_cancel_backend(pid) from pg_stat_activity
            where usename = 'crm_functions' and wait_event_type = 'Lock'`;
            return cancelled.length > 0;
          }, "the call that waits for the lock");
          const { status, code } = await answered;
          assert.deepEqual([status, code], [503, "service_unavailable"]);
          assert.deepEqual(await call(on0.key), OK);
        });
        await eventually(async () => (await call(on1.key)).status === 200, "the answer of node 1");
      });

      await t.step("while node 1 is down, its workspaces get 503 at once, and others an answer", async () => {
        await nodes.nodes[1].kill();
        await addDeliveries(sql0, on0.id, await addSubscription(sql0, on0.id), 1);
        for (let n = 0; n < 20; n++) {
          const started = performance.now();
          assert.deepEqual(await call(on1.key), UNAVAILABLE);
          assert.deepEqual(await call(on0.key), OK);
          assert.ok(performance.now() - started < 1_000);
        }
        const { status, body } = await checkHealth();
        assert.deepEqual([status, body.webhooks], [200, "degraded"]);
        assert.equal((await claimDeliveries(10)).length, 1);
        await nodes.nodes[1].start();
        await eventually(async () => (await call(on1.key)).status === 200, "the answer of node 1");
        assert.equal((await checkHealth()).body.webhooks, "ok");
      });

      await t.step("while node 0 is down, people and apps get 503, and node 1 counts as up", async () => {
        const [user, session] = [crypto.randomUUID(), crypto.randomUUID()];
        const failed = async () =>
          (await nodes.admin`select node from nodes.failures`).map(({ node }) => node);
        const calls = {
          person: () =>
            functions`select * from app.call(${user}, ${session}, ${on1.id}, 'vendedor', null, null)`,
          list: () =>
            functions`select * from app.call(${user}, ${session}, null, null, 'workspace_choices', '{}')`,
          app: () =>
            functions`
            select * from api.call_by_grant(${user}, ${session}, ${user}, 'deals:read', null, null, null, null)`,
        };
        for (const [name, send] of Object.entries(calls)) {
          await nodes.nodes[0].kill();
          const [reply] = await send();
          assert.equal(reply!["error_code"], "service_unavailable", name);
          assert.deepEqual(await failed(), [0], name);
          assert.deepEqual(await call(on1.key), OK);
          await nodes.nodes[0].start();
          await eventually(
            async () => (await send())[0]!["error_code"] !== "service_unavailable",
            "the answer",
          );
          assert.deepEqual(await failed(), [], name);
        }
      });

      await t.step("an app is served by node 1 although node 0 gives up waiting for a lock", async () => {
        const { user, session, client } = await addApp(sql0, sql1, on1);
        await sql0.begin(async (tx) => {
          await tx`lock table crm.api_keys in access exclusive mode`;
          const [reply] = await functions`
            select * from api.call_by_grant(${user}, ${session}, ${client}, 'deals:read', null, null, null, null)`;
          assert.deepEqual([reply!["error_code"], reply!["workspace_id"]], [null, on1.id]);
        });
      });

      await t.step("a key with an unknown slot gets 401, and no node is asked", async () => {
        await Promise.all(nodes.nodes.map((node) => node.kill()));
        assert.deepEqual((await call(generateKey())).code, "invalid_api_key");
        await Promise.all(nodes.nodes.map((node) => node.start()));
      });
    };

    await withEnvironment(
      { DATABASE_URL: nodes.proxy.functionsDatabaseUrl, DATABASE_PREPARE: "true" },
      steps,
    );
  },
}));
