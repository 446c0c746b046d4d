import assert from "node:assert/strict";
import { BATCH, create } from "../support/batches.ts";
import { assertError } from "../support/client.ts";
import { ids } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

test("While Postgres lacks resources, such as disk space, a write and a batch answer service_unavailable (spec 7)", async ({ sql, workspace: { id }, api }) => {
  const CONTACTS = "/api-v1-contacts";
  await sql.unsafe(`
    create function crm.fill_disk() returns trigger language plpgsql as $$
    begin
      if new.workspace_id = '${id}' and new.name = 'Cheio' then raise 'disk is full' using errcode = '53100'; end if;
      return new;
    end $$;
    create trigger fill_disk before insert on crm.contacts for each row execute function crm.fill_disk()`);
  try {
    const reply = await api.post(CONTACTS, { name: "Cheio" });
    assertError(reply, "service_unavailable");
    assert.ok(Number(reply.headers.get("Retry-After")) > 0);
    for (const second of [create({ name: "Cheio" }), create({ email: "x" })]) {
      const items = [create({ name: "Ana" }), second, create({ name: "Cheio" })];
      assertError(await api.post(BATCH, { items }), "service_unavailable");
    }
    assert.deepEqual(ids(await api.get(CONTACTS)), []);
  } finally {
    await sql.unsafe("drop function crm.fill_disk() cascade");
  }
});
