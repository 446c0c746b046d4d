import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { call } from "../app/api.ts";
import type { Page } from "../app/types.ts";
import { useAction } from "../app/use_action.ts";
import { t } from "../strings/strings.ts";
import { Button } from "./button.tsx";
import { FailureNote } from "./failure_note.tsx";

/**
 * The rows of a first page and of older pages that were loaded. A new first page drops the older pages.
 * @param list the path of the list, with a question mark, because a cursor is appended
 * @param none renders what is shown while there are no rows; `mayFollow`: whether older pages may have rows
 */
export function Lines<Row>({ list, first, none, children }: {
  list: string;
  first: Page<Row>;
  none: (mayFollow: boolean) => ComponentChildren;
  children: (row: Row) => ComponentChildren;
}) {
  const older = useSignal<Page<Row>[]>([]);
  const { busy, failure, run } = useAction();
  useEffect(() => {
    older.value = [];
  }, [first]);
  const cursor = (older.value.at(-1) ?? first).meta.next_cursor;
  const rows = [first, ...older.value].flatMap(({ data }) => data);
  const show = () =>
    run(async () => {
      older.value = [...older.value, await call<Page<Row>>("GET", `${list}&cursor=${cursor}`)];
    });
  return (
    <>
      {rows.length === 0 && none(cursor !== null)}
      <ul class="lines">{rows.map(children)}</ul>
      {failure.value && <FailureNote failure={failure.value} />}
      {cursor !== null && (
        <div class="actions more">
          <Button
            text={t(busy.value ? "app.loading" : "app.more")}
            onClick={show}
            disabled={busy.value}
          />
        </div>
      )}
    </>
  );
}
