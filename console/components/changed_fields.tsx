import { t, textsIn } from "../strings/strings.ts";
import { NAMES } from "./field_names.ts";

const { named } = textsIn(NAMES);

/** Lists in plain words the fields that an event changed. A field that NAMES lacks is shown as the API names it. */
export function ChangedFields({ fields }: { fields: readonly string[] }) {
  if (fields.length === 0) return null;
  const names = fields.map((field) => named(field) ?? field);
  return <span title={fields.join(", ")}>· {t("events.changed", { fields: names.join(", ") })}</span>;
}
