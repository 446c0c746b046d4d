import type { Figure } from "../figure.ts";
import { countEnded, deliveries, enqueue, shortenLeases, subscribe } from "../queue.ts";
import { until } from "../wait.ts";

const DISPATCHERS = 4;
const ALLOWED_S = 70;
const SHORT_LEASE_S = 3;

/** Figure 2: Postgres is stopped at once, as by a power failure, while deliveries are under way. */
export const outages: Figure = {
  number: 2,
  asked: `Postgres stopped with \`immediate\` 5 times: 0 lost, going again within ${ALLOWED_S} s`,
  async run(world, { short }) {
    const { receiver, spawnDispatcher, killDispatchers } = world;
    const [workspaces, wanted] = short ? [80, 2] : [300, 5];
    const all = await subscribe(world.sql, receiver.okUrl, workspaces);
    receiver.clear();
    await enqueue(world.sql, all, 10);
    const total = workspaces * 10;
    const dispatchers = Array.from({ length: DISPATCHERS }, () => spawnDispatcher());

    const waits: number[] = [];
    let restartedAt = 0;
    for (let outage = 1; outage <= wanted; outage++) {
      await until(
        "progress",
        120,
        async () => await countEnded(world.sql, all) >= (outage * total) / (wanted + 2),
      );
      await world.crashPostgres();
      await world.restartPostgres();
      restartedAt = Date.now();
      const restarted = new Date(restartedAt);
      // Recorded, not received: a request that was under way during the outage shows nothing.
      await until("an attempt recorded after the restart", 120, async () => {
        if (short) await shortenLeases(world.sql, SHORT_LEASE_S);
        const rows = await world.sql`
          select from crm.webhook_attempts where workspace_id = any (${all}) and finished_at > ${restarted} limit 1`;
        return rows.length > 0;
      });
      waits.push((Date.now() - restartedAt) / 1000);
      console.log(`  outage ${outage} of ${wanted}: going again after ${waits.at(-1)!.toFixed(1)} s`);
    }
    await until("every delivery to end", 180, async () => {
      if (short) await shortenLeases(world.sql, SHORT_LEASE_S);
      return await countEnded(world.sql, all) === total;
    });
    const lastEnded = (Date.now() - restartedAt) / 1000;
    const survivors = dispatchers.filter((dispatcher) => !dispatcher.ended()).length;
    await killDispatchers();

    const rows = await deliveries(world.sql, all);
    const lost = rows.filter(({ id, state }) => state !== "delivered" || !receiver.arrivals.has(id)).length;
    const requests = [...receiver.arrivals.values()].reduce((sum, { at }) => sum + at.length, 0);
    const longest = Math.max(...waits);
    return {
      ok: lost === 0 && rows.length === total && longest <= ALLOWED_S && survivors === DISPATCHERS,
      measured:
        `${total} events, ${wanted} outages: ${lost} lost, ${requests - total} duplicates, going again ` +
        `after ${longest.toFixed(1)} s at most, all done ${lastEnded.toFixed(0)} s after the last restart, ` +
        `${DISPATCHERS - survivors} dispatchers ended`,
    };
  },
};
