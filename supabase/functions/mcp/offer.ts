import { RpcError } from "./rpc.ts";
import { type Tool, type Toolset, TOOLSETS } from "./tools.ts";

/** The header with the sets of tools that `tools/list` shows, separated by commas; `all` for every set. */
export const TOOLSETS_HEADER = "X-MCP-Toolsets";

/** The header that, with the value `true`, hides every tool that writes. */
export const READONLY_HEADER = "X-MCP-Readonly";

/** Which tools an assistant is offered. */
export interface Offer {
  toolsets: readonly Toolset[];
  readOnly: boolean;
}

/**
 * Reads the offer from the headers. Returns an error for an unknown set, and for a misspelt `X-MCP-Readonly`, which is
 * probably meant to forbid writing.
 */
export function readOffer(headers: Headers): Offer | RpcError {
  const names = (headers.get(TOOLSETS_HEADER) ?? TOOLSETS[0]).split(",").map((name) => name.trim());
  const unknown = names.find((name) => name !== "all" && !TOOLSETS.includes(name as Toolset));
  if (unknown !== undefined) {
    return RpcError.invalid(`${TOOLSETS_HEADER}: "${unknown}" não é um de ${TOOLSETS.join(", ")}, all`);
  }
  const readOnly = headers.get(READONLY_HEADER)?.trim().toLowerCase() ?? "false";
  if (readOnly !== "true" && readOnly !== "false") {
    return RpcError.invalid(`${READONLY_HEADER}: "${readOnly}" não é true nem false`);
  }
  return {
    toolsets: names.includes("all") ? TOOLSETS : names as Toolset[],
    readOnly: readOnly === "true",
  };
}

/** Whether a tool may be called. Sets do not matter here, because they only keep the list short. */
export function mayCall({ definition }: Tool, { readOnly }: Offer): boolean {
  return !readOnly || definition.annotations.readOnlyHint;
}
