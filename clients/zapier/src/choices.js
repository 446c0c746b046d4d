import { call } from "./call.js";

const readWorkspace = (z, bundle) => call(z, bundle, "GET", "/api-v1-workspace");

/** Hidden triggers, from which the editor fills the lists of pipelines, stages and members. */
export const choiceTriggers = Object.entries({
  pipelines: ({ pipelines }) => pipelines,
  stages: ({ pipelines }, { pipeline_id }) =>
    pipelines.find(({ id, is_default }) => pipeline_id ? id === pipeline_id : is_default)?.stages ?? [],
  members: ({ members }) => members.filter(({ is_active }) => is_active),
}).map(([key, choicesOf]) => ({
  key,
  noun: key,
  display: { label: key, description: "For lists of choices.", hidden: true },
  operation: {
    async perform(z, bundle) {
      const choices = choicesOf(await readWorkspace(z, bundle), bundle.inputData);
      return choices.map(({ id, name }) => ({ id, name }));
    },
  },
}));

const TYPES = { number: "number", money: "number", boolean: "boolean", date: "datetime" };

/** The workspace's custom fields for a kind of record, as fields of a form. */
export const customFields = (kind) => async (z, bundle) => {
  const { custom_fields } = await readWorkspace(z, bundle);
  return custom_fields.filter(({ object_type }) => object_type === kind).map(
    ({ key, label, type, choices }) => ({
      // In hexadecimal, because the platform does not accept every character in a field's key.
      key: `custom_${type}_${Buffer.from(key).toString("hex")}`,
      label,
      type: TYPES[type] ?? "string",
      ...(choices && { choices }),
      ...(type === "choices" && { list: true }),
    }),
  );
};

/** Parses the key that {@link customFields} gives a custom field; null for any other key. */
export function customFieldOf(name) {
  const [, type, hex] = /^custom_([a-z]+)_([0-9a-f]+)$/.exec(name) ?? [];
  return hex ? { type, key: Buffer.from(hex, "hex").toString() } : null;
}
