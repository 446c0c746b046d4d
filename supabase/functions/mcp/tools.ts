import type { Scope } from "../_shared/contract/scopes.ts";
import table from "./tools.json" with { type: "json" };

/** What MCP's `ToolAnnotations` say of a tool; hosts decide by them what they ask a person first. */
export interface Annotations {
  title: string;
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

/** The request that calling a tool makes. */
export interface ToolRequest {
  /** The name of the function. */
  resource: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to the function, e.g. `/:id/win`. */
  path: string;
  /** The arguments that are parameters of the query. */
  query: string[];
  /** Whether the other arguments are the fields of a body. */
  body: boolean;
  /** Whether a call gets an idempotency key, which follows from its arguments. */
  idempotent: boolean;
}

/** One endpoint as a tool, as `deno task tools` writes it. */
export interface Tool {
  definition: ToolDefinition;
  /** The scope that a key needs; null: none. */
  scope: Scope | null;
  request: ToolRequest;
}

/** The argument of creating tools that is no field of theirs. */
export const IDEMPOTENCY_ARGUMENT = "idempotency_key";

/**
 * Every tool, by its name. Written from the tables of endpoints, so that listing the tools and calling one load the schemas
 * of no other resource.
 */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  (table as Tool[]).map((tool) => [tool.definition.name, tool]),
);

const OPERATION = /\b(GET|POST|PATCH|DELETE) \/([\w-]+)((?:\/[\w:-]+)*)/g;
const UUID_SEGMENT = /\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** A message with the name of the tool for each operation that it names by method and path. */
export function nameTools(message: string): string {
  return message.replace(OPERATION, (operation, method: string, resource: string, path: string) => {
    const declared = path.replace(UUID_SEGMENT, "/:id") || "/";
    const tool = [...TOOLS.values()].find(({ request }) =>
      request.method === method && request.resource === resource && request.path === declared
    );
    return tool?.definition.name ?? operation;
  });
}
