// Sizes of screens, in a file of their own, because importing browser.ts needs a stack.

export const DESK = { width: 1280, height: 900 };
/** The smallest screen that the console supports. */
export const PHONE = { width: 360, height: 740 };
/** A common phone, for the site and the reference. On shorter screens some lists of Scalar scroll but take no focus. */
export const READERS_PHONE = { width: 390, height: 844 };
/** A page on such a phone. */
export const ON_PHONE = { viewport: READERS_PHONE, touch: true };
