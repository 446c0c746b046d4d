/**
 * Runs before the first paint, so that no other theme or language flashes up. A page in a frame of another site stays
 * empty, because that site could trick a person into pressing its buttons, and static hosting cannot send a header that
 * forbids frames.
 */
import { readPreference } from "./preferences_store.ts";

const root = document.documentElement;
const theme = readPreference("theme");
if (theme) root.dataset.theme = theme;
if (readPreference("locale") === "en") root.lang = "en";
if (top !== self) root.hidden = true;
