import assert from "node:assert/strict";
import { freePort } from "../../run/local/free_port.ts";
import { migrationFiles } from "../../run/local/migrate.ts";
import { startScheduler } from "../../run/local/scheduler.ts";
import { openSql } from "../../run/local/sql.ts";
import { crm } from "../cli/crm.ts";
import { deploy, deploymentVariables } from "../deployment/deploy.ts";
import { call } from "../support/client.ts";
import { ACCESS_TOKEN } from "../support/empty_project.ts";
import { startHostedProject } from "../support/hosted_project.ts";
import { needing } from "../support/needing.ts";
import { NODE_PROGRAMS, startForMoves } from "../support/nodes.ts";
import { createNet, createVault } from "../support/vault.ts";

Deno.test(needing([...NODE_PROGRAMS, "the Supabase CLI"], {
  name: "deno task deploy, behind a proxy,",
  fn: async (t) => {
    await using stack = new AsyncDisposableStack();
    const { nodes, proxy, owners } = await startForMoves(stack);
    const open = (url: string) => stack.use(openSql(url, { max: 1 }));
    const admin = open(proxy.superuserUrl);
    const project = stack.use(await startHostedProject(ACCESS_TOKEN, freePort()));
    for (const { url, superuserUrl } of nodes) {
      const superuser = open(superuserUrl);
      await createVault(superuser);
      await createNet(superuser);
      // Runs the jobs, because the doctor checks that something runs them.
      const scheduler = { databaseUrl: url, origin: project.origin, dispatcherSecret: "unused" };
      stack.adopt(startScheduler(scheduler), (scheduler) => scheduler.close());
    }
    const run = async (databaseUrl: string, ...args: string[]) => {
      const env = { DATABASE_URL: databaseUrl, FUNCTIONS_PASSWORD: "password-of-tests" };
      const { code, stdout, stderr } = await crm([...args, "--json"], env);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    for (const { url } of nodes) await run(proxy.superuserUrl, "node", "add", url);
    const { id } = await run(proxy.superuserUrl, "workspace", "create", "--name", "Nova", "--node", "1");
    const { key } = await run(
      ...[proxy.superuserUrl, "key", "create", "--workspace", id, "--name", "K"] as const,
      ...["--scopes", "contacts:read"],
    );

    const variables = (databaseUrl: string): Record<string, string> => ({
      ...deploymentVariables(databaseUrl),
      SUPABASE_PROFILE: project.profile,
      PUBLIC_URL: project.origin,
    });
    const last = (await migrationFiles()).at(-1)!;
    const applied = () =>
      Promise.all(
        owners.map(async (owner) =>
          (await owner`select from supabase_migrations.schema_migrations where version = ${last.version}`)
            .length
        ),
      );

    await t.step("refuses an outdated proxy, a node's address, and to migrate during a move", async () => {
      const refused = async (databaseUrl: string, message: RegExp) => {
        const { code, stdout, stderr } = await deploy(variables(databaseUrl));
        assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
        assert.match(stderr, message);
      };
      await refused(nodes[1].url, /leads to a node. Set it to the proxy's address/);
      await admin`
        insert into nodes.moves (slot, workspace_ids, source, target, step)
        select slot, array[${id}::uuid], 1, 0, 'copy' from nodes.slots`;
      await refused(proxy.superuserUrl, /a workspace is moving/);
      await admin`delete from nodes.moves`;
      await admin`comment on schema nodes is 'another release'`;
      await refused(
        proxy.superuserUrl,
        /SQL of another release. Add a new one with `deno task crm proxy add`/,
      );
    });

    await t.step("migrates each node, and lets the functions use a new proxy", async () => {
      await owners[1]`delete from supabase_migrations.schema_migrations where version = ${last.version}`;
      await owners[1]`drop function nodes.person(uuid)`;
      assert.deepEqual(await applied(), [1, 0]);
      await admin.unsafe("create database next");
      const next = proxy.superuserUrl.replace(/postgres$/, "next");
      await run(proxy.superuserUrl, "proxy", "add", next);

      const env = variables(next);
      const plan = await deploy(env, "--plan");
      assert.equal(plan.code, 0, plan.stderr);
      assert.match(
        plan.stdout,
        new RegExp(`^ {3}node 0: all are applied\n {3}node 1: ${last.version}_${last.name}: `, "m"),
      );
      assert.deepEqual(await applied(), [1, 0]);

      const { code, stdout, stderr } = await deploy(env);
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /^ {3}node 0: all were applied\n {3}node 1: 1 applied$/m);
      assert.match(stdout, /^ok +proxy/m);
      assert.deepEqual(await applied(), [1, 1]);
      const [row] = await owners[1]`select to_regproc('nodes.person') is not null as is_back`;
      assert.equal(row!["is_back"], true);
      assert.equal(project.secrets.get("DATABASE_URL"), env["FUNCTIONS_DATABASE_URL"]);
      const base = `${project.origin}/functions/v1`;
      assert.equal((await call("GET", "/api-v1-contacts", { base, key })).status, 200);
      await run(next, "proxy", "remove", proxy.superuserUrl);
    });
  },
}));
