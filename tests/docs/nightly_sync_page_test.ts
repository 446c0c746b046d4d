// Copies records with the programs of the page nightly-sync, as its reader would.
import assert from "node:assert/strict";
import { eventually } from "../../bench/harness/waiting.ts";
import { openPage } from "./claims.ts";
import { openGuide, python } from "./guide.ts";
import { parse } from "./reader.ts";

python.test("The program of nightly-sync keeps a copy equal to the lists, and the shell script continues from its mark", async (scenario) => {
  const { api } = scenario;
  const page = await openPage("nightly-sync", { python: 1, sh: 2 });
  await using reader = await openGuide(scenario, page, [
    "contacts:read",
    "companies:read",
    "deals:read",
    "events:read",
  ]);
  await reader.write("sync.py", page.blocks.python[0]!);
  const [everyNight, since] = page.blocks.sh;
  const make = async (name: string): Promise<string> =>
    (await api.post("/api-v1-contacts", { name })).body.id;
  const [kept, changed] = [await make("Fica"), await make("Muda")];
  const [archived, merged] = [await make("Sai"), await make("Repetido")];
  const { lead } = (await api.post("/api-v1-leads", {
    first_name: "Apagada",
    last_name: "Nogueira",
    company_name: "Padaria Sol",
  })).body;
  const { lead: second } = (await api.post("/api-v1-leads", { first_name: "Arquivada" })).body;
  const firstCopy = ["primeira cópia", "contacts: 6, companies: 1, deals: 2"];
  assert.deepEqual(await reader.run(everyNight!), firstCopy);
  await api.patch(`/api-v1-contacts/${changed}`, { name: "Mudou" });
  await api.post(`/api-v1-contacts/${archived}/archive`, {});
  await api.post(`/api-v1-contacts/${kept}/merge`, { merge_id: merged });
  await api.patch(`/api-v1-companies/${lead.company_id}`, { domain: "padariasol.com.br" });
  await api.post(`/api-v1-deals/${lead.deal_id}/win`, { value: 900 });
  await api.post(`/api-v1-deals/${second.deal_id}/archive`, {});
  await api.post(`/api-v1-contacts/${lead.contact_id}/erase`, {});
  const added = await make("Nova");
  // The feed shows an event only after all earlier transactions have ended, so it may wait for other tests.
  let events = 0;
  const copy = await eventually(async () => {
    const [, read] = /^eventos lidos: (\d+)$/.exec((await reader.run(everyNight!))[0]!)!;
    events += Number(read);
    const copy = parse(await reader.read("crm.json"));
    return added in copy.contacts && copy;
  }, "the new contact in the copy");
  // Each change above made at least one event.
  assert.ok(events >= 8, String(events));
  assert.equal((await reader.run(everyNight!))[0], "eventos lidos: 0");
  for (const kind of ["contacts", "companies", "deals"]) {
    const { data } = (await api.get(`/api-v1-${kind}`)).body;
    assert.deepEqual(copy[kind], Object.fromEntries(data.map((r: { id: string }) => [r.id, r])), kind);
  }
  assert.deepEqual(Object.keys(copy.contacts).sort(), [kept, changed, second.contact_id, added].sort());
  assert.deepEqual(Object.values(copy.deals).map((deal) => (deal as { status: string }).status), ["ganho"]);

  // Reads the list in several pages.
  const [mark] = (await reader.run(`${everyNight}\n${since!.replace("limit=200", "limit=3")}`)).slice(-1);
  const listed = (await reader.read("contacts.jsonl")).trim().split("\n").map(parse);
  assert.equal(listed.flatMap(({ data }) => data).length, 7);
  assert.equal(listed.length, 3);
  assert.equal(mark, listed[0].meta.synced_until);
  // The next run reads from the mark, which is a minute ago, so it gets the same records again.
  await reader.run(`${everyNight}\n${since}`);
  assert.equal((await reader.read("contacts.jsonl")).trim().split("\n").length, 4);

  // Each resource has its own mark. A resource without a mark is read from its beginning.
  assert.ok([page.pt, page.en].every((text) => text.includes("`KIND=deals`")));
  for (const name of reader.list(".").filter((name) => name.endsWith(".mark"))) {
    await reader.write(name, "2099-01-01T00:00:00Z");
  }
  for (const [kind, count] of [["deals", 2], ["companies", 1]] as const) {
    await reader.run(`${everyNight}\n${since!.replace("KIND=contacts", `KIND=${kind}`)}`);
    const pages = (await reader.read(`${kind}.jsonl`)).trim().split("\n").map(parse);
    assert.equal(pages.flatMap(({ data }) => data).length, count, kind);
  }
});

python.test("The program of nightly-sync says what to do about a cursor that is too old", async (scenario) => {
  const { sql } = scenario;
  const page = await openPage("nightly-sync", { python: 1, sh: 2 });
  await using reader = await openGuide(scenario, page, ["events:read"]);
  await reader.write("sync.py", page.blocks.python[0]!);
  const [{ old }] = await sql<[{ old: string }]>`
      select crm.feed_cursor_text(row(1, gen_random_uuid(), now() - '31 days'::interval)) as old`;
  await reader.write("crm.json", JSON.stringify({ cursor: old, contacts: {}, companies: {}, deals: {} }));
  const errors = await reader.fail(page.blocks.sh[0]!);
  assert.match(errors, /^A última leitura tem mais de 30 dias: apague crm.json/);
});
