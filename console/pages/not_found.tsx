import { href } from "../app/mod.ts";
import { Page } from "../components/mod.ts";
import { t } from "../strings/strings.ts";

export function NotFound() {
  return (
    <Page title={t("app.not_found")} text={t("app.not_found_text")}>
      <a class="button primary" href={href("chaves/")}>{t("app.to_keys")}</a>
    </Page>
  );
}
