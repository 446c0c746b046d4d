// Finds the tables with rows of workspaces in the catalogue, so that a new table needs no entry here.
import type { ISql, Sql } from "postgres";
import { StackError } from "../local/stack_error.ts";

export interface Table {
  /** The table's name with its schema, quoted for SQL. */
  name: string;
  column: string;
  /** The step in which its rows are copied. */
  step: "copy" | "drain" | "cut";
  /** The columns to copy, in order, without generated columns, which the target computes. */
  columns: string[];
}

/**
 * Tables in which the dispatcher's claims and the jobs look for work. They are copied late, because rows of a workspace
 * that has not moved yet would delay this work at the target. The queue of deliveries is long, so it is copied before
 * calls wait, when nothing is claimed any more. The other tables are copied while calls wait.
 */
const LATE: Readonly<Record<string, "drain" | "cut">> = {
  webhook_queue: "drain",
  webhook_unsettled: "cut",
  operations: "cut",
  search_backlog: "cut",
  workspaces: "cut",
};

/**
 * Finds all tables with rows of workspaces.
 * @throws StackError if a table cannot be moved.
 */
export async function findTables(sql: ISql): Promise<Table[]> {
  const rows = await sql<(Table & { relname: string; problem: string | null })[]>`
    select
      c.relname, c.oid::regclass::text as name, a.attname as column,
      (
        select array_agg(quote_ident(k.attname) order by k.attname) from pg_attribute k
        where k.attrelid = c.oid and k.attnum > 0 and not k.attisdropped and k.attgenerated = ''
      ) as columns,
      case
        when not exists (
          select from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any (i.indkey)
        ) then 'has no primary key with the workspace'
        when exists (
          select from pg_attribute k left join pg_attrdef d on d.adrelid = c.oid and d.adnum = k.attnum
          where k.attrelid = c.oid and k.attnum > 0
            and (k.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like '%nextval(%')
        ) then 'has numbers from a sequence, so two nodes may use the same number'
        when exists (
          select from pg_trigger t where t.tgrelid = c.oid and t.tgenabled in ('A', 'R')
        ) then 'has a trigger that a copy would fire'
        when c.relpersistence <> 'p' then 'is unlogged'
      end as problem
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and a.attname = case c.relname when 'workspaces' then 'id' else 'workspace_id' end
    where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname
  `;
  return rows.map(({ relname, problem, ...table }) => {
    if (problem !== null) throw new StackError(`${table.name} cannot be moved: it ${problem}`);
    return { ...table, step: LATE[relname] ?? "copy" };
  });
}

/** The condition for the rows of these workspaces, as text for publications and copies. */
export function rowsOf({ column }: Table, ids: readonly string[]): string {
  return `${column} in (${ids.map((id) => `'${id}'`).join(", ")})`;
}

/** How many rows of these workspaces each table has, in the order of the tables. */
export async function countRows(sql: ISql, tables: Table[], ids: readonly string[]): Promise<number[]> {
  const counts = tables.map((table) => `(select count(*) from ${table.name} where ${rowsOf(table, ids)})`);
  const [row] = await sql.unsafe(`select array[${counts.join(", ")}]::integer[] as counts`);
  return row!["counts"];
}

/**
 * Removes these workspaces' rows, a few thousand at a time.
 * @param sql as a role that may set session_replication_role
 */
export async function removeRows(sql: Sql, tables: Table[], ids: readonly string[]): Promise<void> {
  // First removes the rows in which jobs look for work, and last the workspace itself.
  const order = (table: Table) => table.name === "crm.workspaces" ? 2 : table.step === "copy" ? 1 : 0;
  for (const table of tables.toSorted((a, b) => order(a) - order(b))) {
    if (table.name === "crm.api_keys") {
      await inReplica(sql, (sql) =>
        sql`
          delete from crm.rate_limits r using crm.api_keys k
          where k.workspace_id = any (${ids}::uuid[]) and r.key_id = k.id
        `);
    }
    // Looks up this node's partitions, or the table itself, because the nodes may have different partitions.
    const leaves = await sql.unsafe<{ leaf: string }[]>(
      `select distinct tableoid::regclass::text as leaf from ${table.name} where ${rowsOf(table, ids)}`,
    );
    for (const { leaf } of leaves) {
      const batch = `delete from ${leaf} where ctid = any (array(
        select ctid from ${leaf} where ${rowsOf(table, ids)} limit ${BATCH}
      ))`;
      while ((await inReplica(sql, (sql) => sql.unsafe(batch))).count === BATCH);
    }
  }
}

const BATCH = 5_000;

/** Runs statements as a replica does: without triggers, so that no event is emitted and no foreign key is checked. */
export async function inReplica<Result>(sql: Sql, work: (sql: ISql) => Promise<Result>): Promise<Result> {
  return await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    return await work(sql);
  }) as Result;
}
