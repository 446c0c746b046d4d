import { openAccessTokens } from "../../run/local/auth/access_tokens.ts";
import { installAuthSchema } from "../../run/local/auth/schema.ts";
import { generateSigningKey } from "../../run/local/auth/signing_key.ts";
import { WORKSPACE_HEADER } from "../../supabase/functions/_shared/http/gates.ts";
import { startCountingProxy } from "../harness/counting_proxy.ts";
import { atMost } from "../harness/figures.ts";
import { makeMember, signInAs } from "../harness/sessions.ts";
import type { PlannedRequest } from "../performance/load/template.ts";
import {
  type Attack,
  type AttackWorld,
  insertActivities,
  insertDeals,
  insertLargestContacts,
} from "./world.ts";

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, n) => make(n));
const withKey = (key: string) => ({ "X-API-Key": key });
const post = (path: string, body: unknown, headers: Record<string, string> = {}): PlannedRequest => ({
  method: "POST",
  path,
  headers,
  body,
});
const get = (path: string, headers: Record<string, string> = {}): PlannedRequest => ({
  method: "GET",
  path,
  headers,
});
/** A well-formed key that nobody has, another one with each request. */
const UNKNOWN = withKey("{key}");
const keysOf = ({ workspaces }: AttackWorld) => workspaces[1]!.keys;

/** A process with as many connections as an isolate has where the service is hosted. */
const ISOLATE = { DATABASE_POOL_SIZE: "4" };

/** JSON that takes long to parse and to validate, 0.93 MB of it. */
const LARGE_BODY = {
  name: "Ana",
  custom_fields: Object.fromEntries(times(100_000, (n) => [`k${n.toString(36)}`, 1])),
};
const BODY_TARGETS = { cost: 3, p90: 5, memoryMb: 256 };

/** Deals of one contact, over which a funnel must sum. */
const MANY_DEALS = 100_000;
const UNKNOWN_FIELDS = Object.fromEntries(times(99, (n) => [`unknown_${n}`, n]));

/** Writes the letters of an id in upper case whose bit in the number is set. */
function spell(id: string, bits: number): string {
  let letter = 0;
  return id.replaceAll(/[a-f]/g, (small) => bits >> letter++ & 1 ? small.toUpperCase() : small);
}

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
      // A body may take 15 s.
      targets: { p90: 3, memoryMb: 256, lasts: 17 },
    }],
  },
  {
    name: "hostile-headers",
    title: "64 connections send Prefer with quotes that are not closed, and a key that nobody has",
    // The longest header that the function reads, and the longest that an HTTP server commonly takes. A pattern that looks
    // for the end of a quote may look from each of them.
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
          // 120 calls of each key in the 12 s of the attack: all that its limit admits in a minute.
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
        // Each reader's page exists several times at once, as text and as bytes, beside the 120 MB of a quiet process.
        targets: { cost: 15, p90: 5, memoryMb: 300 },
        async further({ baseUrl }) {
          const page = await fetch(baseUrl + requests[0]!.path, { headers: requests[0]!.headers! });
          const megabytes = (await page.arrayBuffer()).byteLength / 1_000_000;
          return [atMost("Large pages: size of one", Math.round(megabytes * 100) / 100, "MB", 0.6)];
        },
      }];
    },
  },
  {
    name: "new-keys",
    title: "A known key and new ones of one workspace merge contacts with thousands of deals, 4 at once",
    alone: true,
    async plan(world, { short }) {
      const { keys, contactIds } = world.workspaces[1]!;
      // As many merges as the attack may begin before it has to repeat one.
      await insertDeals(world, contactIds.slice(0, 24), short ? 2_000 : 10_000);
      return [{
        label: "New keys",
        env: ISOLATE,
        within: true,
        known: [get("/api-v1-pipelines", withKey(keys[0]!))],
        order: {
          connections: 4,
          requests: times(24, (n) =>
            post(
              `/api-v1-contacts/${contactIds[24 + n]}/merge`,
              { merge_id: contactIds[n] },
              withKey(keys[n % 2 === 0 ? 0 : n]!),
            )),
        },
        targets: { p90: 3 },
      }];
    },
  },
  {
    name: "stored-batches",
    title:
      "2 keys erase contacts of a workspace that has stored 70 refused batches under their Idempotency-Keys",
    alone: true,
    plan(world, { short }) {
      const { keys, contactIds } = world.workspaces[1]!;
      const items = times(100, () => ({ op: "create", data: UNKNOWN_FIELDS }));
      const headers = {
        ...withKey(keys[0]!),
        "Content-Type": "application/json",
        "Prefer": "handling=strict",
      };
      return [{
        label: "Stored batches",
        env: ISOLATE,
        within: true,
        known: times(
          short ? 10 : 70,
          () =>
            post("/api-v1-contacts/batch", { items }, { ...headers, "Idempotency-Key": crypto.randomUUID() }),
        ),
        order: {
          connections: 4,
          requests: contactIds.map((id, n) =>
            post(`/api-v1-contacts/${id}/erase`, undefined, withKey(keys[1 + n % 2]!))
          ),
        },
        targets: { p90: 3 },
      }];
    },
  },
  {
    name: "mcp-lists",
    title: "6 assistants ask for 20 pages of the largest contacts in each request",
    alone: true,
    async plan(world) {
      await insertLargestContacts(world);
      const params = { name: "contacts_list", arguments: { limit: 200 } };
      const messages = times(20, (id) => ({ jsonrpc: "2.0", id, method: "tools/call", params }));
      return [{
        label: "MCP lists",
        env: ISOLATE,
        within: true,
        order: {
          connections: 6,
          pauseMs: 500,
          requests: keysOf(world).slice(0, 6).map((key) =>
            post("/mcp", messages, { ...withKey(key), Accept: "application/json, text/event-stream" })
          ),
        },
        targets: { p90: 3, memoryMb: 400 },
      }];
    },
  },
  {
    name: "letter-case",
    title: "64 connections call with 12 sessions, and 500 spellings of their workspace's id",
    alone: true,
    async plan(world) {
      const { id, contactIds } = world.workspaces[1]!;
      await insertDeals(world, contactIds.slice(0, 1), MANY_DEALS);
      await installAuthSchema(world.sql);
      const tokens = await openAccessTokens(generateSigningKey(), "http://127.0.0.1/auth/v1");
      // So many sessions that the limit of each, 600 calls a minute, ends none of them during the attack.
      const sessions: string[] = [];
      while (sessions.length < 12) {
        const { session } = await signInAs(world.sql, tokens, await makeMember(world.sql, id, "admin"));
        sessions.push(session);
      }
      return [{
        label: "Letter case",
        env: { ...ISOLATE, SUPABASE_JWKS: JSON.stringify(tokens.jwks) },
        within: true,
        order: {
          connections: 64,
          requests: times(500, (n) =>
            get("/app-v1-funnel", {
              Authorization: `Bearer ${sessions[n % sessions.length]}`,
              [WORKSPACE_HEADER]: spell(id, n >> 4 & 1 ? n : 0),
            })),
        },
        targets: { p90: 3 },
      }];
    },
  },
  {
    name: "many-deliveries",
    title: "2 keys create contacts, 100 in each batch, for the 50 subscriptions that a workspace may have",
    alone: true,
    async plan(world) {
      await world.sql`
        with made as (
          insert into crm.webhook_subscriptions (workspace_id, event_types, target_url)
          select ${world.workspaces[1]!.id}, '{contact.created}', 'https://' || n || '.invalid/'
          from generate_series(1, 50) n
          returning workspace_id, id
        )
        insert into crm.webhook_secrets (workspace_id, subscription_id, secret) select workspace_id, id, '' from made`;
      const items = times(100, (n) => ({ op: "create", data: { name: `Ana ${n}` } }));
      return [{
        label: "Many deliveries",
        env: ISOLATE,
        within: true,
        order: {
          connections: 4,
          requests: keysOf(world).slice(0, 2).map((key) =>
            post("/api-v1-contacts/batch", { items }, withKey(key))
          ),
        },
        targets: { p90: 3 },
      }];
    },
  },
];
