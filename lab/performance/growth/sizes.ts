import type { Conditions } from "../figure.ts";
import type { Cluster } from "./cluster.ts";
import type { Size } from "./door.ts";
import { grow, others, seed } from "./seed.ts";

/** The sizes that are compared, the smallest first and the one with many workspaces last. */
export interface Sizes {
  all: Size[];
  /** What the one with many workspaces is, as a figure's name says it. */
  shared: string;
}

const SMALLEST = 1_000;

/** Contacts come by the ten million, everything else by the million. */
export function makeSizes(cluster: Cluster, { short, note }: Conditions): Promise<Sizes> {
  return short ? makeShort(cluster, note) : makeAll(cluster, note);
}

async function makeShort(cluster: Cluster, note: Conditions["note"]): Promise<Sizes> {
  const all = [
    await makeAlone(cluster, "alone_1e3", SMALLEST, note),
    await makeAlone(cluster, "alone_1e5", 100_000, note),
    await makeShared(cluster, { workspaces: 100, contacts: 100_000, others: 100_000 }, note),
  ];
  return { all, shared: "one of 100 workspaces" };
}

async function makeAll(cluster: Cluster, note: Conditions["note"]): Promise<Sizes> {
  const small = [
    await makeAlone(cluster, "alone_1e3", SMALLEST, note),
    await makeAlone(cluster, "alone_1e5", 100_000, note),
  ];
  // Two at a time: each is the work of one processor.
  const [large, shared] = await Promise.all([
    (async () => {
      const million = await makeAlone(cluster, "alone_1e6", 1_000_000, note);
      return [million, await growContacts(cluster, "alone_1e7", "alone_1e6", million, 10_000_000, note)];
    })(),
    makeShared(cluster, { workspaces: 10_000, contacts: 10_000_000, others: 1_000_000 }, note),
  ]);
  return { all: [...small, ...large, shared], shared: "one of 10,000 workspaces" };
}

/** One workspace with all of the records. */
async function makeAlone(
  cluster: Cluster,
  database: string,
  records: number,
  note: Conditions["note"],
): Promise<Size> {
  const url = await cluster.createDatabase(database);
  await seed(url, 1, [{ fill: "contacts", last: records }, ...others(records)]);
  note(`${count(records)} records of each kind are made`);
  return { name: count(records), url, contacts: records, others: records };
}

/** The same with more contacts. */
async function growContacts(
  cluster: Cluster,
  database: string,
  template: string,
  { contacts, others }: Size,
  wanted: number,
  note: Conditions["note"],
): Promise<Size> {
  const url = await cluster.createDatabase(database, template);
  await grow(url, [{ fill: "contacts", first: contacts + 1, last: wanted }]);
  note(`${count(wanted)} contacts are made`);
  return { name: `${count(wanted)} contacts`, url, contacts: wanted, others };
}

/** Many workspaces with 1,000 records of a kind each; of what there is less of, fewer workspaces have some. */
async function makeShared(
  cluster: Cluster,
  total: { workspaces: number; contacts: number; others: number },
  note: Conditions["note"],
): Promise<Size> {
  const url = await cluster.createDatabase("shared");
  await seed(url, total.workspaces, [
    { fill: "contacts", last: total.contacts, workspaces: total.contacts / SMALLEST },
    ...others(total.others, total.others / SMALLEST),
  ]);
  const name = `${count(total.workspaces)} workspaces`;
  note(`${name} are made, with ${count(total.contacts)} contacts together`);
  return { name, url, contacts: SMALLEST, others: SMALLEST };
}

function count(records: number): string {
  return records.toLocaleString("en-US");
}
