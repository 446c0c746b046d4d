import type { Figure } from "../figure.ts";
import { countEnded, deliveries, enqueue, shortenLeases, skipWaits, subscribe } from "../queue.ts";
import { pause, until } from "../wait.ts";
import type { Dispatcher } from "../world.ts";

const DISPATCHERS = 4;
/** Of one dispatcher (webhook-dispatcher/dispatch.ts). */
const IN_FLIGHT = 64;
const EVENTS_OF_A_WORKSPACE = 10;
/** A delivery is worked on for about so long; the moment within it is left to chance. */
const STAGES_MS = 100;
const SHORT_LEASE_S = 3;

/** Figure 1: dispatchers are killed all through a run; a hundredth of the receivers always fail. */
export const kills: Figure = {
  number: 1,
  asked: "≥ 50 kill -9: 0 lost, duplicates ≤ kills × 64, same ids, never a 6th attempt",
  async run({ sql, receiver, spawnDispatcher, killDispatchers }, { short, events }) {
    const wanted = short ? 5 : 50;
    const failingCount = Math.max(1, Math.floor(events / 100));
    const good = await subscribe(
      sql,
      receiver.okUrl,
      Math.ceil((events - failingCount) / EVENTS_OF_A_WORKSPACE),
    );
    const failing = await subscribe(sql, receiver.failingUrl, failingCount);
    const all = [...good, ...failing];
    receiver.clear();
    await enqueue(sql, good, EVENTS_OF_A_WORKSPACE);
    await enqueue(sql, failing, 1);
    const total = (await deliveries(sql, all)).length;

    const running: Dispatcher[] = Array.from({ length: DISPATCHERS }, () => spawnDispatcher());
    let killed = 0;
    await until("every delivery to end", 900, async () => {
      await skipWaits(sql, failing);
      if (short) await shortenLeases(sql, SHORT_LEASE_S);
      const ended = await countEnded(sql, all);
      // By progress rather than by time: then they are spread over the run on a machine of any speed.
      if (killed < wanted && ended >= (killed * total) / (wanted + 5)) {
        const place = running.findIndex((dispatcher) => dispatcher.output().includes("webhook_attempt"));
        const victim = running.splice(place, 1)[0];
        if (place >= 0 && victim) {
          await pause(Math.random() * STAGES_MS);
          await victim.kill();
          killed++;
          // At the end of the row: the next to be killed is another.
          running.push(spawnDispatcher());
          console.log(`  ${ended} of ${total} ended, ${killed} killed`);
        } else if (victim) running.push(victim);
      }
      return ended === total;
    });
    await killDispatchers();

    const rows = await deliveries(sql, all);
    const ids = new Set(rows.map(({ id }) => id));
    const lost = rows.filter(({ id, state }) => state === "pending" || !receiver.arrivals.has(id)).length;
    const strangers = [...receiver.arrivals.keys()].filter((id) => !ids.has(id)).length;
    const [recorded] = await sql<[{ attempts: number; most: number }]>`
      select count(*)::integer as attempts, max(number) as most from crm.webhook_attempts
      where workspace_id = any (${all})`;
    const requests = [...receiver.arrivals.values()].reduce((sum, { at }) => sum + at.length, 0);
    const duplicates = requests - recorded.attempts;
    const failed = rows.filter(({ state, attempts }) => state === "failed" && attempts === 5).length;
    return {
      ok: lost === 0 && strangers === 0 && killed >= wanted && duplicates <= killed * IN_FLIGHT &&
        recorded.most === 5 && failed === failing.length,
      measured: `${total} events, ${killed} kills: ${lost} lost, ${duplicates} duplicates of at most ` +
        `${
          killed * IN_FLIGHT
        }, ${strangers} under another id, ${failed} failed after ${recorded.most} attempts`,
    };
  },
};
