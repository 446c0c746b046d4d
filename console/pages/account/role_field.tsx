import type { Role } from "../../app/types.ts";
import { Select } from "../../components/field.tsx";
import { t } from "../../strings/strings.ts";

const ROLES: Role[] = ["vendedor", "gestor", "admin"];

/** The role of a member, with what it allows. */
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
