import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { makeKey } from "../../support/fixtures.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { create } from "../../support/record_fixtures.ts";
import { subscribe, waitForDelivery } from "../../support/webhooks.ts";
import { assertGood } from "../support/audit.ts";
import { openAs } from "../support/company.ts";
import { test } from "../support/scenario.ts";
import { ON_PHONE } from "../support/screens.ts";
import { speedUp } from "../support/speed.ts";

const SEARCH = /app-v1-workspace\/search/;
/** The address of a page, without its origin. */
const addressOf = (page: Page) => page.url().replace(/^https?:\/\/[^/]+/, "");

test("Ctrl K searches: a page opens by its name without a request, a key by a part of its name, Escape returns the focus", async (world) => {
  await using watched = await openAs(world, "/conta/", "gestor");
  const { page, company, requests } = watched;
  const { id } = await makeKey(world.sql, company.id);
  await world.sql`update crm.api_keys set name = 'Agência do site' where id = ${id}`;
  const deal = await create(company.key, "/api-v1-deals", { title: "Site novo" });
  await page.getByRole("heading", { name: "Conta" }).waitFor();
  await page.getByRole("link", { name: "Funil" }).focus();
  const code = () => requests.filter((request) => /palette-\w+\.js/.test(request)).length;
  assert.equal(code(), 0, "the search loads when it is first opened");

  const field = page.getByRole("combobox", { name: /^Chave, webhook/ });
  await page.keyboard.press("Control+k");
  await field.waitFor();
  assert.equal(code(), 1);
  await assertGood(page, "the open search");
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  const focused = page.locator(":focus");
  assert.equal(await focused.textContent(), "Funil");

  // Makes the pause of 150 ms before a request last 3 s: a busy machine may take over 150 ms to press a key.
  await page.evaluate(speedUp, 1 / 20);
  await page.keyboard.press("Control+k");
  await field.waitFor();
  await page.keyboard.type("ativ");
  await page.getByRole("option", { name: "Atividade" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Atividade" }).waitFor();
  assert.equal(requests.filter((request) => SEARCH.test(request)).length, 0, "before the pause ended");

  await page.keyboard.press("Control+k");
  await field.waitFor();
  await page.keyboard.type("agencia");
  const key = page.getByRole("option", { name: /^Agência do site/ });
  await key.waitFor();
  assert.equal(await key.getAttribute("aria-selected"), "true");
  assert.equal(await field.getAttribute("aria-activedescendant"), await key.getAttribute("id"));
  assert.deepEqual(
    requests.filter((request) => SEARCH.test(request)).map((request) => request.split("?")[1]),
    ["q=agencia"],
    "one request after the pause",
  );
  await page.evaluate(speedUp, 20);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Agência do site" }).waitFor();
  assert.equal(addressOf(page), `/chaves/?id=${id}`);
  assert.equal(await focused.textContent(), "Agência do site");

  await page.keyboard.press("Control+k");
  await field.fill("site");
  const options = page.getByRole("listbox").getByRole("option");
  await page.getByRole("group", { name: "Negócios" }).getByRole("option").waitFor();
  await assertGood(page, "the search with results");
  const chosen = page.locator("[role=option][aria-selected=true]");
  assert.match((await chosen.textContent())!, /^Agência do site/);
  await page.keyboard.press("ArrowDown");
  assert.equal(await chosen.textContent(), "Site novo");
  await page.keyboard.press("ArrowDown");
  assert.match((await chosen.textContent())!, /^Agência do site/, "ArrowDown goes from last to first");
  await page.keyboard.press("ArrowUp");
  assert.equal(await options.count(), 2);
  await page.keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  assert.equal(addressOf(page), `/funil/?negocio=${deal.id}`);
});

test("On a phone the lens opens the search, which leads from an id to a delivery, and says when it finds nothing or fails", async (world) => {
  await using watched = await openAs(world, "/chaves/", "vendedor", ON_PHONE);
  const { page, company, requests } = watched;
  const webhook = await subscribe(company.key, openMailbox().url, ["contact.created"]);
  const contact = await create(company.key, "/api-v1-contacts", { name: "Rui Ramos" });
  await waitForDelivery(world.sql, webhook.id, ({ state }) => state === "delivered");
  const [delivery] = await world.sql<[{ id: string }]>`
    select id from crm.webhook_deliveries where workspace_id = ${company.id}`;
  const lens = page.getByRole("button", { name: "Buscar" });
  const box = (await lens.boundingBox())!;
  assert.ok(box.width >= 44 && box.height >= 44, `${box.width} by ${box.height}`);
  const field = page.getByRole("combobox", { name: /^Chave, webhook/ });
  await lens.tap();
  await field.waitFor();
  await assertGood(page, "the open search on a phone");
  assert.equal(
    await page.getByRole("option", { name: "Criar chave" }).count(),
    0,
    "a salesperson creates none",
  );

  await field.fill("nada assim");
  await page.getByText("Nada com “nada assim”").waitFor();
  await assertGood(page, "the search without results");
  const secret = `${"svc_Abcdefgh"}${"x".repeat(40)}`;
  await field.fill(secret);
  await page.getByText(`Nada com “${secret}”`).waitFor();
  assert.match(
    requests.filter((request) => SEARCH.test(request)).at(-1)!,
    /q=svc_Abcdefgh$/,
    "no whole key is sent",
  );

  await page.route(SEARCH, (route) => route.abort());
  await field.fill("rui");
  await page.getByText("Sem conexão com o servidor.").waitFor();
  await assertGood(page, "the search that failed");
  await page.unroute(SEARCH);
  await page.getByRole("button", { name: "Tentar de novo" }).tap();
  await page.getByRole("option", { name: "Rui Ramos" }).tap();
  await field.waitFor({ state: "detached" });
  assert.equal(addressOf(page), `/atividade/?ver=eventos&registro=${contact.id}`);

  await lens.tap();
  await field.fill(delivery.id);
  await page.getByRole("group", { name: "Entregas" }).getByRole("option", {
    name: "Um contato foi criado",
  }).tap();
  await field.waitFor({ state: "detached" });
  assert.equal(addressOf(page), `/webhooks/?id=${webhook.id}&entrega=${delivery.id}`);
});
