import { Field } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";

export function NameField({ value, error, onChange }: {
  value: string;
  error?: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <Field
      label={t("webhook_new.name")}
      name="name"
      error={error}
      autocomplete="off"
      maxLength={80}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
