import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { CHOICES_PATH, Invitations } from "../../app/invitations.tsx";
import { refreshWorkspace, useResource, workspace } from "../../app/mod.ts";
import type { Choices, PersonSession } from "../../app/types.ts";
import { Page } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { CustomFields } from "./custom_fields.tsx";
import { InviteForm } from "./invite.tsx";
import { LeaveWorkspace } from "./leave.tsx";
import { Members } from "./members.tsx";
import { Sessions, SESSIONS_PATH } from "./sessions.tsx";
import { TwoSteps } from "./two_steps.tsx";
import { WorkspaceFacts } from "./workspace_facts.tsx";

/** Open invitations, the workspace, its members and how the person signs in; or the form for an invitation. */
export default function Account() {
  const { query } = useLocation();
  const choices = useResource<Choices>(CHOICES_PATH);
  const sessions = useResource<{ data: PersonSession[] }>(SESSIONS_PATH);
  useEffect(() => void refreshWorkspace(), [query.convidar]);
  if (query.convidar) return <InviteForm />;
  return (
    <Page title={t("nav.account")} text={t("account.text")}>
      <Invitations choices={choices} />
      {workspace.value && <WorkspaceFacts workspace={workspace.value} />}
      <Members />
      <CustomFields />
      <TwoSteps onChange={sessions.reload} />
      <Sessions sessions={sessions} />
      {/* Shown after the sessions were read, because their list would push the button down. */}
      {workspace.value && (sessions.data.value || sessions.failure.value) && (
        <LeaveWorkspace workspace={workspace.value} />
      )}
    </Page>
  );
}
