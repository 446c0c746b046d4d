import type { Signal } from "@preact/signals";
import { t } from "../strings/strings.ts";
import { Field } from "./field.tsx";

/** The field for the code that the person's phone shows. */
export function CodeField({ code, ...input }: {
  code: Signal<string>;
  error: string | undefined;
  autoFocus?: boolean;
}) {
  return (
    <Field
      label={t("code.field")}
      hint={t("code.hint")}
      {...input}
      inputMode="numeric"
      autocomplete="one-time-code"
      maxLength={7}
      required
      value={code.value}
      onInput={({ currentTarget }) => code.value = currentTarget.value}
    />
  );
}
