import { count, ratio } from "../../harness/figures.ts";
import type { Subject } from "../../harness/subject.ts";
import type { AttackWorld } from "../world.ts";
import { attack, openAttackWorld } from "../world.ts";

const KEYS = 3;
const CONNECTIONS_EACH = 40;
/** 120 calls of each key in the 12 s of the attack: all that its limit admits in a minute. */
const PAUSE_MS = 4_000;
const ACTIVITIES = 1_000_000;
/** The activities are made one after the other, as far apart as this, and each is due at once. */
const SECONDS_APART = 30;
const FIRST = new Date(Date.now() - 400 * 86_400_000);

/** A workspace that asks for what is expensive in its million activities, within its limits. */
export const largeWorkspace: Subject = {
  name: "large-workspace",
  title:
    `${KEYS} keys of one workspace list the activities of its first months, the oldest third of a million`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    const { keys } = world.workspaces[1]!;
    const activities = conditions.short ? ACTIVITIES / 10 : ACTIVITIES;
    await seedActivities(world, activities);
    // Newest first, so that two thirds of the rows come before the first that matches.
    const until = new Date(FIRST.getTime() + activities / 3 * SECONDS_APART * 1000).toISOString();
    await using server = await world.serve({});
    const order = {
      connections: KEYS * CONNECTIONS_EACH,
      pauseMs: PAUSE_MS,
      requests: keys.slice(0, KEYS).map((key) => ({
        method: "GET",
        path: `/api-v1-activities?due_before=${until}`,
        headers: { "X-API-Key": key },
      })),
    };
    const { quiet, attacked } = await attack(world, server, order, conditions);
    return [
      ratio("A large workspace: another's p90 ÷ its quiet value", attacked.p90 / quiet.p90, "lower", 3),
      count("A large workspace: reads of another that failed", attacked.failed, "reads"),
    ];
  },
};

async function seedActivities({ sql, workspaces }: AttackWorld, activities: number): Promise<void> {
  const { id } = workspaces[1]!;
  await sql`alter table crm.activities disable trigger user`;
  await sql`
    insert into crm.activities (
      workspace_id, id, deal_id, title, type, due_at, owner_id, created_by_id, created_at, updated_at
    )
    select d.workspace_id, crm.uuid_v7(made.at), d.id, 'Ligar', 'ligacao',
      made.at, d.owner_id, d.owner_id, made.at, made.at
    from (select * from crm.deals where workspace_id = ${id} limit 1) d,
      generate_series(1, ${activities}::int) n,
      lateral (select ${FIRST}::timestamptz + n * ${SECONDS_APART}::int * interval '1 s' as at) made`;
  await sql`alter table crm.activities enable trigger user`;
  await sql`vacuum analyze crm.activities`;
}
