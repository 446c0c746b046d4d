// Imports files with the program of the page import-a-csv, as its reader would.
import assert from "node:assert/strict";
import { baseUrl } from "../support/stack.ts";
import { openPage } from "./claims.ts";
import { guide, PYTHON } from "./guide.ts";

guide(
  "The program of import-a-csv imports a file of either spelling once, and names the wrong line",
  PYTHON,
  async ({ api, sql, workspace }, openReader) => {
    const page = await openPage("import-a-csv", { csv: 1, python: 1, sh: 2, text: 1 });
    const { csv: [csv], python: [program], sh: [first, again], text: [shown] } = page.blocks;
    const reader = await openReader(page, ["contacts:write", "companies:write"]);
    await reader.write("contacts.csv", csv!);
    await reader.write("import_csv.py", program!);
    assert.equal((await reader.run(first!)).join("\n"), shown!.trimEnd());
    const [, wrong] = shown!.split("\n");
    const found = [
      "companies: novos 0, existentes 2, com erro 0",
      wrong,
      "contacts: novos 0, existentes 3, com erro 1",
    ];
    assert.deepEqual(await reader.run(`${first}\n${again}`), [...found, ...found]);
    // As Excel in Portuguese saves it: semicolons, Windows-1252.
    const saved = csv!.replaceAll(",", ";").replace("João Lima", "João Luís");
    await reader.write("contacts.csv", Uint8Array.from(saved, (character) => character.charCodeAt(0)));
    assert.ok((await reader.run(first!)).includes("contacts: novos 0, existentes 3, com erro 1"));
    const stored = await sql`
    select c.external_id, c.name, c.phone_e164, o.name as company from crm.contacts c
    join crm.companies o on o.workspace_id = c.workspace_id and o.id = c.company_id
    where c.workspace_id = ${workspace.id} order by c.external_id`;
    assert.deepEqual(stored.map((row) => Object.values(row)), [
      ["c-1", "Marina Alves", "+5511977771234", "Padaria Sol"],
      ["c-2", "João Luís", "+5511977771235", "Padaria Sol"],
      ["c-3", "Rita Souza", "+5521988880001", "Mercado Lua"],
    ]);

    // From the line that the program names on; only the columns that it needs; a contact that came by a form.
    const known = await api.post("/api-v1-contacts", { name: "Caio", email: "caio@exemplo.com.br" });
    await reader.write(
      "contacts.csv",
      "external_id,name,email\nx-1,Eva,\nx-2,Caio Reis,caio@exemplo.com.br\n",
    );
    await reader.write("import_csv.py", program!.replace('MATCH_BY = "external_id"', 'MATCH_BY = "email"'));
    assert.deepEqual(await reader.run(`${first!.trimEnd()} 3`), [
      "companies: novos 0, existentes 0, com erro 0",
      "contacts: novos 0, existentes 1, com erro 0",
    ]);
    const contact = (await api.get(`/api-v1-contacts/${known.body.id}`)).body;
    assert.deepEqual([contact.external_id, contact.name], ["x-2", "Caio Reis"]);
  },
);

guide(
  "The program of import-a-csv, matching by e-mail, passes over a line without one, and takes one without an id",
  PYTHON,
  async ({ api }, openReader) => {
    const page = await openPage("import-a-csv", { csv: 1, python: 1, sh: 2, text: 1 });
    const reader = await openReader(page, ["contacts:write", "companies:write"]);
    await reader.write("contacts.csv", "external_id,name,email\nx-1,Eva,\n,Caio,caio@exemplo.com.br\n");
    await reader.write(
      "import_csv.py",
      page.blocks.python[0]!.replace('MATCH_BY = "external_id"', 'MATCH_BY = "email"'),
    );
    const printed = await reader.run(page.blocks.sh[0]!);
    assert.match(printed[1]!, /^Linha 2 não entrou: .*email/);
    assert.deepEqual(printed.slice(2), ["contacts: novos 1, existentes 0, com erro 1"]);
    const { data } = (await api.get("/api-v1-contacts")).body;
    assert.deepEqual(data.map(nameAndPhone), [["Caio", null]]);
  },
);

guide(
  "The program of import-a-csv names the lines whose contact came in without its company, and why",
  PYTHON,
  async ({ api }, openReader) => {
    const page = await openPage("import-a-csv", { csv: 1, python: 1, sh: 2, text: 1 });
    const reader = await openReader(page, ["contacts:write", "companies:write"]);
    const long = "N".repeat(300);
    const lines = [
      "external_id,name,company_id,company",
      "c-1,Um,,Padaria Sol",
      "c-2,Dois,e-1,Padaria Sol",
      // The name of a company may stand on one of its lines alone.
      "c-3,Três,e-1,",
      "c-4,Quatro,e-2,",
      `c-5,Cinco,e-3,${long}`,
      "c-6,Seis,,",
      "",
    ];
    await reader.write("contacts.csv", lines.join("\n"));
    await reader.write("import_csv.py", page.blocks.python[0]!);
    const [refused, ...printed] = await reader.run(page.blocks.sh[0]!);
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
    for (const text of [page.pt, page.en]) {
      assert.ok(text.includes("Linha 3 entrou sem empresa: falta company_id"));
    }
  },
);

guide(
  "A file that is imported again wins over what was changed and merged in the CRM, as import-a-csv warns",
  PYTHON,
  async ({ api }, openReader) => {
    const page = await openPage("import-a-csv", { csv: 1, python: 1, sh: 2, text: 1 });
    const reader = await openReader(page, ["contacts:write", "companies:write"]);
    // Without ids: the e-mail is the contact's, the name the company's.
    const people = ["ana", "bia", "caio"].map((name) => {
      const email = `${name}@exemplo.com.br`;
      return `${email},${name},${email},(11) 97777-1234,Padaria Sol,Padaria Sol`;
    });
    await reader.write("contacts.csv", [page.blocks.csv[0]!.split("\n")[0], ...people, ""].join("\n"));
    await reader.write("import_csv.py", page.blocks.python[0]!);
    const [command, again] = page.blocks.sh;
    assert.deepEqual(await reader.run(command!), [
      "companies: novos 1, existentes 0, com erro 0",
      "contacts: novos 3, existentes 0, com erro 0",
    ]);
    const contacts = async () => (await api.get("/api-v1-contacts")).body.data;
    const [ana, bia, caio] = (await contacts()).toSorted((a: { name: string }, b: { name: string }) =>
      a.name.localeCompare(b.name)
    );
    await api.patch(`/api-v1-contacts/${ana.id}`, { phone: "(21) 98888-0001", job_title: "Compradora" });
    await api.post(`/api-v1-contacts/${bia.id}/merge`, { merge_id: caio.id });
    assert.deepEqual((await reader.run(`${command}\n${again}`)).slice(-1), [
      "contacts: novos 0, existentes 3, com erro 0",
    ]);
    const stored = await contacts();
    assert.deepEqual(stored.map(nameAndPhone).sort(), [["ana", ana.phone], ["caio", bia.phone]]);
    // What the file has no column for stays as it was changed.
    assert.ok(stored.some((contact: { job_title: string | null }) => contact.job_title === "Compradora"));
    for (const text of ["**O arquivo sempre vence.**", "**The file always wins.**"]) {
      assert.ok([page.pt, page.en].some((page) => page.includes(text)), text);
    }
  },
);

guide(
  "The program of import-a-csv says in Portuguese what is missing, without a traceback",
  PYTHON,
  async (_, openReader) => {
    const page = await openPage("import-a-csv", { csv: 1, python: 1, sh: 2, text: 1 });
    const reader = await openReader(page, ["contacts:write"]);
    const [command] = page.blocks.sh;
    await reader.write("import_csv.py", page.blocks.python[0]!);
    assert.equal(
      await reader.fail(command!),
      "Não foi possível ler contacts.csv: No such file or directory\n",
    );
    await reader.write("contacts.csv", "id;name\n1;Ana\n");
    assert.equal(await reader.fail(command!), "Faltam colunas: external_id. O arquivo tem: id, name\n");
    await reader.write("contacts.csv", "");
    assert.equal(await reader.fail(command!), "Faltam colunas: external_id, name. O arquivo tem: nenhuma\n");
    await reader.write("contacts.csv", page.blocks.csv[0]!);
    assert.match(
      await reader.fail(command!),
      /^api-v1-companies\/batch: .*insufficient_scope.*companies:write/,
    );
    assert.match(await reader.fail(`${command!.trimEnd()} x`), /^Uso: /);
    assert.equal(await reader.fail("python3 import_csv.py"), "Falta a variável de ambiente CRM_URL\n");
  },
);

guide(
  "The program of import-a-csv names the line to go on from, where the API stops answering",
  PYTHON,
  async (scenario, openReader) => {
    const page = await openPage("import-a-csv", { csv: 1, python: 1, sh: 2, text: 1 });
    const reader = await openReader(page, ["contacts:write", "companies:write"]);
    const people = Array.from({ length: 150 }, (_, index) => `p-${index},Pessoa ${index},e-1,Padaria Sol`);
    await reader.write("contacts.csv", ["external_id,name,company_id,company", ...people, ""].join("\n"));
    // One attempt, in place of two minutes of them.
    await reader.write("import_csv.py", page.blocks.python[0]!.replace("range(8)", "range(1)"));
    // Passes on the companies and the first hundred contacts, and has no answer to what follows.
    let calls = 0;
    await using proxy = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      async (request) => {
        if (++calls > 2) return new Response(null, { status: 503, headers: { "Retry-After": "1" } });
        const { headers, method } = request;
        const url = `${baseUrl}${new URL(request.url).pathname.replace("/functions/v1", "")}`;
        const key = { "X-API-Key": headers.get("X-API-Key")!, "Content-Type": "application/json" };
        return await fetch(url, { method, headers: key, body: await request.text() });
      },
    );
    const away = `export CRM_URL=http://127.0.0.1:${proxy.addr.port}/functions/v1\npython3`;
    const command = page.blocks.sh[0]!;
    assert.equal(
      await reader.fail(command.replace("python3", away)),
      "A API não responde. Continue depois com: import_csv.py contacts.csv 102\n",
    );
    assert.deepEqual(await reader.run(`${command.trimEnd()} 102`), [
      "companies: novos 0, existentes 1, com erro 0",
      "contacts: novos 50, existentes 0, com erro 0",
    ]);
    assert.equal((await scenario.api.get("/api-v1-contacts?limit=200")).body.data.length, 150);
  },
);

const nameAndPhone = ({ name, phone }: { name: string; phone: string | null }) => [name, phone];
