import { signal } from "@preact/signals";

const SHOWN_MS = 5_000;
const message = signal("");
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message for a few seconds; screen readers read it. */
export function say(text: string): void {
  clearTimeout(timer);
  message.value = text;
  timer = setTimeout(() => message.value = "", SHOWN_MS);
}

/** Shows the message of `say`. The page contains this component once. */
export function Toasts() {
  return <div class="toast" role="status">{message.value && <p>{message.value}</p>}</div>;
}
