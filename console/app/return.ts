/** The page that a person wanted to open before they had to sign in. */
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

/** The address that was kept, or the list of keys. It never leads out of the console. */
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

/** Forgets the address, once the person has arrived or signed out. */
export function forgetPlace(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // Without storage nothing was kept.
  }
}
