// @ts-types="@types/pg"
import pg from "pg";
import { hashCredential } from "../../../supabase/functions/_shared/contract/credentials.ts";
import { GATES } from "../../../supabase/functions/_shared/http/gates.ts";
import type { Probe } from "./probes.ts";
import { KEYS, type Size } from "./sizes.ts";

const { text: CALL } = GATES.key.doorOf("");

/** How many records a probe's call searches. A lead searches the contacts. */
export function recordsOf({ resource }: Probe, { contacts, others }: Size): number {
  return ["api-v1-contacts", "api-v1-leads"].includes(resource) ? contacts : others;
}

/** Whether a size has enough records for a probe, and a search index if the probe needs it. */
export function isFit(probe: Probe, size: Size): boolean {
  return recordsOf(probe, size) >= (probe.least ?? 0) &&
    (size.searched || !/[?&](q|tag|custom)\b/.test(probe.operation));
}

const FULL = 50;

interface Reply {
  error_code: string | null;
  details: unknown;
  body: string;
}

export type Door = Awaited<ReturnType<typeof openDoor>>;

/** Opens one connection to a database, over which api.call is called with the statement that the functions send. */
export async function openDoor(size: Size) {
  const client = new pg.Client({ connectionString: size.url });
  await client.connect();
  // Acts as the owner, who has the same rights as on Supabase, and not as the superuser of `size.url`. Unlike the
  // functions' role, the owner may also compute the arguments.
  await client.query("set session authorization postgres");
  // The settings of the functions' role (10_roles_and_helpers.sql).
  await client.query("set enable_seqscan = off; set jit = off");
  const keys = Array.from({ length: KEYS }, (_, index) => hashCredential(`svc_growth_0_${index + 1}`));
  let calls = 0;
  return {
    size,

    /** Computes the arguments of a probe's calls `first` to `first + count - 1` in this database. */
    async argumentsOf(probe: Probe, first: number, count: number): Promise<string[]> {
      const { rows } = await client.query<{ args: string }>(
        `select (${probe.args})::text as args
         from generate_series($3::bigint, $4::bigint - 1) r, (values ($1::bigint, $2::bigint)) as of_workspace (total, others)`,
        [recordsOf(probe, size), size.others, first, first + count],
      );
      return rows.map(({ args }) => args);
    },

    /**
     * Makes one call, with an Idempotency-Key if the endpoint accepts one. A write is rolled back, so that the next
     * call finds the same rows.
     * @returns milliseconds
     * @throws Error if the reply is an error, if an item of a batch failed, or if a page that must be full is not
     */
    async call({ endpoint, method, operation, page }: Probe, args: string): Promise<number> {
      const hash = keys[calls++ % keys.length]!;
      const idempotency = endpoint.idempotent ? [`growth ${calls}`, hash] : [null, null];
      const values = [hash, endpoint.scope, endpoint.verb, args, ...idempotency, null];
      if (method !== "GET") await client.query("begin");
      const started = performance.now();
      const { rows } = await client.query<Reply>({ name: "api_call", text: CALL, values });
      const milliseconds = performance.now() - started;
      if (method !== "GET") await client.query("rollback");

      const { error_code, details, body } = rows[0]!;
      const where = `${operation} ${args} among ${size.name}`;
      if (error_code !== null) throw new Error(`${where}: ${error_code} ${JSON.stringify(details)}`);
      // Null: the reply has no body.
      const reply = JSON.parse(body) as { data?: unknown[]; summary?: { failed: number } } | null;
      const count = reply?.data?.length ?? 0;
      if (page === "full" && count < FULL) throw new Error(`${where}: ${count} records`);
      if (reply?.summary?.failed) throw new Error(`${where}: ${body}`);
      return milliseconds;
    },

    [Symbol.asyncDispose]: () => client.end(),
  };
}
