import type { Sql } from "postgres";
import { countEnded, enqueue, subscribe } from "../../reliability/queue.ts";
import type { Receiver } from "../../reliability/receiver.ts";
import { until } from "../../reliability/wait.ts";
import { openWorld } from "../../reliability/world.ts";
import { cpuOfPostgres, cpuOfProcess } from "../cpu.ts";
import { type Measurement, median, type Subject } from "../figure.ts";
import { startBareLoop } from "../webhooks/bare.ts";
import type { Connections } from "../webhooks/fetch_loop.ts";

/** As a dispatcher has (webhook-dispatcher/dispatch.ts). */
const IN_FLIGHT = 64;
/** Many enough for a dispatcher's 64 places: a subscription is given 4 of them at most. */
const WORKSPACES = 250;
const TARGET = 0.5;
const TIMEOUT_S = 60;

/** Requests to the receiver: how many a second, and milliseconds of processor for one. */
interface Pace {
  rate: number;
  /** In the process that sends. */
  cpu: number;
  /** For deliveries, what it takes to enqueue them included. */
  postgres: number;
}

/** One dispatcher against a bare `fetch` loop, in turns, to the same receiver. */
export const webhooks: Subject = {
  name: "webhooks",
  title: "Webhooks, as a share of a bare fetch loop to the same receiver",
  async measure({ short, note }) {
    const rounds = short ? 3 : 5;
    const each = short ? 2 : 5;
    const world = await openWorld();
    const { sql, receiver, dataDir } = world;
    const bare = startBareLoop(receiver.okUrl, receiver.env);
    try {
      const workspaces = await subscribe(sql, receiver.okUrl, WORKSPACES, world.env.WEBHOOK_ENCRYPTION_KEY);
      const dispatcher = world.spawnDispatcher({ silent: true });
      const count = workspaces.length * each;
      const paceOf = (pid: number, send: () => Promise<void>) => pace(receiver, dataDir, pid, count, send);
      const ours = () => paceOf(dispatcher.pid, () => deliver(sql, workspaces, each));
      const theirs = (connections: Connections) =>
        paceOf(bare.pid, () => bare.send({ count, inFlight: IN_FLIGHT, connections }));

      const turns = { ours, plain: () => theirs("plain"), fresh: () => theirs("fresh") };
      const paces: Record<keyof typeof turns, Pace[]> = { ours: [], plain: [], fresh: [] };
      // The first round only warms up.
      for (let round = 0; round <= rounds; round++) {
        for (const [name, turn] of Object.entries(turns) as [keyof typeof turns, () => Promise<Pace>][]) {
          const measured = await turn();
          if (round > 0) paces[name].push(measured);
        }
      }
      note(`A dispatcher: ${describe(paces.ours)}`);
      note(`A fetch loop: ${describe(paces.plain)}`);
      note(`A fetch loop with a connection for each request, as a delivery has: ${describe(paces.fresh)}`);
      const aside = compare(paces.ours, paces.fresh);
      note(`Against that one: ${aside.rate.toFixed(2)} of its rate, ${aside.cpu.toFixed(2)} by CPU`);
      return measurements(compare(paces.ours, paces.plain));
    } finally {
      await bare.close();
      await world.close();
    }
  },
};

function measurements({ rate, cpu }: { rate: number; cpu: number }): Measurement[] {
  const figure = (name: string, value: number): Measurement => ({
    name,
    value: Number(value.toFixed(2)),
    unit: "ratio",
    target: TARGET,
    better: "higher",
  });
  return [
    figure("Webhook deliveries a second, of a bare fetch loop", rate),
    figure("CPU of a bare fetch, of that of a delivery", cpu),
  ];
}

/** Enqueues and waits until all of it has been delivered. */
async function deliver(sql: Sql, workspaces: string[], each: number): Promise<void> {
  const before = await countEnded(sql, workspaces);
  await enqueue(sql, workspaces, each);
  const after = before + workspaces.length * each;
  await until("the deliveries", TIMEOUT_S, async () => await countEnded(sql, workspaces) === after);
}

/** The rate is the receiver's: from the first arrival to the last, however they were set off and waited for. */
async function pace(
  receiver: Receiver,
  dataDir: string,
  pid: number,
  count: number,
  send: () => Promise<void>,
): Promise<Pace> {
  receiver.clear();
  const before = await cpuOf(pid, dataDir);
  await send();
  const after = await cpuOf(pid, dataDir);
  const times = [...receiver.arrivals.values()].flatMap(({ at }) => at).sort((a, b) => a - b);
  if (times.length !== count) throw new Error(`${times.length} requests arrived where ${count} were sent`);
  return {
    rate: (count - 1) / ((times.at(-1)! - times[0]!) / 1000),
    cpu: (after.sender - before.sender) / count,
    postgres: (after.postgres - before.postgres) / count,
  };
}

async function cpuOf(pid: number, dataDir: string): Promise<{ sender: number; postgres: number }> {
  const [sender, postgres] = [await cpuOfProcess(pid), await cpuOfPostgres(dataDir)];
  if (sender === null || postgres === null) {
    throw new Error("This is measured by /proc, which is Linux's alone");
  }
  return { sender, postgres };
}

/** The middle ones of the rounds' ratios; above 1 where ours is the better. */
function compare(ours: Pace[], theirs: Pace[]): { rate: number; cpu: number } {
  return {
    rate: median(ours.map(({ rate }, round) => rate / theirs[round]!.rate)),
    cpu: median(ours.map(({ cpu }, round) => theirs[round]!.cpu / cpu)),
  };
}

function describe(paces: Pace[]): string {
  const middle = (name: keyof Pace) => median(paces.map((pace) => pace[name]));
  return `${middle("rate").toFixed(0)}/s, CPU for each ${middle("cpu").toFixed(2)} ms, ` +
    `in Postgres ${middle("postgres").toFixed(2)} ms`;
}
