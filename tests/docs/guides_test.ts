// Follows the site's guides as their readers would, with the pages' own commands.
import assert from "node:assert/strict";
import { openPage } from "./claims.ts";
import { openGuide, shell } from "./guide.ts";
import { idOf, parse } from "./reader.ts";

shell.test("The commands of find-by-phone find one contact by every spelling and part of its phones", async (scenario) => {
  const page = await openPage("find-by-phone", { sh: 4 });
  await using reader = await openGuide(scenario, page, ["contacts:read", "contacts:write"]);
  const [created, ...found] = (await reader.run(page.blocks.sh.join("\n"))).map(parse);
  assert.equal(found.length, 4);
  for (const { data } of found) assert.deepEqual(data.map(idOf), [created.id]);
});

shell.test("The commands of who-owns-what tell whose key it is, what ids mean, and what somebody owns", async (scenario) => {
  const { api, newDeal } = scenario;
  const page = await openPage("who-owns-what", { sh: 4 });
  await using reader = await openGuide(scenario, page, ["workspace:read", "deals:read"]);
  const deal = await newDeal();
  const [me, workspace, deals, summary] = (await reader.run(page.blocks.sh.join("\n"))).map(parse);
  assert.ok(workspace.members.map(idOf).includes(me.member.id));
  for (const list of ["pipelines", "loss_reasons", "event_types"]) {
    assert.ok(Array.isArray(workspace[list]), list);
  }
  assert.ok(workspace.pipelines[0].stages[0].id);
  assert.deepEqual(deals.data.map(idOf), [deal.id]);
  assert.deepEqual(summary.data.map((row: { count: number }) => row.count), [1]);
  assert.equal((await api.get(`/api-v1-changes?object_id=${deal.id}`)).status, 200);
  const stranger = await api.patch(`/api-v1-deals/${deal.id}`, { owner_id: crypto.randomUUID() });
  assert.equal(stranger.body.error.code, "invalid_reference");
});

shell.test("The commands of edit-without-overwriting refuse the change that would undo a colleague's", async (scenario) => {
  const page = await openPage("edit-without-overwriting", { sh: 6 });
  await using reader = await openGuide(scenario, page, ["contacts:read", "contacts:write"]);
  const printed = await reader.run(page.blocks.sh.join("\n"));
  const [seen, colleague, refused, again, saved, unchanged] = printed;
  assert.equal(parse(seen).job_title, null);
  assert.equal(parse(colleague).job_title, "Compradora");
  assert.match(refused!, /"precondition_failed".*412$/);
  assert.equal(parse(again).job_title, "Compradora");
  assert.match(saved!, /"Diretora".*200$/);
  assert.equal(unchanged, "304");
});

shell.test("After the commands of erase-a-person nothing can find the person", async (scenario) => {
  const { api } = scenario;
  const page = await openPage("erase-a-person", { sh: 6 });
  await using reader = await openGuide(scenario, page, [
    "contacts:manage",
    "contacts:read",
    "deals:read",
    "leads:write",
  ]);
  const [setup, somebody, ...steps] = page.blocks.sh;
  const [{ lead }] = (await reader.run(`${setup}\n${somebody}`)).map(parse);
  // Two more contacts for the same person: an archived contact with the same e-mail, and one with only the phone.
  const make = async (contact: Record<string, string>): Promise<string> =>
    (await api.post("/api-v1-contacts", { name: "Tarcila Nogueira", ...contact })).body.id;
  const archived = await make({ email: "tarcila@exemplo.com.br", phone: "(11) 95555-0101" });
  await api.post(`/api-v1-contacts/${archived}/archive`, {});
  const byHand = await make({ phone: "11 95555 0101" });
  const [find, take, ...erase] = steps;
  const added = `IDS="$IDS ${byHand}"`;
  const printed = await reader.run([setup, find, take, added, ...erase].join("\n"));

  const withEmail = [lead.contact_id, archived].sort();
  const everyone = [...withEmail, byHand].sort();
  const found = printed.slice(0, 3).map((line) => parse(line).data.map(idOf).sort());
  assert.deepEqual(found, [withEmail, everyone, everyone]);
  assert.deepEqual(printed.slice(3, 5).sort(), withEmail);
  for (const text of [page.pt, page.en]) assert.match(text, /`IDS="\$IDS [0-9a-f-]{36}"`/);
  const [first, second, third, contacts, deals, ...after] = printed.slice(5).map(parse);
  const erased = [first, second, third];
  assert.deepEqual(erased.map(idOf).sort(), everyone);
  assert.deepEqual([contacts.data, deals.data], [[], []]);
  assert.deepEqual(after.map(idOf), erased.map(idOf));
  for (const [index, contact] of after.entries()) {
    assert.deepEqual([contact.name, contact.email, contact.phone], ["Contato apagado", null, null]);
    assert.equal(contact.erased_at, erased[index].erased_at);
  }
});
