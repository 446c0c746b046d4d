import type { Page } from "../../app/types.ts";

/**
 * Returns the rows that follow a first page that was read again: the rows that newer rows pushed out of it, then the
 * older rows; null if none follow. Rows are in descending order of their ids, and a cursor is an id.
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
