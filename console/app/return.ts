/** Remembers the page that a person wanted to open when they had to sign in. */
import { href } from "./settings.ts";

const NAME = "crm.return";

/** Keeps the address of a page until the person has signed in. */
export function keepPlace(url: string): void {
  try {
    sessionStorage.setItem(NAME, url);
  } catch {
    // Without storage the person arrives at the list of keys.
  }
}

/** The address to open after signing in: the kept address if it is inside the console, else the list of keys. */
export function placeToReturn(): string {
  try {
    const kept = sessionStorage.getItem(NAME);
    if (kept?.startsWith(href("")) && !kept.startsWith("//") && !kept.startsWith(href("entrar/"))) {
      return kept;
    }
  } catch {
    // Without storage nothing was kept.
  }
  return href("chaves/");
}

/** Forgets the kept address, once the person has arrived there or signed out. */
export function forgetPlace(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // Without storage nothing was kept.
  }
}
