/** A text for integrators in the two languages of the OpenAPI documents: Portuguese, the default, and English. */
// A type, not an interface: only a type is accepted where any further key may be, as in `.meta()`.
export type Doc = {
  readonly description: string;
  readonly description_en: string;
  readonly examples?: readonly unknown[];
};

/** Texts for the fields of an object, by their names: `z.object({ … }).meta({ fields })`. */
export type FieldDocs = Readonly<Record<string, Doc>>;

/**
 * Says what something is, where it stands. Only the OpenAPI documents read it.
 *
 * @param example a value that is valid and means something; requests and replies in the documents are made of them
 */
export function doc(portuguese: string, english: string, example?: unknown): Doc {
  return {
    description: portuguese,
    description_en: english,
    ...(example !== undefined && { examples: [example] }),
  };
}
