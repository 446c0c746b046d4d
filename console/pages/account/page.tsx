import { Page } from "../../components/page.tsx";
import { t } from "../../strings/strings.ts";

export default function Account() {
  return <Page title={t("account.title")}>{null}</Page>;
}
