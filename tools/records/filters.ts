// Sorts a list's filters into kinds.
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

/** The equalities that a call must send; each index of the list begins with them. */
export const required = (record: CrmRecord) => equalities(record).filter(({ required }) => required);

/** The equalities that a call may leave out. */
export const optional = (record: CrmRecord) => equalities(record).filter(({ required }) => !required);

/** The filters that have a condition for each value. */
export const conditions = ({ filters }: CrmRecord) =>
  named(filters).filter((filter) => filter.condition !== undefined);

/** The filters by a column of the record's deal. */
export const byDeal = ({ filters }: CrmRecord) => named(filters).filter(({ ofDeal }) => ofDeal !== undefined);

/** The filters for rows that a list hides by default, with the conditions for the rows that it shows and hides. */
export const hiding = (record: CrmRecord) =>
  conditions(record).flatMap(({ name, hides, condition }) =>
    hides === undefined
      ? []
      : [{ name, ...hides, shown: condition![hides.without]!, hidden: condition![hides.only]! }]
  );

/** The conditions of a list without parameters. Nearly all rows satisfy them. */
export const always = (record: CrmRecord) => hiding(record).map(({ shown }) => shown);

/** The filters that bound a column, by that column. */
export function ranges({ filters }: CrmRecord): Map<string, NamedFilter[]> {
  const bounds = named({ ...filters, ...UPDATED_SINCE }).filter(({ range }) => range !== undefined);
  return Map.groupBy(bounds, ({ range }) => range!.column);
}

/** The type of a filter's value. */
export const valueType = ({ fields }: CrmRecord, { name, range }: NamedFilter): string =>
  range ? fields[range.column]?.sql ?? "timestamptz" : fields[name]?.sql ?? "text";

export const columnOf = ({ name, column = name }: NamedFilter) => column;

/** The filter's argument as an SQL value; for a filter that takes several values, the first. */
export function argument(record: CrmRecord, filter: NamedFilter): string {
  const { name, through, several } = filter;
  const value = several ? `p_args -> '${name}' ->> 0` : `p_args ->> '${name}'`;
  if (through !== undefined) return `${through}(${value})`;
  const sql = valueType(record, filter);
  return sql === "text" ? value : `(${value})::${sql}`;
}
