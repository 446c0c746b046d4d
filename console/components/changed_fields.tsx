import { t, textsIn } from "../strings/strings.ts";
import { NAMES } from "./field_names.ts";

const { named } = textsIn(NAMES);

/** The fields that an event changed, in people's words; the API's name of a field without such words. */
export function ChangedFields({ fields }: { fields: readonly string[] }) {
  if (fields.length === 0) return null;
  const names = fields.map((field) => named(field) ?? field);
  return <span title={fields.join(", ")}>· {t("events.changed", { fields: names.join(", ") })}</span>;
}
