import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { say } from "../components/toast.tsx";
import { t } from "../strings/strings.ts";
import type { Place } from "./palette.tsx";

type Opened = ComponentType<{ places: readonly Place[]; onClose: () => void }>;

/** The shortcut that opens the search, as written on the person's keyboard. */
const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ K" : "Ctrl K";

/** The search's button in the bar. The search itself loads when it is first opened. */
export function PaletteButton({ places }: { places: readonly Place[] }) {
  const Palette = useSignal<Opened | null>(null);
  const isOpen = useSignal(false);
  const { url } = useLocation();
  const open = async () => {
    isOpen.value = true;
    try {
      const { Palette: loaded } = await import("./palette.tsx");
      Palette.value = loaded;
    } catch {
      isOpen.value = false;
      say(`${t("failure.away")} ${t("failure.away_read")}`);
    }
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey
      ) return;
      // Keeps the browser from focusing its own search field.
      event.preventDefault();
      // Do not open above another dialog, which waits for an answer.
      if (isOpen.peek()) isOpen.value = false;
      else if (!document.querySelector("dialog[open]")) void open();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  useEffect(() => {
    isOpen.value = false;
  }, [url]);
  const Loaded = Palette.value;
  return (
    <>
      <button
        type="button"
        class="bar-button bar-search"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={open}
      >
        <svg class="lens" viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="7" cy="7" r="4.5" />
          <path d="M10.5 10.5L14 14" />
        </svg>
        <span class="bar-search-text">{t("palette.open")}</span>
        <kbd aria-hidden="true">{SHORTCUT}</kbd>
      </button>
      {isOpen.value && Loaded && <Loaded places={places} onClose={() => isOpen.value = false} />}
    </>
  );
}
