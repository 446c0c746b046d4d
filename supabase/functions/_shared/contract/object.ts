import { z } from "zod";
import { type Doc, doc, type FieldDocs } from "./doc.ts";

/** The schema of a field, with its text for the OpenAPI documents. */
interface Described<Schema extends z.ZodType> {
  schema: Schema;
  text: Doc;
}

/** The fields of an object. A field without a text of its own gets the common text for its name. */
type Fields = Record<string, z.ZodType | Described<z.ZodType>>;

type SchemasOf<Shape extends Fields> = {
  [Name in keyof Shape]: Shape[Name] extends Described<infer Schema> ? Schema
    : Shape[Name] extends z.ZodType ? Shape[Name]
    : never;
};

type Texts = readonly [portuguese: string, english: string, example?: unknown];

export function field<Schema extends z.ZodType>(schema: Schema, texts: Texts): Described<Schema> {
  return { schema, text: doc(...texts) };
}

/** An object with these fields. Its metadata has the texts of its fields. */
export function object<Shape extends Fields>(shape: Shape): z.ZodObject<SchemasOf<Shape>> {
  return z.object(schemasOf(shape)).meta({ fields: textsIn(shape) });
}

/** Adds fields to an object. The object's own fields keep their texts. */
export function extended<Base extends z.ZodRawShape, Shape extends Fields>(
  base: z.ZodObject<Base>,
  shape: Shape,
) {
  return base.extend(schemasOf(shape)).meta({ fields: { ...textsOf(base), ...textsIn(shape) } });
}

export function textsOf(schema: z.ZodType): FieldDocs {
  return schema.meta()?.["fields"] as FieldDocs | undefined ?? {};
}

function schemasOf<Shape extends Fields>(shape: Shape): SchemasOf<Shape> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, isDescribed(field) ? field.schema : field]),
  ) as SchemasOf<Shape>;
}

function textsIn(shape: Fields): FieldDocs {
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, field]) => isDescribed(field) ? [[name, field.text]] : []),
  );
}

function isDescribed(field: Fields[string]): field is Described<z.ZodType> {
  return !(field instanceof z.ZodType);
}
