import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { client } from "../../support/client.ts";
import { assertGoodOnBoth, assertReachable } from "../support/audit.ts";
import { holdPosts } from "../support/browser.ts";
import { openAs } from "../support/company.ts";
import { test } from "../support/scenario.ts";

/** A file as Excel in Portuguese saves it: with semicolons, in Windows-1252. */
const FILE = [
  "Código;Nome;E-mail;Telefone;Função;Empresa;Etiquetas;Região;Últimas compras",
  'c-1;"Souza, Ana ""Aninha""";ana@sol.example;(11) 97777-1234;Sócia;Padaria Sol;vip, feira;Sul;12',
  'c-2;João Lima;joao@sol.example;;"Compras\r\ne vendas";padaria sol;;;',
  "c-3;Rita;rita@lua;;;;;;",
  ";Eva;eva@lua.example;;Diretora;;;;",
  "c-1;Ana de novo;;;;;;;",
  ";Sem nada;;;;;;;",
  "c-4;Caio;caio@lua.example;;;Mercado Lua;;Leste;",
].join("\r\n");

const fileOf = (name: string, text: string, encoding: BufferEncoding) => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(text, encoding),
});

async function assertAllGood(page: Page, where: string): Promise<void> {
  await assertGoodOnBoth(page, where);
  await assertReachable(page, where);
}

test("A manager imports contacts from a file saved by Excel: columns are guessed, lines checked, a lost reply creates nothing twice, and what failed is corrected and imported", async (world) => {
  await using watched = await openAs(world, "/funil/", "gestor");
  const { page, company } = watched;
  const api = client(company.key);
  const { sql } = world;
  await sql`
    insert into crm.custom_fields (workspace_id, object_type, key, label, type, choices)
    values (${company.id}, 'contact', 'regiao', 'Região', 'choice', '{Norte, Sul}')`;
  await api.post("/api-v1-contacts", { name: "Eva", email: "eva@lua.example", job_title: "Gerente" });

  await page.getByRole("link", { name: "Importar contatos" }).click();
  const field = page.getByLabel("Arquivo CSV");
  await field.waitFor();
  await assertAllGood(page, "the choice of a file");
  await field.setInputFiles(fileOf("grande.csv", "Nome;E-mail\n".repeat(500_000), "latin1"));
  await page.getByText(/^O arquivo tem mais de 5 MB/).waitFor();
  await field.setInputFiles({
    ...fileOf("misto.csv", "", "utf8"),
    buffer: Buffer.concat([Buffer.from("Função;Região\nSócia;São Paulo\nCoordena"), Buffer.from([0xe7])]),
  });
  await page.getByText(/^A linha 3 tem um caractere ilegível/).waitFor();
  await field.setInputFiles(fileOf("contatos.csv", FILE, "latin1"));

  const columnOf = (heading: string) => page.getByLabel(`Campo da coluna ${heading}`);
  await columnOf("Nome").waitFor();
  assert.deepEqual(
    await Promise.all(
      FILE.split("\r\n")[0]!.split(";").map((heading) => columnOf(heading).inputValue()),
    ),
    ["external_id", "name", "email", "phone", "job_title", "company", "add_tags", "custom:regiao", ""],
  );
  await assertAllGood(page, "the columns");
  await page.getByRole("button", { name: "Conferir" }).click();

  const rows = page.getByRole("table", { name: "Linhas do arquivo" }).getByRole("row");
  const row = (name: string | RegExp) => rows.filter({ hasText: name });
  await row('Souza, Ana "Aninha"').getByText("Novo", { exact: true }).waitFor();
  await row("João Lima").getByText("Novo", { exact: true }).waitFor();
  await row("Rita").getByText("E-mail: Deve ser um e-mail válido").waitFor();
  await row("Eva").getByText("Função: Gerente → Diretora").waitFor();
  await row("Ana de novo").getByText("Código já está na linha 2").waitFor();
  await row("Sem nada").getByText(/^sem e-mail, telefone ou código/).waitFor();
  await row("Caio").getByText(/^Região: /).waitFor();
  await assertAllGood(page, "the check");
  const contacts = async () =>
    (await sql`select name, job_title from crm.contacts where workspace_id = ${company.id} order by name`)
      .map(({ name, job_title }) => [name, job_title]);
  assert.deepEqual(await contacts(), [["Eva", "Gerente"]]);

  // The reply to the first call of the import is lost after the contacts were written.
  let lost = 0;
  await page.route(/app-v1-contacts\/import$/, async (route) => {
    await route.fetch();
    lost++;
    await route.abort();
  }, { times: 1 });
  await page.getByRole("button", { name: "Importar 3 linhas" }).click();
  await page.getByText("A importação terminou.").waitFor();
  assert.equal(lost, 1);
  await row("João Lima").getByText("Criado", { exact: true }).waitFor();
  await row("Eva").getByText("Atualizado", { exact: true }).waitFor();
  await assertAllGood(page, "the result");
  const written = [
    ["Eva", "Diretora"],
    ["João Lima", "Compras\r\ne vendas"],
    ['Souza, Ana "Aninha"', "Sócia"],
  ];
  assert.deepEqual(await contacts(), written);
  const { body: { data: companies } } = await api.get("/api-v1-companies");
  assert.deepEqual(companies.map(({ name }: { name: string }) => name), ["Padaria Sol"]);

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Baixar as linhas que falharam" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "contatos.falharam.csv");
  const failed = await Deno.readTextFile(await download.path());
  assert.deepEqual(failed.split("\r\n").map((line) => line.split(";").at(-2)), [
    "linha",
    "5",
    "7",
    "8",
    "9",
    undefined,
  ]);
  assert.match(failed, /;5;E-mail: Deve ser um e-mail válido/);

  await page.getByRole("button", { name: "Importar outro arquivo" }).click();
  const corrected = failed.replace("rita@lua;", "rita@lua.example;").replace("Leste", "norte");
  await field.setInputFiles(fileOf("contatos.falharam.csv", corrected, "utf8"));
  assert.deepEqual([await columnOf("linha").inputValue(), await columnOf("motivo").inputValue()], [
    "",
    "",
  ]);
  await page.getByRole("button", { name: "Conferir" }).click();
  await row("Caio").getByText("Novo", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Importar \d linhas$/ }).click();
  await page.getByText("A importação terminou.").waitFor();
  const [caio] = await sql`
    select custom_fields from crm.contacts where workspace_id = ${company.id} and name = 'Caio'`;
  assert.deepEqual(caio!["custom_fields"], { regiao: "Norte" });
});

test("An import of 250 lines can be stopped and continued, and asks before its page is left", async (world) => {
  await using watched = await openAs(world, "/importar/", "gestor");
  const { page, company, requests } = watched;
  const text = ["nome,email", ...Array.from({ length: 250 }, (_, n) => `Pessoa ${n},p${n}@sol.example`)];
  await page.getByLabel("Arquivo CSV").setInputFiles(fileOf("muitos.csv", text.join("\n"), "utf8"));
  await page.getByRole("button", { name: "Conferir" }).click();
  const start = page.getByRole("button", { name: "Importar 250 linhas" });
  await start.waitFor();

  // The first call is held until somebody has asked to stop.
  const release = await holdPosts(page, /app-v1-contacts\/import$/);
  await start.click();
  await page.getByRole("button", { name: "Parar" }).click();
  release();
  await page.getByText(/^A importação parou/).waitFor();
  await page.getByText("100 de 250 linhas").waitFor();
  await assertAllGood(page, "an import that was stopped");
  await page.getByRole("link", { name: "Funil", exact: true }).click();
  const question = page.getByRole("dialog", { name: "A importação não terminou" });
  await question.getByRole("button", { name: "Ficar" }).click();

  await page.getByRole("button", { name: "Continuar" }).click();
  await page.getByText("A importação terminou.").waitFor();
  const [{ count }] = await world.sql<[{ count: number }]>`
    select count(*)::int from crm.contacts where workspace_id = ${company.id}`;
  assert.equal(count, 250);
  assert.equal(requests.filter((request) => /app-v1-contacts\/import$/.test(request)).length, 3);
  await page.getByRole("link", { name: "Funil", exact: true }).click();
  await page.waitForURL(/\/funil\/$/);
});

test("A salesperson finds no link to the import, and its page says who may import", async (world) => {
  await using watched = await openAs(world, "/funil/", "vendedor");
  const { page } = watched;
  await page.getByRole("heading", { name: "Funil" }).waitFor();
  await page.getByText(/^Nenhum negócio ainda|^Atualiza sozinho/).first().waitFor();
  assert.equal(await page.getByRole("link", { name: "Importar contatos" }).count(), 0);
  await page.goto(page.url().replace("/funil/", "/importar/"));
  await page.getByText("Só um gestor ou administrador importa contatos.").waitFor();
  assert.equal(await page.getByLabel("Arquivo CSV").count(), 0);
});
