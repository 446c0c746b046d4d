import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { refreshWorkspace, workspace } from "../../app/workspace.ts";
import { Page } from "../../components/page.tsx";
import { t } from "../../strings/strings.ts";
import { InviteForm } from "./invite.tsx";
import { Members } from "./members.tsx";
import { WorkspaceFacts } from "./workspace_facts.tsx";

/** The workspace and its members, or the form of an invitation. */
export default function Account() {
  const { query } = useLocation();
  useEffect(() => void refreshWorkspace(), [query.convidar]);
  if (query.convidar) return <InviteForm />;
  return (
    <Page title={t("account.title")}>
      {workspace.value && <WorkspaceFacts workspace={workspace.value} />}
      <Members />
    </Page>
  );
}
