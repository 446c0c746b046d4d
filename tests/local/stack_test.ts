import type postgres from "postgres";
import { openSql } from "../../run/local/sql.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { migrate } from "../../run/local/migrate.ts";
import { startPostgres, stopPostgres } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { type ReadyStack, spawnStack, startStackProcess } from "../../run/local/stack_process.ts";
import { makeDataDir, testOnDataDir as test } from "../support/own_stack.ts";
import { copyPreparedData } from "../support/prepared_data.ts";
import { openDatabase } from "../support/stack.ts";

async function query(url: string, text: string): Promise<postgres.RowList<postgres.Row[]>> {
  const sql = openSql(url, { max: 1 });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

async function addWorkspace(url: string, name: string): Promise<void> {
  await query(url, `insert into crm.workspaces (name) values ('${name}')`);
}

async function workspaceNames(url: string): Promise<string[]> {
  return (await query(url, "select name from crm.workspaces order by name")).map((row) => row.name);
}

async function postmaster(dataDir: string): Promise<number> {
  return parseInt(await Deno.readTextFile(join(dataDir, "postgres", "postmaster.pid")));
}

/** Asserts that a start fails with one line and without a stack trace. */
async function startError(env: Record<string, string>): Promise<string> {
  const { ended, output } = spawnStack(env);
  assert.equal((await ended).code, 1, output());
  assert.match(output(), /^[^\n]+\n$/);
  return output();
}

/** Starts a stack, and says how long that took, in milliseconds. */
async function timeStart(dataDir: string): Promise<[ReadyStack, ms: number]> {
  const startedAt = performance.now();
  return [await startStackProcess(dataDir), performance.now() - startedAt];
}

test("A second start keeps the data and the demo key, and takes under 3 s", async (dataDir) => {
  const [first, firstMs] = await timeStart(dataDir);
  await addWorkspace(first.file.database_url, "Mantida");
  assert.equal((await first.stop()).code, 0);

  // On a machine that does other work every start is slow; only the first creates the database.
  const limit = Math.max(3_000, 0.75 * firstMs);
  let times: number[] = [];
  // The best of three, because the other work may come in between.
  while (times.length < 3 && !times.some((ms) => ms < limit)) {
    const [next, ms] = await timeStart(dataDir);
    times = [...times, ms];
    try {
      assert.deepEqual(await workspaceNames(next.file.database_url), ["Demonstração", "Mantida"]);
      assert.equal(next.file.demo_key, first.file.demo_key);
      assert.ok(next.output().includes(first.file.demo_key));
    } finally {
      await next.stop();
    }
  }
  assert.ok(Math.min(...times) < limit, `${times.join(", ")} ms, the first ${firstMs} ms`);
});

test("Data of other migrations is refused, and the error names the folder to delete", async (dataDir) => {
  await copyPreparedData(dataDir);
  const { file, stop } = await startStackProcess(dataDir);
  await stop();
  const port = Number(new URL(file.database_url).port);
  for (
    const [name, statement] of [
      ["run/local/auth/schema\\.sql", "comment on schema auth is 'Local sign-in of another text'"],
      [
        "\\d+_roles\\.sql",
        "update supabase_migrations.schema_migrations set statements = statements || 'select 1'::text " +
        "where name = 'roles'",
      ],
    ] as const
  ) {
    const postgres = await startPostgres(dataDir, await loadSecrets(dataDir), port);
    await query(file.database_url, statement);
    await postgres.stop();
    assert.match(
      await startError({ DATA_DIR: dataDir }),
      new RegExp(`${name} was edited after the database applied it: delete ${dataDir},`),
    );
  }
});

test("SIGTERM shuts Postgres down cleanly and removes the stack's file", async (dataDir) => {
  await copyPreparedData(dataDir);
  const stack = await startStackProcess(dataDir);
  const client = openSql(stack.file.database_url, { max: 1 });
  await client`select 1`;
  assert.equal((await stack.stop()).code, 0, stack.output());
  await client.end({ timeout: 1 });

  const log = await Deno.readTextFile(join(dataDir, "postgres.log"));
  assert.match(log.trimEnd().split("\n").at(-1)!, /database system is shut down$/);
  await assert.rejects(postmaster(dataDir), Deno.errors.NotFound);
  await assert.rejects(Deno.stat(join(dataDir, "stack.json")), Deno.errors.NotFound);
});

test("A start after kill -9 shuts down the Postgres left running and finds the last write", async (dataDir) => {
  await copyPreparedData(dataDir);
  const killed = await startStackProcess(dataDir);
  await addWorkspace(killed.file.database_url, "Última");
  killed.kill("SIGKILL");
  await killed.ended;

  const next = await startStackProcess(dataDir);
  try {
    assert.deepEqual(await workspaceNames(next.file.database_url), ["Demonstração", "Última"]);
    const log = await Deno.readTextFile(join(dataDir, "postgres.log"));
    assert.doesNotMatch(log, /automatic recovery in progress/);
  } finally {
    await next.stop();
  }
});

test("A start after kill -9 of Postgres too recovers the last write", async (dataDir) => {
  await copyPreparedData(dataDir);
  const killed = await startStackProcess(dataDir);
  await addWorkspace(killed.file.database_url, "Última");
  killed.kill("SIGKILL");
  Deno.kill(await postmaster(dataDir), "SIGKILL");
  await killed.ended;

  const next = await startStackProcess(dataDir);
  try {
    assert.deepEqual(await workspaceNames(next.file.database_url), ["Demonstração", "Última"]);
    assert.match(await Deno.readTextFile(join(dataDir, "postgres.log")), /automatic recovery in progress/);
  } finally {
    await next.stop();
  }
});

test("A first start that ended right after it had created the roles is taken up by the next one", async (dataDir) => {
  const secrets = await loadSecrets(dataDir);
  await (await startPostgres(dataDir, secrets)).stop();
  const withoutRoles = join(dataDir, "postgres-without-roles");
  await assert.rejects(Deno.stat(withoutRoles), Deno.errors.NotFound);
  await Deno.writeTextFile(withoutRoles, "");
  const server = await startPostgres(dataDir, secrets);
  assert.equal((await query(server.databaseUrl, "select current_user"))[0]?.current_user, "postgres");
  await assert.rejects(Deno.stat(withoutRoles), Deno.errors.NotFound);
  await server.stop();
});

test("A postmaster.pid with the number of another process neither prevents a start nor ends that process", async (dataDir) => {
  const secrets = await loadSecrets(dataDir);
  await (await startPostgres(dataDir, secrets)).stop();
  await Deno.writeTextFile(join(dataDir, "postgres", "postmaster.pid"), `${Deno.pid}\n`);
  const server = await startPostgres(dataDir, secrets);
  assert.equal((await query(server.databaseUrl, "select 1 as one"))[0]?.one, 1);
  await server.stop();
});

test("A second stack on the same folder is refused and does not affect the first", async (dataDir) => {
  await copyPreparedData(dataDir);
  const first = await startStackProcess(dataDir);
  try {
    assert.match(
      await startError({ DATA_DIR: dataDir }),
      new RegExp(`^Another stack \\(process ${first.file.pid}\\)`),
    );
    assert.deepEqual(await workspaceNames(first.file.database_url), ["Demonstração"]);
  } finally {
    assert.equal((await first.stop()).code, 0);
  }
});

test("A port in use is reported in one line", async (dataDir) => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  assert.match(
    await startError({ DATA_DIR: dataDir, PORT: String(port) }),
    new RegExp(`^Port ${port} is in use: `),
  );
});

test("An invalid port is reported in one line", async (dataDir) => {
  assert.match(await startError({ DATA_DIR: dataDir, PORT: "http" }), /^PORT is "http": set it to a number/);
  assert.match(
    await startError({ DATA_DIR: dataDir, WEBHOOK_DEV_TARGETS: "http://127.0.0.1:9000" }),
    /WEBHOOK_DEV_TARGETS: "http:\/\/127.0.0.1:9000" is not host:port: set it to pairs/,
  );
});

test("A data folder without permission is reported in one line", async (dataDir) => {
  const closed = join(dataDir, "closed");
  await Deno.mkdir(closed, { mode: 0o500 });
  // Root may write everywhere except where the kernel refuses it.
  const folder = Deno.uid() === 0 ? "/sys/crm" : join(closed, "data");
  assert.match(await startError({ DATA_DIR: folder }), /: set DATA_DIR to /);
});

test("A data folder that is a file is reported in one line", async (dataDir) => {
  const file = join(dataDir, "file");
  await Deno.writeTextFile(file, "");
  assert.match(await startError({ DATA_DIR: file }), /is not a folder: set DATA_DIR to /);
});

test("A database that cannot be reached is reported in one line, without its password", async (dataDir) => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const line = await startError({
    DATA_DIR: dataDir,
    DATABASE_URL: `postgresql://u:hidden@127.0.0.1:${port}/postgres`,
  });
  assert.match(line, /^The database cannot be reached \(.+\): start it or correct DATABASE_URL/);
  assert.doesNotMatch(line, /hidden/);
});

test("DATABASE_URL is used in place of the embedded Postgres", async (dataDir) => {
  const elsewhere = await makeDataDir();
  const server = await startPostgres(elsewhere, await loadSecrets(elsewhere));
  try {
    const stack = await startStackProcess(dataDir, { DATABASE_URL: server.databaseUrl });
    assert.equal(stack.file.database_url, server.databaseUrl);
    assert.deepEqual(await workspaceNames(server.databaseUrl), ["Demonstração"]);
    // The functions do not use the role of DATABASE_URL, which owns the data.
    const reply = await fetch(`${stack.file.base_url}/api-v1-pipelines`, {
      headers: { "X-API-Key": stack.file.demo_key },
    });
    assert.equal(reply.status, 200, await reply.text());
    const users = await query(
      server.databaseUrl,
      "select distinct usename from pg_stat_activity where application_name = 'crm-api'",
    );
    assert.deepEqual(users.map(({ usename }) => usename), ["crm_functions"]);
    await assert.rejects(Deno.stat(join(dataDir, "postgres")), Deno.errors.NotFound);
    await stack.stop();
    assert.equal((await query(server.databaseUrl, "select 1 as one"))[0]?.one, 1);
  } finally {
    await server.stop();
    await Deno.remove(elsewhere, { recursive: true });
  }
});

test("Two stacks on two databases of one cluster share the functions' role, and neither locks the other out", async (dataDir) => {
  await copyPreparedData(dataDir);
  const first = await startStackProcess(dataDir);
  const elsewhere = await makeDataDir();
  try {
    const { database_url } = first.file;
    await query(database_url, "create database second");
    const url = new URL(database_url);
    url.pathname = "/second";
    const second = await startStackProcess(elsewhere, { DATABASE_URL: url.href });
    // The connections that the first stack has would hide a password that is wrong by now.
    await query(
      database_url,
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'crm-api'",
    );
    for (const { base_url, demo_key } of [first.file, second.file]) {
      const answer = () => fetch(`${base_url}/api-v1-pipelines`, { headers: { "X-API-Key": demo_key } });
      // The first call may get a connection whose end has not arrived yet.
      await (await answer()).body?.cancel();
      const reply = await answer();
      assert.equal(reply.status, 200, await reply.text());
    }
    await second.stop();
  } finally {
    await first.stop();
    await Deno.remove(elsewhere, { recursive: true });
  }
});

Deno.test("Migrations on a database that has them do nothing", async () => {
  await using sql = openDatabase();
  assert.equal(await migrate(sql), 0);
});

test("api-v1-health is 503 while the database is down and 200 when it is back", async (dataDir) => {
  await copyPreparedData(dataDir);
  const stack = await startStackProcess(dataDir);
  const health = async () => {
    // An answer is shared for a second.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const response = await fetch(`${stack.file.base_url}/api-v1-health`);
    await response.body?.cancel();
    return response.status;
  };
  try {
    assert.equal(await health(), 200);
    await stopPostgres(dataDir);
    // More calls than the pool has connections, to find one that is never returned.
    const during = await Promise.all(Array.from({ length: 32 }, health));
    assert.deepEqual(new Set(during), new Set([503]));
    await startPostgres(dataDir, await loadSecrets(dataDir), Number(new URL(stack.file.database_url).port));
    const after = await Promise.all(Array.from({ length: 32 }, health));
    assert.deepEqual(new Set(after), new Set([200]));
  } finally {
    await stack.stop();
  }
});
