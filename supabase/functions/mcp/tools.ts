import type { Scope } from "../_shared/contract/scopes.ts";
import table from "./tools.json" with { type: "json" };

/** MCP's `ToolAnnotations`, by which hosts decide which calls a person must approve. */
export interface Annotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** A tool as clients see it (`tools/list`). */
export interface ToolDefinition {
  name: string;
  title: string;
  description: string;
  inputSchema: {
    type: "object";
    properties: Record<string, Record<string, unknown>>;
    required: string[];
    additionalProperties: false;
  };
  annotations: Annotations;
}

/** The request to a resource by which a tool is called. */
export interface ToolRequest {
  /** The name of the function. */
  resource: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to the function, e.g. `/:id/win`. */
  path: string;
  /** The arguments that go into the query. */
  query: string[];
  /** Whether the other arguments form a body. */
  body: boolean;
  /** Whether a call gets an idempotency key, derived from its arguments. */
  idempotent: boolean;
  /** What to show by name, for an endpoint with `expand`: everything that it offers. */
  expand?: string[];
}

/** The groups of tools that an assistant can ask for. The first is offered to one that asks for none. */
export const TOOLSETS = ["sales", "webhooks", "records"] as const;

export type Toolset = typeof TOOLSETS[number];

/** A tool for an endpoint, written by `deno task tools`. */
export interface Tool {
  definition: ToolDefinition;
  toolset: Toolset;
  /** The scope that a key needs; null: none. */
  scope: Scope | null;
  request: ToolRequest;
}

/** The argument of tools that create a record which is not a field of the record. */
export const IDEMPOTENCY_ARGUMENT = "idempotency_key";

/** The argument of tools that show records: `detailed` leaves nothing out. */
export const FORMAT_ARGUMENT = "format";

/** Every tool by name. Listing the tools loads no schemas, and calling one loads only those of its resource. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  (table as Tool[]).map((tool) => [tool.definition.name, tool]),
);

const OPERATION = /\b(GET|POST|PATCH|DELETE) \/([\w-]+)((?:\/[\w:-]+)*)/g;
const UUID_SEGMENT = /\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Replaces each operation that a message names by method and path with the name of its tool. */
export function nameTools(message: string): string {
  return message.replace(OPERATION, (operation, method: string, resource: string, path: string) => {
    const declared = path.replace(UUID_SEGMENT, "/:id") || "/";
    const tool = [...TOOLS.values()].find(({ request }) =>
      request.method === method && request.resource === resource && request.path === declared
    );
    return tool?.definition.name ?? operation;
  });
}
