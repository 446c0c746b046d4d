import type postgres from "postgres";
import { openSql } from "../../run/local/sql.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { startPostgres, stopPostgres } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { type ReadyStack, spawnStack, startStackProcess } from "../../run/local/stack_process.ts";
import { makeDataDir, testOnDataDir as test } from "../support/own_stack.ts";
import { copyPreparedData } from "../support/prepared_data.ts";

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
  // The best of three, because the other work may interrupt.
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

test("A start refuses data from other migrations, and names the folder to delete", async (dataDir) => {
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

for (const [what, recovers] of [["the stack", false], ["the stack and Postgres", true]] as const) {
  test(`A start after kill -9 of ${what} finds the last write`, async (dataDir) => {
    await copyPreparedData(dataDir);
    const killed = await startStackProcess(dataDir);
    await addWorkspace(killed.file.database_url, "Última");
    killed.kill("SIGKILL");
    if (recovers) Deno.kill(await postmaster(dataDir), "SIGKILL");
    await killed.ended;

    const next = await startStackProcess(dataDir);
    try {
      assert.deepEqual(await workspaceNames(next.file.database_url), ["Demonstração", "Última"]);
      const log = await Deno.readTextFile(join(dataDir, "postgres.log"));
      assert.equal(log.includes("automatic recovery in progress"), recovers);
    } finally {
      await next.stop();
    }
  });
}

test("A start continues a first start that was interrupted right after it created the roles", async (dataDir) => {
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

test("A start ignores a postmaster.pid that names a process which is no Postgres", async (dataDir) => {
  const secrets = await loadSecrets(dataDir);
  await (await startPostgres(dataDir, secrets)).stop();
  await Deno.writeTextFile(join(dataDir, "postgres", "postmaster.pid"), `${Deno.pid}\n`);
  const server = await startPostgres(dataDir, secrets);
  assert.equal((await query(server.databaseUrl, "select 1 as one"))[0]?.one, 1);
  await server.stop();
});

test("A second stack on the same folder is refused and leaves the first alone", async (dataDir) => {
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

test("A start that cannot succeed says in one line what to set, without a password", async (dataDir) => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  closed.close();
  const file = join(dataDir, "file");
  await Deno.writeTextFile(file, "");
  const readOnly = join(dataDir, "closed");
  await Deno.mkdir(readOnly, { mode: 0o500 });
  const cases: [env: Record<string, string>, line: RegExp][] = [
    [{ PORT: String(port) }, new RegExp(`^Port ${port} is in use: `)],
    [{ PORT: "http" }, /^PORT is "http": set it to a number/],
    [
      { WEBHOOK_DEV_TARGETS: "http://127.0.0.1:9000" },
      /: "http:\/\/127.0.0.1:9000" is not host:port: set it to pairs/,
    ],
    // Root may write everywhere except in /sys, where the kernel refuses it.
    [{ DATA_DIR: Deno.uid() === 0 ? "/sys/crm" : join(readOnly, "data") }, /: set DATA_DIR to /],
    [{ DATA_DIR: file }, /is not a folder: set DATA_DIR to /],
    [
      { DATABASE_URL: `postgresql://u:hidden@127.0.0.1:${closed.addr.port}/postgres` },
      /^The database cannot be reached \(.+\): start it or correct DATABASE_URL/,
    ],
  ];
  for (const [env, expected] of cases) {
    const line = await startError({ DATA_DIR: dataDir, ...env });
    assert.match(line, expected);
    assert.doesNotMatch(line, /hidden/);
  }
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

test("Two stacks on two databases of one cluster share the functions' role and its password", async (dataDir) => {
  await copyPreparedData(dataDir);
  const first = await startStackProcess(dataDir);
  const elsewhere = await makeDataDir();
  try {
    const { database_url } = first.file;
    await query(database_url, "create database second");
    const url = new URL(database_url);
    url.pathname = "/second";
    const second = await startStackProcess(elsewhere, { DATABASE_URL: url.href });
    // Ends the first stack's connections, which would hide that its password is wrong by now.
    await query(
      database_url,
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'crm-api'",
    );
    for (const { base_url, demo_key } of [first.file, second.file]) {
      const answer = () => fetch(`${base_url}/api-v1-pipelines`, { headers: { "X-API-Key": demo_key } });
      // The first call may get a connection that was just terminated.
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
    // More calls than connections, to find a connection that is never returned.
    const during = await Promise.all(Array.from({ length: 32 }, health));
    assert.deepEqual(new Set(during), new Set([503]));
    await startPostgres(dataDir, await loadSecrets(dataDir), Number(new URL(stack.file.database_url).port));
    const after = await Promise.all(Array.from({ length: 32 }, health));
    assert.deepEqual(new Set(after), new Set([200]));
  } finally {
    await stack.stop();
  }
});
