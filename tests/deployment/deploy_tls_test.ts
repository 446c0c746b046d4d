import assert from "node:assert/strict";
import { createAuthority } from "../../bench/harness/certificates.ts";
import { connect } from "../../bench/harness/world.ts";
import { TLS_SUPPORTED } from "../../run/local/sql.ts";
import { startTlsPostgres } from "../support/tls_postgres.ts";
import { deploy, deploymentVariables } from "./deploy.ts";

Deno.test({
  name: "deno task deploy connects only to a database whose certificate DATABASE_CA issued",
  // Before Deno 2.5 the tools' driver cannot use TLS. The functions' driver can, so tls_test.ts always runs.
  ignore: !TLS_SUPPORTED,
  fn: tryDeployments,
});

async function tryDeployments(): Promise<void> {
  await using server = await startTlsPostgres();
  const url = `${server.url}?sslmode=verify-full`;
  const env = deploymentVariables(url);
  await using sql = connect(`${server.url}?sslmode=require`);
  const migrated = async () => {
    const [row] = await sql`select to_regnamespace('crm') is not null as migrated`;
    return row!["migrated"];
  };
  const { certificate } = await createAuthority("Another authority");
  for (const authority of [{}, { DATABASE_CA: certificate }]) {
    const { code, stderr } = await deploy({ ...env, ...authority });
    assert.equal(code, 1);
    assert.match(stderr, /^error: The database's certificate is not trusted \(.*set DATABASE_CA/);
    assert.equal(await migrated(), false);
  }

  // This Postgres has no Vault, so the deployment fails at that step, after both roles have connected.
  const { stdout, stderr } = await deploy({ ...env, DATABASE_CA: server.authority.certificate });
  assert.match(stdout, /^ {3}\d+ applied$[^]*^ {3}set$/m, stderr);
  assert.match(stderr, /^error: The database has no Vault/);
  assert.equal(await migrated(), true);
}
