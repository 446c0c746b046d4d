import { CopyButton } from "../../components/mod.ts";
import { numberText } from "../../format/shown.ts";
import { t } from "../../strings/strings.ts";
import { SIGN_COMMAND } from "./snippet.ts";

/** Explains how the signature of a delivery is computed (spec 6.4), so that an integrator can check their code. */
export function Signature({ body, timestamp }: { body: string; timestamp: string }) {
  const bytes = numberText(new TextEncoder().encode(body).length);
  return (
    <details>
      <summary>{t("delivery.signature")}</summary>
      <div class="stack">
        <p>{t("delivery.signature_parts")}</p>
        <ol class="parts">
          <li>
            <code>{timestamp}</code> {t("delivery.signature_timestamp")}
          </li>
          <li>
            <code>.</code> {t("delivery.signature_dot")}
          </li>
          <li>
            <code>{body.slice(0, 12)}…</code> {t("delivery.signature_body", { bytes })}
          </li>
        </ol>
        <p>{t("delivery.signature_compare")}</p>
        <pre class="snippet" tabIndex={0}>{SIGN_COMMAND}</pre>
        <CopyButton text={SIGN_COMMAND} label={t("delivery.signature_command")} quiet />
      </div>
    </details>
  );
}
