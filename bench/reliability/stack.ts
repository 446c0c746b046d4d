import { loadSecrets } from "../../run/local/secrets.ts";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { createKey } from "../../run/operator/keys.ts";
import { percentile } from "../harness/figures.ts";
import { eventually, pause } from "../harness/waiting.ts";
import { connect } from "../harness/world.ts";
import { createSubscribers } from "./queue.ts";
import type { DeliveryWorld } from "./world.ts";

const PACE_MS = 100;

/** Starts a whole stack that delivers to the world's receiver: gateway, scheduler, Postgres and dispatcher. */
export async function openStack({ folder, receiver }: DeliveryWorld) {
  const dataDir = await Deno.makeTempDir({ dir: folder, prefix: "stack-" });
  const stack = await startStackProcess(dataDir, {
    ...receiver.env,
    // Set for the world, and the stack must not use it.
    WEBHOOK_ENCRYPTION_KEY: "",
  });
  const sql = connect(stack.file.database_url, 2);
  const { webhook_encryption_key } = await loadSecrets(dataDir);
  return {
    sql,
    /** As in queue.ts, with the stack's encryption key. */
    createSubscribers: (url: string | string[], count: number, each = 1) =>
      createSubscribers(sql, url, count, { each, encryptionKey: webhook_encryption_key }),
    /** Returns a function that creates a contact through the API, in the workspaces in turn; each request pokes. */
    async contactMaker(workspaces: string[]) {
      const keys: string[] = [];
      for (const workspaceId of workspaces) {
        keys.push((await createKey(sql, { workspaceId, name: "Chaos", scopes: ["contacts:write"] })).key);
      }
      let made = 0;
      return async () => {
        const response = await fetch(`${stack.file.base_url}/api-v1-contacts`, {
          method: "POST",
          headers: { "X-API-Key": keys[made++ % keys.length]!, "Content-Type": "application/json" },
          body: JSON.stringify({ name: "Ana" }),
        });
        if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
        await response.body?.cancel();
      };
    },
    /**
     * Creates an event every 100 ms, `count` times.
     * @returns seconds from the change to the arrival of the first attempt; `text` as docs/reliability.md shows it
     */
    async timeFirstAttempts(workspaces: string[], count: number, makeEvent: () => Promise<void>) {
      const [{ start }] = await sql<[{ start: Date }]>`select clock_timestamp() as start`;
      for (let made = 0; made < count; made++) await Promise.all([makeEvent(), pause(PACE_MS)]);
      const rows = await sql<{ id: string; created_at: Date }[]>`
        select id, created_at from crm.webhook_deliveries
        where workspace_id = any (${workspaces}) and created_at >= ${start}`;
      if (rows.length !== count) throw new Error(`${rows.length} deliveries of ${count} events`);
      const { arrivals } = receiver;
      await eventually(() => rows.every(({ id }) => arrivals.has(id)), "the first attempts", 60);
      const seconds = rows.map(({ id, created_at }) =>
        (arrivals.get(id)!.at[0]! - created_at.getTime()) / 1000
      );
      const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(seconds, share).toFixed(2));
      const text = `p50 ${p50} s, p99 ${p99} s, most ${most} s (${seconds.length} events)`;
      return { p99: percentile(seconds, 0.99), text };
    },
    async [Symbol.asyncDispose]() {
      await sql[Symbol.asyncDispose]();
      await stack.stop();
    },
  };
}
