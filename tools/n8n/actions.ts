// The actions of the n8n node: resources, their operations, and the fields of each, from the OpenAPI document.
import { bodyFields, queryFields } from "../openapi/input_fields.ts";
import { MAX_LIMIT } from "../../supabase/functions/_shared/contract/pagination.ts";
import {
  type ListedOperation,
  type OpenApi,
  operationsOf,
  parametersOf,
  repliesOf,
  resolve,
  singular,
} from "../openapi/read_document.ts";
import { type Property, propertyOf } from "./fields.ts";
import { actionOf, described, titled } from "./words.ts";

/** Operations that the node leaves out: the secret in their replies would stay in the history of the workflow. */
const REVEALING = ["webhooks.create", "webhooks.rotate_secret"];

/** The words that n8n's linter wants for an upsert. */
const UPSERT = "Create a new record, or update the current one if it already exists (upsert)";

/** The properties of the node for all operations that take a key. */
export function actionProperties(document: OpenApi): Property[] {
  const operations = operationsOf(document).filter(({ path, operation }) =>
    path !== null && operation.security.length > 0 && !REVEALING.includes(operation.operationId)
  );
  const resources = [...Map.groupBy(operations, ({ operation }) => operation.operationId.split(".")[0]!)];
  return [
    {
      displayName: "Resource",
      name: "resource",
      type: "options",
      noDataExpression: true,
      options: resources.map(([name]) => ({ name: titled(singular(name)), value: name })).sort(byName),
      default: "leads",
    },
    ...resources.map(([name, listed]) => operationProperty(name, document, listed)),
    ...operations.flatMap((listed) => fieldProperties(document, listed)),
  ];
}

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);

function operationProperty(resource: string, document: OpenApi, listed: ListedOperation[]): Property {
  const options = listed.map((item) => {
    const { operationId, summary } = item.operation;
    const value = operationId.split(".")[1]!;
    const url = item.path!.replaceAll(/\{(\w+)\}/g, "{{encodeURIComponent($parameter.$1)}}");
    return {
      name: titled(value),
      value,
      action: actionOf(value, resource, summary),
      description: value === "upsert" ? UPSERT : described("", summary).description,
      routing: {
        request: { method: item.method, url: url === item.path ? url : `=${url}` },
        ...output(document, item),
      },
    };
  });
  return {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: [resource] } },
    options: options.sort(byName),
    default: (options.find(({ value }) => value === "create") ?? options[0]!).value,
  };
}

/** Turns a list into one item for each record, and a reply without a body into `{ success: true }`. */
function output(document: OpenApi, listed: ListedOperation): Record<string, unknown> {
  const { data, next } = listOf(document, listed);
  const isEmpty = repliesOf(document, listed.operation).some(([status]) => status === "204");
  if (isEmpty) {
    return {
      output: { postReceive: [{ type: "set", properties: { value: '={{ { "success": true } }}' } }] },
    };
  }
  // The feed's cursor is never null. The workflow needs it for the next call, so it stays in the output.
  return data && next !== "always"
    ? { output: { postReceive: [{ type: "rootProperty", properties: { property: "data" } }] } }
    : {};
}

/** `data`: whether the reply is a list. `next`: whether next_cursor is nullable or always set; null if absent. */
function listOf(document: OpenApi, { operation }: ListedOperation) {
  const [, reply] = repliesOf(document, operation).find(([status]) => status === "200") ?? [];
  const schema = reply?.content && resolve(document, reply.content["application/json"].schema);
  const { data, meta } = schema?.properties ?? {};
  const page = meta && resolve(document, meta);
  const cursor = (page?.allOf ? resolve(document, page.allOf[0]!) : page)?.properties?.next_cursor;
  const next = cursor ? Array.isArray(cursor.type) ? "nullable" as const : "always" as const : null;
  return { data: data?.type === "array", next };
}

/** The fields of an operation: required fields first, the other fields in a collection. */
function fieldProperties(document: OpenApi, listed: ListedOperation): Property[] {
  const { operation, method } = listed;
  const [resource, name] = operation.operationId.split(".") as [string, string];
  const parameters = parametersOf(document, operation);
  const isPaged = parameters.some(({ name }) => name === "limit") &&
    listOf(document, listed).next === "nullable";
  const ids = parameters.filter((parameter) => parameter.in === "path").map(({ name, description = "" }) => ({
    displayName: titled(name),
    name,
    type: "string",
    required: true,
    default: "",
    ...described(name, description),
  }));
  const fields = [
    ...queryFields(document, operation).filter(({ name }) => !(isPaged && PAGING.has(name)))
      .map((field) => propertyOf(field, "query")),
    ...bodyFields(document, operation).map((field) => propertyOf(field, "body")),
  ];
  const needed = fields.filter(({ required }) => required);
  const others = fields.filter(({ required }) => !required);
  const collection = {
    ...(method === "GET"
      ? { displayName: "Filters", name: "filters", placeholder: "Add Filter" }
      : { displayName: "Additional Fields", name: "additionalFields", placeholder: "Add Field" }),
    type: "collection",
    default: {},
    options: others.sort((a, b) => a.displayName.localeCompare(b.displayName)),
  };
  const properties: Property[] = [...ids, ...needed, ...(isPaged ? PAGING_FIELDS : [])];
  if (others.length > 0) properties.push(collection);
  const names = [...properties, ...others].map(({ name }) => name);
  if (new Set(names).size < names.length) throw new Error(`${operation.operationId} has a field twice`);
  return properties.map((property) => ({
    ...property,
    displayOptions: { show: { resource: [resource], operation: [name], ...property.displayOptions?.show } },
  }));
}

const PAGING = new Set(["limit", "cursor"]);

const NEXT = "$response.body?.meta.next_cursor";
/** "Return All" reads page after page; "Limit" reads one page. */
const PAGING_FIELDS: Property[] = [
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    routing: {
      send: { paginate: "={{ $value }}", type: "query", property: "limit", value: String(MAX_LIMIT) },
      operations: {
        pagination: {
          type: "generic",
          properties: {
            continue: `={{ !!${NEXT} }}`,
            // The cursor goes into the address: a `qs` here would replace the filters and the limit.
            request: { url: `={{ $request.url + (${NEXT} ? "?cursor=" + ${NEXT} : "") }}` },
          },
        },
      },
    },
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    default: 50,
    typeOptions: { minValue: 1, maxValue: MAX_LIMIT },
    description: "Max number of results to return",
    displayOptions: { show: { returnAll: [false] } },
    routing: { send: { type: "query", property: "limit" } },
  },
];
