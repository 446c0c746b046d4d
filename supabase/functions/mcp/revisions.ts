/** The revision without a handshake: each request names it in its `_meta`. */
export const STATELESS = "2026-07-28";

/** The revisions that begin with `initialize`, newest first. */
export const WITH_HANDSHAKE = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

export const REVISIONS = [STATELESS, ...WITH_HANDSHAKE];

/** The revision assumed for a request without `MCP-Protocol-Version`. */
export const UNNAMED_REVISION = "2025-03-26";

/** The revisions in which a request may be a list of messages. */
export const WITH_LISTS = ["2024-11-05", "2025-03-26"];

/** The field of `_meta` in which a request names its revision. */
export const REVISION_FIELD = "io.modelcontextprotocol/protocolVersion";
