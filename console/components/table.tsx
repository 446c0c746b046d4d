import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { t } from "../strings/strings.ts";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Whether the cells are aligned to the right. */
  number?: boolean;
  /** Whether a phone shows the cells below the name, without the title. */
  small?: boolean;
  /** Whether the title is only for screen readers, as in a column of buttons. */
  quiet?: boolean;
}

/**
 * A table that becomes cards on a phone. With `href`, the first cell is a link, and clicking anywhere in the row
 * follows it. The ARIA roles are explicit, because browsers drop the implicit roles of cells with `display: block`.
 */
export function Table<Row>({ label, columns: data, rows, keyOf, href, muted, current, choice, actions }: {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  href?: (row: Row) => string;
  /** Whether a row is shown in grey, because its object no longer works. */
  muted?: (row: Row) => boolean;
  /** Whether a row is the one whose details are open beside the table. */
  current?: (row: Row) => boolean;
  /** A column before the first, for checkboxes that choose rows. */
  choice?: { title: string; cell: (row: Row) => ComponentChildren } | undefined;
  /** Renders the buttons in the last column; falsy if there is no such column. */
  actions?: ((row: Row) => ComponentChildren) | false;
}) {
  const columns: Column<Row>[] = actions
    ? [...data, { title: t("app.actions"), quiet: true, number: true, cell: actions }]
    : data;
  return (
    <table class="table" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {choice && (
            <th role="columnheader" scope="col" class="pick">
              <span class="unseen">{choice.title}</span>
            </th>
          )}
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
            {choice && <td role="cell" class="pick">{choice.cell(row)}</td>}
            {columns.map(({ title, number, quiet, small, cell }, index) => (
              <td
                key={title}
                role="cell"
                class={number ? "number" : undefined}
                data-title={quiet || small || index === 0 ? undefined : title}
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

/** Follows the link of a row, unless the click hit a control. */
function openRow({ target, currentTarget }: TargetedMouseEvent<HTMLTableRowElement>): void {
  if ((target as Element).closest("a, button, select, input, label, [data-exact]")) return;
  currentTarget.querySelector<HTMLAnchorElement>("a.row-link")?.click();
}
