// The screens that pages are looked at on, without the stack that browser.ts needs.

export const DESK = { width: 1280, height: 900 };
/** The smallest screen that the console is for. */
export const PHONE = { width: 360, height: 740 };
/**
 * A common phone, for the site and the reference, which are read. On a lower one, lists of the reference that are Scalar's
 * own scroll without the focus.
 */
export const READERS_PHONE = { width: 390, height: 844 };
