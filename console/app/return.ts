/** The page that a person wanted before they had to sign in. */
import { href } from "./settings.ts";

const NAME = "crm.return";

/** Keeps the address of a page until the person has signed in. */
export function keepPlace(url: string): void {
  try {
    sessionStorage.setItem(NAME, url);
  } catch {
    // They arrive at the first page instead.
  }
}

/** That page, or the list of keys; below the console in any case. */
export function placeToReturn(): string {
  try {
    const kept = sessionStorage.getItem(NAME);
    if (kept?.startsWith(href("")) && !kept.startsWith("//") && !kept.startsWith(href("entrar/"))) {
      return kept;
    }
  } catch {
    // As without one.
  }
  return href("chaves/");
}

/** Forgets it, once the person has arrived or signed out. */
export function forgetPlace(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // There is none.
  }
}
