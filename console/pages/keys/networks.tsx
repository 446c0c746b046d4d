import { Field } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";

/** The networks in a text, separated by commas, semicolons or white space. */
export function networksOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((network) => network !== "");
}

/** The field for the networks from which a key may be used, with the reason why a network was refused. */
export function NetworksField({ value, refused, onInput }: {
  value: string;
  refused: Record<string, string>;
  onInput: (value: string) => void;
}) {
  const errors = Object.entries(refused).filter(([field]) => field.startsWith("allowed_networks"));
  const networks = networksOf(value);
  return (
    <Field
      label={t("keys.networks_optional")}
      hint={t("keys.networks_hint")}
      error={errors.map(([field, text]) => `${networks[Number(field.split(".")[1])] ?? ""} ${text}`.trim())
        .join(". ")}
      placeholder="203.0.113.0/24, 2001:db8::/32"
      autoComplete="off"
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  );
}
