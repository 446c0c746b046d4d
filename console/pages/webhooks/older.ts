import type { Page } from "../../app/types.ts";

/**
 * The rows below a first page that was read again: those of the old first page that newer rows pushed down, and the older
 * rows. Rows are in descending order of their ids, and a cursor is an id.
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
