// Imports files with the program of the page import-a-csv, as its reader would.
import assert from "node:assert/strict";
import type { Scenario } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { openPage } from "./claims.ts";
import { openGuide, python } from "./guide.ts";
import type { Reader } from "./reader.ts";

const page = await openPage("import-a-csv", { csv: 1, python: 1, sh: 1, text: 1 });
const [csv, program, shown] = [page.blocks.csv[0]!, page.blocks.python[0]!, page.blocks.text[0]!];
const command = page.blocks.sh[0]!.trimEnd();
const byEmail = program.replace('MATCH_BY = "external_id"', 'MATCH_BY = "email"');

interface Given extends Scenario {
  reader: Reader;
  /** Puts a file and the program into the reader's folder. */
  give(file: string | Uint8Array, script?: string): Promise<void>;
}

function test(
  title: string,
  follow: (given: Given) => Promise<void>,
  scopes = ["contacts:write", "companies:write"],
): void {
  python.test(title, async (scenario) => {
    await using reader = await openGuide(scenario, page, scopes);
    const give = async (file: string | Uint8Array, script = program) => {
      await reader.write("contacts.csv", file);
      await reader.write("import_csv.py", script);
    };
    await follow({ ...scenario, reader, give });
  });
}

test("import-a-csv: a file in either encoding is imported once, and the wrong line is named", async ({ api, sql, workspace, reader, give }) => {
  await give(csv);
  assert.equal((await reader.run(command)).join("\n"), shown.trimEnd());
  const found = [
    "companies: novos 0, existentes 2, com erro 0",
    shown.split("\n")[1],
    "contacts: novos 0, existentes 3, com erro 1",
  ];
  assert.deepEqual(await reader.run(`${command}\n${command}`), [...found, ...found]);
  // The file as Excel in Portuguese saves it: with semicolons, in Windows-1252.
  const saved = csv.replaceAll(",", ";").replace("João Lima", "João Luís");
  await give(Uint8Array.from(saved, (character) => character.charCodeAt(0)));
  assert.ok((await reader.run(command)).includes("contacts: novos 0, existentes 3, com erro 1"));
  const stored = await sql`
    select c.external_id, c.name, c.phone_e164, o.name as company from crm.contacts c
    join crm.companies o on o.workspace_id = c.workspace_id and o.id = c.company_id
    where c.workspace_id = ${workspace.id} order by c.external_id`;
  assert.deepEqual(stored.map((row) => Object.values(row)), [
    ["c-1", "Marina Alves", "+5511977771234", "Padaria Sol"],
    ["c-2", "João Luís", "+5511977771235", "Padaria Sol"],
    ["c-3", "Rita Souza", "+5521988880001", "Mercado Lua"],
  ]);

  // Starts at line 3 of a file with few columns, and finds by e-mail a contact without an external_id.
  const known = await api.post("/api-v1-contacts", { name: "Caio", email: "caio@exemplo.com.br" });
  await give("external_id,name,email\nx-1,Eva,\nx-2,Caio Reis,caio@exemplo.com.br\n", byEmail);
  assert.deepEqual(await reader.run(`${command} 3`), [
    "companies: novos 0, existentes 0, com erro 0",
    "contacts: novos 0, existentes 1, com erro 0",
  ]);
  const contact = (await api.get(`/api-v1-contacts/${known.body.id}`)).body;
  assert.deepEqual([contact.external_id, contact.name], ["x-2", "Caio Reis"]);
});

test("import-a-csv: matching by e-mail skips a line without an e-mail, and takes a line without an id", async ({ api, reader, give }) => {
  await give("external_id,name,email\nx-1,Eva,\n,Caio,caio@exemplo.com.br\n", byEmail);
  const [, refused, ...printed] = await reader.run(command);
  assert.match(refused!, /^Linha 2 não entrou: .*email/);
  assert.deepEqual(printed, ["contacts: novos 1, existentes 0, com erro 1"]);
  const { data } = (await api.get("/api-v1-contacts")).body;
  assert.deepEqual(data.map(({ name }: { name: string }) => name), ["Caio"]);
});

test("import-a-csv: the program names lines whose contact was imported without its company, and why", async ({ api, reader, give }) => {
  await give([
    "external_id,name,company_id,company",
    "c-1,Um,,Padaria Sol",
    "c-2,Dois,e-1,Padaria Sol",
    // Only the company's id: its name in another line is enough.
    "c-3,Três,e-1,",
    "c-4,Quatro,e-2,",
    `c-5,Cinco,e-3,${"N".repeat(300)}`,
    "c-6,Seis,,",
    "",
  ].join("\n"));
  const [refused, ...printed] = await reader.run(command);
  assert.match(refused!, /^Empresa da linha 6 não entrou: .*name: /);
  assert.deepEqual(printed, [
    "companies: novos 1, existentes 0, com erro 1",
    "Linha 2 entrou sem empresa: falta company_id",
    "Linha 5 entrou sem empresa: falta company",
    "Linha 6 entrou sem empresa: a empresa não entrou",
    "contacts: novos 6, existentes 0, com erro 0",
  ]);
  const [company] = (await api.get("/api-v1-companies")).body.data;
  const { data } = (await api.get(`/api-v1-contacts?company_id=${company.id}`)).body;
  assert.deepEqual(data.map(({ name }: { name: string }) => name).sort(), ["Dois", "Três"]);
});

test(
  "import-a-csv: the program says in Portuguese what is missing, without a traceback",
  async ({ reader, give }) => {
    await reader.write("import_csv.py", program);
    const fails = async (said: string | RegExp, script = command) => {
      const errors = await reader.fail(script);
      if (typeof said === "string") assert.equal(errors, `${said}\n`);
      else assert.match(errors, said);
    };
    await fails("Não foi possível ler contacts.csv: No such file or directory");
    await give("id;name\n1;Ana\n");
    await fails("Faltam colunas: external_id. O arquivo tem: id, name");
    await give("");
    await fails("Faltam colunas: external_id, name. O arquivo tem: nenhuma");
    await give(csv);
    await fails(/^api-v1-companies\/batch: .*insufficient_scope.*companies:write/);
    await fails(/^Uso: /, `${command} x`);
    await fails("Falta a variável de ambiente CRM_URL", `unset CRM_URL; ${command}`);
  },
  ["contacts:write"],
);

test("import-a-csv: where the API stops answering, the program names the line to continue from", async ({ api, reader, give }) => {
  const people = Array.from({ length: 150 }, (_, index) => `p-${index},Pessoa ${index},e-1,Padaria Sol`);
  // The program makes one attempt instead of trying again for two minutes.
  const impatient = program.replace("range(8)", "range(1)");
  await give(["external_id,name,company_id,company", ...people, ""].join("\n"), impatient);
  // Passes on the companies and the first hundred contacts, then answers 503.
  let calls = 0;
  await using proxy = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    if (++calls > 2) return new Response(null, { status: 503, headers: { "Retry-After": "1" } });
    const { headers, method } = request;
    const url = `${baseUrl}${new URL(request.url).pathname.replace("/functions/v1", "")}`;
    const key = { "X-API-Key": headers.get("X-API-Key")!, "Content-Type": "application/json" };
    return await fetch(url, { method, headers: key, body: await request.text() });
  });
  const away = `export CRM_URL=http://127.0.0.1:${proxy.addr.port}/functions/v1\npython3`;
  assert.equal(
    await reader.fail(command.replace("python3", away)),
    "A API não responde. Continue depois com: import_csv.py contacts.csv 102\n",
  );
  assert.deepEqual(await reader.run(`${command} 102`), [
    "companies: novos 0, existentes 1, com erro 0",
    "contacts: novos 50, existentes 0, com erro 0",
  ]);
  assert.equal((await api.get("/api-v1-contacts?limit=200")).body.data.length, 150);
});
