import type { Resource, Route } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { deliveryExample, feedExample, objectSchemas } from "./events.ts";
import { exampleOf, type Known } from "./examples.ts";
import type { JsonSchema } from "./json_schema.ts";
import { operationId } from "./operation_id.ts";
import type { Schemas } from "./schemas.ts";
import { replyOfStory, requestOfStory } from "./story/story.ts";

/** Operations whose replies contain events or deliveries, each with the function that builds its example reply. */
const COMPOSED: Readonly<Record<string, (schemas: Schemas) => Known>> = {
  "events.list": (schemas) => ({
    data: [feedExample("lead.received", schemas), feedExample("deal.won", schemas)],
  }),
  "webhooks.delivery": deliveredBody,
  "deliveries.get": deliveredBody,
};

function deliveredBody(): Known {
  return { body: JSON.stringify(deliveryExample("lead.received", objectSchemas())) };
}

/** The example of an operation's body; null if the operation takes no body. */
export function requestExample(resource: Resource, route: Route, schemas: Schemas): unknown {
  const { body } = route.endpoint;
  if (!body) return null;
  return exampleOf(
    schemas.addBody(body, "input"),
    schemas,
    "input",
    requestOfStory(operationId(resource, route)),
  );
}

/** The example of a reply. A field that the example request sends has the sent value. */
export function replyExample(
  resource: Resource,
  route: Route,
  schema: JsonSchema,
  schemas: Schemas,
): unknown {
  const { properties = {} } = schemas.resolve(schema);
  const id = operationId(resource, route);
  const sent = requestExample(resource, route, schemas) as Known | null;
  const known = { ...sent, ...replyOfStory(id, route.method), ...COMPOSED[id]?.(schemas) };
  return exampleOf(
    schema,
    schemas,
    "output",
    Object.fromEntries(Object.entries(known).filter(([name]) => name in properties)),
  );
}
