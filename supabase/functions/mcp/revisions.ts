/** The supported revisions of MCP, newest first. */
export const REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** The revision that a request without `MCP-Protocol-Version` is taken to use. */
export const UNNAMED_REVISION = "2025-03-26";

/** The revisions in which a request may be a list of messages. */
export const WITH_LISTS = ["2024-11-05", "2025-03-26"];
