// What must be true of two nodes before a workspace moves from one to the other.
import postgres, { type Sql } from "postgres";
import { StackError } from "../local/stack_error.ts";
import type { Move } from "./moving.ts";
import { countRows, inReplica } from "./tables.ts";

/** The first version of Postgres whose logical replication filters rows. */
const OLDEST_VERSION = 150000;

/** @throws StackError for the first condition that is not met. */
export async function checkMove({ slot, ids, source, target, tables, proxies }: Move): Promise<void> {
  if (ids.length === 0) {
    throw new StackError(
      `Node ${source.number} does not have the workspace, but the proxy looks for it there`,
    );
  }
  for (const { number, sql } of [source, target]) {
    const [able] = await sql`
      select
        current_setting('server_version_num')::integer >= ${OLDEST_VERSION} as is_new,
        current_setting('wal_level') = 'logical' as is_logical,
        (select r.rolsuper or exists (
          select from pg_roles p where p.rolname = 'pg_create_subscription' and pg_has_role(p.oid, 'member')
        ) from pg_roles r where r.rolname = current_user) as may_subscribe
    `;
    if (!able!["is_new"]) {
      throw new StackError(`Node ${number} has an old Postgres: a move needs Postgres 15 or newer`);
    }
    if (!able!["is_logical"]) {
      throw new StackError(
        `Node ${number} needs the setting wal_level = logical: set it, and restart its Postgres`,
      );
    }
    if (!able!["may_subscribe"] || !await mayCopy(sql)) {
      throw new StackError(
        `The role in the address of node ${number} must be able to create subscriptions and to set ` +
          "session_replication_role, as a superuser can",
      );
    }
  }
  const [here, there] = await Promise.all([source, target].map(({ sql }) => describeNode(sql)));
  if (here!.columns !== there!.columns) {
    throw new StackError("The nodes have different tables: deploy the same release to both nodes");
  }
  if (here!.secret !== there!.secret) {
    throw new StackError(
      "The nodes sign the feed's cursors with different secrets, so the readers' cursors would become invalid",
    );
  }
  if ((await countRows(target.sql, tables, ids)).some((count) => count > 0)) {
    throw new StackError(`Node ${target.number} already has rows of the workspace`);
  }
  for (const proxy of proxies) {
    const [row] = await proxy`select node from nodes.slots where slot = ${slot}`;
    if (row?.["node"] !== source.number) {
      throw new StackError(
        `The proxy at ${
          proxy.options.host[0]
        } does not send the workspace's calls to node ${source.number}: remove that ` +
          "proxy with `deno task crm proxy remove`, and add it again",
      );
    }
  }
}

/** Whether the role may disable triggers for a copy. Tries to do so: on Supabase no catalogue shows this right. */
async function mayCopy(sql: Sql): Promise<boolean> {
  try {
    await inReplica(sql, () => Promise.resolve());
    return true;
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === "42501") return false;
    throw error;
  }
}

/** What both nodes must have in common. */
export async function describeNode(sql: Sql): Promise<{ columns: string; secret: string }> {
  const [row] = await sql<[{ columns: string; secret: string }]>`
    select
      (
        select md5(string_agg(concat_ws(' ', c.relname, a.attname, a.atttypid::regtype, a.attgenerated), ','
          order by c.relname, a.attname))
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      ) as columns,
      (select encode(cursor_secret, 'hex') from crm.feed_offset) as secret
  `;
  return row;
}
