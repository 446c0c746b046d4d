import assert from "node:assert/strict";
import { makeDeal } from "../../support/fixtures.ts";
import { makeProposal, tokenOf } from "../../support/proposals.ts";
import { openPage } from "../support/browser.ts";
import { makeCompany } from "../support/company.ts";
import { test } from "../support/scenario.ts";

test("A customer declines with a reason; a mistyped link shows that there is no such proposal", async ({ browser, sql }) => {
  const company = await makeCompany(sql, "Padaria Sol");
  const { id, link } = await makeProposal(sql, (await makeDeal(company.key)).id);
  await using watched = await openPage(browser, `/proposta/#${tokenOf(link)}`);
  const { page } = watched;
  await page.getByRole("button", { name: "Recusar", exact: true }).click();
  await page.getByLabel("Motivo (opcional)").fill("Ficou caro");
  // Without a network nothing that was typed is lost.
  await watched.context.setOffline(true);
  await page.getByRole("button", { name: "Recusar a proposta" }).click();
  await page.getByText("Sem conexão com a internet").waitFor();
  assert.equal(await page.getByLabel("Motivo (opcional)").inputValue(), "Ficou caro");
  await watched.context.setOffline(false);
  await page.getByRole("button", { name: "Recusar a proposta" }).click();
  await page.getByText("Proposta recusada").first().waitFor();
  const [row] = await sql`select rejection_reason from crm.proposals where id = ${id}`;
  assert.equal(row!["rejection_reason"], "Ficou caro");
  await page.goto(page.url().replace(/.$/, ""));
  await page.getByText("Este link não abre nenhuma proposta").first().waitFor();
});
