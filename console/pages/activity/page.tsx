import { Page } from "../../components/page.tsx";
import { t } from "../../strings/strings.ts";

export default function Activity() {
  return <Page title={t("activity.title")} text={t("activity.text")}>{null}</Page>;
}
