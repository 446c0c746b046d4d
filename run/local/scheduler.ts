import { setTimeout } from "node:timers/promises";
import { openSql } from "./sql.ts";
import { firstLine } from "./stack_error.ts";

const TICK_MS = 200;
const REREAD_MS = 30_000;
const POKE_TIMEOUT_MS = 10_000;

interface Job {
  name: string;
  every_ms: number;
  command: string;
}

interface Options {
  databaseUrl: string;
  origin: string;
  dispatcherSecret: string;
}

/**
 * Does locally what pg_cron and pg_net do on Supabase. Runs each job in crm.jobs at its interval, the first time at
 * once. Pokes the dispatcher when the database sends a notification. Logs an error and continues.
 */
export function startScheduler(
  { databaseUrl, origin, dispatcherSecret }: Options,
): { close(): Promise<void> } {
  // Reconnects after one second; the driver's default is up to 20 seconds.
  const sql = openSql(databaseUrl, {
    max: 4,
    connect_timeout: 5,
    backoff: () => 1,
    // The doctor recognises the scheduler by this name.
    connection: { application_name: "crm-scheduler" },
  });
  const dueAt = new Map<string, number>();
  const running = new Set<string>();
  const stop = new AbortController();
  let jobs: Job[] = [];
  let rereadAt = 0;

  async function run(job: Job): Promise<void> {
    running.add(job.name);
    dueAt.set(job.name, performance.now() + job.every_ms);
    try {
      await sql.unsafe(job.command);
    } catch (error) {
      if (!stop.signal.aborted) console.error(`The job ${job.name} failed: ${firstLine(error)}`);
    } finally {
      running.delete(job.name);
    }
  }

  async function tick(): Promise<void> {
    if (performance.now() >= rereadAt) {
      rereadAt = performance.now() + REREAD_MS;
      jobs = await sql<Job[]>`
        select name, extract(epoch from every)::float8 * 1000 as every_ms, command from crm.jobs order by name
      `;
    }
    for (const job of jobs) {
      if (!running.has(job.name) && performance.now() >= (dueAt.get(job.name) ?? 0)) void run(job);
    }
  }

  async function loop(): Promise<void> {
    while (!stop.signal.aborted) {
      await tick().catch((error) => {
        if (!stop.signal.aborted) console.error(`The jobs could not be read: ${firstLine(error)}`);
      });
      await setTimeout(TICK_MS, null, { signal: stop.signal }).catch(() => {});
    }
  }

  async function poke(): Promise<void> {
    try {
      const response = await fetch(`${origin}/functions/v1/webhook-dispatcher`, {
        method: "POST",
        headers: { authorization: `Bearer ${dispatcherSecret}` },
        signal: AbortSignal.timeout(POKE_TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (!response.ok) console.error(`The webhook dispatcher answered ${response.status} to a poke`);
    } catch (error) {
      if (!stop.signal.aborted) {
        console.error(`The webhook dispatcher could not be poked: ${firstLine(error)}`);
      }
    }
  }

  const listening = sql.listen("webhook_dispatch", () => void poke()).catch((error) => {
    console.error(`The scheduler cannot listen for pokes: ${firstLine(error)}`);
  });
  const looping = loop();
  return {
    async close() {
      stop.abort();
      await Promise.all([looping, listening]);
      await sql.end({ timeout: 2 });
    },
  };
}
