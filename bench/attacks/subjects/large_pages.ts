import { atMost, count, waitRatio } from "../../harness/figures.ts";
import type { Subject } from "../../harness/subject.ts";
import { attack, type AttackWorld, costOf, ISOLATE, openAttackWorld } from "../world.ts";

const CONTACTS = 200;
const READERS = 20;
const MEGABYTE = 1_000_000;
/** Each reader's page exists several times at once, as text and as bytes, beside the 120 MB of a quiet process. */
const MEMORY_MB = 300;

/** Pages of the largest records that the API accepts, read by many at once. */
export const largePages: Subject = {
  name: "large-pages",
  title: `${READERS} connections read pages of ${CONTACTS} of the largest contacts`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    await insertLargestContacts(world);
    await using server = await world.serve(ISOLATE);
    const { keys } = world.workspaces[1]!;
    const requests = keys.map((key) => ({
      method: "GET",
      path: `/api-v1-contacts?limit=${CONTACTS}`,
      headers: { "X-API-Key": key },
    }));
    const page = await fetch(server.baseUrl + requests[0]!.path, { headers: requests[0]!.headers });
    const bytes = (await page.arrayBuffer()).byteLength;
    const order = { connections: READERS, requests, pauseMs: 500 };
    const { quiet, attacked, cost, memoryMb } = await attack(world, server, order, conditions);
    return [
      atMost("Large pages: size of one", Math.round(bytes / MEGABYTE * 100) / 100, "MB", 0.6),
      atMost("Large pages: memory of the process", memoryMb, "MB", MEMORY_MB),
      ...costOf("Large pages", cost, 15),
      waitRatio("Large pages: a read's p90 ÷ its quiet value", attacked.p90 / quiet.p90, 5),
      count("Large pages: reads that failed", attacked.failed, "reads"),
    ];
  },
};

/** 10,000 characters that take six bytes each in JSON, and 10 KB of fields of the client's own (spec 2.1). */
export async function insertLargestContacts({ sql, workspaces }: AttackWorld): Promise<void> {
  const { id, memberId } = workspaces[1]!;
  await sql`
    insert into crm.contacts (workspace_id, name, owner_id, notes, custom_fields)
    select ${id}, 'Ana ' || n, ${memberId}, repeat(chr(1), 10000), jsonb_build_object('texto', repeat('x', 10000))
    from generate_series(1, ${CONTACTS}::int) n`;
}
