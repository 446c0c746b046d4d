import assert from "node:assert/strict";
import { eventually } from "../../../bench/harness/waiting.ts";
import { client } from "../../support/client.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { checkDelivery, letTimePass, waitForDelivery } from "../../support/webhooks.ts";
import { openPage } from "../support/browser.ts";
import { makeCompany, makePerson, openAs, sessionOf } from "../support/company.ts";
import { test } from "../support/scenario.ts";
import { deliveriesOf, openedDelivery, subscribe } from "../support/webhook_page.ts";

/** More deliveries than the 50 on one page of the list. */
const MANY = 53;
const LONG_NAME = "Conceição da Distribuidora de Alimentos e Bebidas do Litoral Norte de Santa Catarina"
  .repeat(2);

test("A delivery of a new webhook is opened and sent again, and the page shows all attempts", async (world) => {
  await using watched = await openAs(world, "/webhooks/", "gestor");
  const { page, company } = watched;
  const mailbox = openMailbox("status=503,204,204");
  const { id, secret } = await subscribe(page, mailbox.url);
  const attempts = openedDelivery(page).locator("li.rung");

  const { body: contact } = await client(company.key).post("/api-v1-contacts", { name: LONG_NAME });
  await waitForDelivery(world.sql, id, ({ attempts }) => attempts === 1);
  await page.reload();
  await deliveriesOf(page).filter({ hasText: "Tentando 2/5" }).filter({ hasText: "503" }).waitFor();
  await letTimePass(world.sql, id);
  // The list refreshes by itself.
  await deliveriesOf(page).filter({ hasText: "Entregue" }).filter({ hasText: "204" }).waitFor();
  await deliveriesOf(page).getByRole("link", { name: "contact.created" }).click();
  await page.getByText(`"name": "${LONG_NAME}"`).waitFor();
  assert.equal(await attempts.count(), 2);
  const [name, state] = [".object-name", ".state"].map((part) => openedDelivery(page).locator(part));
  const { y, height } = (await name!.boundingBox())!;
  assert.ok(y + height <= (await state!.boundingBox())!.y, "the heading does not overlap the state");

  await page.getByRole("button", { name: /^Reenviar contact.created/ }).click();
  await page.getByText("Reenvio 1").waitFor();
  await eventually(async () => await attempts.count() === 3, "the attempt of the new series");
  const messages = await mailbox.waitFor(3);
  assert.equal(new Set(messages.map(({ body }) => body.delivery_id)).size, 1);
  for (const message of messages) checkDelivery(message, secret);
  // The delivery shows the ids of the event and the record.
  const facts = openedDelivery(page).locator("dl.facts");
  await facts.getByText(messages[0]!.body.event_id).waitFor();
  assert.match(
    await facts.innerText(),
    new RegExp(`Contato\\s+${LONG_NAME}\\s+Contato \\(id\\)\\s+${contact.id}`),
  );
});

test("While new deliveries arrive, deliveries can be filtered and older ones loaded, and each is shown once", async ({ browser, sql }) => {
  const company = await makeCompany(sql);
  const session = await sessionOf(await makePerson(sql, company, "gestor"));
  const api = client(company.key);
  const mailbox = openMailbox("status=204");
  const { body: { id } } = await api.post("/api-v1-webhooks", {
    target_url: mailbox.url,
    event_types: ["contact.created", "deal.won"],
  });
  const arrive = (from: number, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) => api.post("/api-v1-contacts", { name: `Ana ${from + n}` })),
    );
  for (let made = 0; made < MANY; made += 10) await arrive(made, Math.min(10, MANY - made));
  await mailbox.waitFor(MANY, 60);

  await using watched = await openPage(browser, `/webhooks/?id=${id}`, { session });
  const { page } = watched;
  const hrefs = () =>
    deliveriesOf(page).getByRole("link").evaluateAll((links) =>
      links.map((link) => link.getAttribute("href"))
    );
  const listed = async (count: number) => {
    await eventually(async () => (await hrefs()).length === count, `${count} deliveries in the list`);
    assert.equal(new Set(await hrefs()).size, count, "each once");
  };
  await listed(50);
  await page.getByRole("button", { name: "Mostrar mais antigas" }).click();
  await listed(MANY);
  assert.equal(await page.getByRole("button", { name: "Mostrar mais antigas" }).count(), 0);
  await arrive(MANY, 2);
  await listed(MANY + 2);
  // If an older delivery is sent again, the page refreshes it until the new attempt has ended.
  await deliveriesOf(page).last().getByRole("link").click();
  await page.getByRole("button", { name: /^Reenviar contact.created/ }).click();
  await openedDelivery(page).getByText("Reenvio 1").waitFor();
  await eventually(
    async () => await openedDelivery(page).locator("li.rung.good").count() === 2,
    "both attempts",
  );
  await page.getByRole("link", { name: "Fechar" }).click();
  await listed(MANY + 2);

  await page.getByLabel("Estado", { exact: true }).selectOption({ label: "Falhou" });
  await page.getByText("Nenhuma entrega com este filtro.").waitFor();
  // The filter is in the address, so a reload keeps it.
  await page.reload();
  await page.getByText("Nenhuma entrega com este filtro.").waitFor();
  await page.getByLabel("Estado", { exact: true }).selectOption({ label: "Entregue" });
  await listed(50);
  await page.getByLabel("Evento", { exact: true }).selectOption("deal.won");
  await page.getByText("Nenhuma entrega com este filtro.").waitFor();
  await page.getByLabel("Evento", { exact: true }).selectOption("contact.created");
  await listed(50);
  assert.deepEqual(await watched.layoutShifts(), []);
});
