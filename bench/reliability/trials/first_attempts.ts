import { loadSecrets } from "../../../run/local/secrets.ts";
import { startStackProcess } from "../../../run/local/stack_process.ts";
import { createKey } from "../../../run/operator/keys.ts";
import { percentile } from "../../harness/figures.ts";
import { eventually, pause } from "../../harness/waiting.ts";
import { connect } from "../../harness/world.ts";
import { post } from "../../performance/load/requests.ts";
import { sendOnce } from "../../performance/load/template.ts";
import { countDeliveries, countLeased, createSubscribers, enqueue } from "../queue.ts";
import type { DeliveryWorld, Sizes, Trial } from "../world.ts";

const PACE_MS = 100;
const POKE_S = 2;
const SCHEDULE_S = 12;
const ALLOWED_GROWTH_S = 1;
/** Ten events a second in all, so each workspace's key stays under its limit of 120 calls a minute. */
const WORKSPACES = 10;
/** A workspace's places: the most attempts made for it at a time. At first a hanging receiver fills them all. */
const PLACES = 8;
/** Subscriptions of the workspace whose receiver hangs: each has 4 places, so two fill the workspace's 8. */
const EACH = 2;

/** Trial 6: the time from a change to the arrival of the first attempt, on a whole stack. */
export const latency: Trial = {
  number: 6,
  target:
    `Enqueue to first attempt: p99 ≤ ${POKE_S} s with the poke, ≤ ${SCHEDULE_S} s on the schedule alone`,
  apart: true,
  async run(world, sizes) {
    const { sql, subscribe, timeFirstAttempts } = await prepare(world, sizes);
    const poked = await timeFirstAttempts();
    const withPoke = `with the poke ${poked.text}`;
    // The schedule runs every 10 s, too seldom for a short run.
    if (sizes.short) return { ok: poked.judged <= POKE_S, measured: withPoke };

    // SQL inserts these contacts, and only requests poke the dispatcher, so only the schedule starts it.
    const quiet = await subscribe(world.receiver.okUrl, 1);
    const scheduled = await timeFirstAttempts(quiet, 300, () => enqueue(sql, quiet, 1));
    return {
      ok: poked.judged <= POKE_S && scheduled.judged <= SCHEDULE_S,
      measured: `${withPoke}; on the schedule alone ${scheduled.text}`,
    };
  },
};

/** Trial 5: how a workspace whose receiver hangs slows the others. Each attempt at that receiver takes 10 s. */
export const hanging: Trial = {
  number: 5,
  target:
    `A workspace with 5,000 deliveries to a receiver that hangs: the others' p99 grows by ≤ ${ALLOWED_GROWTH_S} s`,
  apart: true,
  async run(world, sizes) {
    const waiting = sizes.short ? 200 : 5_000;
    const { sql, subscribe, alone, timeFirstAttempts } = await prepare(world, sizes);
    const hung = await subscribe(world.receiver.hangingUrl, 1, EACH);
    await enqueue(sql, hung, waiting / EACH);
    const inFlight = async (least: number) => await countLeased(sql, hung) >= least;
    await eventually(() => inFlight(PLACES), "the hanging workspace to fill its places");
    const beside = await timeFirstAttempts();

    // `beside` is valid only if deliveries still hang. After a timeout each of the EACH subscriptions has one place.
    await eventually(() => inFlight(EACH), "its places to be full again");
    const due = sql`state = 'pending' and next_attempt_at <= clock_timestamp()`;
    const left = await countDeliveries(sql, hung, due);
    await sql`update crm.webhook_subscriptions set is_active = false where workspace_id = any (${hung})`;
    const growth = beside.judged - alone.judged;
    return {
      ok: growth <= ALLOWED_GROWTH_S && left > waiting / 2,
      measured:
        `${sizes.short ? "p50" : "p99"} grows by ${
          growth.toFixed(3)
        } s: alone ${alone.text}, beside ${waiting} ` +
        `deliveries that hang ${beside.text}`,
    };
  },
};

type Prepared = Awaited<ReturnType<typeof startPrepared>>;
let prepared: Promise<Prepared> | undefined;

/** Starts the stack that both trials share. It delivers to the world's receiver. */
function prepare(world: DeliveryWorld, sizes: Sizes): Promise<Prepared> {
  return prepared ??= startPrepared(world, sizes);
}

async function startPrepared({ folder, receiver, closing }: DeliveryWorld, { short }: Sizes) {
  const dataDir = await Deno.makeTempDir({ dir: folder, prefix: "stack-" });
  // An empty key, so that the stack uses its own and not the world's.
  const stack = await startStackProcess(dataDir, { ...receiver.env, WEBHOOK_ENCRYPTION_KEY: "" });
  const sql = connect(stack.file.database_url, 2);
  closing.push(() => sql[Symbol.asyncDispose](), () => stack.stop());
  const { webhook_encryption_key: encryptionKey } = await loadSecrets(dataDir);
  const subscribe = (urls: string | string[], count: number, each = 1) =>
    createSubscribers(sql, urls, count, { each, encryptionKey });
  const others = await subscribe(receiver.okUrl, WORKSPACES);
  const keys = await Promise.all(
    others.map(async (workspaceId) =>
      (await createKey(sql, { workspaceId, name: "Chaos", scopes: ["contacts:write"] })).key
    ),
  );
  let made = 0;
  // Each request pokes the dispatcher.
  const makeContact = () =>
    sendOnce(stack.file.base_url, post("/api-v1-contacts", { name: "Ana" }, keys[made++ % keys.length]!));

  /**
   * Creates an event every 100 ms.
   * @returns seconds from the change to the arrival of the first attempt: `judged` is compared with the target, `text`
   * is what docs/reliability.md shows
   */
  async function timeFirstAttempts(
    workspaces = others,
    count = short ? 30 : 600,
    makeEvent: () => Promise<unknown> = makeContact,
  ) {
    const [{ start }] = await sql<[{ start: Date }]>`select clock_timestamp() as start`;
    for (let made = 0; made < count; made++) await Promise.all([makeEvent(), pause(PACE_MS)]);
    const rows = await sql<{ id: string; created_at: Date }[]>`
      select id, created_at from crm.webhook_deliveries
      where workspace_id = any (${workspaces}) and created_at >= ${start}`;
    if (rows.length !== count) throw new Error(`${rows.length} deliveries of ${count} events`);
    const { arrivals } = receiver;
    await eventually(() => rows.every(({ id }) => arrivals.has(id)), "the first attempts");
    const seconds = rows.map(({ id, created_at }) =>
      (arrivals.get(id)!.at[0]! - created_at.getTime()) / 1000
    );
    const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(seconds, share).toFixed(2));
    const text = `p50 ${p50} s, p99 ${p99} s, max ${most} s (${seconds.length} events)`;
    // In a short run the p99 would be the slowest of few events, and other work on the machine may delay that event.
    return { judged: percentile(seconds, short ? 0.5 : 0.99), text };
  }
  // The first requests of a new stack are slow, so they do not count.
  await timeFirstAttempts(others, WORKSPACES);
  const alone = await timeFirstAttempts();
  console.log(`  alone: ${alone.text}`);
  return { sql, subscribe, alone, timeFirstAttempts };
}
