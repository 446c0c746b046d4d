/** A description for the OpenAPI documents, in Portuguese (the default) and English. */
// Not an interface, because `.meta()` requires an index signature, and TypeScript infers none for an interface.
export type Doc = {
  readonly description: string;
  readonly description_en: string;
  readonly examples?: readonly unknown[];
};

/**
 * Describes the fields of an object by name: `z.object({ … }).meta({ fields })`. A field without an entry gets the
 * common text for its name (tools/openapi/common_fields.ts). An entry for a name that the object does not have marks a
 * read-only field.
 */
export type FieldDocs = Readonly<Record<string, Doc | undefined>>;

/**
 * Describes a field, schema or endpoint in Portuguese and English, for the OpenAPI documents.
 *
 * @param example a valid, realistic value; examples of requests and replies are built from these values
 */
export function doc(portuguese: string, english: string, example?: unknown): Doc {
  return {
    description: portuguese,
    description_en: english,
    ...(example !== undefined && { examples: [example] }),
  };
}

/** Names a schema in the OpenAPI documents, and describes it like {@link doc}: `object({ … }).meta(named(…))`. */
export function named(id: string, portuguese: string, english: string, example?: unknown) {
  return { id, ...doc(portuguese, english, example) };
}
