import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../strings/strings.ts";
import { Button } from "./button.tsx";
import { say } from "./toast.tsx";

const SAID_MS = 2_000;

/**
 * A button that copies a text. If the browser forbids copying, the button selects the element that `select` returns and
 * says how to copy by hand.
 */
export function CopyButton({ text, label, quiet, onCopied, select }: {
  text: string;
  /** Names the text for screen readers, if a page has several such buttons. */
  label?: string;
  quiet?: boolean;
  onCopied?: () => void;
  select?: () => Element | null;
}) {
  const copied = useSignal(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const element = select?.();
      if (element) getSelection()?.selectAllChildren(element);
      say(t("app.copy_by_hand"));
      // Counts as copied: the person was told how to copy by hand, so leaving the page needs no confirmation.
      onCopied?.();
      return;
    }
    copied.value = true;
    say(t("app.copied"));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => copied.value = false, SAID_MS);
    onCopied?.();
  };
  return (
    <Button
      class={quiet ? "link" : "button primary"}
      text={copied.value ? t("app.copied") : t("app.copy")}
      aria-label={label && `${t("app.copy")}: ${label}`}
      onClick={copy}
    />
  );
}
