import { Field, Select } from "../../components/field.tsx";
import { t } from "../../strings/strings.ts";
import { type Expiry, tomorrow } from "./expiry.ts";

/** The fields for until when a key works: a choice, and the day if the choice is a date. */
export function ExpiryFields({ choices, value: { expiry, day }, error, onChange }: {
  choices: Expiry[];
  value: { expiry: Expiry; day: string };
  error?: string | undefined;
  onChange: (changed: { expiry?: Expiry; day: string }) => void;
}) {
  return (
    <>
      <Select
        label={t("keys.expiry")}
        error={error}
        value={expiry}
        onChange={({ currentTarget }) =>
          onChange({ expiry: currentTarget.value as Expiry, day: day || tomorrow() })}
        options={choices.map((value) => ({ value, text: t(`keys.expiry_${value || "never"}`) }))}
      />
      {expiry === "date" && (
        <Field
          label={t("keys.expiry_day")}
          type="date"
          min={tomorrow()}
          required
          value={day}
          onInput={({ currentTarget }) => onChange({ day: currentTarget.value || tomorrow() })}
        />
      )}
    </>
  );
}
