import assert from "node:assert/strict";
import { makeDeal } from "../../support/fixtures.ts";
import { makeProposal, tokenOf } from "../../support/proposals.ts";
import { assertGood, assertReachable } from "../support/audit.ts";
import { consoleUrl, type Look, openPage } from "../support/browser.ts";
import { DESK, PHONE } from "../support/screens.ts";
import { makeCompany, sessionOf } from "../support/company.ts";
import { test, type World } from "../support/scenario.ts";

/** A page, and a text that appears once the page is complete. */
interface Place {
  path: string;
  shows: string | RegExp;
  /** Whether somebody is signed in. */
  signedIn: boolean;
}

async function placesOf({ sql, busy }: World): Promise<{ places: Place[]; session: string }> {
  const company = await busy();
  const { link } = await makeProposal(sql, (await makeDeal((await makeCompany(sql)).key)).id, {
    title: "Pães para o café da manhã ".repeat(9).trim(),
    value: 1_250,
    recurringValue: 300,
    expiresAt: "2030-01-31T12:00:00Z",
  });
  const page = (path: string, shows: string | RegExp): Place => ({ path, shows, signedIn: true });
  const places = [
    page("/chaves/", "ERP"),
    page(`/chaves/?id=${company.keyId}`, "Por dia, 30 dias"),
    page("/chaves/?nova=1", "Formulário do site"),
    page("/chaves/?aplicativos=1", "Revogar"),
    page("/webhooks/", /^Parado: 5 falhas seguidas/),
    page(`/webhooks/?id=${company.webhookId}`, "Recuperar eventos"),
    page(`/webhooks/?id=${company.webhookId}&entrega=${company.deliveryId}`, "Como a assinatura é calculada"),
    page(
      `/webhooks/?id=${company.stoppedId}`,
      /^Parado: 5 falhas seguidas em .*\. Uma entrega falhou cinco vezes .* 3 entregas esperam/,
    ),
    page("/webhooks/?novo=1", "Um contato foi criado"),
    page("/funil/", "Marina Alves"),
    page("/importar/", "Escolher um arquivo CSV"),
    page(`/funil/?negocio=${company.dealId}`, "Apresentar"),
    page("/atividade/", /revogou a chave/),
    page("/conta/", "Caio Dias"),
    page("/nao-existe/", "Esta página não existe"),
    { path: "/entrar/", shows: "Esqueci a senha", signedIn: false },
    { path: `/proposta/#${tokenOf(link)}`, shows: "Válida", signedIn: false },
  ];
  return { places, session: await sessionOf(company.person) };
}

/** The most times that a page with failed requests is opened. */
const VISITS = 3;

/**
 * Opens and checks every page, with a session or without. A page with a failed request is opened again: if the first
 * read of the workspace failed, the alert appears late and moves the content.
 */
async function visit(
  world: World,
  look: Look,
  check: (place: string, watched: Awaited<ReturnType<typeof openPage>>) => Promise<void>,
) {
  const { places, session } = await placesOf(world);
  for (const signedIn of [true, false]) {
    await using watched = await openPage(world.browser, null, signedIn ? { ...look, session } : look);
    for (const { path, shows } of places.filter((place) => place.signedIn === signedIn)) {
      for (let left = VISITS; left > 0; left--) {
        const before = watched.errors.length;
        await watched.page.goto(consoleUrl + path);
        await watched.page.getByText(shows).first().waitFor();
        await check(path, watched);
        const failed = watched.errors.slice(before);
        if (failed.length > 0 && left > 1) continue;
        assert.deepEqual(await watched.layoutShifts(), [], `${path} jumped; failed: ${failed}`);
        break;
      }
    }
  }
}

test("On a phone with the dark theme, every page fits, has no layout shift, calls no other host, and axe finds nothing", (world) =>
  visit(world, { viewport: PHONE, theme: "dark" }, (place, { page }) => assertGood(page, place)));

test("On a desktop with the light theme, axe finds nothing, and Tab reaches every control in reading order", (world) =>
  visit(world, { viewport: DESK, theme: "light" }, async (place, { page }) => {
    await assertGood(page, place);
    await assertReachable(page, place);
  }));
