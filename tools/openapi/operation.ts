import { z } from "zod";
import { type Doc, doc } from "../../supabase/functions/_shared/contract/doc.ts";
import { LINK_TOKEN } from "../../supabase/functions/_shared/contract/credentials.ts";
import type { GateName } from "../../supabase/functions/_shared/contract/declaration.ts";
import {
  canContinue,
  type Endpoint,
  type OpenEndpoint,
  type Resource,
  type Route,
} from "../../supabase/functions/_shared/contract/endpoint.ts";
import { deprecationText } from "../../supabase/functions/_shared/contract/deprecation.ts";
import { WORKSPACE_HEADER } from "../../supabase/functions/_shared/http/gates.ts";
import { IDEMPOTENCY_HEADER } from "../../supabase/functions/_shared/http/idempotency.ts";
import { ListQuery } from "../../supabase/functions/_shared/contract/pagination.ts";
import { hasDetail } from "../../supabase/functions/_shared/contract/route_table.ts";
import { FILTERS } from "./common_fields.ts";
import { errorCodes } from "../errors/error_codes.ts";
import type { ErrorReplies } from "./error_replies.ts";
import { exampleOf } from "./examples.ts";
import { headers, type ReplyHeader } from "./headers.ts";
import type { JsonSchema } from "./json_schema.ts";
import { operationId, tagOf } from "./operation_id.ts";
import { replyExample, requestExample } from "./reply_examples.ts";
import type { Schemas } from "./schemas.ts";

const PARAMETERS = "#/components/parameters/";

/** The description of endpoints that need neither a scope nor a role. */
const WITHOUT_KEY: Record<GateName, Doc> = {
  key: doc("Qualquer chave, sejam quais forem os escopos.", "Any key, whatever its scopes."),
  session: doc("Qualquer sessão válida.", "Any valid session."),
  link: doc("Sem chave de API: o token do link basta.", "Without an API key: the link's token is enough."),
  none: doc("Sem credencial.", "Without a credential."),
};

/** Creates the OpenAPI operation of an endpoint. */
export function operation(resource: Resource, route: Route, errors: ErrorReplies): Record<string, unknown> {
  const { schemas } = errors;
  const { endpoint } = route;
  const { summary, scope, gate, deprecated } = endpoint;
  const role = endpoint.gate === "session" ? endpoint.role : null;
  const requirement = scope
    ? doc(`Escopo da chave: \`${scope}\`.`, `Scope of the key: \`${scope}\`.`)
    : role
    ? doc(`Papel mínimo: \`${role}\`.`, `Minimum role: \`${role}\`.`)
    : WITHOUT_KEY[gate];
  return {
    operationId: operationId(resource, route),
    tags: [tagOf(resource, route.path)],
    summary: summary.description,
    summary_en: summary.description_en,
    ...requirement,
    ...(deprecated && {
      ...doc(
        `${requirement.description} ${deprecationText(deprecated).description}.`,
        `${requirement.description_en} ${deprecationText(deprecated).description_en}.`,
      ),
      deprecated: true,
    }),
    security: securityOf(endpoint),
    ...parametersOf(route, schemas),
    ...(endpoint.body && { requestBody: requestBody(resource, route, endpoint.body, schemas) }),
    responses: { ...successes(resource, route, schemas), ...errors.forCodes(errorCodes(route)) },
  };
}

/** The accepted credentials; one of them is enough. The scope is listed as a role, which OpenAPI 3.1 allows. */
function securityOf({ gate, scope }: Endpoint): Record<string, string[]>[] {
  switch (gate) {
    case "key":
      return ["apiKey", "appToken"].map((name) => ({ [name]: scope ? [scope] : [] }));
    case "session":
      return [{ session: [] }];
    default:
      return [];
  }
}

const ID = {
  name: "id",
  in: "path",
  required: true,
  ...doc("Identificador do registro", "The record's id"),
  schema: { type: "string", format: "uuid" },
};

const CONTACT_ID = { ...ID, name: "contact_id", ...doc("Identificador do contato", "The contact's id") };

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
    contact_id: CONTACT_ID,
    token: {
      name: "token",
      in: "path",
      required: true,
      ...doc("O token do link", "The link's token"),
      schema: { type: "string", pattern: LINK_TOKEN.source },
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
    "If-None-Match": {
      name: "If-None-Match",
      in: "header",
      ...doc(
        "O ETag de uma resposta anterior: se o registro não mudou, a resposta é 304, sem corpo",
        "The ETag of an earlier reply: if the record has not changed, the reply is 304, without a body",
      ),
      schema: { type: "string" },
      example: '"8f14e45fceea167a"',
    },
    "If-Match": {
      name: "If-Match",
      in: "header",
      ...doc(
        "O ETag de uma resposta anterior: se o registro mudou desde então, nada é alterado, e a resposta é 412",
        "The ETag of an earlier reply: if the record has changed since, nothing is changed, and the reply is 412",
      ),
      schema: { type: "string" },
      example: '"8f14e45fceea167a"',
    },
    "Prefer": {
      name: "Prefer",
      in: "header",
      ...doc(
        "`handling=strict`: um campo desconhecido ou só de leitura causa um erro, em vez de ser ignorado. " +
          "`return=representation`: ao criar um contato ou uma empresa, a resposta tem o registro inteiro e " +
          "`possible_duplicates`",
        "`handling=strict`: an unknown or read-only field causes an error instead of being ignored. " +
          "`return=representation`: if the call creates a contact or company, the reply has the whole record and " +
          "`possible_duplicates`",
      ),
      schema: { type: "string" },
      example: "handling=strict",
    },
    ...Object.fromEntries(list.map((parameter) => [parameter.name, parameter])),
  };
}

/** The request headers of an operation, without the credential. */
function requestHeaders({ method, endpoint }: Route): string[] {
  const { idempotent, etag, body, gate } = endpoint;
  return [
    ...(idempotent ? [IDEMPOTENCY_HEADER] : []),
    ...(etag && method === "GET" ? ["If-None-Match"] : []),
    ...(etag && method === "PATCH" ? ["If-Match"] : []),
    ...(body && gate !== "session" ? ["Prefer"] : []),
  ];
}

function parametersOf(route: Route, schemas: Schemas) {
  const { path, endpoint } = route;
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ $ref: PARAMETERS + name })),
    ...queryParameters(endpoint.query, schemas).map((parameter) =>
      isCommon(parameter.name, endpoint.query) ? { $ref: PARAMETERS + parameter.name } : parameter
    ),
    ...requestHeaders(route).map((name) => ({ $ref: PARAMETERS + name })),
    ...(endpoint.gate === "session" && endpoint.role ? [{ $ref: PARAMETERS + WORKSPACE_HEADER }] : []),
  ];
  return parameters.length > 0 && { parameters };
}

/** Whether a parameter is the parameter that all lists share. A list may have its own with the same name. */
function isCommon(name: string, query: z.ZodObject): boolean {
  const common: z.ZodRawShape = ListQuery.shape;
  return Object.hasOwn(common, name) && common[name] === query.shape[name];
}

function queryParameters(query: z.ZodObject, schemas: Schemas) {
  const { properties = {}, required = [] } = schemas.add(query, "input", FILTERS);
  return Object.entries(properties).map(([name, { description, description_en, needed, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    // The call needs this filter or one that can replace it. Examples send this filter.
    ...(needed && { "x-needed": true }),
    // A `$ref` schema has no description: take the filter's from FILTERS.
    ...(description ? { description, description_en } : FILTERS[name]),
    // Values are separated by commas.
    ...(schema.type === "array" && { style: "form", explode: false }),
    // Each key becomes a parameter of its own.
    ...(schema.type === "object" && { style: "deepObject", explode: true }),
    schema,
  }));
}

function requestBody(resource: Resource, route: Route, body: z.ZodType, schemas: Schemas) {
  const content = json(schemas.addBody(body, "input"), requestExample(resource, route, schemas));
  return { required: !route.endpoint.bodyOptional, content };
}

/** Creates the `content` of a JSON body. */
function json(schema: JsonSchema, example: unknown) {
  return { "application/json": { schema, example } };
}

const REPEATED = doc(
  "200: já criado por uma chamada igual",
  "200: already created by an identical call",
);

const FOUND = doc(
  "Encontrado e alterado; com uma Idempotency-Key já usada, a resposta original",
  "Found and changed; with an Idempotency-Key that was used before, the original reply",
);

const FOUND_BELOW = doc(
  "Já existia; os campos enviados foram alterados",
  "It existed already; the fields that were sent were changed",
);

function successes(resource: Resource, route: Route, schemas: Schemas): Record<string, unknown> {
  const { method, endpoint } = route;
  if (endpoint.gate === "none") return openReplies(endpoint, schemas);
  const { status, reply, body, etag, prefersRepresentation, gate } = endpoint;
  const schema = reply && schemas.addBody(reply, "output");
  const content = schema && json(schema, replyExample(resource, route, schema, schemas));
  // This reply has no example, because a replayed reply can differ from the first reply by `idempotent: true`.
  const repeated = schema && { "application/json": { schema } };
  const answer = (text: Doc, extra: ReplyHeader[] = [], shown: object | null = content) => ({
    ...text,
    headers: headers([
      "X-Request-Id",
      "RateLimit-Policy",
      "RateLimit",
      ...extra,
      ...(body ? ["X-Ignored-Fields"] as const : []),
      ...(body && gate !== "session" ? ["Preference-Applied"] as const : []),
    ]),
    ...(shown && { content: shown }),
  });
  const version: ReplyHeader[] = etag || prefersRepresentation ? ["ETag"] : [];
  const located: ReplyHeader[] = hasDetail(resource.routes) && hasId(endpoint) ? ["Location"] : [];
  const compared: ReplyHeader[] = resource.routes.some(({ endpoint }) => endpoint.prefersRepresentation)
    ? ["X-Possible-Duplicate"]
    : [];
  const finds = endpoint.findsExisting || "match_by" in endpoint.query.shape;
  // An upsert that finds its record also answers 200, with the record's version. A replay has no version.
  const replay: ReplyHeader[] = endpoint.findsExisting
    ? []
    : [...located, ...finds ? version : [], ...compared, "Idempotent-Replayed"];
  switch (status) {
    case 200:
      return {
        200: answer(doc("Feito", "Done"), [
          ...version,
          ...(endpoint.idempotent ? ["Idempotent-Replayed"] as const : []),
        ]),
        ...(canContinue(endpoint) && {
          202: answer(
            doc(
              "Aceito; o resto continua em segundo plano",
              "Accepted; the rest continues in the background",
            ),
            ["Location", ...version],
            repeated,
          ),
        }),
        ...(etag && method === "GET" && {
          304: answer(
            doc("O registro não mudou; sem corpo", "The record has not changed; no body"),
            version,
            null,
          ),
        }),
      };
    case 202:
      return {
        202: answer(doc("Aceito; continua em segundo plano", "Accepted; continues in the background")),
      };
    case 204:
      return { 204: answer(doc("Feito; sem corpo", "Done; no body")) };
    case 201:
      return {
        ...(finds && { 200: answer(endpoint.findsExisting ? FOUND_BELOW : FOUND, replay, repeated) }),
        // A range, not 200: a mock answers with the lowest status, and for a creation this must be 201.
        ...(isReplayable(endpoint) && !finds && { "2XX": answer(REPEATED, replay, repeated) }),
        201: answer(doc("Criado", "Created"), [...located, ...version, ...compared]),
      };
  }
}

/** The replies of an endpoint without a gate: one schema, and an example for each status. */
function openReplies({ reply, replies }: OpenEndpoint, schemas: Schemas): Record<number, unknown> {
  const schema = schemas.addBody(reply!, "output");
  return Object.fromEntries(
    Object.entries(replies).map((
      [status, { examples: [example] = [exampleOf(schema, schemas, "output")], ...text }],
    ) => [status, {
      ...text,
      headers: headers(["X-Request-Id"]),
      content: json(schema, example),
    }]),
  );
}

/** Whether the reply has an `id`, the end of the record's URL. */
function hasId({ reply }: Endpoint): boolean {
  return reply instanceof z.ZodObject && "id" in reply.shape;
}

/** Whether a repeated call returns the first result: by Idempotency-Key, or by a field such as `external_id`. */
function isReplayable({ idempotent, reply }: Endpoint): boolean {
  return idempotent || reply instanceof z.ZodObject && "idempotent" in reply.shape;
}
