import type { JSX } from "preact";

/**
 * A button that submits no form. For pages with several buttons of the same text, `of` tells screen readers what each
 * acts on.
 */
export function Button({ text, of, ...button }: {
  text: string;
  of?: string;
} & JSX.IntrinsicElements["button"]) {
  return <button type="button" class="button" aria-label={of && `${text}: ${of}`} {...button}>{text}</button>;
}
