import type { Subject } from "../../harness/subject.ts";
import { attackNeighbours, ISOLATE, openAttackWorld } from "../world.ts";
import { insertLargestContacts } from "./large_pages.ts";

const MESSAGES = 20;
const KEYS = 6;
const MEMORY_MB = 400;

/** Lists of messages, each of which asks for the largest page that there is. */
export const mcpLists: Subject = {
  name: "mcp-lists",
  title: `${KEYS} assistants ask for ${MESSAGES} pages of the largest contacts in each request`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    await insertLargestContacts(world);
    await using server = await world.serve(ISOLATE);
    const params = { name: "contacts_list", arguments: { limit: 200 } };
    const messages = Array.from(
      { length: MESSAGES },
      (_, id) => ({ jsonrpc: "2.0", id, method: "tools/call", params }),
    );
    const requests = world.workspaces[1]!.keys.slice(0, KEYS).map((key) => ({
      method: "POST",
      path: "/mcp",
      headers: { "X-API-Key": key, "Accept": "application/json, text/event-stream" },
      body: JSON.stringify(messages),
    }));
    const order = { connections: KEYS, requests, pauseMs: 500 };
    return await attackNeighbours("MCP lists", world, server, order, conditions, MEMORY_MB);
  },
};
