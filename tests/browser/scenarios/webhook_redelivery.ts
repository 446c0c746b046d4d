import assert from "node:assert/strict";
import { client } from "../../support/client.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { assertGoodOnBoth } from "../support/audit.ts";
import { openAs } from "../support/company.ts";
import { ON_PHONE } from "../support/screens.ts";
import { test } from "../support/scenario.ts";
import { deliveriesOf, openedDelivery, subscribe } from "../support/webhook_page.ts";

test("Deliveries are listed with their records' names; several can be chosen and sent again, and each attempt shows the receiver's answer", async (world) => {
  await using watched = await openAs(world, "/webhooks/", "gestor", ON_PHONE);
  const { page, company } = watched;
  const answer = '{"error":"campo desconhecido: data.extra"}';
  const mailbox = openMailbox(`status=200&answer=${encodeURIComponent(answer)}`);
  const { id } = await subscribe(page, mailbox.url);
  const api = client(company.key);
  const names = ["Ana Souza", "Bruno Lima", "Carla de uma Razão Social Muito Comprida para uma Linha"];
  const contacts: string[] = [];
  for (const name of names) contacts.push((await api.post("/api-v1-contacts", { name })).body.id);
  const rows = deliveriesOf(page);
  for (const name of names) {
    await rows.filter({ hasText: name }).filter({ hasText: "Entregue" }).waitFor();
  }

  await rows.filter({ hasText: "Ana Souza" }).getByRole("checkbox").check();
  await page.getByText("1 escolhida", { exact: true }).waitFor();
  await rows.filter({ hasText: "Bruno Lima" }).getByRole("checkbox").check();
  await page.getByText("2 escolhidas").waitFor();
  await assertGoodOnBoth(page, "the list with chosen deliveries");
  await page.getByRole("button", { name: "Reenviar escolhidas" }).click();
  await page.getByText("2 reenvios a caminho").waitFor();
  const messages = await mailbox.waitFor(5);
  assert.deepEqual(messages.slice(3).map(({ body }) => body.data.name).sort(), names.slice(0, 2));
  await page.getByText("2 escolhidas").waitFor({ state: "hidden" });

  await rows.filter({ hasText: "Carla" }).getByRole("link").click();
  const opened = openedDelivery(page);
  await opened.getByText(answer).waitFor();
  await opened.getByText("Como foi enviado na última tentativa.").waitFor();
  await assertGoodOnBoth(page, "a delivery with the receiver's answer");
  await api.patch(`/api-v1-contacts/${contacts[2]}`, { name: "Carla" });
  await page.reload();
  await opened.getByText("O registro mudou desde o envio.").waitFor();
  assert.ok(page.url().includes(id));
});
