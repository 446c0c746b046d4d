import { useSignal } from "@preact/signals";
import { call } from "../../app/mod.ts";
import type { Member } from "../../app/types.ts";
import { ActionDialog, Field, say } from "../../components/mod.ts";
import { counted, t } from "../../strings/strings.ts";
import { RoleField } from "./role_field.tsx";

export function EditMember({ member, onDone, onClose }: {
  member: Member;
  onDone: (member: Member) => void;
  onClose: () => void;
}) {
  const name = useSignal(member.name);
  const role = useSignal(member.role);
  const active = useSignal(member.is_active);
  const ends = member.is_active && !active.value;
  return (
    <ActionDialog
      title={t("members.edit_name", { name: member.name })}
      yes={t("app.save")}
      dangerous={ends}
      onClose={onClose}
      onSubmit={async () => {
        const body = {
          ...(name.value.trim() !== member.name && { name: name.value.trim() }),
          ...(role.value !== member.role && { role: role.value }),
          ...(active.value !== member.is_active && { is_active: active.value }),
        };
        if (Object.keys(body).length === 0) return;
        onDone(await call<Member>("PATCH", `app-v1-members/${member.id}`, { body }));
        say(t("members.saved"));
      }}
    >
      <Field
        label={t("members.name")}
        required
        maxLength={255}
        value={name.value}
        onInput={({ currentTarget }) => name.value = currentTarget.value}
      />
      <RoleField role={role.value} onChange={(chosen) => role.value = chosen} />
      <label class="check">
        <input type="checkbox" checked={active.value} onChange={() => active.value = !active.value} />
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
