// Declares the named schemas of the OpenAPI document in TypeScript.
import { idOf, type JsonSchema } from "../../../tools/openapi/json_schema.ts";
import { docstring, membersOf, typeOf } from "./schema.ts";

/** A field of an object, and whether the object always has it. */
interface Field {
  type: string;
  text: string | undefined;
  isRequired: boolean;
}

/** The fields of each named object. */
type Objects = ReadonlyMap<string, ReadonlyMap<string, Field>>;

/** The type of which each event has an instance, by the interface with the fields that all events share. */
const BY_EVENT: Readonly<Record<string, string>> = {
  DeliveryEnvelope: "DeliveryOf",
  EventEnvelope: "EventOf",
};

/** The declarations that have no schema. */
const GENERICS = [
  `/** An object whose fields may all be absent */
export type Optional<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined };
`,
  ...Object.entries(BY_EVENT).map(([envelope, name]) =>
    `/** The fields of \`${envelope}\`, and those that depend on the event */
export interface ${name}<Type extends EventType, Kind extends string, Data> extends ${envelope} {
  /** The event */ event: Type;
  /** The object's type */ object_type: Kind;
  data: Data;
}
`
  ),
];

/** Returns the declarations. An object becomes an interface, so that editors show its name. */
export function declarationsOf(schemas: Readonly<Record<string, JsonSchema>>): string[] {
  const entries = Object.entries(schemas);
  const objects = new Map(entries.map(([name, schema]) => [name, fieldsOf(schema)]));
  return [...entries.map(([name, schema]) => declarationOf(name, schema, objects)), ...GENERICS];
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema): ReadonlyMap<string, Field> {
  return new Map(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { type: typeOf(schema), text: schema.description, isRequired: required.includes(name) },
    ]),
  );
}

function declarationOf(name: string, schema: JsonSchema, objects: Objects): string {
  const doc = docstring(schema.description);
  const [envelope, added] = schema.allOf ?? [];
  if (schema.allOf?.length === 2 && envelope?.$ref && added?.properties) {
    const base = idOf(envelope)!;
    const generic = BY_EVENT[base];
    if (generic === undefined) {
      return `${doc}export interface ${name} extends ${base} {\n${membersOf(added)}}\n`;
    }
    const { event, object_type, data } = added.properties;
    // Without a docstring, which would only repeat the name.
    return `export type ${name} = ${generic}<${
      [event, object_type, data].map((one) => typeOf(one!)).join()
    }>;\n`;
  }
  if (!schema.properties) return `${doc}export type ${name} = ${typeOf(schema)};\n`;
  const { base, properties } = extending(name, schema.properties, objects);
  const heritage = base === null ? "" : ` extends ${base}`;
  return `${doc}export interface ${name}${heritage} {\n${membersOf({ ...schema, properties })}}\n`;
}

/** Minimum fields of a base: two objects may have fewer fields in common by coincidence. */
const MIN_FIELDS = 8;

/**
 * Finds the largest object whose fields an object has too, with the same types. An object that may lack some of these
 * fields, such as a patch, extends `Optional<…>`.
 *
 * @returns the type to extend, or null, and the properties that the object must declare itself
 */
function extending(name: string, properties: Record<string, JsonSchema>, objects: Objects) {
  const own = objects.get(name)!;
  const [found] = [...objects]
    .filter(([other, { size }]) =>
      size >= MIN_FIELDS && (size < own.size || size === own.size && other < name)
    )
    .filter(([, fields]) => [...fields].every(([field, { type }]) => own.get(field)?.type === type))
    .sort(([, a], [, b]) => b.size - a.size);
  if (found === undefined) return { base: null, properties };
  const [base, inherited] = found;
  const isOptional = [...inherited].some(([field, { isRequired }]) =>
    isRequired && !own.get(field)!.isRequired
  );
  const isInherited = (field: string) => {
    const { text, isRequired } = own.get(field)!;
    const of = inherited.get(field);
    return of !== undefined && of.text === text && (of.isRequired && !isOptional) === isRequired;
  };
  return {
    base: isOptional ? `Optional<${base}>` : base,
    properties: Object.fromEntries(Object.entries(properties).filter(([field]) => !isInherited(field))),
  };
}
