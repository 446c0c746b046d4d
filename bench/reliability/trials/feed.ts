import { join } from "node:path";
import { createKey } from "../../../run/operator/keys.ts";
import { operate } from "../../../run/operator/operator.ts";
import { startServer } from "../../harness/functions.ts";
import { spawnScript } from "../../harness/processes.ts";
import { eventually, pause } from "../../harness/waiting.ts";
import { parsePages, type StoredPage } from "../feed_reader_process.ts";
import type { Trial } from "../world.ts";

const WRITERS = 8;
const TIMEOUT_S = 900;
/** The application_name of the writers' sessions in Postgres. */
const WRITER = "chaos-feed-writer";
const SCRIPTS = join(import.meta.dirname!, "..");

/** Trial 9: the feed, while the processes that write and read its events are killed again and again. */
export const feed: Trial = {
  number: 9,
  apart: true,
  target: "8 writers and a reader with kill -9, ≥ 200,000 events: 0 missed by the feed, 0 twice, order kept",
  async run({ sql, folder, databaseUrl, functionsDatabaseUrl }, { short }) {
    const total = short ? 3_000 : 200_000;
    const { id: workspaceId, member_id } = await operate(sql, "workspace_create", { name: "Chaos" });
    await operate(sql, "workspace_update", { workspace_id: workspaceId, rate_limit_per_minute: 100_000 });
    const { key } = await createKey(sql, { workspaceId, name: "Chaos", scopes: ["events:read"] });
    await using server = await startServer({ DATABASE_URL: functionsDatabaseUrl });
    const path = await Deno.makeTempFile({ dir: folder, suffix: ".jsonl" });

    const countEvents = async () => {
      const [row] = await sql<[{ count: number }]>`
        select count(*)::integer as count from crm.events where workspace_id = ${workspaceId}`;
      return row.count;
    };
    const writersUrl = new URL(databaseUrl);
    writersUrl.searchParams.set("application_name", WRITER);
    await using writers = startKilled(
      short ? WRITERS / 2 : WRITERS,
      [join(SCRIPTS, "feed_writer_process.ts"), writersUrl.href, workspaceId, member_id],
      short ? 500 : 1_500,
    );
    await using readers = startKilled(
      1,
      [join(SCRIPTS, "feed_reader_process.ts"), server.baseUrl, key, path],
      short ? 1_500 : 3_000,
    );
    const started = performance.now();
    await eventually(async () => await countEvents() >= total, `${total} events`, TIMEOUT_S);
    const rate = (await countEvents()) / (performance.now() - started) * 1000;
    await writers.end();
    // Postgres still executes what a killed writer had sent, even a commit, and then rolls back what is open.
    const haveEnded = async () =>
      (await sql`select from pg_stat_activity where application_name = ${WRITER}`).length === 0;
    await eventually(haveEnded, "the sessions of the writers to end");
    // The events that were committed, in the order of the feed.
    const truth = (await sql<{ id: string }[]>`
      select e.id from crm.events e where e.workspace_id = ${workspaceId} order by e.position, e.id`)
      .map(({ id }) => id);
    const readPages = async () => parsePages(await Deno.readTextFile(path));
    const isRead = async () => (await readPages()).flatMap(({ events }) => events).length >= truth.length;
    // A reader that misses an event never reaches the end. Ignored here: the verdict says how many events it missed.
    await eventually(isRead, "the reader to come to the end", short ? 60 : 300).catch(() => {});
    await pause(1_000);
    await readers.end();
    return judge(truth, await readPages(), {
      total,
      rate,
      writers: writers.kills(),
      readers: readers.kills(),
    });
  },
};

/** Keeps `count` processes running until `end`, and kills one of them every `everyMs` on average. */
function startKilled(count: number, args: string[], everyMs: number) {
  let kills = 0;
  let ended = false;
  const running = new Set<Deno.ChildProcess>();
  const spawn = () => {
    const child = spawnScript(args, { stdin: "null", stdout: "null", stderr: "inherit" });
    running.add(child);
    child.status.then(({ signal }) => {
      running.delete(child);
      if (signal !== "SIGKILL") console.error(`  ${args[0]} ended by itself`);
      if (!ended) spawn();
    });
  };
  for (let started = 0; started < count; started++) spawn();
  const killing = (async () => {
    while (!ended) {
      await pause(Math.random() * 2 * everyMs);
      const victim = [...running][Math.floor(Math.random() * running.size)];
      if (ended || victim === undefined) continue;
      victim.kill("SIGKILL");
      await victim.status;
      kills++;
    }
  })();
  async function end() {
    ended = true;
    await killing;
    const left = [...running];
    for (const child of left) child.kill("SIGKILL");
    await Promise.all(left.map((child) => child.status));
  }
  return { kills: () => kills, end, [Symbol.asyncDispose]: end };
}

interface Run {
  total: number;
  rate: number;
  writers: number;
  readers: number;
}

function judge(truth: string[], pages: StoredPage[], { total, rate, writers, readers }: Run) {
  const read = pages.flatMap(({ events }) => events);
  const ids = read.map(({ id }) => id);
  const seen = new Set(ids);
  const missed = truth.filter((id) => !seen.has(id)).length;
  const twice = ids.length - seen.size;
  const known = new Set(truth);
  const undone = ids.filter((id) => !known.has(id)).length;
  const misplaced = ids.filter((id, place) => id !== truth[place]).length + countMisplaced(read);
  // Counts events after a higher id, which were committed late. A reader by id or by time could have missed them.
  let highest = "";
  let late = 0;
  for (const id of ids) {
    if (id < highest) late++;
    else highest = id;
  }
  return {
    ok: truth.length >= total && missed + twice + undone + misplaced === 0 && writers > 0 && readers > 0 &&
      late > 0,
    measured:
      `${truth.length} events at ${rate.toFixed(0)}/s, ${writers} kills of writers and ${readers} of the ` +
      `reader: ${missed} missed, ${twice} twice, ${undone} rolled back, ${misplaced} out of order ` +
      `(${late} came behind one with a later id)`,
  };
}

/** Counts the contacts that do not follow the previous contact of their transaction (feed_writer_process.ts). */
function countMisplaced(read: StoredPage["events"]): number {
  const places = new Map<string, number>();
  let misplaced = 0;
  for (const { name } of read) {
    const end = name.lastIndexOf(" ");
    const [transaction, place] = [name.slice(0, end), Number(name.slice(end + 1))];
    if (place !== (places.get(transaction) ?? 0) + 1) misplaced++;
    places.set(transaction, place);
  }
  return misplaced;
}
