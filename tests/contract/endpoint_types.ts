// Declarations that must not compile; `deno task check` fails if one of them does.
import { z } from "zod";
import { doc } from "../../supabase/functions/_shared/contract/doc.ts";
import { endpoint, resource } from "../../supabase/functions/_shared/contract/endpoint.ts";

const Thing = z.object({ id: z.uuid() });
const common = { summary: doc("Coisa", "Thing"), reply: Thing };
const key = { ...common, scope: "deals:read", verb: "deal_get" } as const;
const link = { ...common, gate: "link", verb: "proposal_view" } as const;
const open = {
  ...common,
  gate: "none",
  operation: "health",
  replies: {},
  answer: () => Promise.resolve({ status: 200, body: { id: "" } }),
} as const;

export const refused = () => [
  // @ts-expect-error a key needs a scope
  endpoint({ ...common, verb: "deal_get" }),
  // @ts-expect-error that scope does not exist
  endpoint({ ...key, scope: "deals:fly" }),
  // @ts-expect-error a link has no scope
  endpoint({ ...link, scope: "deals:read" }),
  // @ts-expect-error a link accepts no Idempotency-Key
  endpoint({ ...link, idempotent: true }),
  // @ts-expect-error an endpoint without a gate has no scope
  endpoint({ ...open, scope: "deals:read" }),
  // @ts-expect-error an endpoint without a gate has no verb
  endpoint({ ...open, verb: "deal_get" }),
  // @ts-expect-error an endpoint without a gate reads no body
  endpoint({ ...open, body: Thing }),
  // @ts-expect-error the answer does not match its schema
  endpoint({ ...open, answer: () => Promise.resolve({ status: 200, body: { name: "" } }) }),
  // @ts-expect-error a GET has no body
  resource("api-v1-things", { "GET /": endpoint({ ...key, body: Thing }) }, doc("", "")),
  // @ts-expect-error a POST behind a key needs a body
  resource("api-v1-things", { "POST /": endpoint(key) }, doc("", "")),
];

/** Valid declarations, from which the invalid declarations above differ. Only behind a link may a POST have no body. */
export const accepted = () => [
  endpoint(open),
  resource("api-v1-things", { "GET /": endpoint(key) }, doc("", "")),
  resource("things", { "POST /:token/accept": endpoint(link), "GET /:token": endpoint(link) }, doc("", "")),
];
