/** The revisions of MCP that this server speaks, the newest first. */
export const REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** The revision of a request that names none in `MCP-Protocol-Version`. */
export const UNNAMED_REVISION = "2025-03-26";

/** The revisions of which a request may be a list of messages. */
export const WITH_LISTS = ["2024-11-05", "2025-03-26"];
