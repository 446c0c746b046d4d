import { api, get, type MakeRequest, post } from "../load/requests.ts";
import type { PlannedRequest } from "../load/template.ts";
import type { LoadWorkspace } from "../load/workspaces.ts";

interface Kind {
  name: string;
  percent: number;
  make: MakeRequest;
}

/** Each key sends this many requests, in a different random order. */
const EACH_KEY = 20;

const CONTACT = { name: "Bia Lima", email: "bia.{n}@exemplo.com.br", phone: "+55 11 9{n8}" };
const BATCH = { items: Array(10).fill({ op: "create", data: CONTACT }) };
const CHANGE = { job_title: "Compras {n}", notes: "Ligou em {n}; pediu a proposta por e-mail." };

/** The kinds of requests that integrations send in a day, the most frequent first. */
export const KINDS: Kind[] = [
  { name: "read", percent: 45, make: api.read },
  { name: "list", percent: 20, make: api.list },
  { name: "create", percent: 15, make: api.createRepeatable },
  { name: "lead", percent: 10, make: api.lead },
  {
    name: "update",
    percent: 5,
    make: (_, key, id) => ({ ...post(`/api-v1-contacts/${id}`, CHANGE, key), method: "PATCH", expect: 200 }),
  },
  {
    name: "batch",
    percent: 3,
    make: (_, key) => ({ ...post("/api-v1-contacts/batch", BATCH, key), expect: 200 }),
  },
  {
    name: "search",
    percent: 2,
    // The number depends on the contact, so that searches find from one to a few dozen contacts.
    make: (_, key, id) => get(`/api-v1-contacts?q=souza+${parseInt(id.slice(-4), 16) % 100}`, key),
  },
];

/** Builds requests in the shares of KINDS. All keys take turns, so that each key sends equally many requests. */
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
