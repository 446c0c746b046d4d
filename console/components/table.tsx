import type { ComponentChildren, TargetedMouseEvent } from "preact";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Figures stand at the right. */
  number?: boolean;
  /** The title is said to screen readers only, as over buttons. */
  quiet?: boolean;
}

/**
 * A table that becomes cards on a phone. With `href`, the first cell links to the row, and the whole row can be clicked.
 * The roles are said again, because browsers drop them where cells are laid out as blocks.
 */
export function Table<Row>({ label, columns, rows, keyOf, href, muted, current }: {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  href?: (row: Row) => string;
  /** Rows that no longer work. */
  muted?: (row: Row) => boolean;
  /** The row whose content is open beside the table. */
  current?: (row: Row) => boolean;
}) {
  return (
    <table class="table" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, number, quiet }) => (
            <th key={title} role="columnheader" scope="col" class={number ? "number" : undefined}>
              <span class={quiet ? "unseen" : undefined}>{title}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            role="row"
            class={muted?.(row) ? "muted" : undefined}
            onClick={href && openRow}
          >
            {columns.map(({ title, number, quiet, cell }, index) => (
              <td
                key={title}
                role="cell"
                class={number ? "number" : undefined}
                data-title={quiet || index === 0 ? undefined : title}
              >
                {index === 0 && href
                  ? (
                    <a class="row-link" href={href(row)} aria-current={current?.(row) ? "true" : undefined}>
                      {cell(row)}
                    </a>
                  )
                  : cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Follows the link of a row where something above that link was pressed which does nothing itself. */
function openRow({ target, currentTarget }: TargetedMouseEvent<HTMLTableRowElement>): void {
  if ((target as Element).closest("a, button, select, input, label, [data-exact]")) return;
  currentTarget.querySelector<HTMLAnchorElement>("a.row-link")?.click();
}
