import type postgres from "postgres";
import { createProposal, type NewProposal, sendProposal } from "../../run/operator/proposals.ts";
import { call } from "./client.ts";

/** Creates and sends a proposal; returns its id, and the path at which the API serves its public link. */
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

export function tokenOf(link: string): string {
  return link.split("/").at(-1)!;
}

/** Calls a public link as its customer, without a key. */
export function customer(link: string) {
  return {
    view: () => call("GET", link),
    accept: (body?: unknown) => call("POST", `${link}/accept`, { body }),
    reject: (body?: unknown) => call("POST", `${link}/reject`, { body }),
  };
}
