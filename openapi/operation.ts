import { z } from "zod";
import { type Doc, doc } from "../supabase/functions/_shared/contract/doc.ts";
import type {
  Endpoint,
  OpenEndpoint,
  Resource,
  Route,
} from "../supabase/functions/_shared/contract/endpoint.ts";
import { WORKSPACE_HEADER } from "../supabase/functions/_shared/http/gates.ts";
import { IDEMPOTENCY_HEADER } from "../supabase/functions/_shared/http/idempotency.ts";
import { ListQuery } from "../supabase/functions/_shared/contract/pagination.ts";
import { FILTERS } from "./common_fields.ts";
import { errorCodes } from "../contract/error_codes.ts";
import type { ErrorReplies } from "./error_replies.ts";
import { exampleOf } from "./examples.ts";
import { headers, type ReplyHeader } from "./headers.ts";
import type { Schemas } from "./schemas.ts";

const PARAMETERS = "#/components/parameters/";

/** The name of the resource without the version, e.g. `contacts`. */
export function tagOf(resource: Resource): string {
  return resource.name.replace(/^(api|app)-v1-/, "");
}

/** Creates the OpenAPI operation of an endpoint. */
export function operation(resource: Resource, route: Route, errors: ErrorReplies): Record<string, unknown> {
  const { schemas } = errors;
  const { endpoint } = route;
  const { summary, scope } = endpoint;
  const role = endpoint.gate === "session" ? endpoint.role : null;
  return {
    operationId: endpoint.operation,
    tags: [tagOf(resource)],
    summary: summary.description,
    summary_en: summary.description_en,
    ...(scope && doc(`Escopo da chave: \`${scope}\`.`, `Scope of the key: \`${scope}\`.`)),
    ...(role && doc(`Papel mínimo: \`${role}\`.`, `Least role: \`${role}\`.`)),
    security: scope ? [{ apiKey: [scope] }] : endpoint.gate === "session" ? [{ session: [] }] : [],
    ...parametersOf(route, schemas),
    ...(endpoint.body && { requestBody: requestBody(endpoint, endpoint.body, schemas) }),
    responses: { ...successes(resource, endpoint, schemas), ...errors.forCodes(errorCodes(route)) },
  };
}

const ID = {
  name: "id",
  in: "path",
  required: true,
  ...doc("Identificador do registro", "The record's id"),
  schema: { type: "string", format: "uuid" },
};

const DELIVERY_ID = {
  ...ID,
  name: "delivery_id",
  ...doc(
    "Identificador da entrega, o delivery_id do corpo",
    "The delivery's id, the delivery_id of the body",
  ),
};

/** The parameters that several operations of the application share, for `components`. */
export function appParameters(schemas: Schemas): Record<string, unknown> {
  const list = queryParameters(ListQuery.pick({ limit: true, cursor: true }), schemas);
  return {
    id: ID,
    [WORKSPACE_HEADER]: {
      name: WORKSPACE_HEADER,
      in: "header",
      ...doc(
        "O workspace, para quem é membro de vários",
        "The workspace, for a person who is a member of several",
      ),
      schema: { type: "string", format: "uuid" },
    },
    ...Object.fromEntries(list.map((parameter) => [parameter.name, parameter])),
  };
}

/** The parameters that several operations of the API share, for `components`. */
export function commonParameters(schemas: Schemas): Record<string, unknown> {
  const list = queryParameters(ListQuery, schemas);
  return {
    id: ID,
    delivery_id: DELIVERY_ID,
    token: {
      name: "token",
      in: "path",
      required: true,
      ...doc("O token do link", "The link's token"),
      schema: { type: "string", pattern: "^[0-9A-Za-z]{43}$" },
    },
    [IDEMPOTENCY_HEADER]: {
      name: IDEMPOTENCY_HEADER,
      in: "header",
      ...doc(
        "Repetir a chamada com a mesma chave e o mesmo corpo, dentro de 24 horas, não cria outro registro",
        "Repeating the call with the same key and body within 24 hours creates no other record",
      ),
      schema: { type: "string", minLength: 1, maxLength: 255 },
      example: "pedido-2026-0042",
    },
    ...Object.fromEntries(list.map((parameter) => [parameter.name, parameter])),
  };
}

function parametersOf({ path, endpoint }: Route, schemas: Schemas) {
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ $ref: PARAMETERS + name })),
    ...queryParameters(endpoint.query, schemas).map((parameter) =>
      isCommon(parameter.name, endpoint.query) ? { $ref: PARAMETERS + parameter.name } : parameter
    ),
    ...(endpoint.idempotent ? [{ $ref: PARAMETERS + IDEMPOTENCY_HEADER }] : []),
    ...(endpoint.gate === "session" && endpoint.role ? [{ $ref: PARAMETERS + WORKSPACE_HEADER }] : []),
  ];
  return parameters.length > 0 && { parameters };
}

/** Whether a parameter is that of every list, and not another one with its name. */
function isCommon(name: string, query: z.ZodObject): boolean {
  const common: z.ZodRawShape = ListQuery.shape;
  return Object.hasOwn(common, name) && common[name] === query.shape[name];
}

function queryParameters(query: z.ZodObject, schemas: Schemas) {
  const { properties = {}, required = [] } = schemas.add(query, "input", FILTERS);
  return Object.entries(properties).map(([name, { description, description_en, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    description,
    description_en,
    schema,
  }));
}

function requestBody({ bodyOptional }: Endpoint, body: z.ZodType, schemas: Schemas) {
  return { required: !bodyOptional, content: json(body, "input", schemas) };
}

/** Creates the `content` of a JSON body, with an example. */
export function json(schema: z.ZodType, side: "input" | "output", schemas: Schemas) {
  const described = schemas.add(schema, side);
  return { "application/json": { schema: described, example: exampleOf(described, schemas, side) } };
}

function successes(resource: Resource, endpoint: Endpoint, schemas: Schemas): Record<number, unknown> {
  if (endpoint.gate === "none") return openReplies(endpoint, schemas);
  const { status, reply, body } = endpoint;
  const content = reply && json(reply, "output", schemas);
  // No example: that of the first reply would be wrong for a replayed one, which can have `idempotent: true`.
  const repeated = reply && { "application/json": { schema: schemas.add(reply, "output") } };
  const answer = (text: Doc, extra: ReplyHeader[] = [], shown: object | null = content) => ({
    ...text,
    headers: headers([
      "X-Request-Id",
      "RateLimit-Policy",
      "RateLimit",
      ...extra,
      ...(body ? ["X-Ignored-Fields"] as const : []),
    ]),
    ...(shown && { content: shown }),
  });
  const located: ReplyHeader[] = resource.hasDetail ? ["Location"] : [];
  const replay: ReplyHeader[] = [...located, "Idempotent-Replayed"];
  switch (status) {
    case 200:
      return { 200: answer(doc("Feito", "Done")) };
    case 202:
      return { 202: answer(doc("Aceito; segue em segundo plano", "Accepted; goes on in the background")) };
    case 204:
      return { 204: answer(doc("Feito; sem corpo", "Done; no body")) };
    case 201:
      return {
        ...(isReplayable(endpoint) && {
          200: answer(
            doc("Já criado por uma chamada igual", "Already created by an identical call"),
            replay,
            repeated,
          ),
        }),
        201: answer(doc("Criado", "Created"), located),
      };
  }
}

/** The replies of an endpoint without a gate: one schema, with an example for each status where one is declared. */
function openReplies({ reply, replies }: OpenEndpoint, schemas: Schemas): Record<number, unknown> {
  const { "application/json": content } = json(reply!, "output", schemas);
  return Object.fromEntries(
    Object.entries(replies).map(([status, { examples: [example] = [content.example], ...text }]) => [status, {
      ...text,
      headers: headers(["X-Request-Id"]),
      content: { "application/json": { ...content, example } },
    }]),
  );
}

/** Whether a repeated call returns the first result: by Idempotency-Key, or by a field such as `external_id`. */
function isReplayable({ idempotent, reply }: Endpoint): boolean {
  return idempotent || reply instanceof z.ZodObject && "idempotent" in reply.shape;
}
