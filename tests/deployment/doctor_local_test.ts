import assert from "node:assert/strict";
import { CHECKS } from "../../run/deployment/doctor/checks.ts";
import { databaseTls } from "../../run/deployment/doctor/checks/connection.ts";
import { examine } from "../../run/deployment/doctor/examine.ts";
import { startPostgres, stopPostgres, superuserUrl } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { openSql } from "../../run/local/sql.ts";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { startDroppingServer } from "../support/dropping_server.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { eventually } from "../support/mailbox.ts";
import { makeStartedDataDir } from "../support/own_stack.ts";
import { databaseUrl, openDatabase } from "../support/stack.ts";
import { createVault } from "../support/vault.ts";
import { deploy, deploymentVariables } from "./deploy.ts";
import { breakAndMend, doctor, findingsOf, look, resultOf } from "./doctor.ts";

Deno.test("deno task doctor refuses one address without the other, and an unusable address", async () => {
  const url = ["--url", "https://example.test/functions/v1"];
  const unusable = ["--database-url", "postgresql://p:hunter2@127.0.0.1:99999/x"];
  const cases: [args: string[], line: RegExp, env?: Record<string, string>][] = [
    [url, /DATABASE_URL/],
    [[], /--url/, { DATABASE_URL: "postgresql://postgres@127.0.0.1:1/postgres" }],
    [["--", ...url], /DATABASE_URL/],
    [["--url", "nowhere"], /--url is not a URL/],
    [["--url", "http://db.example/functions/v1"], /--url is not https/],
    [["--unknown"], /unknown option/],
    [[...url, ...unusable], /^error: --database-url is not an address of Postgres/],
  ];
  for (const [args, line, env] of cases) {
    const { code, stdout, stderr } = await doctor(args, env);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" }, stderr);
    assert.match(stderr, line);
    assert.doesNotMatch(stderr, /hunter2/);
  }
});

Deno.test("deno task doctor and deploy end with an error if something drops each connection to the database", async () => {
  await using dropping = startDroppingServer();
  const database = `postgresql://postgres:hunter2@127.0.0.1:${dropping.port}/postgres`;
  const [examined, deployed] = await Promise.all([
    doctor(["--url", `http://127.0.0.1:${dropping.port}/functions/v1`], { DATABASE_URL: database }),
    deploy(deploymentVariables(database), "--plan"),
  ]);
  assert.equal(examined.code, 1, examined.stderr);
  assert.match(examined.stdout, /^wrong +database\n {2}- The database cannot be reached: /m);
  assert.equal(deployed.code, 1, deployed.stdout);
  assert.match(deployed.stderr, /^error: The database cannot be reached: /);
});

Deno.test("The doctor names a database without verified TLS, unless it is on this machine", async () => {
  await using sql = openDatabase();
  const cases: [url: string, finding: RegExp | null][] = [
    [databaseUrl, null],
    ["postgresql://a@db.example/b?sslmode=verify-full", null],
    ["postgresql://a@db.example/b?sslmode=require", /sslmode=require/],
    ["postgresql://a@db.example/b", /in clear text$/],
  ];
  for (const [url, finding] of cases) {
    const found = findingsOf(await look([databaseTls], { sql, databaseUrl: new URL(url) }));
    if (finding === null) assert.deepEqual(found, [], url);
    else assert.match(found[0]!, finding);
  }
});

Deno.test("The doctor finds what is broken on a local stack, and its remedy repairs it", async (t) => {
  const dataDir = await makeStartedDataDir();
  const stack = await startStackProcess(dataDir);
  const { base_url, database_url, console_url: appOrigin } = stack.file;
  const secrets = await loadSecrets(dataDir);
  const owner = openSql(database_url, { max: 1 });
  const admin = openSql(superuserUrl(database_url, secrets), { max: 1 });
  const address = { databaseUrl: database_url, functionsUrl: base_url, region: null, appOrigin };
  const see = () => examine(address);
  /** Breaks the stack with SQL. If the remedy is not SQL, `mends` is SQL that repairs the stack. */
  const step = (name: string, breaks: string, finding: RegExp, { mends = "", as = owner } = {}) =>
    t.step(name, () =>
      breakAndMend(see, as, {
        breaks: () => as.unsafe(breaks).simple(),
        finding,
        ...(mends && { mends: () => as.unsafe(mends).simple() }),
      }));
  const HISTORY = "supabase_migrations.schema_migrations";
  try {
    await t.step("deno task doctor has no finding on a new stack, and says what runs its jobs", async () => {
      const { code, stdout, stderr } = await doctor([], { DATA_DIR: dataDir });
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /^ok +jobs +the local stack's scheduler runs them$/m);
      assert.match(stdout, /\nNothing is wrong\n$/);
    });
    await t.step("--database-url is used in place of an unusable DATABASE_URL", async () => {
      const addresses = ["--url", base_url, "--database-url", database_url];
      const { code, stderr } = await doctor(addresses, { DATABASE_URL: "nowhere", APP_ORIGIN: appOrigin });
      assert.equal(code, 0, stderr);
    });
    await t.step("deno task doctor --json prints every check, and exits with 1 after a finding", async () => {
      await owner`alter role crm_functions nologin`;
      const { code, stdout } = await doctor(["--json"], { DATA_DIR: dataDir });
      await owner`alter role crm_functions login`;
      const { ok, checks } = JSON.parse(stdout);
      assert.deepEqual({ code, ok }, { code: 1, ok: false });
      assert.deepEqual(checks.map(({ name }: { name: string }) => name), CHECKS.map(({ name }) => name));
      const { state, findings } = checks.find(({ name }: { name: string }) => name === "roles");
      assert.equal(state, "wrong");
      assert.deepEqual(findings[0].remedy, { sql: "alter role crm_functions login;" });
    });

    await step(
      "a missing migration",
      `create table public.kept as select * from ${HISTORY} limit 1;
      delete from ${HISTORY} where version in (select version from public.kept)`,
      /^migrations: 1 of \d+ migrations are not applied: \d+$/,
      { mends: `insert into ${HISTORY} select * from public.kept; drop table public.kept` },
    );
    await step(
      "a migration from another tree",
      `insert into ${HISTORY} (version) values ('20990101000000')`,
      /^migrations: The database has migrations that this tree lacks: 20990101000000$/,
      { mends: `delete from ${HISTORY} where version = '20990101000000'` },
    );
    await step(
      "a migration that was edited after it was applied",
      `update ${HISTORY} set statements = statements || 'select 1'::text where name = 'v1'`,
      /^migrations: Edited after the database applied them: \d+_v1\.sql$/,
      { mends: `update ${HISTORY} set statements = trim_array(statements, 1) where name = 'v1'` },
    );
    await t.step("a migration that was recorded without its statements is only a note", async () => {
      const note = async () => resultOf(await see(), "migrations").note ?? "";
      const before = await note();
      assert.match(before, /^\d+ applied$/);
      await owner.unsafe(`
        create table public.kept as select * from ${HISTORY} where name = 'v1';
        update ${HISTORY} set statements = null where name = 'v1'`).simple();
      assert.match(await note(), /^\d+ applied; recorded without statements \(.*\), so not compared: \d+$/);
      assert.deepEqual(findingsOf(await see()), []);
      await owner.unsafe(`
        update ${HISTORY} m set statements = k.statements from public.kept k where k.version = m.version;
        drop table public.kept`).simple();
      assert.equal(await note(), before);
    });
    await step(
      "the extension for searches in another schema",
      "drop extension pg_trgm; create extension pg_trgm with schema public",
      /^extensions: The extension pg_trgm is not in the schema extensions, so no contact/,
    );
    const cannotLogIn = /^roles: The role crm_functions can not log in/;
    await step("the functions' role without login", "alter role crm_functions nologin", cannotLogIn);
    await step(
      "the verbs' role with login",
      "alter role crm_api login",
      /^roles: The role crm_api can log in$/,
    );
    await step(
      "a role that sees every workspace",
      "alter role crm_functions bypassrls",
      /^roles: The role crm_functions has the attribute bypassrls$/,
      { as: admin },
    );
    await step(
      "a role that is a member of another",
      "grant pg_read_all_data to crm_functions",
      /^roles: The role crm_functions is a member of pg_read_all_data$/,
      { as: admin },
    );
    await step(
      "a role without a time limit for statements",
      "alter role crm_functions reset statement_timeout",
      /^roles: The role crm_functions lacks statement_timeout = 8s/,
    );
    await step(
      "a role that can only read",
      "alter role crm_functions set default_transaction_read_only = on",
      /^roles: The role crm_functions has the setting default_transaction_read_only=on$/,
    );
    await step(
      "a role that can only read in this database",
      "alter role crm_functions in database postgres set default_transaction_read_only = on",
      /^roles: .* has a setting in the database postgres: default_transaction_read_only=on$/,
    );
    await step(
      "a function that everybody may execute",
      "grant execute on function crm.poke_dispatcher() to public",
      /^rights of PUBLIC: PUBLIC may execute 1 function of the schema crm$/,
    );
    await step(
      "a database without Supabase Auth",
      "alter schema auth rename to auth_elsewhere",
      /^sign-in: The database has no auth.users and no auth.sessions, the tables of Supabase Auth/,
      { mends: "alter schema auth_elsewhere rename to auth" },
    );
    await t.step("functions that connect as the owner", async () => {
      const asOwner = openSql(database_url, { max: 1, connection: { application_name: "crm-api" } });
      await breakAndMend(see, owner, {
        breaks: () => asOwner`select`,
        finding: /^functions' database user: The functions connect as postgres instead of crm_functions$/,
        mends: () => asOwner.end(),
      });
    });

    await createVault(admin);
    await t.step("an empty Vault", async () => {
      const { findings } = resultOf(await see(), "Vault");
      for (const [index, name] of ["webhook_dispatcher_url", "webhook_dispatcher_secret"].entries()) {
        const { message, remedy } = findings[index]!;
        assert.ok(message.startsWith(`The Vault has no ${name}`), message);
        const { sql } = remedy as { sql: string };
        await owner.unsafe(sql.replace("<WEBHOOK_DISPATCHER_SECRET>", secrets.webhook_dispatcher_secret));
      }
    });
    const setSecret = (name: string, value: string) =>
      `select vault.update_secret(id, '${value}') from vault.secrets where name = '${name}'`;
    const setAddress = (url: string) => setSecret("webhook_dispatcher_url", url);
    await step(
      "the address of another dispatcher in the Vault",
      setAddress("http://127.0.0.1:9/functions/v1/webhook-dispatcher"),
      /^Vault: The Vault's webhook_dispatcher_url is http:\/\/127\.0\.0\.1:9\//,
    );
    await step(
      "a secret in the Vault that the dispatcher refuses",
      setSecret("webhook_dispatcher_secret", "another-secret-altogether"),
      /^Vault: The dispatcher refuses the Vault's webhook_dispatcher_secret/,
      { mends: setSecret("webhook_dispatcher_secret", secrets.webhook_dispatcher_secret) },
    );
    await t.step("an address in the Vault whose region is not FUNCTIONS_REGION", async () => {
      const inRegion = `${base_url}/webhook-dispatcher?forceFunctionRegion=sa-east-1`;
      await owner.unsafe(setAddress(inRegion));
      assert.deepEqual(findingsOf(await see()), [], "without FUNCTIONS_REGION any region is right");
      for (const wrong of [inRegion.replace("sa-east-1", "us-east-1"), inRegion.split("?")[0]!]) {
        await breakAndMend(() => examine({ ...address, region: "sa-east-1" }), owner, {
          breaks: () => owner.unsafe(setAddress(wrong)),
          finding: /^Vault: The Vault's webhook_dispatcher_url is .*forceFunctionRegion=sa-east-1$/,
        });
        const mended = await owner`select from vault.decrypted_secrets where decrypted_secret = ${inRegion}`;
        assert.equal(mended.length, 1);
      }
    });
    await t.step("with a wrong --url the doctor does not check the Vault", async () => {
      const wrong = await examine({ ...address, functionsUrl: `${base_url}/x` });
      assert.equal(resultOf(wrong, "Vault").state, "skipped");
    });

    await t.step("a wrong clock", async () => {
      const clocks = CHECKS.filter(({ name }) => name === "clocks");
      const skewed = (ms: number) => look(clocks, { sql: owner, now: () => Date.now() + ms });
      // A busy machine may take seconds between reading the two clocks.
      assert.match(findingsOf(await skewed(-60_000))[0]!, /is (59|6\d) s ahead of this machine's$/);
      assert.match(findingsOf(await skewed(60_000))[0]!, /is (5\d|6[01]) s behind this machine's$/);
    });
    await t.step("a role without read privileges gets findings and no error", async () => {
      const url = new URL(database_url);
      url.username = url.password = "stranger";
      await admin`create role stranger login password 'stranger'`;
      const diagnosis = await examine({ ...address, databaseUrl: url.href });
      assert.match(findingsOf(diagnosis).join("\n"), /^deliveries: The check failed: permission denied/m);
    });
    await t.step("functions without their database", async () => {
      await stopPostgres(dataDir);
      // The health check may still repeat its last reply, which it caches for a second.
      const diagnosis = await eventually(async () => {
        const diagnosis = await see();
        return resultOf(diagnosis, "health").state === "wrong" && diagnosis;
      }, "the health check to notice");
      assert.deepEqual(findingsOf(diagnosis).map((finding) => finding.split(":")[0]), ["database", "health"]);
      assert.match(findingsOf(diagnosis)[1]!, /The functions do not reach their database$/);
      assert.equal(resultOf(diagnosis, "jobs").state, "skipped");
    });
  } finally {
    await Promise.all([owner.end({ timeout: 0 }), admin.end({ timeout: 0 })]);
    await stack.stop();
  }

  // Starts the same database without a scheduler, a dispatcher or functions.
  await startPostgres(dataDir, secrets, Number(new URL(database_url).port));
  const sql = openSql(database_url, { max: 1 });
  try {
    await t.step("no scheduler and no functions", async () => {
      const found = findingsOf(await see()).join("\n");
      assert.match(found, /^jobs: Nothing runs the jobs/m);
      assert.match(found, /^functions: Each of the \d+ functions cannot be reached/m);
    });
    // tests/deployment/health_test.ts tests which deliveries count as stuck.
    await t.step("a delivery that nobody sends", async () => {
      assert.deepEqual(resultOf(await see(), "deliveries").findings, []);
      const { id: workspace } = await makeWorkspace(sql);
      const [subscription] = await sql`
        insert into crm.webhook_subscriptions (workspace_id, event_types, target_url)
        values (${workspace}, '{contact.created}', 'https://receiver.invalid/') returning id`;
      for (
        const says of [
          "1 delivery has been due for 6\\d s",
          "2 deliveries have been due",
        ]
      ) {
        await sql`
          insert into crm.contacts (workspace_id, name, owner_id)
          select ${workspace}, 'Ana', id from crm.members where workspace_id = ${workspace}`;
        await sql`update crm.webhook_deliveries set next_attempt_at = now() - interval '61 s'`;
        const { message } = resultOf(await see(), "deliveries").findings[0]!;
        assert.match(message, new RegExp(`^${says}.* subscription ${subscription!["id"]}$`));
      }
    });
  } finally {
    await sql.end();
    await stopPostgres(dataDir);
    await Deno.remove(dataDir, { recursive: true });
  }
});
