import type { Conditions } from "../subject.ts";
import type { Cluster } from "./cluster.ts";
import { type Amounts, seed } from "./seed.ts";

/** One database, and the records of the workspace that calls. */
export interface Size {
  name: string;
  url: string;
  contacts: number;
  /** Records of every other resource. */
  others: number;
}

const SMALLEST = 1_000;

function alone(contacts: number, others: number): Amounts {
  return { workspaces: 1, contacts, others, each: contacts };
}

const SMALL = [alone(SMALLEST, SMALLEST), alone(100_000, 100_000)];
const LARGE = [alone(1_000_000, 1_000_000), alone(10_000_000, 1_000_000)];
const SHARED = { workspaces: 10_000, contacts: 10_000_000, others: 1_000_000, each: SMALLEST };
const SHORT_SHARED = { workspaces: 100, contacts: 100_000, others: 100_000, each: SMALLEST };

/** Creates the databases: those of one workspace, the smallest first, then the one with many workspaces. */
export async function makeSizes(cluster: Cluster, { short, note }: Conditions): Promise<Size[]> {
  const make = (amounts: Amounts) => makeSize(cluster, amounts, note);
  const small = await Array.fromAsync(SMALL, make);
  if (short) return [...small, await make(SHORT_SHARED)];
  // Two at a time, because each uses one processor.
  const [large, shared] = await Promise.all([Array.fromAsync(LARGE, make), make(SHARED)]);
  return [...small, ...large, shared];
}

async function makeSize(cluster: Cluster, amounts: Amounts, note: Conditions["note"]): Promise<Size> {
  const { workspaces, contacts, others, each } = amounts;
  const url = await cluster.createDatabase(`of_${workspaces}_${contacts}`);
  await seed(url, amounts);
  const name = workspaces === 1 ? `${show(contacts)} contacts` : `${show(workspaces)} workspaces`;
  note(`${name} are made`);
  return { name, url, contacts: each, others: Math.min(each, others) };
}

/** Formats a number for a figure's name: 10,000. */
export function show(records: number): string {
  return records.toLocaleString("en-US");
}
