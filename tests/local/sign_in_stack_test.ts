// What local sign-in keeps between starts, and what it leaves alone.
import assert from "node:assert/strict";
import { join } from "node:path";
import { startPostgres, stopPostgres } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { openSql } from "../../run/local/sql.ts";
import type { StackFile } from "../../run/local/stack_file.ts";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { makeDataDir, testOnDataDir as test } from "../support/own_stack.ts";
import { copyPreparedData } from "../support/prepared_data.ts";

async function signIn({ console_url, demo_email, demo_password }: StackFile, password = demo_password) {
  const response = await fetch(`${console_url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    body: JSON.stringify({ email: demo_email ?? "ana@exemplo.example", password: password ?? "segredo-1" }),
  });
  return { status: response.status, body: await response.json() };
}

test("The start prints how the demo member signs in; a second start keeps key, users and sessions", async (dataDir) => {
  const first = await startStackProcess(dataDir);
  const { console_url, base_url, demo_email, demo_password } = first.file;
  assert.equal(`${console_url}/functions/v1`, base_url);
  assert.match(demo_password!, /^([a-z]{4}-){3}[a-z]{4}$/);
  assert.ok(
    first.output().includes(`\nConsole: ${console_url}/\n  sign in as ${demo_email} with ${demo_password}\n`),
    first.output(),
  );
  const { body: session } = await signIn(first.file);
  const changed = await fetch(`${console_url}/auth/v1/user`, {
    method: "PUT",
    headers: { authorization: `Bearer ${session.access_token}` },
    body: JSON.stringify({ password: "another one" }),
  });
  assert.equal(changed.status, 200, await changed.text());
  const keysOf = async (file: StackFile) =>
    await (await fetch(`${file.console_url}/auth/v1/.well-known/jwks.json`)).json();
  const keys = await keysOf(first.file);
  await first.stop();

  const second = await startStackProcess(dataDir);
  try {
    assert.deepEqual(await keysOf(second.file), keys);
    assert.equal(second.file.demo_password, demo_password);
    assert.equal((await signIn(second.file)).status, 200);
    const user = await fetch(`${second.file.console_url}/auth/v1/user`, {
      headers: { authorization: `Bearer ${session.access_token}` },
    });
    assert.equal((await user.json()).id, session.user.id);
  } finally {
    await second.stop();
  }
});

test("While the database is down a refresh is answered 503, and works with the same token afterwards", async (dataDir) => {
  await copyPreparedData(dataDir);
  const stack = await startStackProcess(dataDir);
  try {
    const { body: session } = await signIn(stack.file);
    const refresh = async () => {
      const url = `${stack.file.console_url}/auth/v1/token?grant_type=refresh_token`;
      const body = JSON.stringify({ refresh_token: session.refresh_token });
      const response = await fetch(url, { method: "POST", body });
      return { status: response.status, body: await response.json() };
    };
    await stopPostgres(dataDir);
    // More than there are connections, because each may notice only when it is used.
    for (let times = 0; times < 6; times++) assert.equal((await refresh()).status, 503);
    await startPostgres(dataDir, await loadSecrets(dataDir), Number(new URL(stack.file.database_url).port));
    const { status, body } = await refresh();
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.user.id, session.user.id);
  } finally {
    await stack.stop();
  }
});

test("A schema auth of another service is not touched: sign-in answers 503 and the start says so", async (dataDir) => {
  const elsewhere = await makeDataDir();
  const server = await startPostgres(elsewhere, await loadSecrets(elsewhere));
  const sql = openSql(server.databaseUrl, { max: 1 });
  try {
    // Supabase's own tables have these columns among others.
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
      const tables =
        await sql`select relname from pg_class where relnamespace = 'auth'::regnamespace and relkind = 'r'`;
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

Deno.test("A secrets.json of before sign-in gets what it lacks, once, and keeps the rest", async () => {
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
