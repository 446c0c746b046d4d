// clients/examples/csv-import, run as its README says, against the API behind a proxy that cuts connections.
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeKey } from "../support/fixtures.ts";
import { readPages } from "../support/record_fixtures.ts";
import { run } from "../support/run.ts";
import { openBehindProxy } from "./open_example.ts";

const RUN = "npm run import -- contatos.csv";
const DRY_RUN = `${RUN} --dry-run`;
const HEADER = "Código;Nome;E-mail;Telefone;Cargo;Código da empresa;Empresa";

async function openImport() {
  const opened = await openBehindProxy("csv-import", "POST /functions/v1/api-v1-contacts/batch");
  const { workspace, example, api } = opened;
  return {
    ...opened,
    async write(text: string | Uint8Array) {
      const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
      await Deno.writeFile(join(example.folder, "contatos.csv"), bytes);
    },
    read: (name: string) => Deno.readTextFile(join(example.folder, name)),
    /** Runs a command of the README, which may fail. Asserts that it prints neither the key nor a stack trace. */
    async run(command = RUN) {
      const ended = await example.run(command);
      assert.ok(!ended.output.includes(workspace.key));
      assert.doesNotMatch(ended.output, /\.js:\d+/);
      return ended;
    },
    /** The contacts of the workspace, by their external_id. */
    async contacts() {
      const pages = await readPages(api, "/api-v1-contacts?limit=200");
      const contacts = pages.flatMap(({ body }) => body.data);
      return new Map(contacts.map((contact) => [contact.external_id, contact]));
    },
  };
}

Deno.test("clients/examples/csv-import imports the file of its README, says which lines it rejects, and imports them once they are corrected", async () => {
  await using opened = await openImport();
  const dry = await opened.run(DRY_RUN);
  assert.equal(dry.code, 0, dry.output);
  assert.match(dry.output, /^Linha 5: o e-mail caio@mercadolua está incompleto\nLinha 6: sem nome$/m);
  assert.match(dry.output, /^Simulação, nada foi enviado: 3 linhas seguiriam, 2 não\.$/m);
  assert.equal((await opened.contacts()).size, 0);

  const first = await opened.run();
  assert.equal(first.code, 0, first.output);
  assert.match(first.output, /100% \| 5 de 5 linhas \| 2 rejeitadas/);
  assert.match(first.output, /^3 criados, 0 atualizados, 2 rejeitados\.$/m);
  const contacts = await opened.contacts();
  assert.deepEqual([...contacts.keys()].sort(), ["c-1", "c-2", "c-3"]);
  const { body: company } = await opened.api.get(`/api-v1-companies/${contacts.get("c-1").company_id}`);
  assert.deepEqual([company.name, company.external_id], ["Padaria Sol", "e-1"]);

  const rejected = await opened.read("contatos.rejeitados.csv");
  assert.equal(
    rejected,
    `\ufeff${HEADER};linha;motivo\n` +
      "c-4;Caio Reis;caio@mercadolua;(21) 98888-0002;;e-2;Mercado Lua;5;o e-mail caio@mercadolua está incompleto\n" +
      "c-5;;ana@exemplo.com.br;;;;;6;sem nome\n",
  );
  await opened.write(rejected.replace("mercadolua;", "mercadolua.com.br;").replace("c-5;;", "c-5;Ana;"));
  assert.match((await opened.run()).output, /^2 criados, 0 atualizados, 0 rejeitados\.$/m);
  assert.match((await opened.run()).output, /^0 criados, 2 atualizados, 0 rejeitados\.$/m);
  assert.equal((await opened.contacts()).size, 5);
  // The program does not overwrite a file that somebody may be correcting.
  const names = await Array.fromAsync(Deno.readDir(opened.example.folder), ({ name }) => name);
  assert.equal(names.filter((name) => name.startsWith("contatos.rejeitados")).length, 1, names.join());
});

Deno.test("clients/examples/csv-import continues where it was cut off, and reads a file as Excel saves it", async () => {
  await using opened = await openImport();
  const { proxy } = opened;
  const lines = Array.from({ length: 250 }, (_, at) => {
    // The program accepts this e-mail address, and the API refuses it.
    const email = at === 120 ? "josé@exemplo..br" : `joao${at}@exemplo.com.br`;
    return `c-${at};João ${at};${email};;;e-${at % 3};Padaria São ${at % 3}`;
  });
  const text = [HEADER, ...lines, "c-7;Outro;;;;;", "c-999;Rita;x"].join("\r\n");
  // In Windows-1252 these letters have their Unicode code points as bytes.
  await opened.write(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));

  proxy.cutAfter(1);
  const cut = await opened.run();
  assert.equal(cut.code, 1, cut.output);
  assert.match(cut.output, /^Parou depois de 100 linhas\. Para continuar, rode o mesmo comando\.$/m);
  assert.match(cut.output, /no_answer/);
  assert.equal((await opened.contacts()).size, 100);

  proxy.setLine("up");
  const sent = proxy.count();
  const next = await opened.run();
  assert.equal(next.code, 0, next.output);
  assert.match(next.output, /^Continuando: 100 linhas já foram\.$/m);
  assert.equal(proxy.count() - sent, 2, "what was imported is not sent again");
  assert.match(next.output, /^249 criados, 0 atualizados, 3 rejeitados\.$/m);
  const contacts = await opened.contacts();
  assert.equal(contacts.size, 249);
  assert.equal(contacts.get("c-7").name, "João 7");
  const { body } = await opened.api.get("/api-v1-companies");
  const companies = body.data.map(({ name }: { name: string }) => name).sort();
  assert.deepEqual(companies, [0, 1, 2].map((at) => `Padaria São ${at}`));
  const rejected = (await opened.read("contatos.rejeitados.csv")).split("\n").slice(1, -1);
  assert.deepEqual(rejected.map((line) => line.split(";").at(-1)), [
    "E-mail: Deve ser um e-mail válido",
    "o código c-7 já está na linha 9",
    "a linha tem 3 colunas, e o cabeçalho 7",
  ]);
  await assert.rejects(opened.read("contatos.csv.progress.json"), Deno.errors.NotFound);
});

Deno.test("clients/examples/csv-import says in words what is wrong with a file or a key, and sends nothing", async () => {
  await using opened = await openImport();
  const { sql, workspace, example } = opened;
  const said = async (what: RegExp) => {
    for (const command of [RUN, DRY_RUN]) {
      const { code, output } = await opened.run(command);
      assert.equal(code, 1);
      assert.match(output, what);
    }
  };
  await opened.write("Nome,Fone\nAna,119\n");
  await said(
    /^Falta a coluna "código" ou "id" ou "external_id"\.\nAs colunas do arquivo são: "Nome", "Fone"\.$/m,
  );
  await opened.write(`${HEADER}\nc-1;"Ana;;;;;\n`);
  await said(/^Há aspas fora do lugar perto da linha 2/m);
  await opened.write("");
  await said(/^O arquivo contatos\.csv está vazio\.$/m);
  await Deno.remove(join(example.folder, "contatos.csv"));
  await said(/^O arquivo contatos\.csv não existe\.$/m);

  await opened.write(`${HEADER}\nc-1;Ana;;;;;\n`);
  const { key } = await makeKey(sql, workspace.id, { scopes: ["contacts:write"] });
  await example.configure({ CRM_KEY: key });
  await said(/^A chave "Teste" não tem o escopo companies:write\.$/m);
  await example.configure({ CRM_KEY: "svc_wrong" });
  await said(/^A API respondeu invalid_api_key: /m);
  await example.configure({ CRM_KEY: "" });
  await said(/^Preencha CRM_URL e CRM_KEY no arquivo \.env\.$/m);
  assert.equal((await opened.contacts()).size, 0);
});

Deno.test("An example is installed with the packed SDK outside this repository, as the README of clients/examples/ says", async () => {
  await using opened = await openImport();
  const { folder } = opened.example;
  const sdk = join(folder, "../../sdk");
  const packed = (await run("npm", ["pack", "--silent"], { cwd: sdk })).stdout.trim();
  await Deno.rename(join(sdk, packed), join(folder, packed));
  await Deno.remove(sdk, { recursive: true });
  await run("npm", ["install", `./${packed}`], { cwd: folder });
  assert.ok((await opened.read("package.json")).includes(`"file:${packed}"`));
  assert.match((await opened.run()).output, /^3 criados/m);
});
