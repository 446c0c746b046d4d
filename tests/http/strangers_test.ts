import assert from "node:assert/strict";
import { pause } from "../../bench/harness/waiting.ts";
import { Pace } from "../../supabase/functions/_shared/http/pace.ts";
import {
  FairShare,
  type Owner,
  UNKNOWN_OWNER,
} from "../../supabase/functions/_shared/postgres/fair_share.ts";
import { KnownCallers } from "../../supabase/functions/_shared/postgres/known_callers.ts";

Deno.test("An isolate remembers 10,000 callers, and forgets the least recent first", () => {
  const known = new KnownCallers();
  const remember = (n: number) => known.remember(`hash ${n}`, { callerId: `c${n}`, workspaceId: "w" }, true);
  for (let n = 0; n < 10_000; n++) remember(n);
  remember(0);
  remember(10_000);
  assert.equal(known.find("hash 0")?.callerId, "c0");
  assert.equal(known.find("hash 1"), undefined);
  assert.equal(known.find("hash 10000")?.callerId, "c10000");
  known.forget("hash 0");
  assert.equal(known.find("hash 0"), undefined);
  assert.equal(known.isRecent("hash 0"), false);
  assert.equal(known.isRecent("hash 2"), true);
  known.remember("hash 2", { callerId: "c2", workspaceId: "w" }, false);
  assert.equal(known.isRecent("hash 2"), false);
  assert.equal(known.find("hash 2")?.callerId, "c2");
});

Deno.test("A burst of 50 replies is not delayed, and later replies leave 5 ms apart", async () => {
  const created = performance.now();
  const pace = new Pace();
  let isDelayed = false;
  const timer = setTimeout(() => isDelayed = true);
  for (let i = 0; i < 50; i++) await pace.wait();
  // The waits were so short that not even a timer of 0 ms fired.
  assert.equal(isDelayed, false);
  clearTimeout(timer);
  const waits = Array.from({ length: 100 }, () => pace.wait());
  assert.equal(pace.isBusy, true);
  await Promise.all(waits);
  // The first 50 of 150 calls were not delayed, and the other 100 left 5 ms apart.
  assert.ok(performance.now() - created >= 495, `${Math.round(performance.now() - created)} ms`);
});

/** Starts tasks in the given order, and returns their names in the order in which they ran. */
async function orderOf(owner: string, names: string[]): Promise<string[]> {
  const share = new FairShare(1);
  const order: string[] = [];
  await Promise.all(names.map((name) =>
    share.run(owner, 1_000, () => new Error("late"), async () => {
      order.push(name);
      await new Promise((resolve) => setTimeout(resolve, 5));
    })
  ));
  assert.equal(share.isBusy(owner), false);
  return order;
}

Deno.test("A workspace's calls run in the order of arrival; among unknown callers' calls, the oldest and the newest take turns", async () => {
  assert.deepEqual(await orderOf("a workspace", ["1", "2", "3", "4"]), ["1", "2", "3", "4"]);
  assert.deepEqual(await orderOf(UNKNOWN_OWNER, ["1", "2", "3", "4"]), ["1", "4", "2", "3"]);
});

Deno.test("During a flood the newest reply is sent first, so that an occasional call is not delayed, and no reply waits over 5 s", async () => {
  const pace = new Pace();
  const started = performance.now();
  const flood = Array.from({ length: 2_000 }, () => pace.wait());
  await pace.wait();
  assert.ok(performance.now() - started < 2_500, `${Math.round(performance.now() - started)} ms`);
  assert.equal(pace.isBusy, true);
  await Promise.all(flood);
  // At 200 a second, the last of 2,000 would leave after 10 s.
  assert.ok(performance.now() - started < 8_000, `${Math.round(performance.now() - started)} ms`);
});

/** Starts a task that uses one of its owner's connections until `end` is called. */
function startTask(share: FairShare, owner: Owner) {
  const end = Promise.withResolvers<void>();
  let running = false;
  const done = share.run(owner, 1_000, () => new Error("late"), () => {
    running = true;
    return end.promise;
  });
  return { isRunning: () => running, end: () => (end.resolve(), done) };
}

Deno.test("A task whose owner is unknown counts against every workspace; the owner is looked up when another task waits", async () => {
  const share = new FairShare(1, 2);
  const asked: PromiseWithResolvers<string | undefined>[] = [];
  const stranger = startTask(share, () => {
    asked.push(Promise.withResolvers());
    return asked.at(-1)!.promise;
  });
  assert.equal(asked.length, 0);
  const [own, others] = [startTask(share, "a"), startTask(share, "b")];
  const question = startTask(share, UNKNOWN_OWNER);
  const areRunning = () => [own, others, question].map(({ isRunning }) => isRunning());
  assert.deepEqual(areRunning(), [false, false, true]);
  await question.end();
  assert.equal(asked.length, 1);
  asked[0]!.reject(new Error("no answer"));
  await pause(1);
  const third = startTask(share, "c");
  assert.equal(asked.length, 2);
  asked[1]!.resolve("a");
  await pause(1);
  assert.deepEqual([...areRunning(), third.isRunning()], [false, true, true, true]);
  await stranger.end();
  await pause(1);
  assert.equal(own.isRunning(), true);
  await Promise.all([own, others, third].map(({ end }) => end()));
  assert.equal(share.isIdle, true);
});

Deno.test("Calls that were cancelled are remembered for 10,000 credentials, until they are counted", () => {
  const known = new KnownCallers();
  known.addDebt("hash 0");
  known.addDebt("hash 0");
  assert.deepEqual([1, 2, 3].map(() => known.takeDebt("hash 0")), [true, true, false]);
  assert.equal(known.owes("hash 0"), false);
  for (let n = 0; n <= 10_000; n++) known.addDebt(`hash ${n}`);
  assert.deepEqual(["hash 0", "hash 1", "hash 10000"].map((hash) => known.owes(hash)), [false, true, true]);
  known.forget("hash 1");
  assert.equal(known.owes("hash 1"), false);
});
