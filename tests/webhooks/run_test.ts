// What a run of the dispatcher does. The dispatcher has its own process and database: no schedule wakes it, and no
// other run takes its deliveries.
import assert from "node:assert/strict";
import { join } from "node:path";
import { cpuOfProcess } from "../../bench/harness/usage.ts";
import { eventually, pause } from "../../bench/harness/waiting.ts";
import type { Dispatcher } from "../../bench/reliability/dispatcher.ts";
import {
  countEnded,
  createSubscribers,
  deliveries,
  enqueue,
  shortenLeases,
} from "../../bench/reliability/queue.ts";
import { type DeliveryWorld, openDeliveryWorld } from "../../bench/reliability/world.ts";
import { startHostile } from "../support/hostile.ts";

const DISPATCHER = join(import.meta.dirname!, "../support/dispatcher_process.ts");

/** The lines of a dispatcher's log for this event. */
const linesOf = (dispatcher: Dispatcher, event: string) =>
  dispatcher.output().split("\n").filter((line) => line.includes(`"event":"${event}"`))
    .map((line) => JSON.parse(line));

/** What the steps share. Each step ends all its deliveries, so that the next step's dispatcher finds only its own. */
interface Given extends DeliveryWorld {
  /** Creates workspaces, each with a subscription. */
  subscribers(target: string, count: number): Promise<string[]>;
}

const STEPS: Record<string, (given: Given) => Promise<void>> = {
  "A run has at most 250 deliveries and logs one line, and at most 50 lines for failures": async (given) => {
    const { sql, receiver, subscribers } = given;
    const good = await subscribers(receiver.okUrl, 45);
    const failing = await subscribers(receiver.failingUrl, 80);
    await enqueue(sql, good, 6);
    await enqueue(sql, failing, 1, 4);

    const dispatcher = given.spawnDispatcher();
    const runs = await eventually(
      () => {
        const runs = linesOf(dispatcher, "webhook_run");
        return runs.reduce((total, { claimed }) => total + claimed, 0) === 350 && runs;
      },
      "the lines of all runs",
    );
    assert.ok(runs.length >= 2 && runs.every(({ claimed }) => claimed <= 250));
    const sum = (name: string) => runs.reduce((total, run) => total + run[name], 0);
    const names = ["delivered", "retried", "failed", "deactivated", "superseded", "abandoned", "unlogged"];
    assert.deepEqual(names.map(sum), [270, 0, 80, 80, 0, 0, 30], names.join());
    const failures = linesOf(dispatcher, "webhook_attempt_failed");
    assert.equal(failures.length, 50);
    for (const { workspace_id, subscription_id, delivery_id, reason, attempt, state } of failures) {
      assert.ok(failing.includes(workspace_id) && subscription_id && delivery_id);
      assert.deepEqual({ reason, attempt, state }, { reason: "http_500", attempt: 5, state: "failed" });
    }
    // An idle dispatcher logs nothing, although it is poked all the time.
    const before = dispatcher.output();
    await pause(500);
    assert.equal(dispatcher.output(), before);
  },

  "A run's deliveries share connections, and none is open after the run": async (given) => {
    let [connections, open] = [0, 0];
    await using keeping = startHostile(async (connection) => {
      connections++;
      open++;
      while (await connection.readRequest() !== "") {
        await connection.write("HTTP/1.1 204 No Content\r\n\r\n");
      }
      open--;
    }, null);
    const { sql, env, subscribers } = given;
    const target = `127.0.0.1:${keeping.port}`;
    const { WEBHOOK_DEV_TARGETS: others } = env as Record<string, string>;
    Object.assign(env, { WEBHOOK_DEV_TARGETS: `${others},${target}` });
    const workspaces = await subscribers(`http://${target}/`, 20);
    await enqueue(sql, workspaces, 10);
    given.spawnDispatcher();
    await eventually(async () => await countEnded(sql, workspaces) === 200, "the deliveries");
    // Idle connections would stay open longer than 1.5 s, so the end of the run must close them.
    await eventually(() => open === 0, "the connections to be closed", 1.5);
    assert.ok(connections <= 100, `${connections} connections for 200 deliveries`);
    const ends = await deliveries(sql, workspaces);
    assert.ok(ends.every(({ state, attempts }) => state === "delivered" && attempts === 1));
  },

  "An outcome that cannot be recorded is not lost, and does not keep others from being recorded": async (
    given,
  ) => {
    const { sql, receiver, subscribers } = given;
    const workspaces = await subscribers(receiver.okUrl, 20);
    const [refused] = workspaces;
    await sql.unsafe(`
      create table public.refused as select '${refused}'::uuid as workspace_id;
      create function public.refuse() returns trigger language plpgsql security definer
      as $$
      begin
        if new.workspace_id in (select r.workspace_id from public.refused r) then raise exception 'refused'; end if;
        return new;
      end
      $$;
      create trigger refuse before insert on crm.webhook_attempts for each row execute function public.refuse();`);
    await enqueue(sql, workspaces, 1);
    const dispatcher = given.spawnDispatcher();
    // 150 s: on a busy machine other outcomes may be given up too, and are attempted again after the 60 s lease.
    await eventually(async () => await countEnded(sql, workspaces) === 19, "the other outcomes", 150);
    await eventually(
      () =>
        linesOf(dispatcher, "webhook_attempt_abandoned").some(({ workspace_id }) => workspace_id === refused),
      "the outcome to be given up",
    );
    const left = (await deliveries(sql, workspaces)).filter(({ state }) => state === "pending");
    assert.deepEqual(left.map(({ attempts }) => attempts), [0]);

    // Keeps the trigger: dropping it locks all partitions, and could deadlock with the dispatcher.
    await sql`delete from public.refused`;
    await shortenLeases(sql, 0);
    await eventually(async () => await countEnded(sql, workspaces) === 20, "the outcome of a later attempt");
  },

  "Encrypted secrets that were swapped between two subscriptions cannot be decrypted, so nothing is sent (spec 2.6)":
    async (given) => {
      const { sql, receiver, subscribers } = given;
      const workspaces = await subscribers(receiver.okUrl, 2);
      const dispatcher = given.spawnDispatcher();
      const ended = (count: number) =>
        eventually(
          async () =>
            (await deliveries(sql, workspaces)).filter(({ state }) => state === "delivered").length === count,
          `${count} deliveries`,
        );
      // Makes the dispatcher decrypt and remember both secrets. After the swap it must not use what it remembers.
      await enqueue(sql, workspaces, 1);
      await ended(2);
      const swap = () =>
        sql`
          update crm.webhook_secrets s set secret = other.secret from crm.webhook_secrets other
          where s.workspace_id = any (${workspaces}) and other.workspace_id = any (${workspaces})
            and other.subscription_id <> s.subscription_id`;

      await swap();
      receiver.clear();
      await enqueue(sql, workspaces, 1);
      const abandoned = await eventually(() => {
        const lines = linesOf(dispatcher, "webhook_attempt_abandoned");
        return lines.length === 2 && lines;
      }, "two abandoned attempts");
      for (const { error } of abandoned) assert.match(error, /does not decrypt it for this subscription/);
      assert.equal(receiver.arrivals.size, 0);
      const left = (await deliveries(sql, workspaces)).filter(({ state }) => state === "pending");
      assert.deepEqual(left.map(({ attempts }) => attempts), [0, 0], "the receiver did not fail");

      await swap();
      await shortenLeases(sql, 0);
      await ended(4);
    },

  "A run stays for a delivery that becomes due within 40 s, without using CPU, and then ends": async (
    given,
  ) => {
    const { sql, receiver, subscribers } = given;
    const workspaces = await subscribers(receiver.okUrl, 2);
    await enqueue(sql, workspaces, 1);
    const [soon, later] = workspaces as [string, string];
    // The second delivery is due after the 40 s for which a run waits.
    await sql`
      update crm.webhook_deliveries set next_attempt_at = clock_timestamp()
        + case workspace_id when ${soon} then 10 else 60 end * interval '1 s'
      where workspace_id = any (${workspaces})`;
    const [{ id, due }] = await sql<[{ id: string; due: Date }]>`
      select id, next_attempt_at as due from crm.webhook_deliveries where workspace_id = ${soon}`;

    const dispatcher = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", DISPATCHER, given.databaseUrl, "select", "40000"],
      env: { ...given.env, SUPABASE_URL: "http://127.0.0.1:9" },
      stdout: "null",
    }).spawn();
    // By now the dispatcher has started and waits.
    await pause(due.getTime() - Date.now() - 3_000);
    const before = await cpuOfProcess(dispatcher.pid);
    await pause(2_500);
    const used = await cpuOfProcess(dispatcher.pid) - before;
    // `used` is NaN if the system does not report it.
    assert.ok(!(used > 100), `${used} ms of CPU in 2.5 s`);
    await dispatcher.status;
    const late = receiver.arrivals.get(id)!.at[0]! - due.getTime();
    assert.ok(late >= 0 && late <= 5_000, `${late} ms late`);
    const states = await sql`
      select workspace_id, state from crm.webhook_deliveries where workspace_id = any (${workspaces}) order by state`;
    assert.deepEqual(states.map(Object.values), [[soon, "delivered"], [later, "pending"]]);
  },
};

Deno.test("A run of the dispatcher", async (t) => {
  await using world = await openDeliveryWorld();
  const encryptionKey = world.secrets.webhook_encryption_key;
  const subscribers = (target: string, count: number) =>
    createSubscribers(world.sql, target, count, { encryptionKey });
  for (const [name, run] of Object.entries(STEPS)) {
    await t.step(name, () => run({ ...world, subscribers }));
    await world.killDispatchers();
  }
});
