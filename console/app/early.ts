/**
 * Sets theme and language before the first paint, so that the page never appears in another theme or language first.
 * Hides the page in a frame, because a site that frames the console could trick a person into pressing its buttons.
 * Static hosting cannot forbid frames by a header.
 */
import { readPreference } from "./preferences_store.ts";

const root = document.documentElement;
const theme = readPreference("theme");
if (theme) root.dataset.theme = theme;
if (readPreference("locale") === "en") root.lang = "en";
if (top !== self) root.hidden = true;
