import type { Page } from "../../app/types.ts";

/**
 * What stands below a first page that was read anew: the rest of the first page as it was before, which newer rows have
 * pushed down, and the older rows below that. Ids and cursors fall from row to row.
 */
export function withOlder<Row extends { id: string }>(
  fresh: Page<Row>,
  before: Page<Row>,
  older: Page<Row>,
): Page<Row> | null {
  const { next_cursor } = fresh.meta;
  if (next_cursor === null) return null;
  return { ...older, data: [...before.data, ...older.data].filter(({ id }) => id < next_cursor) };
}
