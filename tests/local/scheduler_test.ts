import assert from "node:assert/strict";
import { startPostgres, stopPostgres } from "../../run/local/postgres.ts";
import { startScheduler } from "../../run/local/scheduler.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { openSql } from "../../run/local/sql.ts";
import { openFolder } from "../support/folder.ts";
import { eventually } from "../support/mailbox.ts";

// The scheduler reads only crm.jobs, so a database with just that table is enough.
const JOBS = `
  create schema crm;
  create table crm.jobs (name text primary key, every interval not null, command text not null);
  create table crm.ticks (at timestamptz not null default now());
  insert into crm.jobs values
    ('a-failing', '1 second', 'select 1 / 0'),
    ('b-slow', '1 second', 'select pg_sleep(60)'),
    ('c-ticking', '1 second', 'insert into crm.ticks default values'),
    ('d-yearly', '1 year', 'insert into crm.ticks select now() from generate_series(1, 1000)');
`;

Deno.test("The scheduler runs each job at its interval and pokes the dispatcher, through a restart of the database", async () => {
  await using cleanup = new AsyncDisposableStack();
  const { path: dataDir } = cleanup.use(await openFolder());
  const secrets = await loadSecrets(dataDir);
  const { databaseUrl } = await startPostgres(dataDir, secrets);
  cleanup.defer(() => stopPostgres(dataDir));
  const sql = cleanup.use(openSql(databaseUrl, { max: 1 }));
  await sql.unsafe(JOBS);

  const pokes: string[] = [];
  const gateway = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    pokes.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("authorization")}`);
    return new Response(null, { status: 202 });
  });
  cleanup.use(gateway);
  const origin = `http://127.0.0.1:${gateway.addr.port}`;
  const scheduler = startScheduler({ databaseUrl, origin, dispatcherSecret: "secret" });
  cleanup.defer(() => scheduler.close());
  const ticksFrom = async (least: number) => {
    const [row] = await sql`select count(*)::int as ticks from crm.ticks`;
    return row!.ticks >= least && row!.ticks;
  };
  const poke = async () => {
    await sql`notify webhook_dispatch`;
    return pokes[0];
  };

  await eventually(() => ticksFrom(1002), "two ticks after the yearly job");
  const expected = "POST /functions/v1/webhook-dispatcher Bearer secret";
  assert.equal(await eventually(poke, "a poke"), expected);

  await stopPostgres(dataDir);
  await startPostgres(dataDir, secrets, Number(new URL(databaseUrl).port));
  pokes.length = 0;
  const before = Number(await eventually(() => ticksFrom(0).catch(() => false), "the database"));
  assert.ok(await eventually(() => ticksFrom(before + 2), "two more ticks") < 2000);
  assert.equal(await eventually(poke, "a poke after the restart"), expected);
});
