import type { Scope } from "../_shared/contract/scopes.ts";
import { isUuid } from "../_shared/runtime/uuid.ts";
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

/** The request that a tool call makes to its resource. */
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
  /** The values sent as `expand`: all that the endpoint supports, so that the reply has names. */
  expand?: string[];
}

/** The sets of tools that an assistant can request; the first is the default. */
export const TOOLSETS = ["sales", "webhooks", "records"] as const;

export type Toolset = typeof TOOLSETS[number];

/** A tool for an endpoint. */
export interface Tool {
  definition: ToolDefinition;
  toolset: Toolset;
  /** The scope that a key needs; null: none. */
  scope: Scope | null;
  request: ToolRequest;
}

/** A tool as `deno task tools` writes it into tools.json. */
export type WrittenTool =
  & Omit<ToolDefinition, "inputSchema">
  & Pick<ToolDefinition["inputSchema"], "properties" | "required">
  & Omit<Tool, "definition">;

/** An argument of tools that create a record; it becomes a header instead of a field of the record. */
export const IDEMPOTENCY_ARGUMENT = "idempotency_key";

/** The argument of tools that show records; with `detailed` nothing is left out. */
export const FORMAT_ARGUMENT = "format";

/** Every tool by name. Listing the tools loads no schemas, and a call loads only the schemas of its resource. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  (table as WrittenTool[]).map(({ toolset, scope, request, properties, required, ...about }) => {
    const inputSchema = { type: "object", properties, required, additionalProperties: false } as const;
    return [about.name, { definition: { ...about, inputSchema }, toolset, scope, request }];
  }),
);

const OPERATION = /\b(GET|POST|PATCH|DELETE) \/([\w-]+)((?:\/[\w:-]+)*)/g;

/** Replaces operations in a message, written as method and path, with the names of their tools. */
export function nameTools(message: string): string {
  return message.replace(OPERATION, (operation, method: string, resource: string, path: string) => {
    const declared = path.split("/").map((part) => isUuid(part) ? ":id" : part).join("/") || "/";
    const tool = [...TOOLS.values()].find(({ request }) =>
      request.method === method && request.resource === resource && request.path === declared
    );
    return tool?.definition.name ?? operation;
  });
}
