import assert from "node:assert/strict";
import { pause } from "../../bench/harness/waiting.ts";
import { poll, type Viewer, waitAfter } from "../../console/app/poll.ts";
import { arrivals, placesOf } from "../../console/pages/funnel/arrivals.ts";

/** Stands in for a person who can switch to another tab. */
function person() {
  let looks = true;
  const listeners = new Set<() => void>();
  const viewer: Viewer = {
    looks: () => looks,
    watch: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
  const look = (now: boolean) => {
    looks = now;
    for (const listener of listeners) listener();
  };
  return { viewer, look, listeners };
}

Deno.test("A poll repeats its work until it is stopped, and never runs it twice at once", async () => {
  const { viewer, listeners } = person();
  let [running, most, done] = [0, 0, 0];
  const work = async () => {
    most = Math.max(most, ++running);
    await pause(5);
    running--;
    done++;
  };
  const end = poll(work, () => 1, viewer);
  while (done < 5) await pause(1);
  end();
  await pause(20);
  const ended = done;
  await pause(20);
  // A leaked timer would also fail this test.
  assert.deepEqual([most, running, done, listeners.size], [1, 0, ended, 0]);
});

Deno.test("A poll pauses while the tab is hidden, and runs at once when the tab is shown again", async () => {
  const { viewer, look } = person();
  let done = 0;
  const work = () => Promise.resolve(void done++);
  const end = poll(work, () => 60_000, viewer);
  look(false);
  assert.equal(done, 0);
  look(true);
  assert.equal(done, 1);
  look(true);
  await pause(0);
  assert.equal(done, 1, "work in progress is not started again");
  look(false);
  await pause(0);
  end();
});

Deno.test("A failure does not stop a poll", async () => {
  const { viewer } = person();
  let done = 0;
  const failures: unknown[] = [];
  const keep = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    failures.push(event.reason);
  };
  addEventListener("unhandledrejection", keep);
  const work = () => ++done === 1 ? Promise.reject(new Error("away")) : Promise.resolve();
  const end = poll(work, () => 1, viewer);
  while (done < 3) await pause(1);
  end();
  removeEventListener("unhandledrejection", keep);
  assert.equal(failures.length, 1);
});

Deno.test("Each consecutive failure doubles the wait, up to a minute; the wait is never shorter than Retry-After", () => {
  assert.deepEqual([0, 1, 2, 3].map((failures) => waitAfter(failures, 2_000)), [2_000, 4_000, 8_000, 16_000]);
  assert.equal(waitAfter(50, 2_000), 60_000);
  assert.equal(waitAfter(1, 2_000, 30), 30_000);
  assert.equal(waitAfter(1, 90_000), 90_000);
});

Deno.test("A new or moved card is announced as new; no card of the first reply is", () => {
  const stage = (id: string, ...ids: string[]) => ({ id, deals: ids.map((id) => ({ id })) });
  const before = [stage("novo", "b", "c"), stage("ganho")];
  const places = placesOf(before);
  assert.deepEqual([...arrivals(null, before)], []);
  assert.deepEqual([...arrivals(places, before)], []);
  assert.deepEqual([...arrivals(places, [stage("novo", "a", "b", "c"), stage("ganho")])], ["a"]);
  assert.deepEqual([...arrivals(places, [stage("novo", "b"), stage("ganho", "c")])], ["c"]);
});

Deno.test("A card that moves up into the first 50 is not announced as new", () => {
  const stage = (...ids: string[]) => [{ id: "novo", deals: ids.map((id) => ({ id })) }];
  const places = placesOf(stage("a", "b", "c"));
  assert.deepEqual([...arrivals(places, stage("b", "c", "older"))], []);
});
