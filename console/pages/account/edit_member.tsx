import { call, draftOf } from "../../app/mod.ts";
import type { Member } from "../../app/types.ts";
import { ActionDialog, Field, say } from "../../components/mod.ts";
import { counted, t } from "../../strings/strings.ts";
import { RoleField } from "./role_field.tsx";

export function EditMember({ member, onDone, onClose }: {
  member: Member;
  onDone: (member: Member) => void;
  onClose: () => void;
}) {
  const draftName = `member-${member.id}`;
  // Keep and send only what this person changes, so that what another person saves meanwhile is not overwritten.
  const draft = draftOf<Partial<Pick<Member, "name" | "role" | "is_active">>>(draftName, {});
  const change = (changed: typeof draft.value) => draft.value = { ...draft.value, ...changed };
  const shown = { ...member, ...draft.value };
  const ends = member.is_active && !shown.is_active;
  return (
    <ActionDialog
      title={t("members.edit_name", { name: member.name })}
      yes={t("app.save")}
      dangerous={ends}
      draft={draftName}
      onClose={onClose}
      onSubmit={async () => {
        const changed = Object.entries(draft.value).filter(([name, value]) =>
          value !== member[name as keyof Member]
        );
        if (changed.length === 0) return;
        const body = Object.fromEntries(changed);
        onDone(await call<Member>("PATCH", `app-v1-members/${member.id}`, { body }));
        say(t("members.saved"));
      }}
    >
      <Field
        label={t("members.name")}
        required
        maxLength={255}
        value={shown.name}
        onInput={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <RoleField role={shown.role} onChange={(role) => change({ role })} />
      <label class="check">
        <input
          type="checkbox"
          checked={shown.is_active}
          onChange={() => change({ is_active: !shown.is_active })}
        />
        {t("members.is_active")}
      </label>
      {ends && (
        <p class="note failed">
          {t("members.ends")} {member.working_keys > 0 && counted("members.keys_stay", member.working_keys)}
        </p>
      )}
    </ActionDialog>
  );
}
