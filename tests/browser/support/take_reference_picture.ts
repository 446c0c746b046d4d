import { openBrowser, openPage } from "./browser.ts";
import { writePicture } from "./write_picture.ts";

/** Writes the README's picture of the reference: an operation with its example, as the stack shows it at /docs/. */
export async function takeReferencePicture(file: string): Promise<void> {
  await using browser = await openBrowser("/docs/");
  await using watched = await openPage(browser, "/docs/#tag/leads/POST/api-v1-leads", {
    viewport: { width: 1_280, height: 720 },
    locale: "pt-BR",
  });
  await watched.page.getByRole("heading", { name: "Recebe um lead" }).first().waitFor();
  await watched.page.getByRole("button", { name: /^Testar/ }).first().waitFor();
  await writePicture(watched.page, file, { width: 1_280, height: 720 });
}
