/**
 * Runs before the first paint, so that the chosen theme and language do not follow a flash of the others. A page in a
 * frame of another site stays empty: somebody could be led to press what they do not see. Static hosting sends no header
 * that forbids frames.
 */
import { readPreference } from "./preferences_store.ts";

const root = document.documentElement;
const theme = readPreference("theme");
if (theme) root.dataset.theme = theme;
if (readPreference("locale") === "en") root.lang = "en";
if (top !== self) root.hidden = true;
