// What local sign-in keeps from one start of the stack to the next, and what it must not change.
import assert from "node:assert/strict";
import { join } from "node:path";
import { startPostgres, stopPostgres } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { openSql } from "../../run/local/sql.ts";
import type { StackFile } from "../../run/local/stack_file.ts";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { makeDataDir, testOnDataDir as test } from "../support/own_stack.ts";

async function call({ console_url }: StackFile, path: string, init: RequestInit = {}) {
  const response = await fetch(`${console_url}/auth/v1/${path}`, init);
  return { status: response.status, body: await response.json() };
}

const signIn = (file: StackFile) =>
  call(file, "token?grant_type=password", {
    method: "POST",
    body: JSON.stringify({
      email: file.demo_email ?? "ana@exemplo.example",
      password: file.demo_password ?? "segredo-1",
    }),
  });

test("A second start keeps the signing key, the demo password and sessions; an outage of the database ends none", async (dataDir) => {
  const first = await startStackProcess(dataDir);
  const { console_url, base_url, demo_email, demo_password } = first.file;
  assert.equal(`${console_url}/functions/v1`, base_url);
  assert.match(demo_password!, /^([a-z]{4}-){3}[a-z]{4}$/);
  assert.ok(
    first.output().includes(`\nConsole: ${console_url}/\n  sign in as ${demo_email} with ${demo_password}\n`),
    first.output(),
  );
  const { body: session } = await signIn(first.file);
  const headers = { authorization: `Bearer ${session.access_token}` };
  const body = JSON.stringify({ password: "another one" });
  assert.equal((await call(first.file, "user", { method: "PUT", headers, body })).status, 200);
  const keys = await call(first.file, ".well-known/jwks.json");
  await first.stop();

  const second = await startStackProcess(dataDir);
  const refresh = () =>
    call(second.file, "token?grant_type=refresh_token", {
      method: "POST",
      body: JSON.stringify({ refresh_token: session.refresh_token }),
    });
  try {
    assert.deepEqual(await call(second.file, ".well-known/jwks.json"), keys);
    assert.equal(second.file.demo_password, demo_password);
    assert.equal((await signIn(second.file)).status, 200, "the start resets the demo password");
    assert.equal((await call(second.file, "user", { headers })).body.id, session.user.id);

    await stopPostgres(dataDir);
    // More calls than connections, because each connection notices the failure only when it is used.
    for (let times = 0; times < 6; times++) assert.equal((await refresh()).status, 503);
    await startPostgres(dataDir, await loadSecrets(dataDir), Number(new URL(second.file.database_url).port));
    const { status, body } = await refresh();
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.user.id, session.user.id);
  } finally {
    await second.stop();
  }
});

test("Local sign-in does not change a schema auth of another service: it answers 503, and the start says where to sign in", async (dataDir) => {
  const elsewhere = await makeDataDir();
  const server = await startPostgres(elsewhere, await loadSecrets(elsewhere));
  const sql = openSql(server.databaseUrl, { max: 1 });
  try {
    await sql`create schema auth`;
    await sql`create table auth.users (id uuid primary key, email text, encrypted_password text)`;
    const stack = await startStackProcess(dataDir, { DATABASE_URL: server.databaseUrl });
    try {
      assert.deepEqual([stack.file.demo_email, stack.file.demo_password], [null, null]);
      assert.match(
        stack.output(),
        /\nConsole: \S+\n {2}sign in through the Supabase project of the database\n/,
      );
      const { status, body } = await signIn(stack.file);
      assert.deepEqual([status, body.error_code], [503, "unexpected_failure"]);
      assert.match(body.msg, /schema auth was not created by local sign-in/);
      const tables = await sql`
        select relname from pg_class where relnamespace = 'auth'::regnamespace and relkind = 'r'`;
      assert.deepEqual(tables.map(({ relname }) => relname), ["users"]);
      assert.equal((await sql`select from auth.users`).length, 0);
    } finally {
      await stack.stop();
    }
  } finally {
    await sql.end();
    await server.stop();
    await Deno.remove(elsewhere, { recursive: true });
  }
});

Deno.test("A secrets.json that lacks newer secrets gets them, once, and keeps the others", async () => {
  const dataDir = await makeDataDir();
  try {
    const { auth_signing_key: _, service_key: __, demo_password: ___, ...before } = await loadSecrets(
      dataDir,
    );
    const path = join(dataDir, "secrets.json");
    await Deno.writeTextFile(path, JSON.stringify({ ...before, demo_key: "svc_x" }));
    const added = await loadSecrets(dataDir);
    assert.deepEqual(await loadSecrets(dataDir), added);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    const { auth_signing_key, service_key, demo_password, ...kept } = added;
    assert.deepEqual(kept, { ...before, demo_key: "svc_x" });
    assert.equal(auth_signing_key.crv, "P-256");
    assert.ok(service_key && demo_password);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
