// Receivers that hang must not delay the deliveries of others.
import assert from "node:assert/strict";
import { eventually } from "../../bench/harness/waiting.ts";
import { countLeased, createSubscribers, deliveries, enqueue } from "../../bench/reliability/queue.ts";
import { openDeliveryWorld } from "../../bench/reliability/world.ts";
import { Places } from "../../supabase/functions/webhook-dispatcher/places.ts";

Deno.test("At most 64 attempts that are younger than 500 ms run at the same time, and at most 256 attempts in all", () => {
  const places = new Places();
  const start = (count: number, now: number) => Array.from({ length: count }, () => places.take(1_000, now));
  start(40, 0);
  start(24, 100);
  assert.deepEqual([places.free(499), places.untilSlow(499)], [0, 1]);
  assert.deepEqual([places.free(500), places.untilSlow(500)], [40, 100]);
  assert.deepEqual([places.free(600), places.untilSlow(600)], [64, Infinity]);
  start(64, 600);
  start(64, 1_100);
  assert.equal(places.free(1_599), 0);
  assert.equal(places.free(1_600), 64);
  const last = start(64, 1_600);
  assert.deepEqual([places.taken, places.free(9_000)], [256, 0]);
  places.leave(last[0]!);
  assert.deepEqual([places.taken, places.free(9_000)], [255, 1]);
});

Deno.test("Attempts older than 500 ms make room for others only while their bodies together have at most 8 MB", () => {
  const places = new Places();
  for (let taken = 0; taken < 64; taken++) places.take(256 * 1024, 0);
  assert.equal(places.free(1_000), 32);
});

Deno.test("160 hanging deliveries of 20 workspaces delay the deliveries of others by less than 2 s", async () => {
  await using world = await openDeliveryWorld();
  const { sql, receiver } = world;
  const options = { each: 2, encryptionKey: world.secrets.webhook_encryption_key };
  const hung: string[] = [];
  // A host gets 40 deliveries from its 5 workspaces, because at most 64 may be in flight to one host.
  for (let host = 1; host <= 4; host++) {
    hung.push(...await createSubscribers(sql, receiver.url("hanging", host), 5, options));
  }
  const others = await createSubscribers(sql, receiver.okUrl, 20, options);
  const dispatcher = world.spawnDispatcher();
  await eventually(() => dispatcher.ready(), "the dispatcher");
  const deliverToOthers = async () => {
    const started = performance.now();
    await enqueue(sql, others, 1);
    await eventually(
      async () => (await deliveries(sql, others)).every(({ state }) => state === "delivered"),
      "the others' deliveries",
    );
    return performance.now() - started;
  };
  const alone = await deliverToOthers();
  await enqueue(sql, hung, 4);
  // 160 is more than the 64 that may be younger than 500 ms: a run claims more before the slow attempts end.
  await eventually(async () => await countLeased(sql, hung) === 160, "all hanging deliveries in flight", 20);
  const took = await deliverToOthers();
  // A delivery that waited for a hanging attempt to end would take 10 s.
  const limit = Math.max(2_000, 4 * alone);
  assert.ok(took < limit, `${took} ms, without those that hang ${alone} ms`);
  assert.equal(await countLeased(sql, hung), 160, "those that hang still do");
});
