import { useSignal } from "@preact/signals";
import type { Failure } from "../app/failure.ts";
import { t, textNamed } from "../strings/strings.ts";
import { locale } from "../strings/locale.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";

/** Returns what happened, whether anything was saved, and what to do. */
export function failureText(failure: Failure): { what: string; next: string } {
  const { kind, writing } = failure;
  switch (kind) {
    case "away":
      return { what: t("failure.away"), next: t(writing ? "failure.away_write" : "failure.away_read") };
    case "limited":
      return {
        what: t("failure.limited"),
        next: t("failure.limited_when", { seconds: failure.retryAfter || 60 }),
      };
    case "server":
      return { what: t("failure.server"), next: t(writing ? "failure.server_write" : "failure.server_read") };
    case "session":
      return { what: t("failure.session"), next: "" };
    case "refused":
      return { what: refusalText(failure), next: "" };
  }
}

function refusalText({ code, text, writing }: Failure): string {
  const own = textNamed(`failure.code.${code}`);
  if (own !== null) return own;
  if (code === "insufficient_role") return t("failure.role");
  if (code === "not_found") return t("failure.not_found");
  if (code === "validation_error" || textNamed(`failure.field.${code}`)) return t("failure.fields");
  // The functions' messages are in Portuguese, so in English the code is shown instead.
  const said = locale.value === "pt" && text !== "" ? `${text}.` : `${code}.`;
  return writing ? `${said} ${t("failure.nothing_kept")}` : said;
}

/** Shows a failure. With `onRetry` it also shows a button to try again, unless the call was refused. */
export function FailureNote({ failure, onRetry }: { failure: Failure; onRetry?: () => unknown }) {
  const busy = useSignal(false);
  const retry = async () => {
    busy.value = true;
    await onRetry?.();
    busy.value = false;
  };
  const { what, next } = failureText(failure);
  return (
    <div class="note failed" role="alert">
      <p>
        <strong>{what}</strong> {next}
      </p>
      {onRetry && failure.kind !== "refused" && (
        <Button text={t(busy.value ? "app.retrying" : "app.retry")} onClick={retry} disabled={busy.value} />
      )}
      {failure.requestId && failure.kind !== "session" && (
        <p class="small">
          {t("failure.request")}: <code>{failure.requestId}</code>{" "}
          <CopyButton text={failure.requestId} quiet />
        </p>
      )}
    </div>
  );
}
