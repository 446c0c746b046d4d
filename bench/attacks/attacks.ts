import { startCountingProxy } from "../harness/counting_proxy.ts";
import { atMost } from "../harness/figures.ts";
import { ATTACKS_FROM_WITHIN } from "./within.ts";
import {
  type Attack,
  get,
  insertActivities,
  insertLargestContacts,
  ISOLATE,
  keysOf,
  post,
  times,
  withKey,
} from "./world.ts";

/** A well-formed key that nobody has, different in each request. */
const UNKNOWN = withKey("{key}");
/** 0.93 MB of JSON that takes long to parse and to validate. */
const LARGE_BODY = {
  name: "Ana",
  custom_fields: Object.fromEntries(times(100_000, (n) => [`k${n.toString(36)}`, 1])),
};
const BODY_TARGETS = { cost: 3, p90: 5, memoryMb: 256 };

/** Every attack, in the order of docs/security.md. */
export const ATTACKS: Attack[] = [
  {
    name: "large-bodies",
    title: "64 connections send 0.93 MB of JSON without a valid credential",
    plan: () =>
      [
        { label: "Bodies with an unknown key", request: post("/api-v1-contacts", LARGE_BODY, UNKNOWN) },
        { label: "Bodies with no key", request: post("/api-v1-contacts", LARGE_BODY) },
        {
          label: "Bodies with an unknown proposal link",
          request: post("/proposals/{token}/reject", LARGE_BODY),
        },
      ].map(({ label, request }) => ({
        label,
        order: { connections: 64, requests: [request] },
        targets: BODY_TARGETS,
      })),
  },
  {
    name: "slow-bodies",
    title: "500 connections send a body of 8 KB at 10 bytes a second",
    plan: () => [{
      label: "Slow bodies",
      order: {
        connections: 500,
        bytesPerSecond: 10,
        requests: [post("/api-v1-contacts", { name: "Ana", notes: "x".repeat(8_000) }, UNKNOWN)],
      },
      // The server waits for a body for up to 15 s.
      targets: { p90: 3, memoryMb: 256, lasts: 17 },
    }],
  },
  {
    name: "hostile-headers",
    title: "64 connections send Prefer with quotes that are not closed, and a key that nobody has",
    // The longest value that the function reads, and the longest header that HTTP servers commonly accept. Backtracking
    // could search for the end of a quote again from every quote.
    plan: () =>
      [["Open quotes in Prefer", 1_000], ["16 kB in Prefer", 16_000]].map(([label, length]) => ({
        label: label as string,
        order: {
          connections: 64,
          requests: [
            post("/api-v1-contacts", { name: "Ana" }, {
              ...UNKNOWN,
              Prefer: '\\"'.repeat(Number(length) / 2),
            }),
          ],
        },
        targets: { cost: 3, p90: 5 },
      })),
  },
  {
    name: "random-keys",
    title: "3,000 connections call with a random key each time, so that a limit for each key limits nothing",
    plan: (_, { short }) =>
      [
        { label: "Random keys", request: get("/api-v1-contacts", UNKNOWN) },
        { label: "Random links", request: get("/proposals/{token}") },
      ].map(({ label, request }) => ({
        label,
        order: { connections: short ? 300 : 3_000, requests: [request] },
        targets: { cost: 2, p50: 3 },
      })),
  },
  {
    name: "large-workspace",
    title: "3 keys of one workspace list the activities of its first months, the oldest third of a million",
    alone: true,
    async plan(world, { short }) {
      const until = await insertActivities(world, short ? 100_000 : 1_000_000);
      return [{
        label: "A large workspace",
        order: {
          connections: 120,
          // In the attack's 12 s each key makes 120 calls: as many as its limit admits in a minute.
          pauseMs: 4_000,
          requests: keysOf(world).slice(0, 3).map((key) =>
            get(`/api-v1-activities?due_before=${until}`, withKey(key))
          ),
        },
        targets: { p90: 3 },
        names: { wait: "another's", failed: "reads of another that failed" },
      }];
    },
  },
  {
    name: "health-checks",
    title: "64 connections ask for the health of the service, which needs no key",
    plan(world) {
      const order = { connections: 64, pauseMs: 50, requests: [get("/api-v1-health")] };
      return [{
        label: "Health checks",
        order,
        targets: { p50: 3 },
        failures: false,
        async further() {
          await using counted = startCountingProxy(world.functionsDatabaseUrl);
          await using server = await world.serve({ DATABASE_URL: counted.url });
          await world.flood(order, server.baseUrl, 1);
          counted.takeCount();
          await world.flood(order, server.baseUrl, 5);
          return [
            atMost("Health checks: statements", Math.round(counted.takeCount() * 2) / 10, "a second", 2),
          ];
        },
      }];
    },
  },
  {
    name: "large-pages",
    title: "20 connections read pages of 200 of the largest contacts that the API accepts",
    async plan(world) {
      await insertLargestContacts(world);
      const requests = keysOf(world).map((key) => get("/api-v1-contacts?limit=200", withKey(key)));
      return [{
        label: "Large pages",
        env: ISOLATE,
        order: { connections: 20, requests, pauseMs: 500 },
        // Besides the 120 MB of a quiet process, each reader's page is in memory several times, as text and as bytes.
        targets: { cost: 15, p90: 5, memoryMb: 300 },
        async further({ baseUrl }) {
          const page = await fetch(baseUrl + requests[0]!.path, { headers: requests[0]!.headers! });
          const megabytes = (await page.arrayBuffer()).byteLength / 1_000_000;
          return [atMost("Large pages: size of one", Math.round(megabytes * 100) / 100, "MB", 0.6)];
        },
      }];
    },
  },
  ...ATTACKS_FROM_WITHIN,
];
