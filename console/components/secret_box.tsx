import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { guard, useGuard } from "../app/leaving.ts";
import { t } from "../strings/strings.ts";
import { CopyButton } from "./copy.tsx";

/** Asks for confirmation if the person leaves before copying the secret. @param secret true until it has arrived */
export function useSecretGuard(secret: string | boolean): void {
  useGuard(secret, () => ({
    title: t("secret.leave"),
    text: <p>{t("secret.leave_text")}</p>,
    yes: t("secret.leave_yes"),
    no: t("secret.leave_no"),
    dangerous: true,
  }));
}

/**
 * Shows a secret once, with a button to copy it and an example. Asks for confirmation if the person leaves before
 * copying it.
 */
export function SecretBox({ title, value, children, snippet }: {
  title: string;
  value: string;
  /** Says what to do with the secret, and that it is not shown again. */
  children: ComponentChildren;
  /** Code that uses the secret, ready to run. */
  snippet?: { title: string; text: string } | undefined;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef<HTMLElement>(null);
  const id = useId();
  useEffect(() => {
    heading.current?.focus();
  }, [value]);
  useSecretGuard(value);
  const copied = () => guard.value = null;
  return (
    <section class="secret" aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={-1}>{title}</h2>
      <p>{children}</p>
      <p class="snippet" onCopy={copied}>
        <code ref={shown}>{value}</code>
      </p>
      <div class="actions">
        <CopyButton text={value} label={title} onCopied={copied} select={() => shown.current} />
      </div>
      {snippet && (
        <details open>
          <summary>{snippet.title}</summary>
          <div class="stack">
            <pre class="snippet" tabIndex={0} onCopy={copied}><code>{snippet.text}</code></pre>
            <div class="actions">
              <CopyButton text={snippet.text} label={snippet.title} quiet onCopied={copied} />
            </div>
          </div>
        </details>
      )}
    </section>
  );
}
