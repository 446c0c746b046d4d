import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Sql } from "postgres";
import { eventually } from "../../../bench/harness/waiting.ts";
import { client } from "../../support/client.ts";
import { type Message, openMailbox } from "../../support/mailbox.ts";
import { checkDelivery, letTimePass, waitForDelivery } from "../../support/webhooks.ts";
import { assertGood } from "../support/audit.ts";
import { consoleUrl, holdPosts } from "../support/browser.ts";
import { openAs } from "../support/company.ts";
import { ON_PHONE } from "../support/screens.ts";
import { test } from "../support/scenario.ts";
import { copySecret, deliveriesOf, openedDelivery, subscribe } from "../support/webhook_page.ts";

/** Makes the first delivery of a subscription fail for good while another delivery waits. */
async function fail(sql: Sql, id: string, makeOther: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; attempt < 4; attempt++) {
    await waitForDelivery(sql, id, ({ attempts }) => attempts === attempt);
    await letTimePass(sql, id);
  }
  await waitForDelivery(sql, id, ({ attempts }) => attempts === 4);
  const countWith = async (state: string, attempts: number) => {
    const [row] = await sql<[{ count: number }]>`
      select count(*)::integer as count from crm.webhook_deliveries
      where subscription_id = ${id} and state = ${state} and attempts = ${attempts}`;
    return row.count;
  };
  await makeOther();
  await eventually(
    async () => await countWith("pending", 1) === 1,
    "the first attempt of the other delivery",
  );
  await sql`
    update crm.webhook_deliveries set next_attempt_at = clock_timestamp()
    where subscription_id = ${id} and state = 'pending' and attempts = 4`;
  await sql`select crm.poke_dispatcher()`;
  await eventually(async () => await countWith("failed", 5) === 1, "the fifth failure");
}

async function chooseLanguage(page: Page, language: string): Promise<void> {
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page.getByLabel(/^(Idioma|Language)$/).selectOption({ label: language });
  await page.keyboard.press("Escape");
}

const namesOf = (messages: Message[]) => messages.map(({ body }) => body.data.name).sort();

test("A webhook is created with filters and a header, which its page shows by name, and both can be changed there", async (world) => {
  await using watched = await openAs(world, "/webhooks/", "gestor", ON_PHONE);
  const { page, company } = watched;
  const mailbox = openMailbox("status=204");
  await page.getByRole("link", { name: "Criar webhook" }).first().click();
  await page.getByLabel("Um negócio foi criado").check();
  await page.getByLabel("Endereço que recebe (URL)").fill("https://erp.internal/hook");
  await page.getByRole("button", { name: "Criar webhook" }).click();
  await page.getByText("Deve ter um host público", { exact: true }).waitFor();
  await chooseLanguage(page, "English");
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByText("It must use https and have a public host", { exact: true }).waitFor();
  await page.getByText("Check the fields. Nothing was saved.").waitFor();
  await chooseLanguage(page, "Português");
  await page.getByLabel("Endereço que recebe (URL)").fill(mailbox.url);
  await page.getByLabel("Nome (opcional)").fill("ERP da fábrica");
  await page.getByLabel("Um negócio foi criado").check();
  await page.getByText("Filtros e opções").click();
  const [pipeline] = await world.sql<[{ name: string }]>`
    select name from crm.pipelines where id = ${company.pipelineId}`;
  await page.getByLabel("Pipeline").selectOption({ label: pipeline.name });
  await page.getByLabel("Etapa", { exact: true }).selectOption({ label: company.stages[1].name });
  await page.getByLabel("Responsável").selectOption({ label: "Ana Souza" });
  await page.getByLabel("Enviar só o id do registro").check();
  await page.getByLabel("Cabeçalho do receptor").fill("Host");
  await page.getByLabel("Valor novo do cabeçalho").fill("Bearer s3cr3t");
  await assertGood(page, "the form of a webhook with options");
  await page.getByRole("button", { name: "Criar webhook" }).click();
  await page.getByText("Deve ser Authorization ou começar com X-, com letras, dígitos e hifens")
    .waitFor();
  await page.getByLabel("Cabeçalho do receptor").fill("Authorization");
  await page.getByRole("button", { name: "Criar webhook" }).click();
  await copySecret(page);
  await page.getByRole("link", { name: "Abrir o webhook" }).click();

  const facts = page.locator("dl.facts").first();
  await facts.getByText(company.stages[1].name).waitFor();
  const shown = await facts.innerText();
  for (const text of [pipeline.name, "Ana Souza", "Authorization", "Enviar só o id do registro"]) {
    assert.ok(shown.includes(text), `${text} in ${shown}`);
  }
  assert.ok(!(await page.content()).includes("s3cr3t"));

  await page.getByRole("button", { name: "Editar" }).click();
  const dialog = page.getByRole("dialog", { name: "Editar" });
  await dialog.getByLabel("Nome (opcional)").fill("ERP");
  await dialog.getByLabel("Um contato foi criado").check();
  await dialog.getByLabel("Pipeline").selectOption("");
  await dialog.getByLabel("Responsável").selectOption("");
  await dialog.getByLabel("Campos que mudaram, separados por vírgulas").fill("value, valor");
  await assertGood(page, "the dialog that changes a webhook");
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await dialog.getByText("Nenhum registro tem este campo").waitFor();
  await dialog.getByLabel("Campos que mudaram, separados por vírgulas").fill("value, stage_id");
  await dialog.getByLabel("Cabeçalho do receptor").fill("Host");
  await dialog.getByRole("button", { name: "Salvar" }).click();
  const refused = dialog.getByText(/^Deve ser Authorization ou começar com X-/);
  await refused.waitFor();
  await dialog.getByLabel("Cabeçalho do receptor").fill("Authorization");
  await refused.waitFor({ state: "detached" });
  // The message for the other field stays until that field is edited.
  await dialog.getByText(/^Deve ter de 1 a 500 caracteres/).waitFor();
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await facts.getByText("value, stage_id").waitFor();
  await page.getByRole("heading", { name: "ERP", exact: true }).waitFor();
  await client(company.key).post("/api-v1-contacts", { name: "Rui" });
  const [message] = await mailbox.waitFor(1);
  assert.equal(message!.headers.get("Authorization"), "Bearer s3cr3t", "the stored value stays");
  assert.deepEqual(Object.keys(message!.body.data), ["id"]);
  await page.goto(`${consoleUrl}/atividade/`);
  await page.getByText("Ana Souza mudou o webhook ERP", { exact: true }).waitFor();
});

test("The page of a webhook says why it stopped after five failures; after reactivation and recovery the webhook gets every event once", async (world) => {
  await using watched = await openAs(world, "/webhooks/", "gestor", ON_PHONE);
  const { page, company } = watched;
  const mailbox = openMailbox("status=500,500,500,500,500,500,204");
  const { id } = await subscribe(page, mailbox.url);
  const api = client(company.key);
  const arrives = (name: string) => api.post("/api-v1-contacts", { name });
  await arrives("Rui");
  await fail(world.sql, id, () => arrives("Lia"));
  // No deliveries are queued for a stopped webhook.
  await arrives("Davi");
  await arrives("Téo");

  await page.reload();
  await page.getByText(/^Parado: 5 falhas seguidas em \d\d\/\d\d às \d\d:\d\d$/).waitFor();
  await page.getByText("1 entrega espera e sai assim que ele for reativado.").waitFor();
  await deliveriesOf(page).filter({ hasText: "Parada" }).waitFor();
  await deliveriesOf(page).filter({ hasText: "Falhou" }).waitFor();
  await assertGood(page, "the page of a webhook that stopped");
  assert.deepEqual(await watched.layoutShifts(), []);

  await page.getByRole("button", { name: "Reativar" }).click();
  const dialog = page.getByRole("dialog", { name: "Recuperar o que ele não recebeu" });
  await dialog.getByText("Reativado. 1 entrega que esperava sai agora.").waitFor();
  await assertGood(page, "the dialog after reactivation");
  await dialog.getByRole("button", { name: "Recuperar" }).click();
  await dialog.getByText("3 eventos serão enviados").waitFor();
  await assertGood(page, "the count before a recovery");
  await dialog.getByRole("button", { name: "Enviar" }).click();
  await page.getByText("3 eventos a caminho").waitFor();
  await page.getByText("Ativo", { exact: true }).waitFor();
  const got = (await mailbox.waitFor(10)).slice(6);
  assert.deepEqual(namesOf(got), ["Davi", "Lia", "Rui", "Téo"]);
  await eventually(
    async () => await deliveriesOf(page).filter({ hasText: "Entregue" }).count() === 4,
    "four successful deliveries",
    30,
  );

  // A second recovery finds no events.
  await page.getByRole("button", { name: "Recuperar eventos" }).click();
  await dialog.getByRole("button", { name: "Recuperar" }).click();
  await page.getByText("Nada a recuperar: ele já recebeu tudo desse período").waitFor();
  assert.equal((await mailbox.messages()).length, 10);
});

test("A new secret signs alongside the old secret until the overlap ends; a test delivery is marked as a test", async (world) => {
  await using watched = await openAs(world, "/webhooks/", "gestor", ON_PHONE);
  const { page } = watched;
  const mailbox = openMailbox("status=204");
  const { secret: first } = await subscribe(page, mailbox.url);
  await page.getByRole("button", { name: "Trocar o segredo" }).click();
  const rotation = page.getByRole("dialog", { name: "Trocar o segredo" });
  await rotation.getByLabel("O segredo antigo vale por mais").selectOption({ label: "1 hora" });
  await assertGood(page, "the dialog of a rotation");
  await rotation.getByRole("button", { name: "Trocar" }).click();
  await rotation.waitFor({ state: "hidden" });
  const second = await copySecret(page);
  await page.getByRole("heading", { name: /o anterior vale até \d\d\/\d\d às \d\d:\d\d$/ }).waitFor();
  await page.reload();
  await page.getByText("Segredo antigo vale até").waitFor();

  await page.getByRole("button", { name: "Enviar teste" }).click();
  const dialog = page.getByRole("dialog", { name: "Enviar teste" });
  await dialog.getByLabel("Evento").selectOption("deal.won");
  await assertGood(page, "the dialog of a test");
  await dialog.getByRole("button", { name: "Enviar" }).click();
  const [message] = await mailbox.waitFor(1);
  checkDelivery(message!, first, second);
  assert.deepEqual([message!.body.event, message!.body.test], ["deal.won", true]);
  await openedDelivery(page).getByText('"test": true').waitFor();
  await openedDelivery(page).getByText(message!.body.event_id).first().waitFor();
  await assertGood(page, "a test that is open");
  const row = deliveriesOf(page).filter({ hasText: "deal.won" }).filter({ hasText: "teste" });
  assert.equal(await row.isVisible(), false, "on a phone the open delivery takes the place of the list");
  await openedDelivery(page).getByRole("link", { name: "Fechar" }).click();
  await row.waitFor();
  assert.ok(await row.getByRole("link").evaluate((link) => link === document.activeElement));
});

test("A person who leaves the page while a test or an invitation is being sent stays on the other page", async (world) => {
  await using watched = await openAs(world, "/webhooks/", "admin");
  const { page, company } = watched;
  const target_url = openMailbox("status=204").url;
  const { body: { id } } = await client(company.key)
    .post("/api-v1-webhooks", { target_url, event_types: ["deal.won"] });
  const { origin } = new URL(page.url());

  const releaseTest = await holdPosts(page, /app-v1-webhooks\/.*\/test$/);
  await page.goto(`${origin}/webhooks/?id=${id}`);
  await page.getByRole("button", { name: "Enviar teste" }).click();
  await page.getByRole("link", { name: "Conta", exact: true }).click();
  await page.getByRole("link", { name: "Convidar" }).click();
  releaseTest();
  await page.getByText("Teste a caminho").waitFor();
  assert.equal(page.url(), `${origin}/conta/?convidar=1`);

  const releaseInvitation = await holdPosts(page, /app-v1-members$/);
  await page.getByLabel("Nome").fill("Caio Dias");
  await page.getByLabel("E-mail").fill(`${crypto.randomUUID()}@padariasol.example`);
  await page.getByRole("button", { name: "Enviar o convite" }).click();
  await page.getByRole("link", { name: "Chaves", exact: true }).click();
  releaseInvitation();
  await page.getByText(/ foi convidado/).waitFor();
  assert.equal(page.url(), `${origin}/chaves/`);
});
