import { count, ratio } from "../../harness/figures.ts";
import type { Subject } from "../../harness/subject.ts";
import type { AttackWorld } from "../world.ts";
import { attack, openAttackWorld } from "../world.ts";

const KEYS = 3;
const CONNECTIONS_EACH = 8;
/** Together two calls a second for each key: within its 120 calls a minute. */
const PAUSE_MS = 4_000;
const ACTIVITIES = 1_000_000;
/** Activities that are due, and the oldest of their workspace. */
const OVERDUE = 20;

/** A workspace that asks for what is expensive in its million activities, within its limits. */
export const largeWorkspace: Subject = {
  name: "large-workspace",
  title: `${KEYS} keys of one workspace list its overdue activities, which are the oldest of a million`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    const { keys } = world.workspaces[1]!;
    await seedActivities(world, conditions.short ? ACTIVITIES / 10 : ACTIVITIES);
    await using server = await world.serve({});
    const order = {
      connections: KEYS * CONNECTIONS_EACH,
      pauseMs: PAUSE_MS,
      requests: keys.slice(0, KEYS).map((key) => ({
        method: "GET",
        path: "/api-v1-activities?is_overdue=true",
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
      case when n <= ${OVERDUE} then made.at end, d.owner_id, d.owner_id, made.at, made.at
    from (select * from crm.deals where workspace_id = ${id} limit 1) d,
      generate_series(1, ${activities}::int) n,
      lateral (select now() - interval '400 days' + n * interval '30 s' as at) made`;
  await sql`alter table crm.activities enable trigger user`;
  await sql`vacuum analyze crm.activities`;
}
