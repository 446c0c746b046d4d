import { join } from "node:path";
import { atMost, measureInTurns, ratio } from "../../harness/figures.ts";
import { startLineProcess } from "../../harness/processes.ts";
import { eventually } from "../../harness/waiting.ts";
import { countEnded, createSubscribers, enqueue } from "../../reliability/queue.ts";
import { openDeliveryWorld } from "../../reliability/world.ts";
import { describePaces, measurePace, medianRatio, type Pace } from "../load/pace.ts";
import type { Subject } from "../../harness/subject.ts";
import type { Order } from "../webhooks/fetch_loop.ts";

/** The same as in a dispatcher (webhook-dispatcher/dispatch.ts). */
const IN_FLIGHT = 64;
/** Enough for a dispatcher's 64 places, of which a subscription gets at most 4. */
const WORKSPACES = 250;
const TARGETS = { rate: 900, milliseconds: 0.5, ofFetch: 0.5 };
const TIMEOUT_S = 60;

/**
 * One dispatcher against a bare `fetch` loop, in turns, to the same receiver. Its answers have no body, so both keep
 * their connections.
 */
export const webhooks: Subject = {
  name: "webhooks",
  title: "Webhooks, as a share of a bare fetch loop to the same receiver",
  async measure({ short, note }) {
    const each = short ? 2 : 5;
    const count = WORKSPACES * each;
    await using world = await openDeliveryWorld();
    const { sql, receiver, dataDir } = world;
    const loop = [join(import.meta.dirname!, "..", "webhooks", "fetch_loop.ts"), receiver.okUrl];
    await using bare = startLineProcess(loop, receiver.env);
    const encryptionKey = world.secrets.webhook_encryption_key;
    const workspaces = await createSubscribers(sql, receiver.okUrl, WORKSPACES, { encryptionKey });
    const dispatcher = world.spawnDispatcher({ silent: true });

    /** Measures the rate at the receiver, from the first arrival to the last. What `prepare` does is not measured. */
    const pace =
      (pid: number, send: () => Promise<unknown>, prepare?: () => Promise<unknown>) => async () => {
        receiver.clear();
        await prepare?.();
        return await measurePace(pid, dataDir, async () => {
          await send();
          const times = [...receiver.arrivals.values()].flatMap(({ at }) => at).sort((a, b) => a - b);
          if (times.length !== count) throw new Error(`${times.length} of ${count} requests have arrived`);
          return { count, seconds: (times.at(-1)! - times[0]!) / 1000 };
        });
      };
    let ended = 0;
    // What the events cost is the writes' part (`deno task bench -- costs`). The dispatcher begins with the commit.
    const makeEvents = async () => {
      ended += count;
      await enqueue(sql, workspaces, each);
    };
    const deliver = async () => {
      await eventually(() => receiver.arrivals.size === count, "the requests", TIMEOUT_S);
      // Asked only then, because each answer costs Postgres as much as some deliveries.
      await eventually(async () => await countEnded(sql, workspaces) === ended, "the records", TIMEOUT_S);
    };
    const fetchLoop = (connections: Order["connections"]) => () =>
      bare.request({ count, inFlight: IN_FLIGHT, connections } satisfies Order);

    const [ours, plain, fresh] = await measureInTurns(
      [
        pace(dispatcher.pid, deliver, makeEvents),
        pace(bare.pid, fetchLoop("plain")),
        pace(bare.pid, fetchLoop("fresh")),
      ],
      short ? 3 : 5,
    ) as [Pace[], Pace[], Pace[]];
    const share = (theirs: Pace[]) => medianRatio(ours, theirs, ({ rate }) => rate);
    const shareOfCpu = (theirs: Pace[]) => medianRatio(theirs, ours, (pace) => pace.process);
    note(`A dispatcher: ${describePaces(ours)}`);
    note(`A fetch loop: ${describePaces(plain)}`);
    note(
      `A fetch loop with a connection for each request, as a delivery has if the answer may have a body: ${
        describePaces(fresh)
      }`,
    );
    note(`Against that one: ${share(fresh).toFixed(2)} of its rate, ${shareOfCpu(fresh).toFixed(2)} by CPU`);
    // Other work of the machine only ever worsens these, so the best round is what the code can do.
    const rate = Math.max(...ours.map(({ rate }) => rate));
    const microseconds = Math.min(...ours.map(({ process, postgres }) => process + postgres));
    return [
      {
        name: "Webhook deliveries a second, on the machine's processors",
        value: Math.round(rate),
        unit: "deliveries/s",
        target: TARGETS.rate,
        better: "higher",
      },
      atMost(
        "Processor time of a delivery, dispatcher and Postgres",
        Math.round(microseconds / 10) / 100,
        "ms",
        TARGETS.milliseconds,
      ),
      ratio("Webhook deliveries a second, of a bare fetch loop", share(plain), "higher", TARGETS.ofFetch),
      ratio("CPU of a bare fetch, of that of a delivery", shareOfCpu(plain), "higher", TARGETS.ofFetch),
    ];
  },
};
