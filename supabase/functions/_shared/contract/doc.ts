/** A text for integrators in the two languages of the OpenAPI documents: Portuguese, the default, and English. */
// A type alias, because `.meta()` takes an index signature, to which TypeScript does not assign an interface.
export type Doc = {
  readonly description: string;
  readonly description_en: string;
  readonly examples?: readonly unknown[];
};

/**
 * Texts for the fields of an object, by field name: `z.object({ … }).meta({ fields })`. A field that has none has that of all
 * fields of its name (tools/openapi/common_fields.ts). Names that the object does not have are those of fields that are only read.
 */
export type FieldDocs = Readonly<Record<string, Doc | undefined>>;

/**
 * Describes a field, schema or endpoint in Portuguese and English, for the OpenAPI documents.
 *
 * @param example a valid, realistic value; the documents compose the examples of requests and replies from these values
 */
export function doc(portuguese: string, english: string, example?: unknown): Doc {
  return {
    description: portuguese,
    description_en: english,
    ...(example !== undefined && { examples: [example] }),
  };
}
