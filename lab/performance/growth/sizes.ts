import type { Conditions } from "../subject.ts";
import type { Cluster } from "./cluster.ts";
import { others, seed } from "./seed.ts";

/** One database of the bench, and how much it holds. */
export interface Size {
  /** For messages. */
  name: string;
  url: string;
  /** Records of the workspace that calls. */
  contacts: number;
  /** Of every other resource. */
  others: number;
}

/** The sizes that are compared. */
export interface Sizes {
  /** Of one workspace, the smallest first; then the one with many workspaces. */
  all: Size[];
  /** What the last one is, as a figure's name has it. */
  shared: string;
}

const SMALLEST = 1_000;

/** Contacts come by the ten million, everything else by the million. */
export async function makeSizes(cluster: Cluster, { short, note }: Conditions): Promise<Sizes> {
  /** One workspace with all of the records. */
  async function makeAlone(records: number): Promise<Size> {
    const url = await cluster.createDatabase(`alone_${records}`);
    await seed(url, [{ fill: "contacts", last: records }, ...others(records)], 1);
    note(`${show(records)} records of each kind are made`);
    return { name: show(records), url, contacts: records, others: records };
  }

  /** The same with more contacts. */
  async function growContacts({ contacts, others }: Size, last: number): Promise<Size> {
    const url = await cluster.createDatabase(`alone_${last}`, `alone_${contacts}`);
    await seed(url, [{ fill: "contacts", first: contacts + 1, last }]);
    note(`${show(last)} contacts are made`);
    return { name: `${show(last)} contacts`, url, contacts: last, others };
  }

  /** Many workspaces with 1,000 records of a kind each; of what there is less of, fewer workspaces have some. */
  async function makeShared(workspaces: number, contacts: number, records: number): Promise<Size> {
    const url = await cluster.createDatabase("shared");
    const batches = [
      { fill: "contacts" as const, last: contacts, workspaces: contacts / SMALLEST },
      ...others(records, records / SMALLEST),
    ];
    await seed(url, batches, workspaces);
    const name = `${show(workspaces)} workspaces`;
    note(`${name} are made, with ${show(contacts)} contacts together`);
    return { name, url, contacts: SMALLEST, others: SMALLEST };
  }

  async function makeLarge(): Promise<Size[]> {
    const million = await makeAlone(1_000_000);
    return [million, await growContacts(million, 10_000_000)];
  }

  const small = [await makeAlone(SMALLEST), await makeAlone(100_000)];
  if (short) {
    return { all: [...small, await makeShared(100, 100_000, 100_000)], shared: "one of 100 workspaces" };
  }
  // Two at a time: each is the work of one processor.
  const [large, shared] = await Promise.all([makeLarge(), makeShared(10_000, 10_000_000, 1_000_000)]);
  return { all: [...small, ...large, shared], shared: "one of 10,000 workspaces" };
}

function show(records: number): string {
  return records.toLocaleString("en-US");
}
