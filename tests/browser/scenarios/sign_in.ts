import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { eventually } from "../../../bench/harness/waiting.ts";
import { codeAt, stepAt } from "../../../run/local/auth/totp.ts";
import { readMails } from "../../../run/local/auth/mail.ts";
import { assertError, client, memberClient } from "../../support/client.ts";
import { baseUrl, dataDir } from "../../support/stack.ts";
import { assertAccessible, assertGood } from "../support/audit.ts";
import { consoleUrl, openPage, type Watched } from "../support/browser.ts";
import { PHONE } from "../support/screens.ts";
import { makeCompany, makePerson, openAs, type Person, sessionOf } from "../support/company.ts";
import { test, type World } from "../support/scenario.ts";
import { makeMember } from "../../support/sessions.ts";

async function fillIn({ page }: Watched, { email, password }: Person): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Senha", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Entrar" }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page.getByRole("button", { name: "Sair", exact: true }).click();
}

/** The requests to Supabase Auth and to the functions. */
const calls = ({ requests }: Watched) =>
  requests.filter((request) => /^\S+ \/(auth|functions)\//.test(request) && !request.startsWith("OPTIONS"));

test("Signing in takes three requests to reach the list of keys, on a phone too", async ({ browser, sql }) => {
  const company = await makeCompany(sql);
  const person = await makePerson(sql, company, "admin", { name: "Bia Lima" });
  await using watched = await openPage(browser, "/", { viewport: PHONE });
  await watched.page.getByLabel("E-mail").waitFor();
  assert.deepEqual(calls(watched), []);
  await fillIn(watched, person);
  await watched.page.getByRole("row").filter({ hasText: "Teste" }).waitFor();
  assert.deepEqual(calls(watched).map((call) => call.replace(/\?.*/, "")).sort(), [
    "GET /functions/v1/app-v1-keys",
    "GET /functions/v1/app-v1-workspace",
    "POST /auth/v1/token",
  ]);
});

test("A member of two companies chooses one, and switches to the other in the bar", async ({ browser, sql }) => {
  const [sun, moon] = [await makeCompany(sql, "Padaria Sol"), await makeCompany(sql, "Padaria Lua")];
  const email = `${crypto.randomUUID()}@padariasol.example`;
  await makeMember(sql, moon.id, "vendedor", email);
  const person = await makePerson(sql, sun, "admin", { email });
  await using watched = await openPage(browser, "/");
  const { page } = watched;
  await fillIn(watched, person);
  await page.getByRole("button", { name: "Padaria Lua" }).click();
  await page.getByRole("row").filter({ hasText: "Teste" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Criar chave" }).count(), 0);
  await page.getByLabel("Empresa").selectOption({ label: "Padaria Sol" });
  await page.getByRole("link", { name: "Criar chave" }).waitFor();
});

test("A wrong password and a lost connection show a message, and the sign-in and an open page keep what was typed", async ({ browser, sql }) => {
  const person = await makePerson(sql, await makeCompany(sql), "gestor");
  await using watched = await openPage(browser, "/entrar/");
  const { page, context } = watched;
  await fillIn(watched, { ...person, password: "outra-senha" });
  await page.getByText("E-mail ou senha não conferem. Confira os dois e tente de novo.").waitFor();
  assert.equal(await page.getByLabel("E-mail").inputValue(), person.email);
  await context.setOffline(true);
  await fillIn(watched, person);
  await page.getByText("Sem conexão com o servidor.").waitFor();
  await context.setOffline(false);
  await fillIn(watched, person);
  await page.getByRole("link", { name: "Criar chave" }).first().click();
  await page.getByLabel("Nome").fill("Agência");
  await page.getByRole("button", { name: "ERP" }).click();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Criar chave" }).click();
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByLabel("Nome").inputValue(), "Agência");
  await context.setOffline(false);
  await page.getByRole("button", { name: "Criar chave" }).click();
  await page.getByText(/^svc_\w+$/).first().waitFor();
  await page.getByRole("button", { name: "Copiar" }).first().click();
});

test("After a session ended, both forms of a webhook have what was typed, except the value of the header", async (world) => {
  await using watched = await openAs(world, "/webhooks/", "gestor");
  const { page, person, company } = watched;
  const value = page.getByLabel("Valor novo do cabeçalho");
  await page.getByRole("link", { name: "Criar webhook" }).first().click();
  await page.getByLabel("Endereço que recebe (URL)").fill("https://erp.example/hook");
  await page.getByLabel("Um negócio foi ganho").check();
  await page.getByText("Filtros e opções").click();
  await page.getByLabel("Responsável").selectOption({ label: "Ana Souza" });
  await page.getByLabel("Cabeçalho do receptor").fill("Authorization");
  await value.fill("Bearer s3cr3t");
  await expire(world, watched, person, "Criar webhook");
  await page.getByRole("heading", { name: "Criar webhook" }).waitFor();
  assert.equal(await page.getByLabel("Cabeçalho do receptor").inputValue(), "Authorization");
  await page.locator("option:checked", { hasText: "Ana Souza" }).waitFor({ state: "attached" });
  assert.equal(await value.inputValue(), "");
  await page.getByRole("link", { name: "Cancelar" }).click();
  await page.getByRole("link", { name: "Criar webhook" }).first().click();
  assert.equal(
    await page.getByLabel("Endereço que recebe (URL)").inputValue(),
    "",
    "a cancelled form is empty",
  );

  const { body: { id } } = await client(company.key).post("/api-v1-webhooks", {
    target_url: "https://erp.example/hook",
    event_types: ["deal.won"],
  });
  await page.goto(`${consoleUrl}/webhooks/?id=${id}`);
  await page.getByRole("button", { name: "Editar" }).click();
  await page.getByLabel("Nome (opcional)").fill("ERP");
  await page.getByLabel("Um contato foi criado").check();
  await page.getByLabel("Cabeçalho do receptor").fill("X-ERP");
  await value.fill("s3cr3t");
  await expire(world, watched, person, "Salvar");
  await page.getByRole("button", { name: "Editar" }).click();
  assert.ok(await page.getByLabel("Um contato foi criado").isChecked());
  assert.equal(await page.getByLabel("Cabeçalho do receptor").inputValue(), "X-ERP");
  assert.equal(await value.inputValue(), "");
  await value.fill("s3cr3t");
  await page.getByRole("button", { name: "Salvar" }).click();
  await page.getByRole("heading", { name: "ERP", exact: true }).waitFor();
});

/** Ends the person's session, presses the button, and signs in again. */
async function expire({ sql }: World, watched: Watched, person: Person, button: string): Promise<void> {
  await sql`delete from auth.sessions where user_id = (select id from auth.users where email = ${person.email})`;
  await watched.page.getByRole("button", { name: button }).click();
  await watched.page.getByText("o que você digitou foi guardado neste navegador, exceto os segredos")
    .waitFor();
  await fillIn(watched, person);
}

test("A dialog that is open when the session ends does not cover the sign-in page", async ({ browser, sql }) => {
  const person = await makePerson(sql, await makeCompany(sql), "gestor");
  await sessionOf(person);
  await using watched = await openPage(browser, "/conta/", { session: await sessionOf(person) });
  const { page, context } = watched;
  await page.getByRole("button", { name: "Encerrar as outras" }).click();
  await page.getByRole("dialog").waitFor();
  const other = await context.newPage();
  await other.goto(page.url());
  await signOut(other);
  await page.getByLabel("Senha", { exact: true }).waitFor();
  await fillIn(watched, person);
  await page.getByRole("heading", { name: "Conta", exact: true }).waitFor();
  assert.equal(await page.getByRole("dialog").count(), 0);
});

test("Signing out also ends the session on the server", async ({ browser, sql }) => {
  const person = await makePerson(sql, await makeCompany(sql), "gestor");
  const session = await sessionOf(person);
  const { access_token } = JSON.parse(session);
  const call = () => memberClient(access_token).get("/app-v1-keys");
  await using watched = await openPage(browser, "/chaves/", { session });
  const { page } = watched;
  await page.getByRole("row").filter({ hasText: "Teste" }).waitFor();
  assert.equal((await call()).status, 200);
  await signOut(page);
  await page.getByText("Você saiu. A sessão foi encerrada.").waitFor();
  assertError(await call(), "invalid_session");
  await page.goto(page.url().replace(/entrar.*/, "chaves/"));
  await page.getByLabel("E-mail").waitFor();
});

test("Two-step verification is turned on with a code, asks for a code after the password, and is turned off", async ({ browser, sql }) => {
  const person = await makePerson(sql, await makeCompany(sql), "vendedor");
  const other = JSON.parse(await sessionOf(person));
  await using watched = await openPage(browser, "/conta/", {
    session: await sessionOf(person),
    viewport: PHONE,
  });
  const { page } = watched;
  const sessions = page.getByRole("table", { name: "Sessões" }).getByRole("row");
  await sessions.nth(2).waitFor();
  await page.getByRole("button", { name: "Ligar", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("img", { name: "Código QR com a chave secreta" }).waitFor();
  const secret = await dialog.locator("code").innerText();
  const code = (ahead: number) => codeAt(secret, stepAt(Date.now()) + ahead);
  await assertGood(page, "the QR code");
  await dialog.getByLabel("Código", { exact: true }).fill("000000");
  await dialog.getByRole("button", { name: "Ligar" }).click();
  await dialog.getByText("O código não confere.").waitFor();
  await dialog.getByLabel("Código", { exact: true }).fill(code(0));
  await dialog.getByRole("button", { name: "Ligar" }).click();
  await page.getByText("Verificação em duas etapas ligada", { exact: true }).waitFor();
  assert.equal((await memberClient(other.access_token).get("/app-v1-keys")).status, 401);

  await signOut(page);
  await fillIn(watched, person);
  await page.getByText("Digite o código que o aplicativo no seu celular mostra.").waitFor();
  // A reload, or another page's address, leads back to the prompt for the code.
  await page.goto(page.url().replace(/entrar.*/, "chaves/"));
  await page.getByLabel("Código", { exact: true }).fill("000000");
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
  await page.getByText("O código não confere.").waitFor();
  await assertAccessible(page, "the question for a code");
  // Enters the next code: the present one was used above, and a code works only once.
  await page.getByLabel("Código", { exact: true }).fill(code(1));
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
  await page.getByRole("heading", { name: "Chaves de API" }).waitFor();

  await page.goto(page.url().replace(/chaves.*/, "conta/"));
  await page.getByRole("button", { name: "Desligar" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Desligar" }).click();
  await page.getByText("Verificação em duas etapas desligada", { exact: true }).waitFor();
  await signOut(page);
  await fillIn(watched, person);
  await page.getByRole("heading", { name: "Chaves de API" }).waitFor();
});

test("When another person signs in in the first tab, a second tab shows and sends nothing of the previous person", async ({ browser, sql }) => {
  const company = await makeCompany(sql);
  const [ana, bia] = [await makePerson(sql, company, "gestor"), await makePerson(sql, company, "gestor")];
  await using watched = await openPage(browser, "/chaves/", { session: await sessionOf(ana) });
  const { page, context } = watched;
  await page.getByRole("heading", { name: "Chaves de API" }).waitFor();
  const second = await context.newPage();
  const created: string[] = [];
  second.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("app-v1-keys")) created.push(request.url());
  });
  const { origin } = new URL(page.url());
  await second.goto(`${origin}/chaves/?nova=1`);
  await second.getByLabel("Nome").fill("Chave da Ana");

  await signOut(page);
  await second.getByLabel("Senha", { exact: true }).waitFor();
  await fillIn(watched, bia);
  await page.getByRole("heading", { name: "Chaves de API" }).waitFor();
  await second.getByRole("heading", { name: "Chaves de API" }).waitFor();
  assert.equal(new URL(second.url()).search, "");
  await second.goto(`${origin}/chaves/?nova=1`);
  assert.equal(await second.getByLabel("Nome").inputValue(), "");

  // A link from an e-mail signs Ana in without a sign-out that the second tab could see.
  await second.goto(`${origin}/atividade/?ver=eventos`);
  await second.getByRole("heading", { name: "Atividade" }).waitFor();
  const { access_token, refresh_token } = JSON.parse(await sessionOf(ana));
  await page.goto(
    `${origin}/#access_token=${access_token}&refresh_token=${refresh_token}&expires_in=3600&` +
      "token_type=bearer&type=recovery",
  );
  await page.getByText(`Ela vale para ${ana.email}.`).waitFor();
  await second.waitForURL(`${origin}/chaves/`);

  // Bia signs in, but the second tab hears nothing of it before it sends Ana's form.
  await second.getByRole("link", { name: "Criar chave" }).first().click();
  await second.getByLabel("Nome").fill("Chave da Ana");
  await second.getByRole("button", { name: "ERP" }).click();
  await second.evaluate(
    (session) => localStorage.setItem("crm.session", session),
    await sessionOf(bia),
  );
  await second.getByRole("button", { name: "Criar chave" }).click();
  await second.waitForURL(`${origin}/chaves/`);
  assert.deepEqual(created, []);
});

test("A link with another person's session signs nobody in, and no token of a link stays in the history", async ({ browser, sql }) => {
  const company = await makeCompany(sql);
  const [victim, attacker] = [
    await makePerson(sql, company, "admin"),
    await makePerson(sql, company, "gestor"),
  ];
  const { access_token, refresh_token } = JSON.parse(await sessionOf(attacker));
  const tokens =
    `access_token=${access_token}&refresh_token=${refresh_token}&expires_in=3600&token_type=bearer`;
  await using watched = await openPage(browser, "/chaves/", { session: await sessionOf(victim) });
  const { page } = watched;
  const { origin } = new URL(baseUrl);
  const elsewhere = `${baseUrl}/api-v1-health`;
  const whose = () =>
    page.evaluate(() => JSON.parse(localStorage.getItem("crm.session") ?? "{}").user?.email as string);
  await page.getByRole("heading", { name: "Chaves de API" }).waitFor();
  for (const type of ["", "&type=signup", "&type=magiclink"]) {
    await page.goto(elsewhere);
    await page.goto(`${origin}/chaves/#${tokens}${type}`);
    await page.getByRole("heading", { name: "Chaves de API" }).waitFor();
    assert.equal(await whose(), victim.email, type);
    assert.equal(new URL(page.url()).hash, "");
  }

  await page.goto(elsewhere);
  await page.goto(`${origin}/#${tokens}&type=recovery`);
  await page.getByText(`Ela vale para ${attacker.email}.`).waitFor();
  assert.equal(await whose(), attacker.email);
  assert.equal(new URL(page.url()).hash, "");
  await page.goBack();
  assert.equal(page.url(), elsewhere);
});

test("An invited salesperson chooses a password and sees everything, without buttons that change something", async (world) => {
  const email = `${crypto.randomUUID()}@padariasol.example`;
  await using inviting = await openAs(world, "/conta/", "admin");
  const { page } = inviting;
  await page.getByRole("button", { name: "Convidar" }).or(page.getByRole("link", { name: "Convidar" }))
    .first().click();
  await page.getByLabel("Nome").last().fill("Caio Dias");
  await page.getByLabel("E-mail").last().fill(email);
  await page.getByLabel("Papel").last().selectOption("vendedor");
  await page.getByRole("button", { name: "Enviar o convite" }).click();
  await page.getByText(`${email} foi convidado`).waitFor();

  const mail = await eventually(
    async () => (await readMails(join(dataDir, "mail"))).find(({ to }) => to === email),
    "the mail",
  );
  await using invited = await openPage(world.browser, null);
  await invited.page.goto(mail.link);
  await invited.page.getByText(`Ela vale para ${mail.to}.`).waitFor();
  await invited.page.getByLabel("Senha nova").fill("uma senha longa");
  await invited.page.getByRole("button", { name: "Salvar e continuar" }).click();
  await invited.page.getByRole("row").filter({ hasText: "Teste" }).waitFor();
  assert.equal(await invited.page.getByRole("link", { name: "Criar chave" }).count(), 0);
  await page.reload();
  await page.getByRole("row").filter({ hasText: "Caio Dias" }).filter({ hasText: "Ativo" }).waitFor();
});

test("Saving the company's settings keeps what another person changed meanwhile", async (world) => {
  await using watched = await openAs(world, "/conta/", "admin");
  const { page, company } = watched;
  await page.getByRole("button", { name: "Alterar" }).first().click();
  await world.sql`update crm.workspaces set time_zone = 'Asia/Tokyo' where id = ${company.id}`;
  await page.getByRole("dialog").getByLabel("Nome").fill("Confeitaria Lua");
  await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).click();
  await page.getByRole("banner").getByText("Confeitaria Lua").waitFor();
  await page.getByText("Asia/Tokyo").waitFor();
});

test("A person with an account accepts an invitation, works in the other company, and leaves it", async ({ browser, sql }) => {
  const [own, other] = [await makeCompany(sql), await makeCompany(sql, "Confeitaria Lua")];
  const person = await makePerson(sql, own, "gestor");
  const { access_token } = JSON.parse(await sessionOf(await makePerson(sql, other, "admin")));
  await memberClient(access_token).post("/app-v1-members", {
    name: "Bia",
    email: person.email,
    role: "vendedor",
  });

  await using watched = await openPage(browser, "/conta/", { session: await sessionOf(person) });
  const { page } = watched;
  await page.getByText("Confeitaria Lua convidou você. Papel: Vendedor.").waitFor();
  await page.getByRole("button", { name: "Aceitar" }).click();
  const choice = page.getByLabel("Empresa");
  await choice.waitFor();
  assert.equal(await choice.inputValue(), other.id);

  await page.getByRole("button", { name: "Sair da empresa" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sair da empresa" }).click();
  // With one company left, the bar shows a name instead of a choice.
  await page.getByRole("banner").locator("strong").filter({ hasText: own.name }).waitFor();
  assert.equal(await choice.count(), 0);
});
