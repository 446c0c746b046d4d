import fc from "fast-check";
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import type { Route } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { anything, bodyText, fitting } from "../support/arbitraries.ts";
import { pause } from "../../bench/harness/waiting.ts";
import { call, type Reply } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { endpoints } from "../support/resources.ts";
import { makeProposal, tokenOf } from "../support/proposals.ts";
import { makeAppSamples, makeSamples } from "../support/samples.ts";
import { signIn } from "../support/sessions.ts";
import { openDatabase } from "../support/stack.ts";

/**
 * The number of cases, shared among the operations, and their seed. Both are fixed, so that a failure is caused by the
 * change and not by chance. PROPERTY_CASES and PROPERTY_SEED in the environment replace them.
 */
const CASES = Number(Deno.env.get("PROPERTY_CASES") ?? 1_000);
const SEED = Number(Deno.env.get("PROPERTY_SEED") ?? 1);

/** Creates a workspace with a record of every kind, so that requests can use ids that exist. */
async function populate(sql: Sql) {
  const workspace = await makeWorkspace(sql);
  const { records, deal_id, company_id } = await makeSamples(workspace.key, workspace.stages);
  // Makes several links, because each link admits only 60 calls a minute.
  const links = await Promise.all(Array.from({ length: 10 }, () => makeProposal(sql, deal_id)));
  const { id, memberId, pipelineId, stages, key } = workspace;
  const appRecords = await makeAppSamples(sql, id);
  const { session } = await signIn(sql, id, "admin");
  const made = [...Object.values(records), ...Object.values(appRecords), ...links.map(({ id }) => id)];
  const ids = [id, memberId, pipelineId, company_id, ...stages.map(({ id }) => id), ...made];
  return { key, session, ids, tokens: links.map(({ link }) => tokenOf(link)) };
}

/** How often a call is tried while it gets 503. */
const MOST_TRIES = 3;

/**
 * Calls, and tries again after a 503 with Retry-After, as a client does. All calls are from one workspace, which may
 * use only half of an isolate's connections. On a busy machine a call may therefore wait 5 s for a connection and get
 * 503. If every try gets 503, returns the last reply.
 */
async function callPatiently(...request: Parameters<typeof call>): Promise<Reply> {
  for (let tries = 1;; tries++) {
    const reply = await call(...request);
    if (reply.status !== 503 || tries === MOST_TRIES) return reply;
    const seconds = Number(reply.headers.get("Retry-After"));
    assert.ok(seconds >= 1, "a 503 says when to try again");
    await pause(seconds * 1000);
  }
}

Deno.test(`whatever is sent, no operation answers 5xx, breaks its schema or reveals another workspace (seed ${SEED}) (spec 1)`, async (t) => {
  await using sql = openDatabase();
  const [own, other] = [await populate(sql), await populate(sql)];
  const ids = [...own.ids, ...other.ids, crypto.randomUUID(), "00000000-0000-0000-0000-000000000000"];

  // At most 16 calls are sent at once: with more, they would wait too long on a busy machine.
  const last: Promise<unknown>[] = Array.from({ length: 16 }, () => Promise.resolve());
  // Operations run at the same time, the cases of each in sequence, so that fast-check can shrink a failing case.
  const runs = endpoints.map(({ resource, route, title }, index) =>
    t.step({
      name: title,
      sanitizeOps: false,
      sanitizeResources: false,
      sanitizeExit: false,
      fn: () =>
        fc.assert(
          fc.asyncProperty(
            request(resource.name, route, ids, own.tokens),
            async ({ path, body, headers }) => {
              const { key, session } = own;
              const place = index % last.length;
              const answer = last[place]!.then(() =>
                callPatiently(route.method, path, { key, session, body, headers })
              );
              last[place] = answer.catch(() => {});
              const reply = await answer;
              assert.ok(reply.status < 500, `${reply.status} ${reply.text}`);
              if (reply.status < 300) {
                // Leaves out the paths of the workspace's calls and the client ids of its apps, which may have any id.
                const text = reply.text.replace(/"(path|client_id)" : "[^"]*"/g, "");
                const foreign = other.ids.filter((id) => text.includes(id) && !body?.includes(id));
                assert.deepEqual(foreign, []);
              }
            },
          ),
          { numRuns: Math.ceil(CASES / endpoints.length), seed: SEED },
        ),
    })
  );
  await Promise.all(runs);
});

/** Generates requests to one operation, from valid ones to arbitrary ones. */
function request(resource: string, { path, endpoint }: Route, ids: string[], tokens: string[]) {
  const named = path.includes(":token") ? tokens : ids;
  const id = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...named) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: "binary", maxLength: 40 }).map((text) =>
        encodeURIComponent(text.toWellFormed())
      ),
    },
  );
  const parameter = fc.oneof(
    fc.constantFrom(...Object.keys(endpoint.query.shape), "unknown").chain((name) =>
      fc.tuple(
        fc.constant(name),
        name in endpoint.query.shape
          ? fc.oneof(fitting(endpoint.query.shape[name]!, ids), anything())
          : anything(),
      )
    ),
  );
  return fc.record({
    path: fc.tuple(fc.tuple(id, id), fc.oneof(fc.constant([]), fc.array(parameter, { maxLength: 4 }))).map(
      ([named, parameters]) => {
        const next = () => named.shift()!;
        const query = new URLSearchParams(parameters.flatMap(([name, value]) => parametersOf(name, value)));
        const suffix = query.size > 0 ? `?${query}` : "";
        return `/${resource}${path === "/" ? "" : path.replaceAll(/:\w+/g, () => next())}${suffix}`;
      },
    ),
    body: endpoint.body ? bodyText(fitting(endpoint.body, ids)) : fc.constant(undefined),
    headers: fc.oneof(
      fc.constant({} as Record<string, string>),
      fc.string({ unit: "grapheme-ascii", maxLength: 300 })
        // fetch itself refuses an invalid header value.
        .map((key) => ({ "Idempotency-Key": key.replaceAll(/[^\x21-\x7e]/g, "") })),
    ),
  });
}

/** One parameter, or one for each key of an object. */
function parametersOf(name: string, value: unknown): [string, string][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, member]) => parametersOf(`${name}[${key}]`, member));
}
