/** The current time, from which relative times are computed; it ticks only while the page is visible. */
import { signal } from "@preact/signals";

const EVERY_MS = 15_000;

export const now = signal(Date.now());

const tick = () => {
  if (!document.hidden) now.value = Date.now();
};
setInterval(tick, EVERY_MS);
document.addEventListener("visibilitychange", tick);
