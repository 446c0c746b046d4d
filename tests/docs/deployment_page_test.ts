import assert from "node:assert/strict";
import { join } from "node:path";
import { createAuthority } from "../../bench/harness/certificates.ts";
import { VARIABLES } from "../../run/deployment/environment.ts";
import { ACCESS_TOKEN, type EmptyProject, PROJECT_REF, startEmptyProject } from "../support/empty_project.ts";
import { openSql } from "../../run/local/sql.ts";
import { openFolder } from "../support/folder.ts";
import { needing } from "../support/needing.ts";
import { outcomeOf } from "../support/run.ts";
import { readPage } from "./page.ts";

const ROOT = join(import.meta.dirname!, "../..");
/** An example origin for the console, which readers replace with their own. */
const APP_ORIGIN = "https://example.github.io/crm";
const page = await readPage("deployment.md");

/** The blocks of a language in the section with this number in its heading. */
function blocks(section: number, language: string): string[] {
  const text = page.split(/^## (?=\d)/m).find((part) => part.startsWith(`${section}. `)) ?? "";
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm"))].map(([, block]) =>
    block!
  );
}

/** Replaces the page's placeholders and addresses with those of a test project on this machine, without TLS. */
function fillIn(script: string, { databaseUrl, ownerPassword, hosted }: EmptyProject): string {
  const { port } = new URL(databaseUrl);
  const filled = script
    .replaceAll(
      /aws-0-<region>\.pooler\.supabase\.com(:\d+)?/g,
      (_, port_) => `127.0.0.1${port_ ? `:${port}` : ""}`,
    )
    .replaceAll(/\$POOLER:\d+/g, `$POOLER:${port}`)
    .replaceAll("?sslmode=verify-full", "?sslmode=disable")
    .replaceAll("https://<ref>.supabase.co", hosted.origin)
    .replaceAll(/\b(postgres|crm_functions)\.<ref>/g, "$1")
    .replaceAll("<owner>.github.io/<repository>", APP_ORIGIN.slice("https://".length))
    .replaceAll("<ref>", PROJECT_REF)
    .replaceAll("<password>", ownerPassword)
    .replaceAll("<token>", ACCESS_TOKEN);
  assert.doesNotMatch(filled, /<[a-z]/);
  return filled;
}

/** Runs a script in the repository's root, as an operator does; `npx supabase@…` runs the pinned CLI. */
async function runScript(script: string, folder: string, env: Record<string, string>): Promise<string> {
  const certificate = join(folder, "prod-ca-2021.crt");
  await Deno.writeTextFile(certificate, (await createAuthority()).certificate);
  const { imports } = JSON.parse(
    await Deno.readTextFile(join(ROOT, "run/deployment/supabase_cli/deno.json")),
  );
  const functions = [
    'deno() { "$DENO" "$@"; }',
    `npx() {
      [ "$1 npm:/$2/" = "-y ${
      imports["supabase/"]
    }" ] || { echo "npx $* is not the pinned CLI" >&2; return 1; }
      shift 2
      "$DENO" run -A --quiet --config run/deployment/supabase_cli/deno.json run/deployment/supabase_cli/main.ts "$@"
    }`,
    'curl() { command curl --fail-with-body "$@"; }',
  ];
  const { PATH = "", HOME = "" } = Deno.env.toObject();
  const whole = ["set -eo pipefail", ...functions, script.replaceAll("~/prod-ca-2021.crt", certificate)];
  const { code, stdout, stderr } = await outcomeOf("bash", ["-c", whole.join("\n")], {
    cwd: ROOT,
    clearEnv: true,
    env: { PATH, HOME, DENO: Deno.execPath(), SUPABASE_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1", ...env },
  });
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  return `${stdout}\n${stderr}`;
}

/** Registers a test with an empty project and an empty folder. */
function test(
  title: string,
  follow: (given: { empty: EmptyProject; folder: string }) => Promise<void>,
): void {
  const fn = async () => {
    await using folder = await openFolder();
    await using empty = await startEmptyProject();
    await follow({ empty, folder: folder.path });
  };
  Deno.test(needing(["bash", "curl", "openssl", "the Supabase CLI"], { name: title, fn }));
}

test("The commands of docs/deployment.md take an empty project to its first lead", async ({ empty, folder }) => {
  const { admin, hosted } = empty;
  const sections = [2, 3, 4, 7].map((section) => blocks(section, "sh"));
  assert.deepEqual(sections.map(({ length }) => length), [1, 1, 2, 1]);
  const env = { SUPABASE_PROFILE: hosted.profile, PUBLIC_URL: hosted.origin };
  const printed = await runScript(fillIn(sections.flat().join("\n"), empty), folder, env);
  assert.match(printed, /^HTTP\/1\.1 201 /m);
  assert.equal(printed.match(/^Nothing is wrong$/gm)?.length, 2);
  const [lead] = await admin`
        select w.name, c.email, k.scopes, array(
          select m.name || ' ' || m.role from crm.members m where m.workspace_id = w.id order by m.created_at
        ) as members
        from crm.deals d join crm.workspaces w on w.id = d.workspace_id
        join crm.contacts c on c.workspace_id = d.workspace_id join crm.api_keys k on k.workspace_id = w.id
      `;
  assert.deepEqual([lead!["name"], lead!["email"], lead!["scopes"], lead!["members"].at(-1)], [
    "Padaria Sol",
    "joao@exemplo.com.br",
    ["leads:write", "deals:read"],
    "Ana Souza gestor",
  ]);
});

test("The commands and the SQL of docs/deployment.md for a deployment by hand have the same result", async ({ empty, folder }) => {
  const { databaseUrl, functionsDatabaseUrl, hosted } = empty;
  const [migrate, ...deploy] = blocks(6, "sh");
  const [sql] = blocks(6, "sql");
  const env = { SUPABASE_PROFILE: hosted.profile, SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN };
  await runScript(fillIn(migrate!, empty), folder, env);

  const secrets = { password: "of crm_functions", dispatcher: "of the dispatcher 0123456789" };
  const filled = sql!.replace("<password of FUNCTIONS_DATABASE_URL>", secrets.password)
    .replace("<WEBHOOK_DISPATCHER_SECRET>", secrets.dispatcher.replaceAll(" ", "-"));
  const owner = openSql(databaseUrl, { max: 1 });
  await owner.unsafe(fillIn(filled, empty)).finally(() => owner.end());
  const file = join(folder, ".env");
  await Deno.writeTextFile(
    file,
    `DATABASE_URL='${functionsDatabaseUrl(secrets.password)}'\n` +
      `WEBHOOK_ENCRYPTION_KEY='${btoa("0123456789abcdef0123456789abcdef")}'\n` +
      `WEBHOOK_DISPATCHER_SECRET='${secrets.dispatcher.replaceAll(" ", "-")}'\n` +
      `APP_ORIGIN='${APP_ORIGIN}'\n`,
  );
  const script = fillIn(deploy.join("\n"), empty).replace("supabase/functions/.env", file);
  assert.match(
    await runScript(script, folder, { ...env, DATABASE_URL: databaseUrl, APP_ORIGIN }),
    /^Nothing is wrong$/m,
  );
});

Deno.test("docs/deployment.md and the workflow have the variables of deno task deploy, and no others", async () => {
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (no|yes|as `DATABASE_URL`) \| (optional)?/gm)];
  assert.deepEqual(
    rows.map(([, name, functions, optional]) => ({
      name,
      required: !optional,
      forFunctions: functions === "yes",
    })),
    VARIABLES.map(({ name, required, forFunctions }) => ({ name, required, forFunctions })),
  );
  const workflow = await Deno.readTextFile(join(ROOT, ".github/workflows/deploy.yml"));
  const passed = [...workflow.matchAll(/^ +([A-Z_]+): \$\{\{ (?:secrets|vars)\.([A-Z_]+) \}\}$/gm)];
  assert.deepEqual(passed.map(([, name]) => name).sort(), VARIABLES.map(({ name }) => name).sort());
  for (const [, name, source] of passed) assert.equal(name, source);
});
