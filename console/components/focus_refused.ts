/** Moves the focus to the first field that was refused, once the reason stands beside it. */
export function focusRefused(form: EventTarget | null): void {
  requestAnimationFrame(() => {
    if (form instanceof Element) form.querySelector<HTMLElement>("[aria-invalid], .field-error")?.focus();
  });
}
