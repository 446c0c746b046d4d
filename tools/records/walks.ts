// Conditions and an order by which a list's rows are read newest first from an index, without sorting.
import { columnOf, type NamedFilter } from "./filters.ts";

/** SQL terms: the value of each equality, and the bounds of the ids. */
interface WalkTerms {
  value(filter: NamedFilter): string;
  before: string;
  from: string;
}

/**
 * The conditions and the order that read rows newest first from the index of these equalities. The column of the last
 * equality is compared together with the id, as a row value. Both columns are also in the order, so that only this
 * index avoids a sort. Otherwise the planner may choose the primary key in a database with many small workspaces,
 * because it expects hardly any rows there, and would read a large workspace to its end.
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
  // At most one row has a unique value, so its index needs no order by id.
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
      // The bounds on the id stop the scan at `since`. Row comparisons alone would read on to the oldest row with the
      // value. The bounds need an equality before them. With `=` the planner drops the column from ORDER BY and may
      // choose another index, so the equality is `= any`. Before Postgres 17, `= any` is a filter that stops no scan.
      `${column} = any (array[${value(by)}])`,
      `t.id < ${before}`,
      `t.id >= ${from}`,
      // The planner does not infer this from the conditions above.
      ...(by.sparse ? [`${column} is not null`] : []),
    ],
    order: `${column} desc, t.id desc`,
  };
}
