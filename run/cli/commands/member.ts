import { type Command, Option } from "commander";
import type { Args } from "../../operator/verbs.ts";
import { ROLES } from "../../../supabase/functions/_shared/contract/roles.ts";
import type { Sql } from "postgres";
import { parseBoolean } from "../arguments.ts";
import { addListCommand } from "../list_command.ts";
import { call, callOn, perform } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples, PROGRAM, requireChange } from "../usage.ts";

export function memberCommands(program: Command): void {
  const member = program.command("member").description("People of a workspace");

  member.command("add")
    .description("Add a member to a workspace")
    .requiredOption("--workspace <id>", "the workspace")
    .requiredOption("--name <name>", "1 to 255 characters")
    .requiredOption("--email <address>", "unique in the workspace")
    .addOption(
      new Option("--role <role>", "admin and gestor manage the workspace").choices(ROLES)
        .makeOptionMandatory(),
    )
    .addHelpText(
      "after",
      formatExamples('member add --workspace ID --name "Ana Souza" --email ana@exemplo.com.br --role gestor'),
    )
    .action(({ workspace, ...person }, command) =>
      perform(
        command,
        call("member_invite", { workspace_id: workspace, ...person }),
        ({ id }) => `Member ${id} added`,
      )
    );

  member.command("update")
    .description(
      "Change a member's name or role, or activate or deactivate the member. If the member is then inactive, " +
        "list the keys that the member created and that still work",
    )
    .argument("<id>", "id of the member")
    .option(
      "--active <true|false>",
      "whether the member signs in, owns records and authors notes",
      parseBoolean,
    )
    .option("--name <name>", "1 to 255 characters")
    .addOption(new Option("--role <role>", "admin and gestor manage the workspace").choices(ROLES))
    .addHelpText("after", formatExamples("member update ID --active false", "member update ID --role gestor"))
    .action((id, { active, name, role }, command) => {
      requireChange(command, { active, name, role });
      return perform(
        command,
        updateMember(id, { is_active: active, name, role }),
        describeUpdate,
        warnOfOwners,
      );
    });

  addListCommand(member, "member_list", {
    description: "Show the members of a workspace, oldest first",
    columns: ["id", "name", "email", "role", "is_active", "created_at"],
    nothing: "The workspace has no member",
  });
}

type Updated = Awaited<ReturnType<ReturnType<typeof updateMember>>>;

/** Updates a member. Returns the verb's `keys` as `working_keys`, the name that scripts with `--json` expect. */
function updateMember(id: string, changes: Omit<Args<"member_update">, "workspace_id" | "id">) {
  const update = callOn("member", id, "member_update", changes);
  return async (sql: Sql) => {
    const { keys, ...member } = await update(sql);
    return { ...member, working_keys: keys };
  };
}

/** Warns if no active admin or gestor is left to own the leads that name no owner (spec 4.1). */
function warnOfOwners({ is_active, role, active_managers }: Updated): string[] {
  if (is_active || role === "vendedor" || active_managers > 0) return [];
  return [
    "The workspace has no active admin or gestor: a lead without an owner gets owner_unresolved, unless the " +
    "member who created the calling key is active",
  ];
}

/** Describes the update. Lists an inactive member's working keys, because a person who has left may still know them. */
function describeUpdate({ id, is_active, working_keys: keys }: Updated): string {
  if (is_active) return `Member ${id} is active`;
  if (keys.length === 0) return `Member ${id} is inactive, and created no key that still works`;
  return [
    `Member ${id} is inactive. Keys that the member created still work, except for writing notes:`,
    "",
    formatTable(keys, ["id", "name", "prefix", "scopes", "expires_at"], ""),
    "",
    `To revoke a key: ${PROGRAM} key revoke ID`,
  ].join("\n");
}
