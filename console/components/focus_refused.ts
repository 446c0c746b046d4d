/** Moves the focus to the first refused field, once its error is rendered. */
export function focusRefused(form: EventTarget | null): void {
  requestAnimationFrame(() => {
    if (form instanceof Element) form.querySelector<HTMLElement>("[aria-invalid], .field-error")?.focus();
  });
}
