import type { JSX } from "preact";

/**
 * A button that submits no form. `of` tells screen readers what the button acts on, for pages with several buttons of the
 * same text.
 */
export function Button({ text, of, ...button }: {
  text: string;
  of?: string;
} & JSX.IntrinsicElements["button"]) {
  return <button type="button" class="button" aria-label={of && `${text}: ${of}`} {...button}>{text}</button>;
}
