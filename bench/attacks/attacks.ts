import type { LoadWorkspace } from "../performance/load/workspaces.ts";
import { get, post } from "../performance/load/requests.ts";
import type { PlannedRequest } from "../performance/load/template.ts";
import type { Attack, AttackWorld } from "./world.ts";

/** In each request this becomes a new well-formed key that does not exist. */
const UNKNOWN = "{key}";
/** 0.95 MB of JSON that takes long to parse and to validate. */
const LARGE_BODY = {
  name: "Ana",
  custom_fields: Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n.toString(36)}`, 1])),
};
const flood = (label: string, connections: number, request: PlannedRequest) => ({
  label,
  order: { connections, requests: [request] },
});

/** Every attack, in the order of docs/security.md. */
export const ATTACKS: Attack[] = [
  {
    name: "large-bodies",
    title: "64 connections send 0.95 MB of JSON without a valid credential",
    targets: { cost: 3, p90: 5, memoryMb: 256 },
    plan: () => [
      flood("Bodies with an unknown key", 64, post("/api-v1-contacts", LARGE_BODY, UNKNOWN)),
      flood("Bodies with no key", 64, post("/api-v1-contacts", LARGE_BODY)),
      flood("Bodies with an unknown proposal link", 64, post("/proposals/{token}/reject", LARGE_BODY)),
    ],
  },
  {
    name: "hostile-headers",
    title: "64 connections send a Prefer header with unclosed quotes, and a key that does not exist",
    targets: { cost: 3, p90: 5 },
    // A parser that backtracks would search for the closing quote again from each open quote. The functions parse at
    // most 1,000 characters of Prefer; HTTP servers commonly accept headers of up to 16,000.
    plan: () =>
      Object.entries({ "Open quotes in Prefer": 1_000, "16 kB in Prefer": 16_000 }).map(([label, length]) => {
        const Prefer = '\\"'.repeat(length / 2);
        return flood(label, 64, post("/api-v1-contacts", { name: "Ana" }, UNKNOWN, { Prefer }));
      }),
  },
  {
    name: "random-keys",
    title:
      "3,000 connections call with a random key each time, which a rate limit for each key does not stop",
    targets: { cost: 2, p50: 3 },
    plan(_, { short }) {
      const connections = short ? 300 : 3_000;
      return [
        flood("Random keys", connections, get("/api-v1-contacts", UNKNOWN)),
        flood("Random links", connections, get("/proposals/{token}")),
      ];
    },
  },
  {
    name: "large-pages",
    title: "20 connections read pages of 200 of the largest contacts that the API accepts",
    // An idle process takes 120 MB. Each page in flight adds several copies of itself, as text and as bytes.
    targets: { cost: 15, p90: 5, memoryMb: 300 },
    // The default pool size of a deployment (database.ts).
    env: { DATABASE_POOL_SIZE: "4" },
    async plan({ sql, workspaces }) {
      const { keys, ...attacker } = workspaces[1]!;
      await insertLargestContacts(sql, attacker);
      const requests = keys.map((key) => get("/api-v1-contacts?limit=200", key));
      return [{ label: "Large pages", order: { connections: 20, requests, pauseMs: 500 } }];
    },
  },
];

/** Inserts 200 contacts: notes of 10,000 characters, six bytes each in JSON, and 10 KB of custom fields (spec 2.1). */
async function insertLargestContacts(
  sql: AttackWorld["sql"],
  { id, memberId }: Pick<LoadWorkspace, "id" | "memberId">,
): Promise<void> {
  await sql`
    insert into crm.contacts (workspace_id, name, owner_id, notes, custom_fields)
    select ${id}, 'Ana ' || n, ${memberId}, repeat(chr(1), 10000), jsonb_build_object('texto', repeat('x', 10000))
    from generate_series(1, 200) n`;
}
