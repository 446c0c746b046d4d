import assert from "node:assert/strict";
import { readReply, type Reply } from "./reply.ts";
import { baseUrl } from "./stack.ts";

/** The URL of the shared stack's MCP server. */
export const MCP_URL = `${baseUrl}/mcp`;

/** Sends a string unchanged, and any other value as JSON. The reply is JSON-RPC. */
export async function post(body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(MCP_URL, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Accept": "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return await readReply(response);
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
  notices: string[];
  headers: Headers;
}

/** Calls tools with one key, and asserts that the text of every reply equals its data (`Feito` without data). */
export function toolClient(key: string) {
  return async (name: string, args: Record<string, unknown> = {}): Promise<ToolReply> => {
    const { body, text, headers } = await post(request("tools/call", { name, arguments: args }), {
      "X-API-Key": key,
    });
    assert.ok(body.result, text);
    const { content, structuredContent, isError = false } = body.result;
    const [{ type, text: shown }, ...others] = content;
    assert.deepEqual([type, others], ["text", []]);
    if (shown !== "Feito") assert.deepEqual(JSON.parse(shown), structuredContent);
    const { notices = [], ...data } = structuredContent;
    return { isError, data, notices, headers };
  };
}
