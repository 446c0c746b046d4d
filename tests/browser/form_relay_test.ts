// The form of clients/examples/form-relay, as a visitor uses it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { freePort } from "../../run/local/free_port.ts";
import { client } from "../support/client.ts";
import { startCuttingProxy } from "../support/cutting_proxy.ts";
import { openExample } from "../support/examples.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { eventually } from "../support/mailbox.ts";
import { chromiumTest } from "../support/needing.ts";
import { baseUrl, openDatabase } from "../support/stack.ts";
import { assertAccessible, assertGood, assertReachable } from "./support/audit.ts";
import { launchChromium } from "./support/chromium.ts";
import { PHONE } from "./support/screens.ts";

chromiumTest(
  "A visitor sends the form of clients/examples/form-relay from another site, and sees errors and the confirmation",
  async () => {
    await using sql = openDatabase();
    const { key } = await makeWorkspace(sql);
    const port = freePort();
    // The visitor reaches the relay through a proxy, which can lose answers.
    await using line = startCuttingProxy(`http://127.0.0.1:${port}`, "POST /leads");
    let folder = "";
    // Serves the form, changed as the README says, from another origin than the relay's.
    await using site = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      const name = new URL(request.url).pathname.slice(1) || "index.html";
      const file = await Deno.readTextFile(join(folder, "public", name)).catch(() => null);
      const types: Record<string, string> = { js: "text/javascript", css: "text/css", html: "text/html" };
      const type = types[name.split(".").at(-1)!]!;
      return new Response(file?.replace('action="/leads"', `action="${line.url}leads"`), {
        status: file === null ? 404 : 200,
        headers: { "Content-Type": type },
      });
    });
    const origin = `http://127.0.0.1:${site.addr.port}`;
    await using example = await openExample("form-relay", {
      CRM_URL: baseUrl,
      CRM_KEY: key,
      FORM_ORIGIN: origin,
      PORT: String(port),
    });
    folder = example.folder;
    await example.start("npm start").prints("Formulário em");

    {
      await using browser = await launchChromium();
      const page = await browser.newPage({ locale: "pt-BR", viewport: PHONE });
      await page.goto(`${origin}?utm_source=google`);
      await assertGood(page, "the form");
      await assertReachable(page, "the form");

      await page.getByLabel("Nome (obrigatório)").fill("Ana");
      await page.getByLabel("Empresa").fill("Padaria Sol");
      await page.getByRole("button", { name: "Enviar" }).click();
      const email = page.getByLabel("E-mail");
      await page.getByText("Informe um e-mail ou um telefone.").waitFor();
      assert.equal(await email.getAttribute("aria-invalid"), "true");
      assert.ok(await email.evaluate((field) => field === document.activeElement));
      await assertAccessible(page, "the form with an error");

      // The relay gets the lead, but its answer is lost, so the visitor sends the form again.
      await email.fill("ana@exemplo.com.br");
      line.setLine("answers lost");
      await page.getByRole("button", { name: "Enviar" }).click();
      await page.getByText("Não conseguimos enviar agora.").waitFor();
      line.setLine("up");
      await page.getByRole("button", { name: "Enviar" }).click();
      await page.getByText("Recebemos seus dados.").waitFor();
      assert.equal(await email.inputValue(), "");
      assert.equal(await email.getAttribute("aria-invalid"), null);
      assert.ok(!(await page.content()).includes(key));
    }
    const api = client(key);
    const deals = await eventually(async () => {
      const { body } = await api.get("/api-v1-deals");
      return body.data.length > 0 && body.data;
    }, "the lead");
    assert.equal(deals.length, 1);
    const { body: deal } = await api.get(`/api-v1-deals/${deals[0].id}`);
    assert.equal(deal.lead.utm.source, "google");
    assert.equal(deal.company.name, "Padaria Sol");
  },
);
