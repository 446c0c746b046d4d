const GAP = "  ";

export type Cell = string | number | boolean | string[] | null;

/**
 * Formats rows as a table, with each column as wide as its widest cell.
 * @param columns The fields to show, in order.
 * @param nothing The text to return if there are no rows.
 */
export function formatTable<Column extends string>(
  rows: Record<Column, Cell>[],
  columns: readonly Column[],
  nothing: string,
): string {
  if (rows.length === 0) return nothing;
  const lines = [
    columns.map((column) => column.replaceAll("_", " ").toUpperCase()),
    ...rows.map((row) => columns.map((column) => formatCell(row[column]))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => width(line[index] ?? ""))));
  return lines.map((line) =>
    line.map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - width(cell))).join(GAP).trimEnd()
  ).join("\n");
}

function formatCell(cell: Cell): string {
  if (cell === null) return "-";
  if (Array.isArray(cell)) return cell.join(",");
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return String(cell);
}

function width(text: string): number {
  return [...text].length;
}
