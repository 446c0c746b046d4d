// What GET /app-v1-keys/:id says about a key's failed requests.
import assert from "node:assert/strict";
import type { ISql } from "postgres";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";
import { actAs } from "../support/transactions.ts";

const KEYS = "/app-v1-keys";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Requests in the log that differ only in their time. */
interface Logged {
  at: Date;
  /** Milliseconds between two requests. */
  every?: number;
  count: number;
  status: number;
  code?: string;
}

/** Writes requests of a key into its log. */
async function log(sql: ISql, workspaceId: string, keyId: string, rows: Logged[]): Promise<void> {
  for (const { at, every = 1, count, status, code } of rows) {
    await sql`
      insert into crm.requests (workspace_id, key_id, id, method, path, status, request_id, duration_ms, error)
      select ${workspaceId}, ${keyId}, crm.uuid_v7(${at}::timestamptz + n * ${every} * interval '1 ms'), 'POST',
        '/api-v1-leads', ${status}, gen_random_uuid(), 3, ${
      code ? sql.json({ code, message: "…" }) : null
    }::json
      from generate_series(0, ${count - 1}) n`;
  }
}

/** The beginning of the minute that was this many minutes ago. */
function minutesAgo(minutes: number): Date {
  return new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - minutes * MINUTE_MS);
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

test("A key shows how many of its requests failed, why, and how near to its limit it came", async ({ sql, workspace }) => {
  const { client: vendedor } = await signIn(sql, workspace.id, "vendedor");
  // Sets the usual limit, because test workspaces have a higher one.
  await sql`update crm.workspaces set rate_limit_per_minute = 120 where id = ${workspace.id}`;
  const [{ id }, sibling] = await Promise.all([makeKey(sql, workspace.id), makeKey(sql, workspace.id)]);
  const busiest = minutesAgo(90);
  await log(sql, workspace.id, id, [
    { at: busiest, every: 500, count: 97, status: 200 },
    // The rate limit refused these calls, so the busiest minute has only the 97 above.
    { at: new Date(busiest.getTime() + 30_000), count: 4, status: 429, code: "rate_limited" },
    { at: minutesAgo(85), every: 1000, count: 31, status: 422, code: "validation_error" },
    { at: minutesAgo(84), every: 1000, count: 5, status: 422, code: "invalid_reference" },
    { at: minutesAgo(3 * 60), count: 2, status: 503, code: "unavailable" },
    // Too old for the figures by hour, but not for the figures by day.
    { at: minutesAgo(50 * 60), count: 3, status: 404, code: "not_found" },
    // Older than the days that the page shows.
    { at: minutesAgo(8 * 24 * 60), count: 9, status: 422, code: "validation_error" },
  ]);
  await log(sql, workspace.id, sibling.id, [{ at: minutesAgo(5), count: 50, status: 422, code: "conflict" }]);
  const { status, body: { failures } } = await vendedor.get(`${KEYS}/${id}`);
  assert.equal(status, 200);
  const { hours, days, ...said } = failures;
  assert.deepEqual(said, {
    time_zone: "America/Sao_Paulo",
    is_partial: false,
    since: null,
    statuses: [
      { status: 422, count: 36 },
      { status: 429, count: 4 },
      { status: 404, count: 3 },
      { status: 503, count: 2 },
    ],
    codes: [
      { code: "validation_error", status: 422, count: 31 },
      { code: "invalid_reference", status: 422, count: 5 },
      { code: "rate_limited", status: 429, count: 4 },
      { code: "not_found", status: 404, count: 3 },
      { code: "unavailable", status: 503, count: 2 },
    ],
    busiest_minute: { minute: busiest.toISOString(), requests: 97 },
    limit_per_minute: 120,
  });
  assert.deepEqual([hours.length, days.length], [48, 7]);
  for (const [rows, requests, failed] of [[hours, 139, 42], [days, 142, 45]]) {
    assert.equal(sum(rows.map(({ requests }: { requests: number }) => requests)), requests);
    assert.equal(sum(rows.map(({ failures }: { failures: number }) => failures)), failed);
  }
  const hour = new Date(Math.floor(busiest.getTime() / HOUR_MS) * HOUR_MS).toISOString();
  assert.ok(hours.find((row: { hour: string }) => row.hour === hour).requests >= 101);
});

test("A key without requests shows zeros, and no busiest minute", async ({ sql, workspace }) => {
  const { client: admin } = await signIn(sql, workspace.id, "admin");
  await sql`update crm.workspaces set rate_limit_per_minute = 30 where id = ${workspace.id}`;
  const { id } = await makeKey(sql, workspace.id);
  const { body: { failures } } = await admin.get(`${KEYS}/${id}`);
  const { hours, days, ...said } = failures;
  assert.deepEqual(said, {
    time_zone: "America/Sao_Paulo",
    is_partial: false,
    since: null,
    statuses: [],
    codes: [],
    busiest_minute: null,
    limit_per_minute: 30,
  });
  for (const { requests, failures } of [...hours, ...days]) assert.deepEqual([requests, failures], [0, 0]);
});

test("For a key with more than 5,000 requests only the newest are read, and the hours before them are unknown", async ({ sql, workspace }) => {
  const { client: vendedor } = await signIn(sql, workspace.id, "vendedor");
  const { id } = await makeKey(sql, workspace.id);
  const oldest = minutesAgo(130);
  await log(sql, workspace.id, id, [{ at: oldest, count: 5000, status: 422, code: "validation_error" }]);
  const read = async () => (await vendedor.get(`${KEYS}/${id}`)).body.failures;
  const whole = await read();
  assert.deepEqual([whole.is_partial, whole.since, whole.hours[0].requests], [false, null, 0]);
  assert.deepEqual(whole.statuses, [{ status: 422, count: 5000 }]);

  await log(sql, workspace.id, id, [{ at: minutesAgo(1), count: 1, status: 503, code: "unavailable" }]);
  const partial = await read();
  assert.equal(partial.is_partial, true);
  assert.equal(partial.since, new Date(oldest.getTime() + 1).toISOString());
  assert.deepEqual(partial.statuses, [{ status: 422, count: 4999 }, { status: 503, count: 1 }]);
  for (const { hour, requests, failures } of partial.hours) {
    const isKnown = Date.parse(hour) + HOUR_MS > oldest.getTime() + 1;
    assert.deepEqual([requests === null, failures === null], [!isKnown, !isKnown], hour);
  }
  assert.deepEqual([partial.days[0].requests, partial.days[0].failures], [null, null]);
  assert.notEqual(partial.days[6].requests, null);
});

test("The days of a key begin in the time zone of the workspace", async ({ sql, workspace }) => {
  const { client: vendedor } = await signIn(sql, workspace.id, "vendedor");
  const { id } = await makeKey(sql, workspace.id);
  // These time zones are 25 hours apart, so their days always differ.
  for (const time_zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
    await sql`update crm.workspaces set time_zone = ${time_zone} where id = ${workspace.id}`;
    await sql`delete from crm.requests where key_id = ${id}`;
    const at = minutesAgo(20 * 60);
    await log(sql, workspace.id, id, [{ at, count: 1, status: 404, code: "not_found" }]);
    const { failures, days_30, calls } = (await vendedor.get(`${KEYS}/${id}`)).body;
    // Swedish writes dates as ISO 8601 does.
    const dayOf = (moment: Date) => new Intl.DateTimeFormat("sv-SE", { timeZone: time_zone }).format(moment);
    assert.equal(failures.time_zone, time_zone);
    for (const days of [failures.days, days_30, calls.days]) assert.equal(days.at(-1).day, dayOf(new Date()));
    const [failed] = failures.days.filter(({ failures }: { failures: number }) => failures > 0);
    assert.equal(failed.day, dayOf(at));
  }
});

test("The function that counts a key's failures takes any workspace as an argument, but shows a member only their own (spec 5)", async ({ sql, workspace }) => {
  const { id } = await makeKey(sql, workspace.id);
  await log(sql, workspace.id, id, [{ at: minutesAgo(5), count: 1, status: 404, code: "not_found" }]);
  const other = await makeWorkspace(sql);
  for (const [caller, statuses] of [[workspace.id, 1], [other.id, 0]] as const) {
    const seen = await sql.begin(async (sql) => {
      await actAs(sql, "crm_app", caller);
      const [row] = await sql<[{ failures: { statuses: unknown[] } }]>`
        select crm.request_failures(${workspace.id}, ${id}) as failures`;
      return row.failures.statuses.length;
    });
    assert.equal(seen, statuses);
  }
});
