// Attacks from within: with keys or sessions of one workspace, while people work in another workspace.
import { openAccessTokens } from "../../run/local/auth/access_tokens.ts";
import { installAuthSchema } from "../../run/local/auth/schema.ts";
import { generateSigningKey } from "../../run/local/auth/signing_key.ts";
import { WORKSPACE_HEADER } from "../../supabase/functions/_shared/http/gates.ts";
import { makeMember, signInAs } from "../harness/sessions.ts";
import {
  type Attack,
  type Case,
  get,
  insertDeals,
  insertLargestContacts,
  ISOLATE,
  keysOf,
  post,
  times,
  withKey,
} from "./world.ts";

const fromWithin = (label: string, order: Case["order"], more: Partial<Case> = {}): Case[] => [
  { label, env: ISOLATE, within: true, order, targets: { p90: 3 }, ...more },
];

/** Spells an id differently: writes those letters in upper case whose bit is set in the number. */
function spell(id: string, bits: number): string {
  let letter = 0;
  return id.replaceAll(/[a-f]/g, (small) => bits >> letter++ & 1 ? small.toUpperCase() : small);
}

export const ATTACKS_FROM_WITHIN: Attack[] = [
  {
    name: "new-keys",
    title: "A known key and new ones of one workspace merge contacts with thousands of deals, 4 at once",
    alone: true,
    async plan(world, { short }) {
      const { keys, contactIds } = world.workspaces[1]!;
      // Enough contacts that the attack need not repeat a merge.
      await insertDeals(world, contactIds.slice(0, 24), short ? 2_000 : 10_000);
      const merge = (n: number) =>
        post(
          `/api-v1-contacts/${contactIds[24 + n]}/merge`,
          { merge_id: contactIds[n] },
          withKey(keys[n % 2 === 0 ? 0 : n]!),
        );
      const known = [get("/api-v1-pipelines", withKey(keys[0]!))];
      return fromWithin("New keys", { connections: 4, requests: times(24, merge) }, { known });
    },
  },
  {
    name: "stored-batches",
    title: "2 keys erase contacts of a workspace with 70 refused batches stored under their Idempotency-Keys",
    alone: true,
    plan(world, { short }) {
      const { keys, contactIds } = world.workspaces[1]!;
      const data = Object.fromEntries(times(99, (n) => [`unknown_${n}`, n]));
      const items = times(100, () => ({ op: "create", data }));
      const known = times(short ? 10 : 70, () =>
        post("/api-v1-contacts/batch", { items }, {
          ...withKey(keys[0]!),
          "Prefer": "handling=strict",
          "Idempotency-Key": crypto.randomUUID(),
        }));
      const requests = contactIds.map((id, n) =>
        post(`/api-v1-contacts/${id}/erase`, undefined, withKey(keys[1 + n % 2]!))
      );
      return fromWithin("Stored batches", { connections: 4, requests }, { known });
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
      const requests = keysOf(world).slice(0, 6).map((key) =>
        post("/mcp", messages, { ...withKey(key), Accept: "application/json, text/event-stream" })
      );
      const order = { connections: 6, pauseMs: 500, requests };
      return fromWithin("MCP lists", order, { targets: { p90: 3, memoryMb: 400 } });
    },
  },
  {
    name: "letter-case",
    title: "64 connections call with 12 sessions, and 500 spellings of their workspace's id",
    alone: true,
    async plan(world) {
      const { id, contactIds } = world.workspaces[1]!;
      // A funnel adds up all of them.
      await insertDeals(world, contactIds.slice(0, 1), 100_000);
      await installAuthSchema(world.sql);
      const tokens = await openAccessTokens(generateSigningKey(), "http://127.0.0.1/auth/v1");
      // Enough sessions that none reaches its limit of 600 calls a minute during the attack.
      const sessions: string[] = [];
      while (sessions.length < 12) {
        const { session } = await signInAs(world.sql, tokens, await makeMember(world.sql, id, "admin"));
        sessions.push(session);
      }
      const requests = times(500, (n) =>
        get("/app-v1-funnel", {
          Authorization: `Bearer ${sessions[n % sessions.length]}`,
          [WORKSPACE_HEADER]: spell(id, n >> 4 & 1 ? n : 0),
        }));
      const env = { ...ISOLATE, SUPABASE_JWKS: JSON.stringify(tokens.jwks) };
      return fromWithin("Letter case", { connections: 64, requests }, { env });
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
      const requests = keysOf(world).slice(0, 2).map((key) =>
        post("/api-v1-contacts/batch", { items }, withKey(key))
      );
      return fromWithin("Many deliveries", { connections: 4, requests });
    },
  },
];
