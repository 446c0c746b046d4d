/** A schema of the document: JSON Schema 2020-12, as far as it is looked into here. */
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

/** Where a named schema stands in the document. */
export const SCHEMAS = "#/components/schemas/";
