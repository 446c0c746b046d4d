import assert from "node:assert/strict";
import { baseUrl } from "./stack.ts";

/** The URL of the shared stack's MCP server. */
export const MCP_URL = `${baseUrl}/mcp`;

/** A reply to a POST, whose body is JSON-RPC. */
export interface McpReply {
  status: number;
  headers: Headers;
  text: string;
  // deno-lint-ignore no-explicit-any -- each test asserts the fields that it expects
  body: any;
}

/** Sends a string unchanged, and any other value as JSON. */
export async function post(body: unknown, headers: Record<string, string> = {}): Promise<McpReply> {
  const response = await fetch(MCP_URL, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Accept": "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === "" ? null : JSON.parse(text),
  };
}

/** A JSON-RPC request. */
export function request(method: string, params?: unknown, id: string | number = 1): Record<string, unknown> {
  return { jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) };
}

/** What a tool answered. */
export interface ToolReply {
  isError: boolean;
  // deno-lint-ignore no-explicit-any -- each test asserts the fields that it expects
  data: any;
  /** The texts after the first one, which has the data. */
  remarks: string[];
  headers: Headers;
}

/** Calls tools with one key, and asserts that the first text of every reply equals its data (`Feito` without data). */
export function toolClient(key: string) {
  return async (name: string, args: Record<string, unknown> = {}): Promise<ToolReply> => {
    const { body, text, headers } = await post(request("tools/call", { name, arguments: args }), {
      "X-API-Key": key,
    });
    assert.ok(body.result, text);
    const { content, structuredContent, isError = false } = body.result;
    const [first, ...remarks] = content.map((part: { type: string; text: string }) => {
      assert.equal(part.type, "text");
      return part.text;
    });
    if (first !== "Feito") assert.deepEqual(JSON.parse(first), structuredContent);
    return { isError, data: structuredContent, remarks, headers };
  };
}

/** The names of the tools that a key is offered, by default from every toolset. */
export async function toolNames(
  key: string,
  headers: Record<string, string> = { "X-MCP-Toolsets": "all" },
): Promise<string[]> {
  const { body, text } = await post(request("tools/list"), { "X-API-Key": key, ...headers });
  assert.ok(body.result, text);
  return body.result.tools.map(({ name }: { name: string }) => name).sort();
}
