/**
 * An AI assistant connects as people do it. The official MCP client registers itself, and a person signs in and
 * consents in Chromium. The assistant works until the person revokes the access.
 */
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { Sql } from "postgres";
import { chromiumTest } from "../support/needing.ts";
import { makeMember } from "../support/sessions.ts";
import { openDatabase, stack } from "../support/stack.ts";
import { assertAccessible, assertGood, assertReachable } from "./support/audit.ts";
import { consoleUrl, openBrowser, openPage } from "./support/browser.ts";
import { makeCompany, makePerson, sessionOf } from "./support/company.ts";
import { type Assistant, openAssistant } from "./support/mcp_app.ts";
import { PHONE } from "./support/screens.ts";

chromiumTest("An assistant with the official MCP client, in a browser", async (t) => {
  await using sql = openDatabase(2);
  await using browser = await openBrowser();
  const steps = {
    "The demo person signs in and consents; the assistant reads, writes and renews its token until the access is revoked":
      () => untilRevoked(browser),
    "A person with two companies chooses one and grants only reading; an app whose grant was revoked must ask again":
      () => chooses(browser, sql),
    "The consent page fits a phone, axe finds nothing, Tab reaches every control, and it says when a request is over":
      () => keepsTheRules(browser, sql),
  };
  for (const [name, run] of Object.entries(steps)) await t.step(name, run);
});

/** Opens the address at which the assistant asks for access. */
async function ask(page: Page, assistant: Assistant): Promise<void> {
  await page.goto((await assistant.connect()).href);
}

async function allow(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Permitir", exact: true }).click();
  await page.getByText("Conectado").waitFor();
}

async function untilRevoked(browser: Browser): Promise<void> {
  await using assistant = openAssistant("Claude");
  await using watched = await openPage(browser, null, { app: assistant.origin });
  const { page } = watched;
  await ask(page, assistant);
  await page.getByLabel("E-mail").fill(stack.demo_email!);
  await page.getByLabel("Senha").fill(stack.demo_password!);
  await page.getByRole("button", { name: "Entrar" }).click();
  await page.getByRole("heading", { name: "Claude pede acesso" }).waitFor();
  await page.getByText(`um programa neste aparelho (${new URL(assistant.origin).host})`).waitFor();
  assert.equal(await page.getByLabel("Negócios: alterar").isChecked(), true);
  assert.equal(await page.getByLabel("Webhooks: gerenciar").isChecked(), false);
  await allow(page);
  await assistant.finish();

  const { tools } = await assistant.client.listTools();
  const names = tools.map(({ name }) => name);
  assert.ok(names.includes("contacts_list") && names.includes("contacts_create"), names.join());
  // Erasing needs a scope that is not given by default.
  assert.ok(!names.includes("contacts_erase"));
  const name = `Cliente ${crypto.randomUUID()}`;
  const { id } = await assistant.call("contacts_create", { name });
  const { data: [found] } = await assistant.call("contacts_list", { q: name });
  assert.deepEqual([found.id, found.name], [id, name]);

  const { refresh_token } = assistant.tokens!;
  assistant.spoilToken();
  assert.equal((await assistant.call("contacts_list", { q: name })).data.length, 1);
  assert.notEqual(assistant.tokens!.refresh_token, refresh_token);

  await page.goto(`${consoleUrl}/chaves/?aplicativos=1`);
  const row = page.getByRole("table", { name: "Aplicativos autorizados" }).getByRole("row", {
    name: "Claude",
  });
  const cells = await row.getByRole("cell").allTextContents();
  assert.ok(!cells.includes("nunca"), cells.join(" | "));
  await row.getByRole("button", { name: "Revogar: Claude" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revogar o acesso" }).click();
  await page.getByText("Acesso revogado").waitFor();
  await page.getByText("Nenhum aplicativo tem acesso.").waitFor();
  const refused = await assistant.send();
  assert.equal(refused.status, 401);
  assert.match(refused.headers.get("WWW-Authenticate")!, /error="invalid_token"/);
  // The refresh token has ended too.
  assert.equal(await assistant.asksAgain(), true);
}

async function chooses(browser: Browser, sql: Sql): Promise<void> {
  const [first, second] = [await makeCompany(sql, "Padaria Sol"), await makeCompany(sql, "Oficina Lua")];
  const person = await makePerson(sql, first, "vendedor");
  await makeMember(sql, second.id, "admin", person.email);
  await using assistant = openAssistant("Assistente de vendas");
  const session = await sessionOf(person);
  await using watched = await openPage(browser, null, { app: assistant.origin, session });
  const { page } = watched;
  await ask(page, assistant);
  const company = page.getByRole("combobox", { name: "Empresa" });
  // A scope that only an admin may give.
  const manages = page.getByLabel("Dados da empresa: gerenciar");
  await company.selectOption({ label: first.name });
  assert.equal(await manages.count(), 0);
  await company.selectOption({ label: second.name });
  assert.equal(await manages.isChecked(), false);
  await page.getByRole("button", { name: "Leitura de tudo" }).click();
  await allow(page);
  await assistant.finish();
  const { tools } = await assistant.client.listTools();
  assert.ok(!tools.some(({ name }) => name === "contacts_create"));
  const [grant] = await sql`
    select id from crm.api_keys where workspace_id = ${second.id} and client_id is not null and revoked_at is null
  `;
  assert.ok(grant);

  // Supabase Auth still has the person's approval, so it lets the app in without asking the person.
  await ask(page, assistant);
  await page.getByText("Conectado").waitFor();
  assert.ok((await assistant.answer()).get("code"));

  // Revokes the grant as an admin or the operator does. The approval alone must not let the app in.
  await sql`
    update crm.api_keys set revoked_at = now() where workspace_id = ${second.id} and id = ${grant["id"]}`;
  await ask(page, assistant);
  await page.getByRole("button", { name: "Não permitir" }).click();
  await page.getByText("Conectado").waitFor();
  assert.equal((await assistant.answer()).get("error"), "access_denied");
}

async function keepsTheRules(browser: Browser, sql: Sql): Promise<void> {
  const company = await makeCompany(sql, "Padaria Sol ".repeat(20).trim());
  const person = await makePerson(sql, company, "admin");
  await using assistant = openAssistant("Assistente ".repeat(30).trim());
  const look = { app: assistant.origin, session: await sessionOf(person) };
  for (const theme of ["light", "dark"] as const) {
    const screen = theme === "dark" ? { viewport: PHONE } : {};
    await using watched = await openPage(browser, null, { ...look, ...screen, theme });
    const { page } = watched;
    await ask(page, assistant);
    await page.getByText("O que ele pode fazer").waitFor();
    await assertGood(page, theme);
    await assertReachable(page, theme);
    assert.deepEqual(await watched.layoutShifts(), []);
    await page.goto(`${consoleUrl}/autorizar/?authorization_id=nenhum`);
    await page.getByText("Este pedido não vale mais").waitFor();
    await assertAccessible(page, `${theme}, over`);
  }
}
