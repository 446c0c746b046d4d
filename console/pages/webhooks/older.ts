import type { Page } from "../../app/types.ts";

/**
 * The rows below a first page that was read again: the rows that newer ones have pushed out of the first page, then the
 * older rows. Null if nothing follows. Rows are in descending order of their ids, and a cursor is an id.
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
