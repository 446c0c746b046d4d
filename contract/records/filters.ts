// The filters of a list by their kind, as the SQL of lists needs them.
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import { type Filter, isEquality } from "../../supabase/functions/_shared/contract/record_fields.ts";

/** A filter with the name of its query parameter. */
export type NamedFilter = Filter & { name: string };

/** The range filter that every list has, besides `since`, which is a range of ids. */
const UPDATED_SINCE: Readonly<Record<string, Pick<Filter, "range">>> = {
  updated_since: { range: { column: "updated_at", operator: ">=" } },
};

const named = (filters: Readonly<Record<string, Partial<Filter>>>) =>
  Object.entries(filters).map(([name, filter]) => ({ ...filter, name }) as NamedFilter);

/** The filters that compare a column with the value, each served by an index of its own. */
export const equalities = ({ filters }: CrmRecord) => named(filters).filter(isEquality);

/** The equalities without which the list is an error; they lead each index of the list. */
export const required = (record: CrmRecord) => equalities(record).filter(({ required }) => required);

/** The equalities that a call may leave out. */
export const optional = (record: CrmRecord) => equalities(record).filter(({ required }) => !required);

/** The filters with a condition for each value. */
export const conditions = ({ filters }: CrmRecord) =>
  named(filters).filter((filter) => filter.condition !== undefined);

/** The filters that bound a column, by the name of that column. */
export function ranges({ filters }: CrmRecord): Map<string, NamedFilter[]> {
  const bounds = named({ ...filters, ...UPDATED_SINCE }).filter(({ range }) => range !== undefined);
  return Map.groupBy(bounds, ({ range }) => range!.column);
}

export const columnOf = ({ name, column = name }: NamedFilter) => column;

/** The argument of the filter as a value of SQL. */
export function argument({ fields }: CrmRecord, { name, through, range }: NamedFilter): string {
  const value = `p_args ->> '${name}'`;
  if (through !== undefined) return `${through}(${value})`;
  const sql = range ? "timestamptz" : fields[name]?.sql ?? "text";
  return sql === "text" ? value : `(${value})::${sql}`;
}

/** The type of the column that the filter compares. */
export const typeOf = ({ fields }: CrmRecord, { name, range }: NamedFilter) =>
  range ? "timestamptz" : fields[name]?.sql ?? "text";

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
  const equal = filters.slice(0, -1).map((filter) => `t.${columnOf(filter)} = ${value(filter)}`);
  const last = filters.slice(-1);
  const columns = [...last.map((filter) => `t.${columnOf(filter)}`), "t.id"];
  const row = (terms: string[]) => terms.length === 1 ? terms[0] : `(${terms.join(", ")})`;
  const compare = (operator: string, id: string) =>
    `${row(columns)} ${operator} ${row([...last.map(value), id])}`;
  return {
    conditions: [
      "t.workspace_id = crm.current_workspace_id()",
      ...equal,
      compare("<", before),
      compare(">=", from),
    ],
    order: columns.map((column) => `${column} desc`).join(", "),
  };
}
