import type { ComponentChildren } from "preact";
import type { Resource } from "../app/resource.ts";
import { settled } from "../app/workspace.ts";
import { t } from "../strings/strings.ts";
import { FailureNote } from "./failure_note.tsx";

/**
 * Shows the data of a resource, or a skeleton while it is being read. A failure is shown above the data that was read
 * before.
 */
export function Loaded<T>({ resource, rows = 3, children }: {
  resource: Resource<T>;
  rows?: number;
  children: (data: T) => ComponentChildren;
}) {
  const { data, failure, waiting, reload } = resource;
  return (
    <>
      {failure.value && <FailureNote failure={failure.value} onRetry={reload} />}
      {data.value !== undefined && settled.value
        ? children(data.value)
        : waiting.value && <Skeleton rows={rows} />}
    </>
  );
}

/** Grey lines in place of rows that are not yet read. */
export function Skeleton({ rows = 3 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">{t("app.loading")}</span>
      {Array.from({ length: rows }, (_, row) => <div key={row} class="skeleton-row" aria-hidden="true" />)}
    </div>
  );
}

/** In place of an empty list: a sentence that explains it, and the action that fills it. */
export function Empty({ text, children }: { text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{text}</p>
      {children}
    </div>
  );
}
