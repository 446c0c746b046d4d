/** Remembers the page that a person wanted to open when they had to sign in. */
import { href } from "./settings.ts";
import { keepInTab, readInTab } from "./tab_store.ts";

const NAME = "return";

/** Keeps the address of a page until the person has signed in; undefined forgets it. */
export function keepPlace(url: string | undefined): void {
  keepInTab(NAME, url);
}

/** The address to open after signing in: the kept address, if it is in the console; else the list of keys. */
export function placeToReturn(): string {
  const kept = readInTab<string>(NAME);
  return kept?.startsWith(href("")) && !kept.startsWith("//") && !kept.startsWith(href("entrar/"))
    ? kept
    : href("chaves/");
}
