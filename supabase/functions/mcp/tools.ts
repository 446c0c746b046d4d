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
