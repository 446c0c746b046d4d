import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createAuthority } from "../../bench/harness/certificates.ts";
import { openSql, TLS_SUPPORTED } from "../../run/local/sql.ts";
import { ACCESS_TOKEN, PROJECT_REF } from "../support/empty_project.ts";
import { startTlsPostgres } from "../support/tls_postgres.ts";
import { deploy } from "./deploy.ts";

Deno.test({
  name: "A deployment reaches the database only where DATABASE_CA issued its certificate",
  // The driver of the tools cannot begin TLS before Deno 2.5, and says so. The functions have another driver.
  ignore: !TLS_SUPPORTED,
  fn: tryDeployments,
});

async function tryDeployments(): Promise<void> {
  await using server = await startTlsPostgres();
  const url = new URL(`${server.url}?sslmode=verify-full`);
  const functionsDatabaseUrl = new URL(url);
  functionsDatabaseUrl.username = "crm_functions";
  functionsDatabaseUrl.password = randomBytes(24).toString("hex");
  const env = {
    SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN,
    SUPABASE_PROJECT_REF: PROJECT_REF,
    DATABASE_URL: url.href,
    FUNCTIONS_DATABASE_URL: functionsDatabaseUrl.href,
    WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    WEBHOOK_DISPATCHER_SECRET: randomBytes(32).toString("hex"),
    APP_ORIGIN: "https://example.github.io/crm",
  };
  const sql = openSql(`${server.url}?sslmode=require`, { max: 1 });
  const migrated = async () => {
    const [row] = await sql`select to_regnamespace('crm') is not null as migrated`;
    return row!["migrated"];
  };
  try {
    const { certificate } = await createAuthority("Another authority");
    for (const authority of [{}, { DATABASE_CA: certificate }]) {
      const { code, stderr } = await deploy({ ...env, ...authority });
      assert.equal(code, 1);
      assert.match(stderr, /^error: The database's certificate is not trusted \(.*set DATABASE_CA/);
      assert.equal(await migrated(), false);
    }

    // This Postgres has no Vault, so the deployment ends there: after both roles have connected.
    const { stdout, stderr } = await deploy({ ...env, DATABASE_CA: server.authority.certificate });
    assert.match(stdout, /^ {3}\d+ applied$[^]*^ {3}set$/m, stderr);
    assert.match(stderr, /^error: The database has no Vault/);
    assert.equal(await migrated(), true);
  } finally {
    await sql.end();
  }
}
