import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../../bench/harness/waiting.ts";
import { client } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { consoleUrl, holdPosts } from "../support/browser.ts";
import { PHONE } from "../support/screens.ts";
import { openAs } from "../support/company.ts";
import { test } from "../support/scenario.ts";

/** Calls the API as a system does, and returns the status. */
const call = async (key: string, path = "/api-v1-contacts") => (await client(key).get(path)).status;

/** Reads the secret value, which a page shows only once. */
async function readValue(page: Page): Promise<string> {
  const value = await page.getByText(/^svc_\w+$/).first().textContent();
  assert.match(value!, /^svc_\w{40,}$/);
  return value!;
}

/** Creates a key for an ERP; copies and returns its value. */
async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole("link", { name: "Criar chave" }).first().click();
  await page.getByLabel("Nome").fill(name);
  await page.getByRole("button", { name: "ERP" }).click();
  await page.getByRole("button", { name: "Criar chave" }).click();
  const value = await readValue(page);
  await page.getByRole("button", { name: "Copiar" }).first().click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), value);
  return value;
}

async function rotate(page: Page, overlap: string): Promise<void> {
  await page.getByRole("button", { name: "Trocar o segredo" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("O valor antigo vale por mais").selectOption({ label: overlap });
  await dialog.getByRole("button", { name: "Trocar" }).click();
  await dialog.waitFor({ state: "detached" });
}

test("On a phone a person creates a key, sees its value once and its calls counted, and replaces its secret", async (world) => {
  await using watched = await openAs(world, "/chaves/", "gestor", { viewport: PHONE });
  const { page } = watched;
  const first = await createKey(page, "Agência");
  assert.equal(await call(first), 200);
  assert.equal(await call(first, "/api-v1-webhooks"), 403);
  await page.getByRole("link", { name: "Abrir a chave" }).click();
  await page.getByText("2 requisições").first().waitFor();
  await page.getByRole("link", { name: "← Chaves de API" }).click();
  const row = page.getByRole("row").filter({ hasText: "Agência" });
  await row.getByText(first.slice(0, 12)).waitFor();
  await row.getByText("2", { exact: true }).waitFor();
  await eventually(async () => {
    await page.reload();
    await row.waitFor();
    return await row.getByText("1 falha", { exact: true }).count() > 0;
  }, "the refused call in the log");
  await row.getByText("2", { exact: true }).waitFor();
  assert.ok(!(await page.content()).includes(first), "the value is not shown again");

  await row.getByRole("link").first().click();
  await rotate(page, "1 hora");
  const second = await readValue(page);
  assert.deepEqual([await call(first), await call(second)], [200, 200]);
  await page.getByText("Segredo antigo vale até").waitFor();
  await page.getByRole("button", { name: "Copiar" }).first().click();
  await rotate(page, "nada: para agora");
  const third = await readValue(page);
  assert.deepEqual([await call(first), await call(second), await call(third)], [401, 401, 200]);
  await page.getByRole("button", { name: "Copiar" }).first().click();
});

test("Leaving a page before its new secret arrives asks first, and the late reply does not change the next page's address", async (world) => {
  await using watched = await openAs(world, "/funil/", "admin");
  const { page } = watched;
  await page.getByRole("link", { name: "Chaves", exact: true }).click();
  const release = await holdPosts(page, /app-v1-keys(\/.*\/rotate)?$/);
  const question = page.getByRole("dialog", { name: "Você ainda não copiou" });
  await page.getByRole("link", { name: "Teste", exact: true }).click();
  await page.getByRole("button", { name: "Trocar o segredo" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Trocar" }).click();
  await page.goBack();
  await question.getByRole("button", { name: "Sair sem copiar" }).click();

  await page.getByRole("link", { name: "Criar chave" }).first().click();
  await page.getByLabel("Nome").fill("Agência");
  await page.getByRole("button", { name: "ERP" }).click();
  await page.getByRole("button", { name: "Criar chave" }).click();
  await page.goBack();
  await question.getByRole("button", { name: "Sair sem copiar" }).click();
  await page.waitForURL(`${consoleUrl}/chaves/`);
  const created = page.waitForResponse((reply) =>
    reply.request().method() === "POST" && /app-v1-keys$/.test(reply.url())
  );
  release();
  await (await created).finished();
  await page.reload();
  await page.getByRole("link", { name: "Agência" }).waitFor();
  assert.equal(page.url(), `${consoleUrl}/chaves/`);
});

test("The next call with a revoked key is refused, the page's title has the focus, and the log says who revoked it", async (world) => {
  await using watched = await openAs(world, "/chaves/", "admin", { name: "Bia Lima" });
  const { page } = watched;
  const value = await createKey(page, "Agência");
  await page.getByRole("link", { name: "Abrir a chave" }).click();
  assert.equal(await call(value), 200);
  await page.getByRole("button", { name: "Revogar" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("perde o acesso na próxima chamada").waitFor();
  await dialog.getByRole("button", { name: "Revogar a chave" }).click();
  await page.getByText("Chave revogada. Ela já não funciona.").waitFor();
  await page.locator("main :focus").filter({ hasText: /^Agência/ }).waitFor();
  assert.equal(await call(value), 401);
  await page.getByRole("link", { name: "Atividade" }).click();
  await page.getByText(/Bia Lima revogou a chave .*Agência/).waitFor();
});

test("A person sees why a system's call failed, and binds its key to networks", async (world) => {
  await using watched = await openAs(world, "/chaves/", "gestor");
  const { page } = watched;
  const value = await createKey(page, "Agência");
  const refused = await client(value).post("/api-v1-contacts", { name: "Ana", email: "não é um e-mail" });
  assert.equal(refused.status, 422);
  assert.equal(await call(value), 200);
  await page.getByRole("link", { name: "Abrir a chave" }).click();
  await page.getByLabel("Status").selectOption({ label: "Campos inválidos (422)" });
  const refresh = page.getByRole("button", { name: "Atualizar" });
  const shown = page.getByText("Deve ser um e-mail válido");
  await eventually(async () => {
    await refresh.click();
    return await shown.count() > 0;
  }, "the request in the log");
  await page.getByText(refused.headers.get("X-Request-Id")!).waitFor();
  await page.getByLabel("O caminho começa com").fill("/api-v1-deals");
  await page.getByLabel("O caminho começa com").press("Enter");
  await page.getByText("Nenhuma requisição nos últimos 7 dias.").waitFor();

  await page.getByText("Mais ações").click();
  await page.getByRole("button", { name: "Mudar as redes" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Redes").fill("203.0.113.7/24");
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await dialog.getByText("203.0.113.7/24 A rede deste endereço se escreve 203.0.113.0/24").waitFor();
  await dialog.getByLabel("Redes").fill("203.0.113.0/24 2001:db8::/32");
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("2001:db8::/32", { exact: true }).waitFor();
  assert.equal(await call(value), 403);
});

test("An administrator sees why a form's leads fail, filters the log by that error, and extends the key", async (world) => {
  await using watched = await openAs(world, "/chaves/", "admin");
  const { page, company: { id, memberId } } = watched;
  // 97 calls in one minute, near the limit of 120: 31 with an invalid e-mail address, 2 for records that do not exist.
  const { sql } = world;
  const { id: keyId } = await makeKey(sql, id, { scopes: ["leads:write"] });
  await sql`update crm.workspaces set rate_limit_per_minute = 120 where id = ${id}`;
  await sql`update crm.api_keys set name = 'Formulário', member_id = ${memberId} where id = ${keyId}`;
  await sql`
    insert into crm.requests
      (workspace_id, key_id, id, method, path, status, request_id, duration_ms, error)
    select ${id}, ${keyId},
      crm.uuid_v7(date_bin('1 minute', now(), 'epoch') - interval '1 hour' + n * interval '500 ms'), 'POST',
      '/api-v1-leads', case when n <= 31 then 422 when n <= 33 then 404 else 201 end, gen_random_uuid(), 12,
      case
        when n <= 31 then
          '{"code": "validation_error", "message": "A requisição tem campos inválidos",
            "details": [{"field": "email", "message": "Deve ser um e-mail válido"}]}'
        when n <= 33 then '{"code": "not_found", "message": "Não existe"}'
      end::json
    from generate_series(1, 97) n`;

  await page.goto(`${consoleUrl}/chaves/?id=${keyId}`);
  await page.getByText("Campos inválidos (422): 31").waitFor();
  await page.getByText("Outras recusadas (4xx): 2").waitFor();
  await page.getByText("97 de 120 por minuto").waitFor();
  const chart = page.getByRole("img", { name: "Por hora, 48 horas: 97 requisições, 33 falharam" });
  await chart.waitFor();
  const slider = page.getByRole("slider", { name: /^Por hora/ });
  await slider.focus();
  assert.match((await slider.getAttribute("aria-valuetext"))!, /: 97 requisições, 33 falharam$/);
  await page.keyboard.press("Home");
  await page.getByText(/: 0 requisições, 0 falharam$/).first().waitFor();
  const { x, y, width, height } = (await chart.boundingBox())!;
  await page.mouse.move(x + width * 46.5 / 48, y + height / 2);
  await page.getByText(/: 97 requisições, 33 falharam$/).first().waitFor();

  await page.getByRole("button", { name: "validation_error (422): 31" }).click();
  await page.getByText("Deve ser um e-mail válido").first().waitFor();
  assert.equal(await page.getByLabel("Código do erro").inputValue(), "validation_error");
  await page.getByText("404", { exact: true }).waitFor({ state: "detached" });
  assert.equal(await page.getByText("422", { exact: true }).count(), 31);

  await page.getByRole("button", { name: "Dar um prazo" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Validade, a partir de agora").selectOption({ label: "1 ano" });
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Prorrogar" }).waitFor();
  await page.getByText("Mais ações").click();
  await page.getByRole("link", { name: "Duplicar com outras permissões" }).click();
  assert.equal(await page.getByLabel("Nome").inputValue(), "Formulário");
  assert.ok(await page.getByLabel("Leads: enviar").isChecked());
});
