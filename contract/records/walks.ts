// The ways to walk the rows of a list, newest first, each in the order of an index.
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import { columnOf, hiding, type NamedFilter, optional, required } from "./filters.ts";
import { indent } from "./sql_text.ts";

/** What stands in the SQL of a walk: the value of each equality, and the bounds of the ids. */
interface WalkTerms {
  value(filter: NamedFilter): string;
  before: string;
  from: string;
}

/**
 * The conditions and the order of a walk, newest first, by the index of these equalities. The last is compared as one row
 * with the id, and the order has both, so that no other index serves them: where the planner expects a row or none, as in a
 * database of many small workspaces, it would take the primary key as well, and read a large workspace to its end.
 */
export function walk(filters: NamedFilter[], { value, before, from }: WalkTerms) {
  const equals = (filter: NamedFilter) => `t.${columnOf(filter)} = ${value(filter)}`;
  const workspace = "t.workspace_id = crm.current_workspace_id()";
  const by = filters.at(-1);
  if (by === undefined) {
    return { conditions: [workspace, `t.id < ${before}`, `t.id >= ${from}`], order: "t.id desc" };
  }
  const column = `t.${columnOf(by)}`;
  const beginning = `(${column}, t.id) < (${value(by)}, ${before})`;
  // One row at most has a unique value, so its index needs no order by the id.
  if (by.unique) {
    const end = `(${column}, t.id) >= (${value(by)}, ${from})`;
    return { conditions: [workspace, ...filters.map(equals), beginning, end], order: `${column} desc` };
  }
  return {
    conditions: [
      workspace,
      ...filters.slice(0, -1).map(equals),
      beginning,
      `${column} >= ${value(by)}`,
      // Bounds of the id alone end a walk at `since`: by a comparison of rows Postgres would read on, to the oldest row with
      // the value. They do so behind an equality. Of an array, because the order would forget a column that is equal to a
      // value; Postgres before 17 leaves that to a filter, and ends as by a comparison of rows.
      `${column} = any (array[${value(by)}])`,
      `t.id < ${before}`,
      `t.id >= ${from}`,
      // The planner does not see that these leave out what is null.
      ...(by.sparse ? [`${column} is not null`] : []),
    ],
    order: `${column} desc, t.id desc`,
  };
}

/** How far a walk goes, as SQL, and what it reads. */
interface Steps {
  /** The columns that are read, besides the id. */
  columns: readonly string[];
  before: string;
  from: string;
  /** Added to the conditions; it must not depend on the row. */
  only?: string;
  /** The most rows. */
  limit: string;
  /** The rows that are skipped, the newest. */
  offset?: string;
}

/** One way to walk: by an equality, by a condition that few rows satisfy, or by all rows. */
export interface Way {
  /** Name of the filter, or `all`. */
  name: string;
  /** The condition under which the filter was sent; null: the way is always open. */
  sent: string | null;
  /** The statement that reads the rows. */
  rows(steps: Steps): string;
}

/** Every way, that of all rows first. The values are the variables of `declarations`. */
export function ways(record: CrmRecord): Way[] {
  return [
    { name: "all", sent: null, rows: (steps) => plain(record, [], steps) },
    ...hiding(record).map(({ name, only, hidden }): Way => ({
      name,
      sent: `v_${name} = '${only}'`,
      rows: (steps) => plain(record, [], steps, { condition: hidden }),
    })),
    ...optional(record).map((filter): Way => ({
      name: filter.name,
      sent: `v_${filter.name} is not null`,
      rows: (steps) => filter.several ? merged(record, filter, steps) : plain(record, [filter], steps),
    })),
  ];
}

const selected = ({ columns }: Steps) => ["id", ...columns].map((column) => `t.${column}`).join(", ");

const variable = ({ name }: NamedFilter) => `v_${name}`;

function plain(
  record: CrmRecord,
  filters: NamedFilter[],
  steps: Steps,
  { condition, value = variable }: { condition?: string; value?: WalkTerms["value"] } = {},
): string {
  const { before, from, only, limit, offset } = steps;
  const { conditions, order } = walk([...required(record), ...filters], { value, before, from });
  const where = [...(only ? [only] : []), ...conditions, ...(condition ? [condition] : [])];
  return `select ${selected(steps)} from crm.${record.about.table} t
where ${where.join("\n  and ")}
order by ${order}
${offset ? `offset ${offset} ` : ""}limit ${limit}`;
}

/** The rows of several values: as many of each as are wanted of all, because all may be of one value. */
function merged(record: CrmRecord, filter: NamedFilter, steps: Steps): string {
  const { columns, before, from, only, limit, offset } = steps;
  const each = { columns, before, from, limit: offset ? `${offset} + ${limit}` : limit };
  const value = (named: NamedFilter) => named.name === filter.name ? "s.value" : variable(named);
  return `select t.* from unnest(v_${filter.name}) s (value)
cross join lateral (
${indent(plain(record, [filter], each, { value }), 2)}
) t
${only ? `where ${only}\n` : ""}order by t.id desc
${offset ? `offset ${offset} ` : ""}limit ${limit}`;
}
