import { atMost, count, measureInTurns, type Measurement, ratio } from "../../harness/figures.ts";
import type { Server } from "../../harness/functions.ts";
import type { Conditions, Subject } from "../../harness/subject.ts";
import { memoryOfProcess } from "../../harness/usage.ts";
import { sendFlawlessly } from "../load/compare.ts";
import { describePaces, measurePace, medianRatio } from "../load/pace.ts";
import { type MakeRequest, requestsOf } from "../load/requests.ts";
import { type LoadWorld, openLoadWorld } from "../load/world.ts";
import { giveHistory } from "../load/workspaces.ts";

const SIZES = { workspaces: 40, keysEach: 20, contactsEach: 10 };
const CONNECTIONS = 4;
const ITEMS = 100;
/** The records of an import, and what it may take. */
const IMPORT = { contacts: 5_000, companies: 800, calls: 60, seconds: 30 };
/** Batches of the largest size, and how many of them come before the memory is read for the first time. */
const LARGE = { batches: 200, before: 50 };

const PERSON = { name: "Bia Lima", email: "bia.{n}@exemplo.com.br", phone: "+55 11 9{n8}" };

const single: MakeRequest = (_workspace, key) => post("/api-v1-contacts", key, PERSON, 201);
const batch: MakeRequest = (_workspace, key) =>
  post("/api-v1-contacts/batch", key, { items: Array(ITEMS).fill({ op: "create", data: PERSON }) }, 200);

function post(path: string, key: string, body: unknown, expect: number) {
  return { method: "POST", path, headers: { "X-API-Key": key }, body, expect };
}

/** What a batch gains over calls for one record, and what the largest ones cost the function. */
export const batches: Subject = {
  name: "batch",
  title: "Batches: records a second, an import, and the function's memory",
  async measure(conditions) {
    await using world = await openLoadWorld(SIZES);
    await using server = await world.serve({});
    return [
      await measureGain(world, server, conditions),
      ...await measureImport(world, server, conditions),
      await measureMemory(world, server, conditions),
    ];
  },
};

async function measureGain(
  { sql, workspaces, send, dataDir }: LoadWorld,
  { baseUrl, pid }: Server,
  { short, note }: Conditions,
): Promise<Measurement> {
  await giveHistory(sql);
  const load = (make: MakeRequest, records: number) => () =>
    measurePace(pid, dataDir, async () => {
      const plan = {
        baseUrl,
        connections: CONNECTIONS,
        seconds: short ? 0.5 : 2,
        requests: requestsOf(workspaces, make),
      };
      const { count, seconds } = await sendFlawlessly(send, plan);
      return { count: count * records, seconds };
    });
  const [singles, batched] = await measureInTurns([load(single, 1), load(batch, ITEMS)], short ? 3 : 5);
  note(`Contacts, one a call: ${describePaces(singles!)}`);
  note(`Contacts, ${ITEMS} a call: ${describePaces(batched!)}`);
  const gain = medianRatio(batched!, singles!, ({ rate }) => rate);
  return ratio(`Contacts a second in batches of ${ITEMS} ÷ one a call`, gain, "higher", 5);
}

/** Imports contacts and companies by upsert, twice, as an ERP does every night. */
async function measureImport(
  { sql, workspaces: [workspace] }: LoadWorld,
  server: Server,
  { note }: Conditions,
): Promise<Measurement[]> {
  const of = (record: string, count: number) =>
    chunks(Array.from({ length: count }, (_, index) => ({
      op: "upsert",
      match_by: "external_id",
      data: {
        external_id: `erp-${index}`,
        name: `Importado ${index}`,
        phone: `+55 11 9${10_000_000 + index}`,
      },
    }))).map((items) => [`/api-v1-${record}/batch`, { items }] as const);
  const calls = [...of("companies", IMPORT.companies), ...of("contacts", IMPORT.contacts)];
  const countRecords = async () => {
    const [row] = await sql<[{ n: number }]>`
      select (select count(*) from crm.contacts where workspace_id = ${workspace!.id})::int
        + (select count(*) from crm.companies where workspace_id = ${workspace!.id})::int as n`;
    return row.n;
  };
  const runs: { seconds: number; made: number }[] = [];
  // Each with a key of its own: within a minute the calls of both are more than the limit of one.
  for (const [name, key] of [["first", workspace!.keys[0]!], ["second", workspace!.keys[1]!]] as const) {
    const [before, started] = [await countRecords(), performance.now()];
    for (const [path, body] of calls) await send(server, key, path, body);
    const run = { seconds: (performance.now() - started) / 1000, made: await countRecords() - before };
    note(`The ${name} import: ${run.seconds.toFixed(1)} s, ${run.made} records made`);
    runs.push(run);
  }
  const [first, second] = runs;
  const size = `${IMPORT.contacts} contacts and ${IMPORT.companies} companies`;
  return [
    atMost(`Calls to import ${size}`, calls.length, "calls", IMPORT.calls),
    atMost(`Time of that import`, Math.round(first!.seconds * 10) / 10, "s", IMPORT.seconds),
    count("Records that it makes", first!.made, "records", IMPORT.contacts + IMPORT.companies),
    count("Records that the same import makes again", second!.made, "records"),
  ];
}

/** Sends batches of 1 MiB, one after the other. */
async function measureMemory(
  { workspaces }: LoadWorld,
  server: Server,
  { short, note }: Conditions,
): Promise<Measurement> {
  const total = short ? LARGE.batches / 4 : LARGE.batches;
  const data = { name: "Bia Lima", custom_fields: { texto: "x".repeat(10_200) } };
  const body = { items: Array(ITEMS).fill({ op: "create", data }) };
  note(`Each batch has ${JSON.stringify(body).length} bytes`);
  let before = NaN;
  let longest = 0;
  for (let sent = 0; sent < total; sent++) {
    if (sent === Math.floor(total * LARGE.before / LARGE.batches)) {
      before = (await memoryOfProcess(server.pid)).now;
    }
    const started = performance.now();
    await send(server, workspaces[sent % workspaces.length]!.keys[2]!, "/api-v1-contacts/batch", body);
    longest = Math.max(longest, performance.now() - started);
  }
  const { now } = await memoryOfProcess(server.pid);
  const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
  note(
    `The function has ${mib(before)}, after ${total} of them ${mib(now)}; the longest took ${
      Math.round(longest)
    } ms`,
  );
  return ratio(
    `Memory of the function after ${total} batches of 1 MiB ÷ after a quarter`,
    now / before,
    "lower",
    1.2,
  );
}

/** @throws Error unless every item was carried out */
async function send(
  { baseUrl }: Server,
  key: string,
  path: string,
  body: unknown,
): Promise<void> {
  const response = await fetch(baseUrl + path, {
    method: "POST",
    headers: { "X-API-Key": key, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const reply = await response.json();
  if (reply.summary?.failed !== 0) throw new Error(`${path}: ${JSON.stringify(reply).slice(0, 1_000)}`);
}

function chunks<T>(items: T[]): T[][] {
  return Array.from(
    { length: Math.ceil(items.length / ITEMS) },
    (_, index) => items.slice(index * ITEMS, (index + 1) * ITEMS),
  );
}
