import { startOwnPostgres } from "../../../local/own_postgres.ts";
import { openSql } from "../../../local/sql.ts";
import { type Account, seedAccounts } from "../accounts.ts";
import { startDelayProxy } from "../delay_proxy.ts";
import { type Conditions, type Measurement, median, type Subject } from "../figure.ts";
import { startServer } from "../functions.ts";
import type { PlannedRequest } from "../load.ts";
import { startPgBouncer } from "../pgbouncer.ts";
import { api, type Make } from "../workload.ts";

/** Milliseconds between function and database, as where they are not in one region. */
const EACH_WAY_MS = 20;
/** The connection is made by then, and its statement named. */
const WARM_UP = 2;

const REQUESTS: [name: string, make: Make][] = [
  ["Read a contact", api.read],
  ["List 50 contacts", api.list],
  ["Create a contact with an Idempotency-Key", api.create],
  ["Send a lead", api.lead],
];

/** How the functions reach the database. */
interface Way {
  name: string;
  databaseUrl: string;
  prepare: boolean;
}

type Echo = Awaited<ReturnType<typeof openEcho>>;

/** How often a request waits for the network between function and database: what is left of latency far from it. */
export const roundTrips: Subject = {
  name: "round-trips",
  title: `Round trips per request, the database ${EACH_WAY_MS} ms away`,
  async measure(conditions) {
    const postgres = await startOwnPostgres("crm-bench-");
    const sql = openSql(postgres.databaseUrl, { max: 1 });
    try {
      const [account] = await seedAccounts(sql, {
        accounts: 1,
        // A request of one kind, one way, has a key of its own: no key comes near its 120 calls a minute.
        keysEach: REQUESTS.length * 2,
        contactsEach: 60,
      }) as [Account];
      const pooler = await startPgBouncer(postgres.databaseUrl, postgres.folder);
      try {
        const ways: Way[] = [
          { name: "named statement", databaseUrl: postgres.databaseUrl, prepare: true },
          { name: "unnamed, behind a pooler", databaseUrl: pooler.databaseUrl, prepare: false },
        ];
        return await measureWays(ways, account, conditions);
      } finally {
        await pooler.stop();
      }
    } finally {
      await sql.end();
      await postgres.close();
    }
  },
};

async function measureWays(ways: Way[], account: Account, conditions: Conditions): Promise<Measurement[]> {
  const echo = await openEcho();
  try {
    const measurements: Measurement[] = [];
    for (const way of ways) {
      const keys = account.keys.splice(0, REQUESTS.length);
      measurements.push(...await measureWay(way, { ...account, keys }, echo, conditions));
    }
    const other = await measureOtherDriver(ways.at(-1)!.databaseUrl, echo);
    conditions.note(`postgres.js, which describes an unnamed statement first, would take ${other}`);
    return measurements;
  } finally {
    await echo.close();
  }
}

async function measureWay(way: Way, account: Account, echo: Echo, { short, note }: Conditions) {
  const proxy = startDelayProxy(addressOf(way.databaseUrl), EACH_WAY_MS);
  const env = { DATABASE_PREPARE: String(way.prepare) };
  const near = await startServer({ ...env, DATABASE_URL: way.databaseUrl });
  const far = await startServer({ ...env, DATABASE_URL: through(proxy.port, way.databaseUrl) });
  try {
    const measurements: Measurement[] = [];
    for (const [index, [name, make]] of REQUESTS.entries()) {
      const request = make(account, account.keys[index]!, account.contactIds[0]!);
      const rounds = await inTurns(short ? 10 : 30, [
        () => time(near.baseUrl, request),
        () => time(far.baseUrl, request),
        () => echo.time(),
      ]);
      const [nearMs, farMs, roundTripMs] = rounds as [number, number, number];
      const shown = rounds.map((ms) => ms.toFixed(1));
      note(`${name}, ${way.name}: ${shown[0]} ms near, ${shown[1]} far, ${shown[2]} a round trip`);
      measurements.push({
        name: `${name}, ${way.name}`,
        value: asTrips(farMs - nearMs, roundTripMs),
        unit: "round trips",
        target: 1,
        better: "lower",
      });
    }
    return measurements;
  } finally {
    await Promise.all([near.stop(), far.stop()]);
    await proxy.close();
  }
}

/** The medians of what is measured in turns. */
async function inTurns(rounds: number, measures: (() => Promise<number>)[]): Promise<number[]> {
  const times = measures.map((): number[] => []);
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const [index, measure] of measures.entries()) {
      const ms = await measure();
      if (round >= 0) times[index]!.push(ms);
    }
  }
  return times.map(median);
}

/** What is left over of a whole one is not the network's: it is the noise of disk and timers. */
function asTrips(ms: number, roundTripMs: number): number {
  return Math.round(ms / roundTripMs);
}

/** Milliseconds until the whole answer is there. `{n}` is another number each time, as in a load. */
async function time(baseUrl: string, request: PlannedRequest): Promise<number> {
  const { method, path, headers, body, expect } = numbered(request);
  const started = performance.now();
  const response = await fetch(baseUrl + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const took = performance.now() - started;
  if (response.status !== expect) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return took;
}

let number = 0;

function numbered(request: PlannedRequest): PlannedRequest {
  return JSON.parse(JSON.stringify(request).replaceAll("{n}", String(++number).padStart(9, "0")));
}

/** The proxy before a server that sends back what it gets: what a round trip takes that has nothing to do at its end. */
async function openEcho() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const connection of listener) connection.readable.pipeTo(connection.writable).catch(() => {});
  })();
  const proxy = startDelayProxy(listener.addr, EACH_WAY_MS);
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: proxy.port });
  return {
    async time(): Promise<number> {
      const started = performance.now();
      await connection.write(new Uint8Array(64));
      await connection.read(new Uint8Array(64));
      return performance.now() - started;
    },
    async close() {
      connection.close();
      await proxy.close();
      listener.close();
      await serving;
    },
  };
}

/** Round trips that the other driver takes for an unnamed statement with a parameter. */
async function measureOtherDriver(databaseUrl: string, echo: Echo): Promise<number> {
  const proxy = startDelayProxy(addressOf(databaseUrl), EACH_WAY_MS);
  const near = openSql(databaseUrl, { max: 1, prepare: false });
  const far = openSql(through(proxy.port, databaseUrl), { max: 1, prepare: false });
  const timeOf = (sql: typeof near) => async () => {
    const started = performance.now();
    await sql`select ${1}::integer`;
    return performance.now() - started;
  };
  try {
    const rounds = await inTurns(5, [timeOf(near), timeOf(far), () => echo.time()]);
    const [nearMs, farMs, roundTripMs] = rounds as [number, number, number];
    return asTrips(farMs - nearMs, roundTripMs);
  } finally {
    await Promise.all([near.end(), far.end()]);
    await proxy.close();
  }
}

function addressOf(databaseUrl: string): { hostname: string; port: number } {
  const { hostname, port } = new URL(databaseUrl);
  return { hostname, port: Number(port) };
}

function through(port: number, databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.port = String(port);
  return url.href;
}
