/** A schema of the document: JSON Schema 2020-12, with the keywords that this folder reads. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  description?: string;
  description_en?: string;
  examples?: unknown[];
  [keyword: string]: unknown;
}

/** Prefix of a reference to a named schema. */
export const SCHEMAS = "#/components/schemas/";
