// Writes `operations.ts`: how each operation is called, and the methods of the client with their types.
import type { JsonSchema } from "../../../tools/openapi/json_schema.ts";
import {
  type OpenApi,
  operationsOf,
  type Parameter,
  parametersOf,
  repliesOf,
  resolve,
} from "../../../tools/openapi/read_document.ts";
import { docstring, member, typeOf } from "./schema.ts";

/** A method of the client. */
interface Method {
  /** The tag of its resource. */
  resource: string;
  id: string;
  /** The method's name if the resource itself is the method, such as `me` or `operation`; otherwise null. */
  whole: string | null;
  /** The text after the method's name in the interface: its arguments and its result type. */
  signature: string;
  text: string;
  /** The entry of `OPERATIONS`. */
  operation: string;
  /** The fields of its argument `query`. */
  query: Parameter[];
  /** The names of the query parameters that several operations share. */
  shared: string[];
}

/** The interfaces that the interfaces of queries extend, each with its parameters. */
const BASES = {
  PageQuery: { text: "Where a page of a list begins, and how long it is", names: ["limit", "cursor"] },
  PeriodQuery: {
    text: "When records were created or changed",
    names: ["since", "until", "updated_since"],
  },
};

const OPERATION = `/** An operation: its address below \`baseUrl\`, and how it may be called */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** The name of its method, unless it follows from the id: \`deals.moveStage\` */
  readonly name?: string;
  /** Its method's arguments after the path's ids: \`query\`, \`body\`, or a field such as \`body.merge_id\`. */
  readonly takes?: readonly string[];
  /** Whether its method returns a \`List\`. */
  readonly list?: true;
  /** Whether a repetition with the same \`Idempotency-Key\` creates nothing more. */
  readonly keyed?: true;
  /** Whether it is called without an API key. */
  readonly open?: true;
}
`;

export function operationsText(document: OpenApi): string {
  const methods = describe(document);
  const queries = methods.filter(({ query }) => query.length > 0);
  const resources = document.tags
    .map(({ name, description }) => ({
      name,
      description,
      own: methods.filter(({ resource }) => resource === name),
    }))
    .filter(({ own }) => own.length > 0);
  return [
    'import type { Batch, Get } from "./methods.ts";\n',
    'import type { CallOptions, CreateOptions, DryRunOptions, UpdateOptions } from "./http.ts";\n',
    'import type { List } from "./list.ts";\n',
    'import type * as T from "./types.ts";\n\n',
    ...Object.entries(BASES).map(([name, { text, names }]) =>
      queryInterface(name, text, names.map((name) => document.components.parameters[name]!))
    ),
    ...queries.map(({ id, query, shared }) => {
      const bases = Object.entries(BASES).filter(([, { names }]) =>
        names.every((name) => shared.includes(name))
      );
      const inherited = bases.flatMap(([, { names }]) => names);
      const name = [queryName(id), bases.map(([name]) => name).join(", ")].filter(Boolean).join(" extends ");
      return queryInterface(
        name,
        `The query of \`${id}\``,
        query.filter(({ name }) => !inherited.includes(name)),
      );
    }),
    ...resources.filter(({ own }) => !isAlone(own)).map(({ name, description, own }) =>
      `${docstring(description)}export interface ${interfaceOf(name, own)} {\n${
        own.map((method) =>
          docstring(method.text) + (method.whole ? "" : camel(method.id.split(".")[1]!)) + method.signature
        )
          .join("")
      }}\n`
    ),
    docstring("The methods of the client, by resource"),
    "export interface Resources {\n",
    ...resources.map(({ name, description, own }) =>
      isAlone(own)
        ? docstring(own[0]!.text) + own[0]!.whole + own[0]!.signature
        : `${docstring(description)}readonly ${camel(name)}: ${interfaceOf(name, own)};\n`
    ),
    "}\n",
    docstring("The name of an operation, as in the OpenAPI documents"),
    `export type OperationId = ${
      resources.map(({ name, own }) =>
        `\`${name}.\${${own.map(({ id }) => `"${id.split(".")[1]}"`).join(" | ")}}\``
      ).join(" | ")
    };\n`,
    OPERATION,
    docstring("Every operation of the API"),
    "export const OPERATIONS: Readonly<Record<OperationId, Operation>> = {\n",
    ...methods.map(({ id, operation }) => `"${id}": ${operation},\n`),
    "};\n",
  ].join("");
}

/** Whether a resource is itself a method and has no other methods: `crm.operation(id)`. */
function isAlone(methods: readonly Method[]): boolean {
  return methods.length === 1 && methods[0]!.whole !== null;
}

/** The name of a resource's interface. A resource that is a method gets `MeMethods`, because its reply is `Me`. */
function interfaceOf(name: string, methods: readonly Method[]): string {
  return methods.some(({ whole }) => whole !== null) ? `${pascal(name)}Methods` : pascal(name);
}

/** Lists the methods, in the order of the document. */
function describe(document: OpenApi): Method[] {
  const listed = operationsOf(document);
  /**
   * A `get` without an id has the name of its resource, even if there are other methods: `crm.me()`,
   * `crm.me.requests()`. If `get` takes an id, its resource must have no other method: `crm.operation(id)`.
   */
  const wholeName = (resource: string, id: string, takesId: boolean) => {
    if (!id.endsWith(".get")) return null;
    if (!takesId) return resource;
    const own = listed.filter(({ operation }) => operation.tags.includes(resource));
    return own.length === 1 ? resource.replace(/s$/, "") : null;
  };
  return listed.flatMap(({ method, path, operation }) => {
    if (path === null) return [];
    const { operationId: id, summary, description, tags, security, requestBody, deprecated } = operation;
    const parameters = parametersOf(document, operation);
    const has = (header: string) => parameters.some(({ name }) => name === header);
    const inQuery = parameters.filter((parameter) => parameter.in === "query");
    const isRead = has("If-None-Match");
    // `expand` and `dry_run` are options. So a GET of one record takes no query argument, and a call with a body takes
    // only the required query parameters.
    const query = isRead ? [] : requestBody ? inQuery.filter(isRequired) : inQuery;
    const [expand] = isRead ? inQuery : [];
    const body = requestBody && bodyOf(document, requestBody.content["application/json"].schema);
    const inPath = parameters.filter((parameter) => parameter.in === "path")
      .map(({ name }) => `${camel(name)}: string`);
    const taken = [
      ...query.length === 0
        ? []
        // A required query parameter beside a body (`match_by`) becomes an argument of its own, before the body.
        : body
        ? query.map((one) => ({
          takes: `query.${one.name}`,
          text: `${camel(one.name)}: ${named(one.schema)}`,
        }))
        : [{ takes: "query", text: `query${query.some(isRequired) ? "" : "?"}: ${queryName(id)}` }],
      ...body
        ? [
          body.only
            ? { takes: `body.${body.only}`, text: `${camel(body.only)}: string` }
            : { takes: "body", text: `body${requestBody?.required ? "" : "?"}: ${body.type}` },
        ]
        : [],
    ];
    const reply = replyOf(document, id, repliesOf(document, operation));
    const options = has("dry_run")
      ? "DryRunOptions"
      : has("Idempotency-Key")
      ? "CreateOptions"
      : has("If-Match")
      ? "UpdateOptions"
      : "CallOptions";
    const given = [...inPath, ...taken.map(({ text }) => text), `options?: ${options}`].join(", ");
    const signature = id.endsWith(".batch")
      ? `: Batch<${body!.type}>;\n`
      : isRead
      ? `: Get<${reply.type}${expand ? `, ${named(expand.schema.items!)}` : ""}>;\n`
      : `(${given}): ${reply.item ? `List<${reply.item}, ${reply.type}>` : `Promise<${reply.type}>`};\n`;
    const resource = tags[0]!;
    const whole = wholeName(resource, id, inPath.length > 0);
    const entry = {
      method,
      path,
      ...(whole && { name: whole }),
      ...(taken.length > 0 && { takes: taken.map(({ takes }) => takes) }),
      ...(reply.item && { list: true }),
      ...(has("Idempotency-Key") && { keyed: true }),
      ...(security.length === 0 && { open: true }),
    };
    return [{
      resource,
      id,
      whole,
      signature,
      text: [`${deprecated ? "@deprecated " : ""}${summary}.`, description].filter(Boolean).join(" "),
      operation: JSON.stringify(entry).replace(/"(\w+)":/g, "$1: "),
      query: body ? [] : query,
      shared: (operation.parameters ?? []).flatMap((one) => "$ref" in one ? one.$ref.split("/").at(-1)! : []),
    }];
  });
}

/** The body that a method takes; null for an object without fields, as when a record is archived. */
function bodyOf(document: OpenApi, schema: JsonSchema): { type: string; only: string | null } | null {
  const { properties = {}, required = [] } = resolve(document, schema as JsonSchema & { $ref: string });
  const [only, ...others] = Object.entries(properties);
  if (!schema.$ref && !only) return null;
  const isId = only && others.length === 0 && required.length === 1 && only[1].format === "uuid";
  return { type: named(schema), only: isId ? only[0] : null };
}

function replyOf(document: OpenApi, id: string, replies: ReturnType<typeof repliesOf>) {
  const schemas = replies
    .filter(([status]) => status.startsWith("2"))
    .map(([, { content }]) => content?.["application/json"].schema);
  const [type, ...others] = new Set(schemas.map((schema) => schema ? named(schema) : "void"));
  if (type === undefined || others.length > 0) throw new Error(`${id} has several types of reply`);
  const [schema] = schemas;
  const data = schema && resolve(document, schema as JsonSchema & { $ref: string }).properties?.["data"];
  return { type, item: data?.items?.$ref ? named(data.items) : null };
}

/** A type that refers to `types.ts`. */
function named(schema: JsonSchema): string {
  return typeOf(schema, "T.");
}

function isRequired({ required }: Parameter): boolean {
  return required === true;
}

function pascal(name: string): string {
  return name.split(/[._]/).map((part) => part[0]!.toUpperCase() + part.slice(1)).join("");
}

function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}

function queryName(id: string): string {
  return `${pascal(id)}Query`;
}

function queryInterface(name: string, text: string, parameters: Parameter[]): string {
  return `${docstring(text)}export interface ${name} {\n${parameters.map(parameter).join("")}}\n`;
}

/** A member for a parameter. A moment may be a Date; a parameter for several values also takes one value. */
function parameter({ name, required, description, schema }: Parameter): string {
  const type = schema.type === "array"
    ? `${named(schema.items!)} | (${named(schema.items!)})[]`
    : schema.format === "date-time"
    ? "string | Date"
    : schema.type === "boolean"
    ? "boolean"
    : named(schema);
  // The SDK takes an array and joins its items itself.
  const text = description?.replace(/[,;] separated by commas/, "");
  return member(text, `${name}${required ? "" : "?"}: ${type}${required ? "" : " | undefined"};\n`);
}
