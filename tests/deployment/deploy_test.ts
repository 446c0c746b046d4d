import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createAuthority } from "../../bench/harness/certificates.ts";
import { runSupabase } from "../../run/deployment/supabase_cli.ts";
import { functionNames } from "../../run/local/function_names.ts";
import { openSql } from "../../run/local/sql.ts";
import { call } from "../support/client.ts";
import { watchCommandLines } from "../support/command_lines.ts";
import { ACCESS_TOKEN, PROJECT_REF, startEmptyProject } from "../support/empty_project.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { needing } from "../support/needing.ts";
import { deno } from "../support/run.ts";
import { deploy, deploymentVariables } from "./deploy.ts";

const ROOT = join(import.meta.dirname!, "../..");

/** The files that Deno finds by following a function's imports, relative to the root. */
async function moduleGraph(name: string): Promise<string[]> {
  const { stdout } = await deno(["info", "--json", `${name}/index.ts`], {
    cwd: join(ROOT, "supabase/functions"),
  });
  const { modules } = JSON.parse(stdout) as { modules: { specifier: string }[] };
  return modules.filter(({ specifier }) => specifier.startsWith("file:"))
    .map(({ specifier }) => relative(ROOT, fileURLToPath(specifier)));
}

Deno.test("deno task deploy names every missing or unusable variable at once, and does nothing", async () => {
  const nothing = await deploy({});
  assert.deepEqual({ code: nothing.code, stdout: nothing.stdout }, { code: 1, stdout: "" });
  const missing = Object.keys(deploymentVariables("postgresql://x@127.0.0.1/x"));
  assert.deepEqual(nothing.stderr.trim().split("\n").slice(1), missing.map((name) => `${name} is not set`));

  const url =
    `postgresql://postgres.${PROJECT_REF}:hunter2@aws-0-sa-east-1.pooler.supabase.com:6543/postgres`;
  const wrong = await deploy({
    SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN,
    SUPABASE_PROJECT_REF: "short",
    DATABASE_URL: `${url}?sslmode=verify-full`,
    FUNCTIONS_DATABASE_URL: `${url}?sslmode=verify-full`,
    WEBHOOK_ENCRYPTION_KEY: "hunter2",
    WEBHOOK_DISPATCHER_SECRET: "hunter2",
    APP_ORIGIN: "http://hunter2.example",
    DATABASE_CA: "hunter2",
    PUBLIC_URL: "http://api.example",
    FUNCTIONS_REGION: "Brazil",
    CORS_ALLOWED_ORIGINS: "'hunter2'",
  });
  const lines = wrong.stderr.trim().split("\n").slice(1);
  assert.equal(lines.length, 10, wrong.stderr);
  assert.doesNotMatch(wrong.stderr, /hunter2/);
  assert.match(lines[1]!, /^DATABASE_URL has port 6543/);
  assert.equal((await deploy({}, "--unknown")).code, 2);
});

Deno.test(needing(["the Supabase CLI"], {
  name:
    "deno task deploy passes on what the Supabase CLI prints, even if the CLI ends without reading its input",
  fn: () =>
    assert.rejects(
      runSupabase({ args: ["secrets", "set", "--no-such-flag"], stdin: "x".repeat(1 << 20) }),
      /^StackError: supabase secrets set failed. It printed:[^]*no-such-flag/,
    ),
}));

Deno.test(needing(["the Supabase CLI"], {
  name: "deno task deploy turns an empty database into a healthy service, and a second run changes nothing",
  ignore: Deno.build.os !== "linux",
  async fn(t) {
    await using empty = await startEmptyProject();
    const { admin, databaseUrl, functionsDatabaseUrl, hosted: project } = empty;
    const password = `p@ss:w/rd%?${randomBytes(9).toString("hex")}`;
    const env: Record<string, string> = {
      ...deploymentVariables(databaseUrl),
      SUPABASE_PROFILE: project.profile,
      FUNCTIONS_DATABASE_URL: functionsDatabaseUrl(password),
      DATABASE_CA: (await createAuthority()).certificate,
      PUBLIC_URL: project.origin,
      CORS_ALLOWED_ORIGINS: "",
    };
    const secretValues = [password, encodeURIComponent(password), empty.ownerPassword, ACCESS_TOKEN]
      .concat(env["WEBHOOK_ENCRYPTION_KEY"]!, env["WEBHOOK_DISPATCHER_SECRET"]!);
    const state = () =>
      Promise.all([
        admin`select rolpassword from pg_authid where rolname = 'crm_functions'`,
        admin`select * from vault.secrets order by name`,
        admin`select version from supabase_migrations.schema_migrations order by version`,
      ]).then((rows) => JSON.stringify(rows));
    await t.step("--plan shows what each step would change, and changes nothing", async () => {
      const { code, stdout, stderr } = await deploy(env, "--", "--plan");
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^2\. Apply the migrations.*\n {3}\d+_v1: \d+ statements\n/m);
      assert.match(stdout, /^ {3}set\n4\. .*\n {3}set: webhook_dispatcher_url, webhook_dispatcher_secret$/m);
      assert.match(stdout, /^ {3}set: DATABASE_URL, .*\n6\. .*\n {3}0 uploaded again.*\n {3}new: api-v1, /m);
      assert.deepEqual(secretValues.filter((secret) => stdout.includes(secret)), []);
      const [row] = await admin`select to_regnamespace('crm') is null as empty`;
      assert.equal(row!["empty"], true);
      assert.deepEqual(project.requests.filter((request) => !request.startsWith("GET ")), []);
    });

    await t.step("the first deployment does each step, without a secret in an argument", async () => {
      const lines = watchCommandLines();
      const { code, stdout, stderr } = await deploy(env);
      await lines.stop();
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /\d+ applied/);
      assert.match(stdout, /\nNothing is wrong\n$/);
      for (const command of ["secrets\0set", "functions\0deploy"]) {
        assert.ok(lines.seen().some((line) => line.includes(command)), `${command} was not seen`);
      }
      for (const secret of secretValues) {
        assert.deepEqual(lines.seen().filter((line) => line.includes(secret)), []);
        assert.ok(!stdout.includes(secret));
      }
    });

    await t.step("the functions get exactly their secrets, unchanged", () => {
      const names = [
        "WEBHOOK_ENCRYPTION_KEY",
        "WEBHOOK_DISPATCHER_SECRET",
        "APP_ORIGIN",
        "DATABASE_CA",
        "PUBLIC_URL",
      ];
      assert.deepEqual(Object.fromEntries(project.secrets), {
        DATABASE_URL: env["FUNCTIONS_DATABASE_URL"],
        ...Object.fromEntries(names.map((name) => [name, env[name]])),
      });
    });

    await t.step("each function is uploaded with its modules and import map only", async () => {
      assert.deepEqual([...project.uploads.keys()].sort(), await functionNames());
      for (const [name, { metadata, files }] of project.uploads) {
        assert.deepEqual(
          [...files.keys()].sort(),
          ["supabase/functions/deno.json", ...await moduleGraph(name)].sort(),
          name,
        );
        const { entrypoint_path, import_map_path, verify_jwt } = metadata;
        assert.deepEqual({ entrypoint_path, import_map_path, verify_jwt }, {
          entrypoint_path: `supabase/functions/${name}/index.ts`,
          import_map_path: "supabase/functions/deno.json",
          verify_jwt: false,
        });
      }
    });

    const sql = openSql(databaseUrl, { max: 1 });
    const { key } = await makeWorkspace(sql);
    await sql.end();
    const post = (path: string, body: unknown) =>
      call("POST", path, { base: `${project.origin}/functions/v1`, key, body });

    await t.step("the uploaded functions take a lead and store a signing secret", async () => {
      assert.equal((await post("/api-v1-leads", { first_name: "Ana" })).status, 201);
      const subscription = { event_types: ["deal.lost"], target_url: "https://hooks.example.com/" };
      assert.equal((await post("/api-v1-webhooks", subscription)).status, 201);
    });

    await t.step("a second deployment changes nothing in the database", async () => {
      const before = await state();
      const { code, stdout, stderr } = await deploy(env);
      assert.equal(code, 0, stdout + stderr);
      assert.equal(await state(), before);
      for (const line of ["the key decrypts them", "all were applied", "already set"]) {
        assert.ok(stdout.includes(line), stdout);
      }
    });

    await t.step("--plan on a deployed project shows only that functions are uploaded again", async () => {
      const { stdout, stderr } = await deploy(env, "--plan");
      const lines = stdout.split("\n").filter((line) => line.startsWith("   ")).map((line) => line.trim());
      assert.deepEqual(lines, [
        "the key decrypts them",
        "all are applied",
        "already set",
        "already set",
        "already set",
        `${project.uploads.size} uploaded again, if they changed`,
      ], stderr);
    });

    const other = { ...env, WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
    await t.step("another encryption key is refused before the first step", async () => {
      const before = await state();
      const requests = project.requests.length;
      const { code, stderr } = await deploy(other);
      assert.equal(code, 1);
      assert.match(stderr, /^error: Nothing was done: WEBHOOK_ENCRYPTION_KEY does not decrypt/);
      assert.equal(await state(), before);
      assert.equal(project.requests.length, requests);
    });

    await t.step("secrets are replaced; the encryption key needs --replace-encryption-key", async () => {
      const rotated = {
        ...other,
        FUNCTIONS_DATABASE_URL: functionsDatabaseUrl(randomBytes(24).toString("hex")),
        WEBHOOK_DISPATCHER_SECRET: randomBytes(32).toString("hex"),
      };
      const { code, stdout, stderr } = await deploy(rotated, "--replace-encryption-key");
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /^ {3}set: webhook_dispatcher_secret$/m);
      assert.equal(project.secrets.get("WEBHOOK_ENCRYPTION_KEY"), other["WEBHOOK_ENCRYPTION_KEY"]);
      assert.equal((await post("/api-v1-leads", { first_name: "Bia" })).status, 201);
      await assert.rejects(async () => {
        const old = openSql(env["FUNCTIONS_DATABASE_URL"]!, { max: 1 });
        await old`select`.finally(() => old.end());
      }, /password authentication failed/);
    });

    await t.step("a failing step ends the deployment with the CLI's output, without secrets", async () => {
      const { code, stderr } = await deploy({
        ...env,
        SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN.replace("0", "f"),
      });
      assert.equal(code, 1);
      assert.match(stderr, /^error: supabase secrets set failed/);
      assert.deepEqual(secretValues.filter((secret) => stderr.includes(secret)), []);
    });
  },
}));
