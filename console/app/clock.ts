/** The current time for relative times, all of them at once and only while the page is seen. */
import { signal } from "@preact/signals";

const EVERY_MS = 15_000;

export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, EVERY_MS);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) now.value = Date.now();
});
