import { type Role, ROLES } from "../../../supabase/functions/_shared/contract/roles.ts";
import { Select } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";

export function RoleField({ role, onChange, error }: {
  role: Role;
  onChange: (role: Role) => void;
  error?: string | undefined;
}) {
  return (
    <Select
      label={t("members.role")}
      hint={t(`members.role_hint_${role}`)}
      error={error}
      value={role}
      onChange={({ currentTarget }) => onChange(currentTarget.value as Role)}
      options={ROLES.map((value) => ({ value, text: t(`role.${value}`) }))}
    />
  );
}
