import assert from "node:assert/strict";
import { client } from "../../support/client.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { assertGoodOnBoth } from "../support/audit.ts";
import { openAs } from "../support/company.ts";
import { test } from "../support/scenario.ts";

test("Somebody finds which events of a record a webhook got, and opens the delivery, also on a phone", async (world) => {
  await using watched = await openAs(world, "/atividade/", "vendedor");
  const { page, company } = watched;
  const api = client(company.key);
  const { body: webhook } = await api.post("/api-v1-webhooks", {
    target_url: openMailbox().url,
    event_types: ["contact.updated"],
    name: "ERP",
  });
  const { body: { id } } = await api.post("/api-v1-contacts", { name: "Rita Ribeiro" });
  await api.post("/api-v1-contacts", { name: "Outra pessoa" });
  await api.patch(`/api-v1-contacts/${id}`, { job_title: "Compradora" });

  await page.getByRole("navigation", { name: "O que ver" }).getByRole("link", { name: "Eventos" })
    .click();
  const lines = page.getByRole("main").getByRole("listitem");
  await lines.filter({ hasText: "Outra pessoa" }).waitFor();
  await page.getByRole("link", { name: "Rita Ribeiro" }).first().click();
  await lines.filter({ hasText: "Outra pessoa" }).waitFor({ state: "detached" });
  const created = lines.filter({ hasText: "contact.created" });
  await created.waitFor();
  // Three lines: two events and, below one of them, the webhook that got it.
  assert.equal(await created.getByRole("listitem").count(), 0, "no webhook got it");
  assert.equal(await lines.count(), 3);
  await page.getByLabel("Evento", { exact: true }).selectOption("contact.updated");
  await created.waitFor({ state: "detached" });
  await lines.getByText("campos: cargo").waitFor();
  await assertGoodOnBoth(page, "events");
  await lines.getByRole("link", { name: "ERP" }).click();
  await page.waitForURL((url) =>
    url.searchParams.get("id") === webhook.id && url.searchParams.has("entrega")
  );
  await page.getByRole("heading", { name: "contact.updated" }).waitFor();
});
