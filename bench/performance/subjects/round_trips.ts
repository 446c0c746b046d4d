import { startDelayProxy } from "../../harness/delay_proxy.ts";
import { atMost, measureInTurns, type Measurement, median } from "../../harness/figures.ts";
import { startServer } from "../../harness/functions.ts";
import { startPgBouncer } from "../../harness/pgbouncer.ts";
import { connect, openWorld } from "../../harness/world.ts";
import { api, type MakeRequest } from "../load/requests.ts";
import { sendOnce } from "../load/template.ts";
import { type LoadWorkspace, seedWorkspaces } from "../load/workspaces.ts";
import type { Conditions, Subject } from "../../harness/run_subjects.ts";

/** Milliseconds between function and database, as between two regions. */
const EACH_WAY_MS = 20;
/** After this many requests the connection is open, and its statements are prepared. */
const WARM_UP = 2;

const REQUESTS: [name: string, make: MakeRequest][] = [
  ["Read a contact", api.read],
  ["List 50 contacts", api.list],
  ["Create a contact with an Idempotency-Key", api.createRepeatable],
  ["Send a lead", api.lead],
];

interface Way {
  name: string;
  databaseUrl: string;
  prepare: boolean;
}

/** How often a request waits for the network between function and database. */
export const roundTrips: Subject = {
  name: "round-trips",
  title: `Round trips per request, the database ${EACH_WAY_MS} ms away`,
  async measure(conditions) {
    await using world = await openWorld();
    // One key for each request and each way to connect, so that no key reaches its 120 calls a minute.
    const sizes = { workspaces: 1, keysEach: REQUESTS.length * 2, contactsEach: 60 };
    const [workspace] = await seedWorkspaces(world.sql, sizes) as [LoadWorkspace];
    const { functionsDatabaseUrl: databaseUrl } = world;
    await using pooler = await startPgBouncer(databaseUrl, world.folder);
    const ways: Way[] = [
      { name: "named statement", databaseUrl, prepare: true },
      { name: "unnamed, behind a pooler", databaseUrl: pooler.databaseUrl, prepare: false },
    ];
    const measurements: Measurement[] = [];
    for (const way of ways) {
      const keys = workspace.keys.splice(0, REQUESTS.length);
      measurements.push(...await measureWay(way, { ...workspace, keys }, conditions));
    }
    return measurements;
  },
};

async function measureWay(way: Way, workspace: LoadWorkspace, { short, note }: Conditions) {
  await using proxy = startDelayProxy(way.databaseUrl, EACH_WAY_MS);
  const env = { DATABASE_PREPARE: String(way.prepare) };
  await using near = await startServer({ ...env, DATABASE_URL: way.databaseUrl });
  await using far = await startServer({ ...env, DATABASE_URL: proxy.url });
  await using sql = connect(proxy.url);
  const measurements: Measurement[] = [];
  for (const [index, [name, make]] of REQUESTS.entries()) {
    const request = make(workspace, workspace.keys[index]!, workspace.contactIds[0]!);
    const times = await measureInTurns(
      [
        () => time(() => sendOnce(near.baseUrl, request, ++number)),
        () => time(() => sendOnce(far.baseUrl, request, ++number)),
        // Takes one round trip through the proxy, because postgres.js needs only one for a query without parameters.
        () => time(() => sql.unsafe("select 1")),
      ],
      short ? 6 : 30,
      WARM_UP,
    );
    const [nearMs, farMs, roundTripMs] = times.map(median) as [number, number, number];
    const shown = [nearMs, farMs, roundTripMs].map((ms) => ms.toFixed(1));
    note(`${name}, ${way.name}: ${shown[0]} ms near, ${shown[1]} far, ${shown[2]} a round trip`);
    // Rounded, because fractions of a round trip are noise from disk and timers.
    const trips = Math.round((farMs - nearMs) / roundTripMs);
    measurements.push(atMost(`${name}, ${way.name}`, trips, "round trips", 1));
  }
  return measurements;
}

/** The last number sent. It is not reset between the ways to connect, so that no number is sent twice. */
let number = 0;

async function time(work: () => PromiseLike<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
