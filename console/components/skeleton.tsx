import { t } from "../strings/strings.ts";

/** Grey lines in the place of rows that are still read. */
export function Skeleton({ rows = 3 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">{t("app.loading")}</span>
      {Array.from({ length: rows }, (_, row) => <div key={row} class="skeleton-row" aria-hidden="true" />)}
    </div>
  );
}
