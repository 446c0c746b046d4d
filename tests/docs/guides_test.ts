// Does what each page of docs/guides/ says, as its reader would, with the page's own commands and a workspace of its own.
import assert from "node:assert/strict";
import { join } from "node:path";
import { needing } from "../support/needing.ts";
import { type Scenario, withScenario } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { readPage } from "./page.ts";

const SHELL = ["sh", "curl", "sed"];
const PYTHON = ["sh", "sed", "python3"];

guide("find-by-phone.md", SHELL, async ({ page }, reader) => {
  const [created, ...found] = (await reader.run(blocks(page, "sh").join("\n"))).map(parse);
  assert.equal(found.length, 4);
  for (const { data } of found) assert.deepEqual(data.map(idOf), [created.id]);
});

guide("who-owns-what.md", SHELL, async ({ page, api, newDeal }, reader) => {
  const deal = await newDeal();
  const [me, workspace, deals, summary] = (await reader.run(blocks(page, "sh").join("\n"))).map(parse);
  assert.ok(workspace.members.map(idOf).includes(me.member.id));
  assert.deepEqual(deals.data.map(idOf), [deal.id]);
  assert.deepEqual(summary.data.map((row: { count: number }) => row.count), [1]);
  assert.equal((await api.get(`/api-v1-changes?object_id=${deal.id}`)).status, 200);
});

guide("edit-without-overwriting.md", SHELL, async ({ page }, reader) => {
  const [seen, colleague, refused, again, saved, unchanged] = await reader.run(blocks(page, "sh").join("\n"));
  assert.equal(parse(seen!).job_title, null);
  assert.equal(parse(colleague!).job_title, "Compradora");
  assert.match(refused!, /"precondition_failed".*412$/);
  assert.equal(parse(again!).job_title, "Compradora");
  assert.match(saved!, /"Diretora".*200$/);
  assert.equal(unchanged, "304");
});

guide("erase-a-person.md", SHELL, async ({ page }, reader) => {
  const [{ lead }, ...replies] = (await reader.run(blocks(page, "sh").join("\n"))).map(parse);
  const [byEmail, byPhone, byName, erased, contacts, deals, contact] = replies;
  for (const { data } of [byEmail, byPhone, byName]) assert.deepEqual(data.map(idOf), [lead.contact_id]);
  assert.equal(erased.id, lead.contact_id);
  assert.deepEqual([contacts.data, deals.data], [[], []]);
  assert.deepEqual([contact.email, contact.phone, contact.erased_at], [null, null, erased.erased_at]);
});

guide("import-a-csv.md", PYTHON, async ({ page, sql, workspace }, reader) => {
  await reader.write("contacts.csv", blocks(page, "csv")[0]!);
  await reader.write("import_csv.py", blocks(page, "python")[0]!);
  const [first, again] = blocks(page, "sh");
  assert.deepEqual(
    (await reader.run(first!)).filter((line) => !line.startsWith("line")),
    [
      'companies {"created": 2, "updated": 0, "failed": 0}',
      'contacts {"created": 3, "updated": 0, "failed": 1}',
    ],
  );
  const [wrong, ...others] = (await reader.run(`${first}\n${again}`)).filter((line) =>
    line.startsWith("line")
  );
  assert.match(wrong!, /^line 5: .*"validation_error".*"items\[3\]\.email"/);
  assert.deepEqual(others, [wrong]);
  // As Excel in Portuguese saves it: semicolons, Windows-1252.
  const saved = blocks(page, "csv")[0]!.replaceAll(",", ";").replace("João Lima", "João Luís");
  await reader.write("contacts.csv", Uint8Array.from(saved, (character) => character.charCodeAt(0)));
  assert.ok((await reader.run(first!)).includes('contacts {"created": 0, "updated": 3, "failed": 1}'));
  const stored = await sql`
    select c.external_id, c.name, c.phone_e164, o.name as company from crm.contacts c
    join crm.companies o on o.workspace_id = c.workspace_id and o.id = c.company_id
    where c.workspace_id = ${workspace.id} order by c.external_id`;
  assert.deepEqual(stored.map((row) => Object.values(row)), [
    ["c-1", "Marina Alves", "+5511977771234", "Padaria Sol"],
    ["c-2", "João Luís", "+5511977771235", "Padaria Sol"],
    ["c-3", "Rita Souza", "+5521988880001", "Mercado Lua"],
  ]);
});

guide("nightly-sync.md", PYTHON, async ({ page, api }, reader) => {
  await reader.write("sync.py", blocks(page, "python")[0]!);
  const [everyNight, since] = blocks(page, "sh");
  const make = async (name: string): Promise<string> =>
    (await api.post("/api-v1-contacts", { name })).body.id;
  const [kept, changed, archived, merged, erased] = [
    await make("Fica"),
    await make("Muda"),
    await make("Sai"),
    await make("Repetido"),
    await make("Apagada"),
  ];
  assert.deepEqual(await reader.run(everyNight!), ["5 contacts"]);
  await api.patch(`/api-v1-contacts/${changed}`, { name: "Mudou" });
  await api.post(`/api-v1-contacts/${archived}/archive`, {});
  await api.post(`/api-v1-contacts/${kept}/merge`, { merge_id: merged });
  await api.post(`/api-v1-contacts/${erased}/erase`, {});
  const added = await make("Nova");
  // The feed shows what is below every transaction that is still open; those of other tests end soon.
  const copy = await reader.until(async () => {
    await reader.run(everyNight!);
    const { contacts } = parse(await reader.read("contacts.json"));
    return added in contacts && contacts;
  });
  const { data } = (await api.get("/api-v1-contacts")).body;
  assert.deepEqual(copy, Object.fromEntries(data.map((contact: { id: string }) => [contact.id, contact])));
  assert.deepEqual(Object.keys(copy).sort(), [kept, changed, added].sort());

  const [listed] = (await reader.run(`${everyNight}\n${since}`)).slice(-1).map(parse);
  assert.equal(listed.data.length, 6);
  assert.ok(listed.meta.synced_until);
});

/** Registers the test of a page, whose reader has a folder, the programs, and the workspace's key in DATA_DIR. */
function guide(
  name: string,
  programs: string[],
  follow: (scenario: Scenario & { page: string }, reader: Reader) => Promise<void>,
): void {
  Deno.test(needing(programs, {
    name: `The commands of docs/guides/${name} do what the page says`,
    fn: () =>
      withScenario(async (scenario) => {
        await using reader = await openReader(scenario.workspace.key);
        await follow({ ...scenario, page: await readPage(`guides/${name}`) }, reader);
      }),
  }));
}

type Reader = Awaited<ReturnType<typeof openReader>>;

async function openReader(key: string) {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(
    join(folder, "stack.json"),
    JSON.stringify({ base_url: baseUrl, demo_key: key }, null, 2),
  );
  return {
    /** Runs commands as a reader does, and returns the lines that they printed, without the empty ones. */
    async run(script: string): Promise<string[]> {
      const { success, stdout, stderr } = await new Deno.Command("sh", {
        args: ["-ec", script],
        cwd: folder,
        env: { DATA_DIR: folder },
        stdin: "null",
        signal: AbortSignal.timeout(60_000),
      }).output();
      const [printed, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      assert.ok(success, `${printed}${errors}`);
      return printed!.split("\n").filter((line) => line !== "");
    },
    write: (name: string, content: string | Uint8Array) =>
      Deno.writeFile(
        join(folder, name),
        typeof content === "string" ? new TextEncoder().encode(content) : content,
      ),
    read: (name: string) => Deno.readTextFile(join(folder, name)),
    /** Tries again for half a minute, until something is returned. */
    async until<Found>(look: () => Promise<Found | false>): Promise<Found> {
      for (let attempt = 0; attempt < 60; attempt++) {
        const found = await look();
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      throw new Error("It did not come about within 30 seconds");
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** The fenced blocks of a language. */
function blocks(page: string, language: string): string[] {
  return [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter(([, found]) => found === language)
    .map(([, , block]) => block!);
}

const idOf = ({ id }: { id: string }) => id;

// deno-lint-ignore no-explicit-any -- each test asserts the fields that it expects
const parse = (text: string): any => JSON.parse(text);
