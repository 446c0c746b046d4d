import type { InputField } from "../../../tools/openapi/input_fields.ts";

/** Where the editor finds the values of a field: in a hidden trigger that lists choices, or with a search action. */
const SOURCES: Record<string, Record<string, unknown>> = {
  pipeline_id: { dynamic: "pipelines.id.name", altersDynamicFields: true },
  stage_id: { dynamic: "stages.id.name" },
  owner_id: { dynamic: "members.id.name" },
  contact_id: { search: "find_contact.id" },
  company_id: { search: "find_company.id" },
  deal_id: { search: "find_deal.id" },
};

/** A field that accepts longer texts than this gets a box of several lines. */
const ONE_LINE = 2048;

/** Converts a field of the OpenAPI document to a field of Zapier's editor. */
export function zapierField(field: InputField): Record<string, unknown> {
  const { name, path, format, required, label, choices } = field;
  const description = field.description.replace(/ \(GET [^)]*\)/, "");
  const parent = path.length > 1 ? path[0] : undefined;
  return {
    key: name,
    label: label[0]!.toUpperCase() + label.slice(1),
    ...(!description.endsWith(label) && { helpText: `${description}.` }),
    ...(field.type === "object" ? { dict: true } : { type: typeOf(field) }),
    ...(field.type === "array" && { list: true }),
    required,
    ...(choices && { choices }),
    ...SOURCES[name],
    ...((parent || format === "date") && {
      meta: { ...(parent && { parent }), ...(format === "date" && { isDate: true }) },
    }),
  };
}

function typeOf({ type, format, maxLength = 0 }: InputField): string {
  if (format === "date" || format === "date-time") return "datetime";
  if (type === "array" || type === "string") return maxLength > ONE_LINE ? "text" : "string";
  return type;
}
