// How the rows of a list are read, newest first, in the order of an index.
import { columnOf, type NamedFilter } from "./filters.ts";

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
