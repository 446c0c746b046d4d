import assert from "node:assert/strict";
import { CHECKS } from "../../run/deployment/doctor/checks.ts";
import { databaseTls } from "../../run/deployment/doctor/checks/connection.ts";
import { examine, runChecks } from "../../run/deployment/doctor/examine.ts";
import { startPostgres, stopPostgres, superuserUrl } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { openSql } from "../../run/local/sql.ts";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { eventually } from "../support/mailbox.ts";
import { makeStartedDataDir } from "../support/own_stack.ts";
import { databaseUrl, openDatabase } from "../support/stack.ts";
import { createVault } from "../support/vault.ts";
import { breakAndMend, doctor, findingsOf, resultOf } from "./doctor.ts";

Deno.test("deno task doctor refuses one address without the other, and a URL that is none", async () => {
  for (
    const [args, env, line] of [
      [["--url", "https://example.test/functions/v1"], {}, /DATABASE_URL/],
      [[], { DATABASE_URL: "postgresql://postgres@127.0.0.1:1/postgres" }, /--url/],
      [["--", "--url", "https://example.test/functions/v1"], {}, /DATABASE_URL/],
      [["--url", "nowhere"], {}, /--url is not a URL/],
      [["--url", "http://db.example/functions/v1"], {}, /--url is not https/],
      [["--unknown"], {}, /unknown option/],
    ] as const
  ) {
    const { code, stdout, stderr } = await doctor([...args], env);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" }, stderr);
    assert.match(stderr, line);
  }
});

Deno.test("The doctor names a database without verified TLS, unless it is on this machine", async () => {
  await using sql = openDatabase();
  const look = (url: string) =>
    runChecks({
      sql,
      databaseUrl: new URL(url),
      functionsUrl: "",
      region: null,
      appOrigin: null,
      now: Date.now,
    }, [
      databaseTls,
    ]);
  assert.deepEqual(findingsOf(await look(databaseUrl)), []);
  assert.deepEqual(findingsOf(await look("postgresql://a@db.example/b?sslmode=verify-full")), []);
  assert.match(findingsOf(await look("postgresql://a@db.example/b?sslmode=require"))[0]!, /sslmode=require/);
  assert.match(findingsOf(await look("postgresql://a@db.example/b"))[0]!, /in clear text$/);
});

Deno.test("The doctor sees what is broken on a local stack, and its remedy mends it", async (t) => {
  const dataDir = await makeStartedDataDir();
  const stack = await startStackProcess(dataDir);
  const { base_url, database_url, console_url } = stack.file;
  const appOrigin = console_url;
  const secrets = await loadSecrets(dataDir);
  const owner = openSql(database_url, { max: 1 });
  const admin = openSql(superuserUrl(database_url, secrets), { max: 1 });
  const look = () => examine({ databaseUrl: database_url, functionsUrl: base_url, region: null, appOrigin });
  const step = (name: string, breakage: Parameters<typeof breakAndMend>[2], role = owner) =>
    t.step(name, () => breakAndMend(look, role, breakage));
  try {
    await t.step("deno task doctor finds nothing wrong with it, and says what runs its jobs", async () => {
      const { code, stdout, stderr } = await doctor([], { DATA_DIR: dataDir });
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /^ok +jobs +the local stack's scheduler runs them$/m);
      assert.match(stdout, /\nNothing is wrong\n$/);
    });
    await t.step("an unusable DATABASE_URL does no harm where --database-url is given", async () => {
      const addresses = ["--url", base_url, "--database-url", database_url];
      const { code, stdout, stderr } = await doctor(addresses, {
        DATABASE_URL: "nowhere",
        APP_ORIGIN: appOrigin,
      });
      assert.equal(code, 0, stdout + stderr);
    });
    await t.step(
      "deno task doctor --json has every check, and exits with 1 where something is wrong",
      async () => {
        await owner`alter role crm_functions nologin`;
        const { code, stdout } = await doctor(["--json"], { DATA_DIR: dataDir });
        await owner`alter role crm_functions login`;
        const { ok, checks } = JSON.parse(stdout);
        assert.deepEqual({ code, ok }, { code: 1, ok: false });
        assert.deepEqual(checks.map(({ name }: { name: string }) => name), CHECKS.map(({ name }) => name));
        const { state, findings } = checks.find(({ name }: { name: string }) => name === "roles");
        assert.equal(state, "wrong");
        assert.deepEqual(findings[0].remedy, { sql: "alter role crm_functions login;" });
      },
    );
    await step("a migration that is not applied", {
      breaks: () =>
        owner`create table public.kept as select * from supabase_migrations.schema_migrations limit 1`.then(
          () =>
            owner`delete from supabase_migrations.schema_migrations where version in (select version from public.kept)`,
        ),
      finding: /^migrations: 1 of \d+ migrations are not applied: \d+$/,
      mends: () =>
        owner`insert into supabase_migrations.schema_migrations select * from public.kept`.then(() =>
          owner`drop table public.kept`
        ),
    });
    await step("a migration of another tree", {
      breaks: () =>
        owner`insert into supabase_migrations.schema_migrations (version) values ('20990101000000')`,
      finding: /^migrations: The database has migrations that this tree has not: 20990101000000$/,
      mends: () => owner`delete from supabase_migrations.schema_migrations where version = '20990101000000'`,
    });
    await step("a migration that was edited after it was applied", {
      breaks: () =>
        owner`update supabase_migrations.schema_migrations set statements = statements || 'select 1'::text where name = 'roles'`,
      finding: /^migrations: Edited after the database applied them: \d+_roles\.sql$/,
      mends: () =>
        owner`update supabase_migrations.schema_migrations set statements = trim_array(statements, 1) where name = 'roles'`,
    });
    await t.step(
      "a migration that was recorded without its statements is named, and nothing is wrong",
      async () => {
        const note = async () => resultOf(await look(), "migrations").note;
        const before = await note();
        assert.match(before!, /^\d+ applied$/);
        await owner.begin(async (sql) => {
          await sql`create table public.kept as select * from supabase_migrations.schema_migrations where name = 'roles'`;
          await sql`update supabase_migrations.schema_migrations set statements = null where name = 'roles'`;
        });
        assert.match(await note() ?? "", /^\d+ applied; without statements to compare \(.*\): \d+$/);
        assert.deepEqual(findingsOf(await look()), []);
        await owner`update supabase_migrations.schema_migrations m set statements = k.statements from public.kept k where k.version = m.version`;
        await owner`drop table public.kept`;
        assert.equal(await note(), before);
      },
    );
    await step("the extension of searches in another schema", {
      breaks: () => owner`drop extension pg_trgm; create extension pg_trgm with schema public`.simple(),
      finding: /^extensions: The extension pg_trgm is not in the schema extensions, so no contact/,
    });
    await step("a role that cannot log in", {
      breaks: () => owner`alter role crm_functions nologin`,
      finding: /^roles: The role crm_functions can not log in/,
    });
    await step("a role that can", {
      breaks: () => owner`alter role crm_api login`,
      finding: /^roles: The role crm_api can log in$/,
    });
    await step("a role that sees every workspace", {
      breaks: () => admin`alter role crm_functions bypassrls`,
      finding: /^roles: The role crm_functions has the attribute bypassrls$/,
    }, admin);
    await step("a role that may become another", {
      breaks: () => admin`grant pg_read_all_data to crm_functions`,
      finding: /^roles: The role crm_functions is a member of pg_read_all_data$/,
    }, admin);
    await step("a role whose statements have no limit", {
      breaks: () => owner`alter role crm_functions reset statement_timeout`,
      finding: /^roles: The role crm_functions has no statement_timeout of 8s/,
    });
    await step("a role that can only read", {
      breaks: () => owner`alter role crm_functions set default_transaction_read_only = on`,
      finding: /^roles: The role crm_functions has the setting default_transaction_read_only=on$/,
    });
    await step("a role that can only read in this database", {
      breaks: () =>
        owner`alter role crm_functions in database postgres set default_transaction_read_only = on`,
      finding:
        /^roles: The role crm_functions has a setting in the database postgres: default_transaction_read_only=on$/,
    });
    await t.step("an address that is none is named without its password", async () => {
      const wrong = "postgresql://postgres:hunter2@127.0.0.1:99999/x";
      const { code, stdout, stderr } = await doctor(["--url", base_url, "--database-url", wrong]);
      assert.equal(code, 2);
      assert.match(stderr, /^error: --database-url is not an address of Postgres/);
      assert.doesNotMatch(stdout + stderr, /hunter2/);
    });
    await step("a function that everybody may execute", {
      breaks: () => owner`grant execute on function crm.poke_dispatcher() to public`,
      finding: /^rights of PUBLIC: PUBLIC may execute 1 function of the schema crm$/,
    });

    await step("a database without Supabase Auth", {
      breaks: () => owner`alter schema auth rename to auth_elsewhere`,
      finding: /^sign-in: The database has no auth.users and no auth.sessions, where Supabase Auth keeps /,
      mends: () => owner`alter schema auth_elsewhere rename to auth`,
    });

    const asOwner = openSql(database_url, { max: 1, connection: { application_name: "crm-api" } });
    await step("functions that connect as the owner", {
      breaks: () => asOwner`select`,
      finding: /^functions' database user: The functions connect as postgres, and not as crm_functions$/,
      mends: () => asOwner.end(),
    });

    await createVault(admin);
    const missing = findingsOf(await look());
    assert.equal(missing.length, 2);
    for (const name of ["webhook_dispatcher_url", "webhook_dispatcher_secret"]) {
      assert.ok(missing.some((finding) => finding.startsWith(`Vault: The Vault has no ${name}`)), name);
    }
    const vaulted = resultOf(await look(), "Vault").findings.map(({ remedy }) => remedy as { sql: string });
    for (const { sql } of vaulted) {
      await owner.unsafe(sql.replace("<WEBHOOK_DISPATCHER_SECRET>", secrets.webhook_dispatcher_secret));
    }
    await step("an address of another dispatcher in the Vault", {
      breaks: () =>
        owner`
          select vault.update_secret(id, 'http://127.0.0.1:9/functions/v1/webhook-dispatcher')
          from vault.secrets where name = 'webhook_dispatcher_url'
        `,
      finding: /^Vault: The Vault's webhook_dispatcher_url is http:\/\/127\.0\.0\.1:9\//,
    });
    const inRegion = `${base_url}/webhook-dispatcher?forceFunctionRegion=sa-east-1`;
    const setAddress = (url: string) =>
      owner`
        select vault.update_secret(id, ${url}) from vault.secrets where name = 'webhook_dispatcher_url'
      `;
    await t.step("an address with another region than FUNCTIONS_REGION, or with none", async () => {
      const lookFor = (region: string | null) => () =>
        examine({ databaseUrl: database_url, functionsUrl: base_url, region, appOrigin });
      await setAddress(inRegion);
      assert.deepEqual(findingsOf(await look()), [], "without FUNCTIONS_REGION any region is right");
      for (const wrong of [inRegion.replace("sa-east-1", "us-east-1"), inRegion.split("?")[0]!]) {
        await breakAndMend(lookFor("sa-east-1"), owner, {
          breaks: () => setAddress(wrong),
          finding: /^Vault: The Vault's webhook_dispatcher_url is .*forceFunctionRegion=sa-east-1$/,
        });
        assert.deepEqual(
          await owner`select from vault.decrypted_secrets where decrypted_secret = ${inRegion}`.then((rows) =>
            rows.length
          ),
          1,
        );
      }
    });
    await t.step(
      "an address that only --url contradicts is left alone where no dispatcher answers",
      async () => {
        const wrong = await examine({
          databaseUrl: database_url,
          functionsUrl: `${base_url}/x`,
          region: null,
          appOrigin,
        });
        assert.equal(resultOf(wrong, "Vault").state, "skipped");
      },
    );
    await step("a secret in the Vault that the dispatcher refuses", {
      breaks: () =>
        owner`
          select vault.update_secret(id, 'another-secret-altogether')
          from vault.secrets where name = 'webhook_dispatcher_secret'
        `,
      finding: /^Vault: The dispatcher refuses the Vault's webhook_dispatcher_secret/,
      mends: () =>
        owner`
          select vault.update_secret(id, ${secrets.webhook_dispatcher_secret})
          from vault.secrets where name = 'webhook_dispatcher_secret'
        `,
    });

    await t.step("a clock that is wrong", async () => {
      const project = {
        sql: owner,
        databaseUrl: new URL(database_url),
        functionsUrl: base_url,
        region: null,
        appOrigin,
      };
      const ahead = await runChecks({ ...project, now: () => Date.now() - 60_000 });
      // A second more or less, where the machine takes that long between the two clocks.
      assert.match(
        findingsOf(ahead).join("\n"),
        /^clocks: The database's clock is (59|6\d) s ahead of this machine's$/,
      );
      const behind = await runChecks({ ...project, now: () => Date.now() + 60_000 });
      assert.match(
        findingsOf(behind).join("\n"),
        /^clocks: The database's clock is (5\d|6[01]) s behind this machine's$/,
      );
    });

    await t.step("a role that may see nothing gets findings and not an error", async () => {
      const url = new URL(database_url);
      url.username = "stranger";
      await admin`create role stranger login password 'stranger'`;
      url.password = "stranger";
      const diagnosis = await examine({
        databaseUrl: url.href,
        functionsUrl: base_url,
        region: null,
        appOrigin,
      });
      assert.match(findingsOf(diagnosis).join("\n"), /^deliveries: It cannot be seen: permission denied/m);
    });

    await t.step("functions without their database", async () => {
      await stopPostgres(dataDir);
      // The health may be that of a second ago.
      const diagnosis = await eventually(
        async () => {
          const diagnosis = await look();
          return resultOf(diagnosis, "health").state === "wrong" && diagnosis;
        },
        "the health check to notice",
      );
      assert.deepEqual(findingsOf(diagnosis).map((finding) => finding.split(":")[0]), ["database", "health"]);
      assert.match(findingsOf(diagnosis)[1]!, /The functions do not reach their database$/);
      assert.equal(resultOf(diagnosis, "jobs").state, "skipped");
    });
  } finally {
    await Promise.all([owner.end({ timeout: 0 }), admin.end({ timeout: 0 })]);
    await stack.stop();
  }

  // The same database without the stack around it: no scheduler, no dispatcher, no function.
  const port = Number(new URL(database_url).port);
  await startPostgres(dataDir, secrets, port);
  const sql = openSql(database_url, { max: 1 });
  try {
    await t.step("no scheduler, and no function", async () => {
      const found = findingsOf(await look());
      assert.ok(found.some((finding) => /^jobs: Nothing runs the jobs/.test(finding)), found.join("\n"));
      assert.ok(
        found.some((finding) => /^functions: Each of the \d+ functions cannot be reached/.test(finding)),
      );
    });
    await t.step("a delivery that nobody sends", async () => {
      assert.deepEqual(resultOf(await look(), "deliveries").findings, []);
      const { id: workspace } = await makeWorkspace(sql);
      const [subscription] = await sql`
        insert into crm.webhook_subscriptions (workspace_id, event_types, target_url)
        values (${workspace}, '{contact.created}', 'https://receiver.invalid/') returning id
      `;
      await sql`
        insert into crm.contacts (workspace_id, name, owner_id)
        select ${workspace}, 'Ana', id from crm.members where workspace_id = ${workspace}
      `;
      await sql`update crm.webhook_deliveries set next_attempt_at = now() - interval '61 s'`;
      const [finding] = resultOf(await look(), "deliveries").findings;
      assert.match(finding!.message, /^1 delivery has been due for 6\d s, of subscription/);
      assert.ok(finding!.message.endsWith(`of subscription ${subscription!["id"]}`));
      // An attempt under way shows that the dispatcher works: the others wait for a slow receiver.
      await sql`
        insert into crm.contacts (workspace_id, name, owner_id)
        select ${workspace}, 'Bia', id from crm.members where workspace_id = ${workspace}
      `;
      await sql`update crm.webhook_deliveries set next_attempt_at = now() - interval '61 s'`;
      assert.match(resultOf(await look(), "deliveries").findings[0]!.message, /^2 deliveries have been due/);
      const lease = (until: string) =>
        sql`
          update crm.webhook_queue set state = 'leased', lease_until = now() + ${until}::interval
          where delivery_id = (select min(id::text)::uuid from crm.webhook_deliveries)
        `;
      await lease("30 s");
      assert.deepEqual(resultOf(await look(), "deliveries").findings, []);
      await lease("-1 s");
      assert.match(resultOf(await look(), "deliveries").findings[0]!.message, /^2 deliveries have been due/);
      // A workspace that may not call sends nothing, and that is meant.
      for (const [suspended, publicApi] of [[true, true], [false, false]] as const) {
        await sql`
          update crm.workspaces set suspended = ${suspended}, public_api = ${publicApi} where id = ${workspace}
        `;
        assert.deepEqual(resultOf(await look(), "deliveries").findings, []);
      }
    });
  } finally {
    await sql.end();
    await stopPostgres(dataDir);
    await Deno.remove(dataDir, { recursive: true });
  }
});
