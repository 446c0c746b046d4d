/**
 * Runs before the first paint, so that the page does not appear first in another theme or language. In a frame the page
 * stays empty, because a site that frames it could trick a person into pressing the page's buttons. Static hosting
 * cannot send a header that forbids frames.
 */
import { readPreference } from "./preferences_store.ts";

const root = document.documentElement;
const theme = readPreference("theme");
if (theme) root.dataset.theme = theme;
if (readPreference("locale") === "en") root.lang = "en";
if (top !== self) root.hidden = true;
