// TypeScript's catalogue, the database's list and the code that emits events have the same events.
import assert from "node:assert/strict";
import { EVENT_TYPES, EVENTS } from "../../supabase/functions/_shared/contract/events.ts";
import { records } from "../../tools/records/records.ts";
import { sql } from "../support/scenario.ts";

Deno.test("the database has every event of the catalogue with its object type, and no other", async () => {
  const rows = await sql<{ event: string; object_type: string }[]>`
    select event::text, object_type from crm.event_types order by event_types.event`;
  assert.deepEqual(
    rows.map(({ event, object_type }) => [event, object_type]),
    EVENT_TYPES.map((event) => [event, EVENTS[event].object]),
  );
  const [{ labels }] = await sql<[{ labels: string[] }]>`
    select enum_range(null::crm.event_type)::text[] as labels`;
  assert.deepEqual(labels, [...EVENT_TYPES]);
});

Deno.test("every event of the catalogue is emitted, and no other", async () => {
  const functions = await sql<{ name: string; source: string }[]>`
    select p.proname as name, p.prosrc as source from pg_proc p where p.pronamespace in ('crm'::regnamespace, 'api'::regnamespace)`;
  const triggers = await sql<{ event: string }[]>`
    select convert_from(rtrim(t.tgargs, '\\000'::bytea), 'utf8') as event
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where p.proname in ('emit_event', 'emit_all_created', 'emit_change', 'emit_deal_contacts')`;
  const emitted = [
    ...functions.flatMap(({ source }) =>
      [...source.matchAll(/crm\.emit\(\s*[\w.]+,\s*'([^']+)'/g)].map(([, event]) => event!)
    ),
    ...triggers.map(({ event }) => event),
    // The events of a new deal are written as text in this function.
    ...functions.filter(({ name }) => name === "facts_of_new_deal").flatMap(({ source }) =>
      [...source.matchAll(/'(\w+\.\w+)'/g)].map(([, event]) => event!)
    ),
  ];
  assert.deepEqual([...new Set(emitted)].sort(), [...EVENT_TYPES].sort());
});

Deno.test("no hidden column has the name of another record's public field, because crm.changed_fields would report it", async () => {
  const changing = records.filter(({ name }) => `${name}.updated` in EVENTS);
  assert.ok(changing.length > 0);
  for (const { about, fields } of changing) {
    const reported = await sql<{ name: string }[]>`
      select attname as name from pg_attribute
      where attrelid = ${`crm.${about.table}`}::regclass and attname = any (crm.changed_field_names())`;
    const hidden = reported.filter(({ name }) => !fields[name]?.stored);
    assert.deepEqual(hidden, [], about.table);
  }
});
