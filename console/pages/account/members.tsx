import { useSignal } from "@preact/signals";
import { call, href, mayAdminister, useAction, useResource, workspace } from "../../app/mod.ts";
import type { InvitedMember, Member } from "../../app/types.ts";
import { Button, FailureNote, Filtered, Loaded, say, Skeleton, Table } from "../../components/mod.ts";
import { numberText } from "../../format/shown.ts";
import { t } from "../../strings/strings.ts";
import { EditMember } from "./edit_member.tsx";

const MEMBERS_PATH = "app-v1-members";

export function Members() {
  const members = useResource<{ data: Member[] }>(MEMBERS_PATH);
  const edited = useSignal<Member | null>(null);
  const { failure, run } = useAction();
  const replace = (changed: Member) => {
    const data = members.data.value?.data.map((member) => member.id === changed.id ? changed : member) ?? [];
    members.set({ data });
  };
  const inviteAgain = (member: Member) =>
    run(async () => {
      const path = `${MEMBERS_PATH}/${member.id}/invite`;
      const { invitation_sent, ...changed } = await call<InvitedMember>("POST", path);
      replace(changed);
      say(t(invitation_sent ? "members.invited" : "members.not_sent", changed));
    });
  // Wait for the facts about the workspace, which would push the list down if they arrived after it.
  if (workspace.value === undefined) return members.waiting.value ? <Skeleton /> : null;
  return (
    <section class="section members">
      <header class="section-head">
        <h2>{t("members.title")}</h2>
        {mayAdminister.value && (
          <a class="button primary" href={href("conta/", { convidar: "1" })}>{t("members.invite")}</a>
        )}
      </header>
      {failure.value && <FailureNote failure={failure.value} />}
      <Loaded resource={members}>
        {({ data }) => (
          <Filtered rows={data} textOf={({ name, email }) => `${name} ${email}`}>
            {(rows) => (
              <Table
                label={t("members.title")}
                rows={rows}
                keyOf={({ id }) => id}
                muted={({ is_active }) => !is_active}
                columns={[
                  {
                    title: t("members.name"),
                    cell: ({ id, name, email }) => (
                      <div class="broken">
                        <strong class="clamped" title={name}>{name}</strong>
                        <div class="small clamped" title={email}>
                          {email} {id === workspace.value?.member.id && `(${t("members.you")})`}
                        </div>
                      </div>
                    ),
                  },
                  { title: t("members.role"), cell: ({ role }) => t(`role.${role}`) },
                  { title: t("members.state"), cell: (member) => <MemberState member={member} /> },
                  {
                    title: t("members.keys"),
                    number: true,
                    cell: ({ working_keys }) => numberText(working_keys),
                  },
                ]}
                actions={mayAdminister.value && ((member) => (
                  <span class="row-actions">
                    {member.is_active && !member.has_signed_in && (
                      <Button
                        class="link"
                        text={t("members.invite_again")}
                        of={member.name}
                        onClick={() => inviteAgain(member)}
                      />
                    )}
                    <Button
                      class="link"
                      text={t("app.edit")}
                      aria-label={t("members.edit_name", { name: member.name })}
                      onClick={() => edited.value = member}
                    />
                  </span>
                ))}
              />
            )}
          </Filtered>
        )}
      </Loaded>
      {edited.value && (
        <EditMember
          member={edited.value}
          onDone={replace}
          onClose={() => edited.value = null}
        />
      )}
    </section>
  );
}

function MemberState({ member: { is_active, has_signed_in } }: { member: Member }) {
  if (!is_active) return <span class="tag">{t("members.inactive")}</span>;
  if (!has_signed_in) return <span class="tag waits">{t("members.waiting")}</span>;
  return <span class="tag good">{t("members.active")}</span>;
}
