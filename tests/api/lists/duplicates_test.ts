// GET /api-v1-contacts/duplicates and /api-v1-companies/duplicates: groups of active records with the same value.
import assert from "node:assert/strict";
import { assertError, type Reply } from "../../support/client.ts";
import { create, readPages } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

type Group = Reply["body"];

test("Contacts with the same e-mail or phone and companies with the same name are grouped, oldest first, page by page", async ({ sql, workspace, api }) => {
  const contact = async (name: string, more: Record<string, unknown> = {}) =>
    (await create(workspace.key, "/api-v1-contacts", { name, ...more })).id;
  const ana = await contact("Ana", { email: "ana@exemplo.com.br", phone: "11 97777-1234" });
  const aninha = await contact("Aninha", { email: "ANA@exemplo.com.br" });
  const bia = await contact("Bia", { email: "bia@exemplo.com.br" });
  const beatriz = await contact("Beatriz", { email: "bia@exemplo.com.br", phone: "+55 (11) 97777-1234" });
  await contact("Carla", { email: "carla@exemplo.com.br" });
  await contact("Sem nada");
  const gone = await contact("Carla", { email: "carla@exemplo.com.br" });
  await api.post(`/api-v1-contacts/${gone}/archive`);
  const groups = async (path: string) =>
    (await api.get(path)).body.data.map((group: Group) => [
      group.value,
      group.records.map(({ id }: Group) => id),
    ]);
  const byEmail = [["ana@exemplo.com.br", [ana, aninha]], ["bia@exemplo.com.br", [bia, beatriz]]];
  assert.deepEqual(await groups("/api-v1-contacts/duplicates?by=email"), byEmail);
  const byPhone = [["+5511977771234", [ana, beatriz]]];
  assert.deepEqual(await groups("/api-v1-contacts/duplicates?by=phone"), byPhone);
  const pages = await readPages(api, "/api-v1-contacts/duplicates?by=email&limit=1");
  assert.deepEqual(pages.map(({ body }) => [body.data[0].value, body.data[0].count]), [
    ["ana@exemplo.com.br", 2],
    ["bia@exemplo.com.br", 2],
  ]);
  const { next_cursor } = pages[0]!.body.meta;
  const other = await api.get(`/api-v1-contacts/duplicates?by=phone&cursor=${next_cursor}`);
  assert.match(assertError(other, "invalid_cursor")["cursor"]!, /mesmo by/);

  // A cursor stores no value. It survives changes of the groups shown, but not the erasure of the contact with which the
  // next page begins.
  const { body: { meta } } = await api.get("/api-v1-contacts/duplicates?by=email&limit=1");
  const kept = await sql`select value from crm.list_cursors where workspace_id = ${workspace.id}`;
  assert.deepEqual([...new Set(kept.map(({ value }) => value))], [null], "no personal data is kept");
  await api.post(`/api-v1-contacts/${ana}/merge`, { merge_id: aninha });
  await api.patch(`/api-v1-contacts/${ana}`, { email: "zoe@exemplo.com.br" });
  const next = await api.get(`/api-v1-contacts/duplicates?by=email&limit=1&cursor=${meta.next_cursor}`);
  assert.equal(next.body.data[0].value, "bia@exemplo.com.br");
  await api.post(`/api-v1-contacts/${bia}/erase`);
  const gonePlace = await api.get(`/api-v1-contacts/duplicates?by=email&cursor=${meta.next_cursor}`);
  assertError(gonePlace, "invalid_cursor");

  const company = (name: string, more = {}) => create(workspace.key, "/api-v1-companies", { name, ...more });
  const sol = await company("Padaria Sol");
  const same = await company("PADARIA SOL", { domain: "sol.com.br" });
  await company("Lua", { domain: "lua.com.br" });
  const byName = [["padaria sol", [sol.id, same.id]]];
  assert.deepEqual(await groups("/api-v1-companies/duplicates?by=name"), byName);
  assert.deepEqual(await groups("/api-v1-companies/duplicates?by=domain"), []);
  assertError(await api.get("/api-v1-contacts/duplicates"), "validation_error", ["by"]);
  assertError(await api.get("/api-v1-contacts/duplicates?by=name"), "validation_error", ["by"]);
});

test("A call reads at most 2,000 records, and the pages together have every group, even a group of more than 2,000", async ({ sql, workspace, api }) => {
  await sql`
    insert into crm.contacts (workspace_id, owner_id, name, email)
    select ${workspace.id}, ${workspace.memberId}, 'N ' || n,
      case when n <= 2500 then 'm@x.com' when n <= 4500 then 'a' || n || '@x.com' else 'z' || n / 2 || '@x.com' end
    from generate_series(1, 4508) n`;
  const pages = await readPages(api, "/api-v1-contacts/duplicates?by=email");
  assert.ok(pages.length > 2, `${pages.length}`);
  const found = pages.flatMap(({ body }) => body.data.map(({ value }: Group) => value));
  assert.deepEqual([...new Set(found)].length, found.length);
  assert.deepEqual(found, ["m@x.com", "z2251@x.com", "z2252@x.com", "z2253@x.com"]);
  const [largest] = pages.flatMap(({ body }) => body.data);
  assert.equal(largest.records.length, 10);
});
