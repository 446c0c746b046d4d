/**
 * Runs before the first paint, so that the page never appears in another theme or language first. In a frame the page
 * stays empty: a site that frames the console could trick a person into pressing its buttons, and static hosting cannot
 * send a header that forbids frames.
 */
import { readPreference } from "./preferences_store.ts";

const root = document.documentElement;
const theme = readPreference("theme");
if (theme) root.dataset.theme = theme;
if (readPreference("locale") === "en") root.lang = "en";
if (top !== self) root.hidden = true;
