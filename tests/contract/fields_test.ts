// For every record, through HTTP: each field that is declared writable is stored, and each declared filter works.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Sql } from "postgres";
import { records } from "../../tools/records/records.ts";
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import type { Field } from "../../supabase/functions/_shared/contract/record_fields.ts";
import { client } from "../support/client.ts";
import type { TestWorkspace } from "../support/fixtures.ts";
import {
  create,
  ids,
  makeCompany,
  makeContact,
  makeLossReason,
  makeMember,
  makePipeline,
} from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { type Ids, valuesOf } from "../sql/values.ts";

/** The records that clients create and list. */
const listed = records.filter(({ about }) => about.sql?.includes("list"));

for (const record of listed) {
  const path = `/api-v1-${record.about.table}`;

  test(`POST ${path} writes every field that it accepts`, async ({ sql, workspace }) => {
    const { first } = await twoBodies(sql, workspace, record);
    const created = await create(workspace.key, path, first);
    for (const [name, value] of Object.entries(first)) assert.deepEqual(created[name], value, name);
  });

  if (record.about.sql?.includes("save")) {
    test(`PATCH ${path}/:id writes each field that it accepts, and no other, and its event names the fields that changed`, async ({ sql, workspace, api }) => {
      const { first, second } = await twoBodies(sql, workspace, record);
      for (const name of namesOf(record, ["always"])) {
        const { updated_at: _, ...before } = await create(workspace.key, path, {
          ...first,
          ...("external_id" in first && { external_id: crypto.randomUUID() }),
        });
        // A stage must be in the deal's pipeline, so both are sent.
        const names = name === "stage_id" ? ["stage_id", "pipeline_id"] : [name];
        const sent = only(second, (field) => names.includes(field));
        const { body } = await api.patch(`${path}/${before.id}`, sent);
        assert.deepEqual(body[name], second[name], name);
        // Moving a deal to another pipeline sets a new stage too.
        const place = ["pipeline_id", "stage_id", "stage_changed_at"];
        const follows = place.includes(name) ? place : [];
        const changing = [name, ...follows, "completed_at"];
        for (const other of Object.keys(before)) {
          if (changing.includes(other) || !record.fields[other]?.stored) continue;
          assert.deepEqual(body[other], before[other], `${other}, where ${name} was sent`);
        }
        // Sent again, the same value is no change.
        await api.patch(`${path}/${before.id}`, sent);
        const changed = Object.keys(before).filter((field) =>
          record.fields[field]?.stored && !isDeepStrictEqual(body[field], before[field])
        );
        assert.deepEqual(await changesOf(sql, record, before.id), [changed.sort()], `changes of ${name}`);
      }
    });
  }

  test(`GET ${path} filters by every parameter that it declares`, async ({ sql, workspace, api }) => {
    const { first, second } = await twoBodies(sql, workspace, record);
    // A list of notes needs a deal_id, so both notes have the same deal.
    const required = only(first, (name) => record.filters[name]?.required === true);
    const one = await create(workspace.key, path, first);
    const other = await create(workspace.key, path, { ...second, ...required });
    if (record.name === "deal") await api.post(`${path}/${other.id}/win`);
    const list = async (query: Record<string, unknown>) => {
      const parameters = Object.entries({ ...required, ...query }).map(([k, v]) => [k, String(v)]);
      const found = ids(await api.get(`${path}?${new URLSearchParams(parameters)}`));
      // Leaves out the records to which these two refer.
      return found.filter((id) => id === one.id || id === other.id);
    };
    assert.deepEqual(await list({}), [other.id, one.id]);
    const get = async (id: string) => (await api.get(`${path}/${id}`)).body;

    for (const [name, filter] of Object.entries(record.filters)) {
      const { range, condition, several, searches, ofDeal, inValues } = filter;
      if (searches) {
        assert.deepEqual(await list({ [name]: one.name ?? one.title }), [one.id], name);
      } else if (inValues) {
        await api.post("/api-v1-workspace/custom-fields", {
          object_type: record.name,
          key: "n",
          type: "number",
        });
        await api.patch(`${path}/${one.id}`, { tags: ["a"], custom_fields: { n: 1 } });
        const [parameter, value, none] = name === "tag" ? ["tag", "A", "b"] : ["custom[n]", "1", "2"];
        assert.deepEqual(await list({ [parameter]: value }), [one.id], name);
        assert.deepEqual(await list({ [parameter]: none }), [], name);
      } else if (ofDeal !== undefined) {
        const kind = { company_id: "companies", contact_id: "contacts" }[ofDeal];
        const { id } = await create(workspace.key, `/api-v1-${kind}`, { name: "Sol" });
        await api.patch(`/api-v1-deals/${one.deal_id}`, { [ofDeal]: id });
        assert.ok((await list({ [name]: id })).includes(one.id), name);
        assert.deepEqual(await list({ [name]: crypto.randomUUID() }), [], name);
      } else if (name === "archived") {
        assert.deepEqual(await list({ archived: "any" }), [other.id, one.id]);
        await sql`update ${sql(`crm.${record.about.table}`)} set archived_at = now() where id = ${other.id}`;
        for (const [archived, expected] of [["false", one], ["true", other]] as const) {
          assert.deepEqual(await list({ archived }), [expected.id], archived);
        }
        assert.deepEqual(await list({}), [one.id], "absent");
        await sql`update ${sql(`crm.${record.about.table}`)} set archived_at = null where id = ${other.id}`;
      } else if (name in required) {
        assert.deepEqual(await list({ [name]: crypto.randomUUID() }), [], name);
      } else if (name.startsWith("closed_")) {
        // Only one of the two deals is closed, by the call above.
        const [year, none] = name === "closed_since" ? ["2000", "2100"] : ["2100", "2000"];
        assert.deepEqual(await list({ [name]: `${year}-01-01` }), [other.id], name);
        assert.deepEqual(await list({ [name]: `${none}-01-01` }), [], name);
      } else if (name === "inactive_since") {
        assert.deepEqual(await list({ [name]: "2100-01-01" }), [other.id, one.id], name);
        assert.deepEqual(await list({ [name]: "2000-01-01" }), [], name);
      } else if (range !== undefined) {
        const isDay = record.fields[range.column]?.sql === "date";
        const between = isDay ? "2026-12-25" : "2026-12-25T00:00:00Z";
        assert.equal((await list({ [name]: between })).length, 1, name);
      } else if (condition === undefined) {
        assert.deepEqual(await list({ [name]: one[name] }), [one.id], name);
        // With a range the list uses another SQL function, with its own copy of the filters.
        const changed = { [name]: one[name], updated_since: "2000-01-01T00:00:00Z" };
        assert.deepEqual(await list(changed), [one.id], name);
        if (several) {
          const both = await list({ [name]: `${one[name]},${(await get(other.id))[name]}` });
          assert.deepEqual(both, [other.id, one.id], `two values of ${name}`);
        }
      } else {
        const parts = await Promise.all(Object.keys(condition).map((value) => list({ [name]: value })));
        assert.deepEqual(parts.flat().sort(), [one.id, other.id].sort(), name);
      }
    }
    for (const name of ["since", "updated_since"]) {
      assert.deepEqual(await list({ [name]: "2100-01-01T00:00:00Z" }), [], name);
    }
    for (const sort of Object.keys(record.sorts)) {
      const found = await list({ sort });
      assert.deepEqual(await list({ sort: `-${sort}` }), found.toReversed(), sort);
      const [first, second] = await Promise.all(found.map(get));
      if (sort in first) assert.ok(first[sort] < second[sort], sort);
    }
    assert.deepEqual(await list({ until: "2000-01-01T00:00:00Z" }), []);
    assert.deepEqual(await list({ until: "2100-01-01T00:00:00Z" }), [other.id, one.id]);
  });
}

/** The fields that each *.updated event of a record names. */
async function changesOf(sql: Sql, { name }: CrmRecord, id: string): Promise<string[][]> {
  const rows = await sql<{ fields: string[] }[]>`
    select facts -> 'changed_fields' as fields from crm.events
    where object_id = ${id} and event::text = ${`${name}.updated`} order by id`;
  return rows.map(({ fields }) => fields);
}

/** Builds two bodies of POST that have every field, and no value in common. */
async function twoBodies(sql: Sql, workspace: TestWorkspace, record: CrmRecord) {
  const ids = await makeIds(sql, workspace);
  const values = namesOf(record, ["always", "on create"])
    .map((name) => [name, valuesOf(name, record.fields[name]!, ids)] as const);
  return {
    first: Object.fromEntries(values.map(([name, [value]]) => [name, value])),
    second: Object.fromEntries(values.map(([name, [, value]]) => [name, value])),
  };
}

async function makeIds(sql: Sql, workspace: TestWorkspace): Promise<Ids> {
  const api = client(workspace.key);
  const twice = async (make: () => Promise<string>) => [await make(), await make()] as [string, string];
  const { stages, pipelineId } = workspace;
  const other = await makePipeline(sql, workspace);
  return {
    members: await twice(() => makeMember(sql, workspace)),
    companies: await twice(() => makeCompany(sql, workspace)),
    contacts: await twice(() => makeContact(sql, workspace)),
    loss_reasons: await twice(() => makeLossReason(sql, workspace)),
    deals: await twice(async () => (await api.post("/api-v1-deals", { title: "Negócio" })).body.id),
    pipelines: [pipelineId, other.id],
    stages: [stages[0].id, other.stages[0]!],
  };
}

function namesOf(record: CrmRecord, writers: Field["written"][]): string[] {
  return Object.keys(record.fields).filter((name) => writers.includes(record.fields[name]!.written));
}

function only(body: Record<string, unknown>, keep: (name: string) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => keep(name)));
}
