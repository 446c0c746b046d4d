import type { JSX } from "preact";

/** A button that sends no form. `of` names for screen readers what it acts on, if a page has several such buttons. */
export function Button({ text, of, ...button }: {
  text: string;
  of?: string;
} & JSX.IntrinsicElements["button"]) {
  return <button type="button" class="button" aria-label={of && `${text}: ${of}`} {...button}>{text}</button>;
}
