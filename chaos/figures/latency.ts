import { join } from "node:path";
import type { Sql } from "postgres";
import { createKey } from "../../cli/operations/keys.ts";
import { updateWorkspace } from "../../cli/operations/workspaces.ts";
import { loadSecrets } from "../../local/secrets.ts";
import { openSql } from "../../local/sql.ts";
import { startStackProcess } from "../../local/stack_process.ts";
import type { Figure } from "../figure.ts";
import { deliveries, enqueue, subscribe } from "../queue.ts";
import type { Receiver } from "../receiver.ts";
import { pause, until } from "../wait.ts";

const POKE_S = 2;
const SCHEDULE_S = 12;
const PACE_MS = 100;

/** Figure 6: from the change to the first attempt's arrival, on a whole stack: gateway, scheduler, its own dispatcher. */
export const latency: Figure = {
  number: 6,
  asked: `Enqueue to first attempt: p99 ≤ ${POKE_S} s with the poke, ≤ ${SCHEDULE_S} s on the schedule alone`,
  async run({ folder, receiver }, { short }) {
    const dataDir = join(folder, "stack");
    const ownKey = Deno.env.get("WEBHOOK_ENCRYPTION_KEY")!;
    const stack = await startStackProcess(dataDir, {
      ...receiver.env,
      SUPABASE_DB_URL: "",
      WEBHOOK_ENCRYPTION_KEY: "",
    });
    Deno.env.set("WEBHOOK_ENCRYPTION_KEY", (await loadSecrets(dataDir)).webhook_encryption_key);
    const sql = openSql(stack.file.database_url, { max: 2 });
    try {
      const [busy] = await subscribe(sql, receiver.okUrl, 1) as [string];
      const send = await contactSender(sql, stack.file.base_url, busy);
      const poked = await measure(sql, receiver, busy, short ? 20 : 500, send);
      const withPoke = `with the poke ${describe(poked)}`;
      // The schedule is every 10 s: too long for a short run.
      if (short) return { ok: poked.p99 <= POKE_S, measured: withPoke };

      // Written to the table, an event has no request that would poke.
      const [quiet] = await subscribe(sql, receiver.okUrl, 1) as [string];
      const alone = await measure(sql, receiver, quiet, 300, () => enqueue(sql, [quiet], 1));
      return {
        ok: poked.p99 <= POKE_S && alone.p99 <= SCHEDULE_S,
        measured: `${withPoke}; on the schedule alone ${describe(alone)}`,
      };
    } finally {
      Deno.env.set("WEBHOOK_ENCRYPTION_KEY", ownKey);
      await sql.end();
      await stack.stop();
    }
  },
};

interface Latency {
  samples: number;
  p50: number;
  p99: number;
  most: number;
}

/** Makes an event every 100 ms, `count` times, and waits for their first attempts; in seconds. */
async function measure(
  sql: Sql,
  receiver: Receiver,
  workspace: string,
  count: number,
  makeEvent: () => Promise<void>,
): Promise<Latency> {
  for (let made = 0; made < count; made++) {
    await Promise.all([makeEvent(), pause(PACE_MS)]);
  }
  await until(
    "the first attempts",
    60,
    async () => (await deliveries(sql, [workspace])).every(({ id }) => receiver.arrivals.has(id)),
  );
  const rows = await sql<{ id: string; created_at: Date }[]>`
    select id, created_at from crm.webhook_deliveries where workspace_id = ${workspace}`;
  const seconds = rows
    .map(({ id, created_at }) => (receiver.arrivals.get(id)!.at[0]! - created_at.getTime()) / 1000)
    .sort((a, b) => a - b);
  const at = (share: number) => seconds[Math.ceil(share * seconds.length) - 1]!;
  const result = { samples: seconds.length, p50: at(0.5), p99: at(0.99), most: at(1) };
  console.log(`  ${describe(result)}`);
  return result;
}

/** Makes a contact through the API. */
async function contactSender(sql: Sql, baseUrl: string, workspaceId: string): Promise<() => Promise<void>> {
  await updateWorkspace(sql, workspaceId, { rateLimit: 100_000 });
  const { key } = await createKey(sql, { workspaceId, name: "Chaos", scopes: ["contacts:write"] });
  return async () => {
    const response = await fetch(`${baseUrl}/api-v1-contacts`, {
      method: "POST",
      headers: { "X-API-Key": key, "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Ana" }),
    });
    if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
    await response.body?.cancel();
  };
}

function describe({ samples, p50, p99, most }: Latency): string {
  return `p50 ${p50.toFixed(2)} s, p99 ${p99.toFixed(2)} s, most ${most.toFixed(2)} s (${samples} events)`;
}
