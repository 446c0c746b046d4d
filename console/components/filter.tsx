import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { plain } from "../format/plain.ts";
import { t } from "../strings/strings.ts";

/** Lists with fewer rows get no filter. */
const FROM_ROWS = 15;

/** Shows a filter field above a long list. The filter ignores accents and case. */
export function Filtered<Row>({ rows, textOf, children }: {
  rows: Row[];
  textOf: (row: Row) => string;
  children: (rows: Row[]) => ComponentChildren;
}) {
  const typed = useSignal("");
  if (rows.length < FROM_ROWS) return <>{children(rows)}</>;
  const wanted = plain(typed.value.trim());
  const found = wanted === "" ? rows : rows.filter((row) => plain(textOf(row)).includes(wanted));
  return (
    <>
      <input
        class="input filter"
        type="search"
        aria-label={t("app.filter")}
        placeholder={t("app.filter")}
        value={typed.value}
        onInput={({ currentTarget }) => typed.value = currentTarget.value}
      />
      {found.length === 0
        ? <p class="quiet" role="status">{t("app.filter_none", { text: typed.value })}</p>
        : children(found)}
    </>
  );
}
