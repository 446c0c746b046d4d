// clients/examples/erp-sync, run as its README says, against the API behind a proxy that cuts connections.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { eventually } from "../support/mailbox.ts";
import { readPages } from "../support/record_fixtures.ts";
import { openWithoutTriggers } from "../support/stack.ts";
import { openBehindProxy } from "./open_example.ts";

const RESOURCES = ["companies", "contacts", "deals"] as const;
type Resource = typeof RESOURCES[number];

/** Prepares the program and a new workspace, without running the program. */
async function openSync() {
  const opened = await openBehindProxy("erp-sync", "GET /functions/v1/api-v1-");
  const { workspace, api, example } = opened;
  const file = join(example.folder, "crm.db");
  const query = (text: string) => {
    const db = new DatabaseSync(file);
    try {
      return db.prepare(text).all() as Record<string, string>[];
    } finally {
      db.close();
    }
  };
  return {
    ...{ ...opened, file, query },
    async create(resource: Resource, records: object[]): Promise<string[]> {
      const items = records.map((data) => ({ op: "create", data }));
      const { body } = await api.post(`/api-v1-${resource}/batch`, { items });
      assert.equal(body.summary.failed, 0);
      return body.results.map(({ id }: { id: string }) => id);
    },
    async run(command = "npm run sync"): Promise<string> {
      const { code, output } = await example.run(command);
      assert.equal(code, 0, output);
      assert.ok(!output.includes(workspace.key));
      return output;
    },
    /** Asserts that the copy has exactly the records of the API. */
    async assertInStep() {
      for (const resource of RESOURCES) {
        const pages = await readPages(api, `/api-v1-${resource}?limit=200&archived=any`);
        const records = pages.flatMap(({ body }) => body.data)
          .filter(({ merged_into_id, erased_at }) => !merged_into_id && !erased_at)
          .map((record) => [record.id, record]);
        const copied = query(`select id, record from ${resource}`)
          .map(({ id, record }) => [id, JSON.parse(record!)]);
        assert.deepEqual(Object.fromEntries(copied), Object.fromEntries(records), resource);
      }
    },
  };
}

/** Makes the records of a workspace an hour older. */
async function makeOlder(workspaceId: string): Promise<void> {
  await using sql = await openWithoutTriggers();
  for (const resource of RESOURCES) {
    await sql`
      update crm.${sql(resource)} set updated_at = updated_at - interval '1 hour'
      where workspace_id = ${workspaceId}`;
  }
}

/** Numbered records for one call. */
const numbered = (count: number, make: (number: number) => object) =>
  Array.from({ length: count }, (_, at) => make(at));

Deno.test("clients/examples/erp-sync copies everything, continues where it was killed, and then reads only what changed", async () => {
  await using opened = await openSync();
  const { api, proxy, example, query } = opened;
  const [companyId] = await opened.create("companies", [{ name: "Padaria Sol", external_id: "e-1" }]);
  const contactIds: string[] = [];
  for (let call = 0; call < 5; call++) {
    const contacts = numbered(100, (at) => ({ name: `Ana ${call}-${at}`, company_id: companyId }));
    contactIds.push(...await opened.create("contacts", contacts));
  }
  const deals = numbered(20, (at) => ({ title: `Negócio ${at}`, value: at, contact_id: contactIds[at] }));
  await opened.create("deals", deals);

  // A run stores as its mark the time one minute before its start. Makes the records older than that.
  await makeOlder(opened.workspace.id);

  // Lets four requests pass: for the feed's cursor, the companies, and two of the three pages of contacts.
  proxy.cutAfter(4);
  const killed = example.start("npm run sync");
  await killed.prints("Empresas: 1 recebidos, 1 na cópia");
  await eventually(() => proxy.count() >= 5, "the call that is cut");
  await killed.kill();
  assert.equal(query("select count(*) as n from contacts")[0]!.n, 400);

  proxy.setLine("up");
  const output = await opened.run();
  assert.match(output, /^Contatos: 100 recebidos, 500 na cópia$/m);
  assert.match(output, /^Negócios: 20 recebidos, 20 na cópia$/m);
  await opened.assertInStep();
  const third =
    "select d.title, c.name from deals d join contacts c on c.id = d.contact_id where d.value = 3";
  assert.deepEqual(query(third).map(Object.values), [["Negócio 3", "Ana 0-3"]]);

  await api.patch(`/api-v1-contacts/${contactIds[7]}`, { job_title: "Sócia" });
  const [dealId] = await opened.create("deals", [{ title: "Novo" }]);
  await api.post(`/api-v1-deals/${dealId}/win`);
  await api.post(`/api-v1-companies/${companyId}/archive`);
  const next = await opened.run();
  assert.match(
    next,
    /^Empresas: 1 recebidos, 1 na cópia\nContatos: 1 recebidos, 500 na cópia\nNegócios: 1 recebidos, 21 /m,
  );
  await opened.assertInStep();
  assert.equal(query("select id from companies where archived_at is not null").length, 1);
});

Deno.test("clients/examples/erp-sync follows merges to the record that stays, and leaves no trace of an erased person", async () => {
  await using opened = await openSync();
  const { api, query, file } = opened;
  const names = ["Ana Prado", "Ana P.", "A. Prado", "Zuleica Quaresma", "Bia"];
  const [stays, second, third, erased] = await opened.create("contacts", names.map((name) => ({ name })));
  const companies = [{ name: "Padaria Sol" }, { name: "Padaria Sol Ltda" }];
  const [company, other] = await opened.create("companies", companies);
  await opened.create("deals", [{ title: "Proposta para Zuleica Quaresma", contact_id: erased }]);
  await opened.run();
  assert.ok(new TextDecoder().decode(await Deno.readFile(file)).includes("Zuleica"));

  await api.post(`/api-v1-contacts/${second}/merge`, { merge_id: third });
  await api.post(`/api-v1-contacts/${stays}/merge`, { merge_id: second });
  assert.match(await opened.run("npm run events"), /^Eventos: 2 fusões, 0 apagamentos\n$/m);
  const merges = () =>
    Object.fromEntries(query("select * from merges").map(({ old_id, new_id }) => [old_id, new_id]));
  assert.deepEqual(merges(), { [second!]: stays, [third!]: stays });
  assert.equal(query("select count(*) as n from contacts")[0]!.n, 3);

  await api.post(`/api-v1-companies/${company}/merge`, { merge_id: other });
  await api.post(`/api-v1-contacts/${erased}/erase`, { texts: true });
  assert.match(await opened.run("npm run events"), /^Eventos: 0 fusões, 1 apagamentos$/m);
  await opened.assertInStep();
  assert.deepEqual(merges(), { [second!]: stays, [third!]: stays, [other!]: company });
  for await (const { name } of Deno.readDir(join(file, ".."))) {
    if (!name.startsWith("crm.db")) continue;
    const text = new TextDecoder().decode(await Deno.readFile(join(file, "..", name)));
    assert.ok(!text.includes("Zuleica"), name);
  }
});

Deno.test("clients/examples/erp-sync loses nothing if it was away for longer than the feed is kept", async () => {
  await using opened = await openSync();
  const { sql, api, query, file } = opened;
  const names = ["Ana", "Bia", "Caio"];
  const [stays, merged, erased] = await opened.create("contacts", names.map((name) => ({ name })));
  await opened.run();
  await api.post(`/api-v1-contacts/${stays}/merge`, { merge_id: merged });
  await api.post(`/api-v1-contacts/${erased}/erase`, {});
  const [{ old }] = await sql<[{ old: string }]>`
    select crm.feed_cursor_text(row('1', gen_random_uuid(), now() - '31 days'::interval)) as old`;
  const db = new DatabaseSync(file);
  db.prepare("update marks set value = ? where name = 'events'").run(JSON.stringify(old));
  db.close();

  await opened.run();
  await opened.assertInStep();
  assert.deepEqual(query("select old_id, new_id from merges").map(Object.values), [[merged, stays]]);
  assert.match(await opened.run(), /^Eventos: 0 fusões, 0 apagamentos$/m);
});

Deno.test("clients/examples/erp-sync says what is wrong with its key, without a stack trace", async () => {
  await using opened = await openSync();
  await opened.example.configure({ CRM_KEY: "svc_wrong" });
  const { code, output } = await opened.example.run("npm run sync");
  assert.equal(code, 1);
  assert.match(output, /^Parou: invalid_api_key: /m);
  assert.doesNotMatch(output, /\.js:\d+/);
});
