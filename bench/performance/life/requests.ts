import { api, type MakeRequest } from "../load/requests.ts";
import type { PlannedRequest } from "../load/template.ts";
import type { LoadWorkspace } from "../load/workspaces.ts";

/** A kind of request, and its share of all. */
interface Kind {
  name: string;
  percent: number;
  make: MakeRequest;
}

const ITEMS = 10;
/** Each key sends this many different requests, in an order that is another one for each. */
const EACH_KEY = 20;

/** What integrations send in a day, by their number. */
export const KINDS: Kind[] = [
  { name: "read", percent: 45, make: api.read },
  { name: "list", percent: 20, make: api.list },
  { name: "create", percent: 15, make: api.createRepeatable },
  { name: "lead", percent: 10, make: api.lead },
  { name: "update", percent: 5, make: update },
  { name: "batch", percent: 3, make: batch },
  { name: "search", percent: 2, make: search },
];

function update(_workspace: LoadWorkspace, key: string, contactId: string): PlannedRequest {
  const body = { job_title: "Compras {n}", notes: "Ligou em {n}; pediu a proposta por e-mail." };
  return { ...withBody("PATCH", `/api-v1-contacts/${contactId}`, key, body), expect: 200 };
}

function batch(_workspace: LoadWorkspace, key: string): PlannedRequest {
  const data = { name: "Bia Lima", email: "bia.{n}@exemplo.com.br", phone: "+55 11 9{n8}" };
  const body = { items: Array(ITEMS).fill({ op: "create", data }) };
  return { ...withBody("POST", "/api-v1-contacts/batch", key, body), expect: 200 };
}

function search(_workspace: LoadWorkspace, key: string, contactId: string): PlannedRequest {
  // Another number for each contact, so that a search finds one or some dozens.
  const words = `souza ${parseInt(contactId.slice(-4), 16) % 100}`;
  const path = `/api-v1-contacts?${new URLSearchParams({ q: words })}`;
  return { method: "GET", path, headers: { "X-API-Key": key }, expect: 200 };
}

function withBody(method: string, path: string, key: string, body: unknown) {
  return { method, path, headers: { "X-API-Key": key }, body };
}

/**
 * Builds requests of all kinds in their shares, for the keys of all workspaces in turn: whatever the rate, no key gets more
 * of it than another.
 */
export function mixedRequests(workspaces: LoadWorkspace[]): PlannedRequest[] {
  const keys = workspaces[0]!.keys.flatMap((_, index) =>
    workspaces.map((workspace) => ({ workspace, key: workspace.keys[index]! }))
  );
  const kinds = KINDS.flatMap((kind) => Array<Kind>(kind.percent).fill(kind));
  const drawn = Array.from({ length: EACH_KEY * keys.length }, (_, turn) => kinds[turn % kinds.length]!);
  shuffle(drawn);
  return drawn.map(({ name, make }, turn) => {
    const { workspace, key } = keys[turn % keys.length]!;
    const { contactIds } = workspace;
    const contactId = contactIds[Math.floor(Math.random() * contactIds.length)]!;
    return { ...make(workspace, key, contactId), kind: name };
  });
}

/** Puts the items into a random order (Fisher and Yates). */
function shuffle<T>(items: T[]): void {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [items[last], items[other]] = [items[other]!, items[last]!];
  }
}
