import assert from "node:assert/strict";
import type postgres from "postgres";
import { createProposal, type NewProposal, sendProposal } from "../../run/operator/proposals.ts";
import { openApiDocument } from "../../tools/openapi/document.ts";
import { call, type Reply } from "./client.ts";

// deno-lint-ignore no-explicit-any -- an integrator's tool has no types either
const { paths } = openApiDocument("api", "pt") as any;

/** Creates and sends a proposal; returns the path by which its public link is called. */
export async function makeProposal(
  sql: postgres.Sql,
  dealId: string,
  fields: Partial<NewProposal> = {},
): Promise<{ id: string; link: string }> {
  const { id } = await createProposal(sql, { dealId, title: "Plano anual", ...fields });
  const { url } = await sendProposal(sql, id, "https://crm.example");
  return { id, link: apiPathOf(url) };
}

/** The path, under the functions' URL, by which the page at a proposal's public link calls the API. */
export function apiPathOf(url: string): string {
  return `/proposals/${new URL(url).hash.slice(1)}`;
}

/** Returns the token of a link. */
export function tokenOf(link: string): string {
  return link.split("/").at(-1)!;
}

/** Calls a public link as its customer, without a key, and asserts that the OpenAPI document declares the status. */
export function customer(link: string) {
  const act = async (method: "get" | "post", action: string, body?: unknown): Promise<Reply> => {
    const reply = await call(method.toUpperCase(), link + action, { body });
    assert.ok(paths[`/proposals/{token}${action}`][method].responses[reply.status], reply.text);
    return reply;
  };
  return {
    view: () => act("get", ""),
    accept: (body?: unknown) => act("post", "/accept", body),
    reject: (body?: unknown) => act("post", "/reject", body),
  };
}
