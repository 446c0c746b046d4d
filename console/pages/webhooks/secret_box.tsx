import { useEffect, useRef } from "preact/hooks";
import { guard, mayLeave } from "../../app/leaving.ts";
import { CopyButton } from "../../components/copy.tsx";
import { t } from "../../strings/strings.ts";
import { VERIFY_SNIPPET } from "./snippet.ts";

/** A secret that is shown this once, with what to do with it; leaving without having copied it asks once. */
export function SecretBox({ secret, onDone }: { secret: string; onDone: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const value = useRef<HTMLElement>(null);
  useEffect(() => {
    heading.current?.focus();
    guard.value = () => ({
      title: t("secret.leave_title"),
      text: <p>{t("secret.leave_text")}</p>,
      yes: t("secret.leave_yes"),
      no: t("secret.leave_no"),
      dangerous: true,
    });
    return () => void (guard.value = null);
  }, [secret]);
  return (
    <section class="once stack">
      <h2 ref={heading} tabIndex={-1}>{t("secret.title")}</h2>
      <p>{t("secret.text")}</p>
      <div class="once-value">
        <code ref={value}>{secret}</code>
        <CopyButton
          text={secret}
          label={t("secret.label")}
          select={() => value.current}
          onCopied={() => void (guard.value = null)}
        />
      </div>
      <details>
        <summary>{t("secret.snippet")}</summary>
        <p class="hint">{t("secret.snippet_text")}</p>
        <pre class="snippet" tabIndex={0}>{VERIFY_SNIPPET}</pre>
        <CopyButton text={VERIFY_SNIPPET} label={t("secret.snippet_label")} quiet />
      </details>
      <div class="actions">
        <button type="button" class="button" onClick={async () => await mayLeave() && onDone()}>
          {t("secret.done")}
        </button>
      </div>
    </section>
  );
}
