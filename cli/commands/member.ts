import { type Command, Option } from "commander";
import { boolean, email, name, uuid } from "../arguments.ts";
import { addMember, listMembers, ROLES, updateMember } from "../../operator/members.ts";
import { perform } from "../perform.ts";
import { table } from "../table.ts";
import { examples } from "../usage.ts";

/** `member …`: the people of a workspace. */
export function memberCommands(program: Command): void {
  const member = program.command("member").description("People of a workspace");

  member.command("add")
    .description("Add a member to a workspace")
    .requiredOption("--workspace <id>", "the workspace", uuid)
    .requiredOption("--name <name>", "1 to 255 characters", name)
    .requiredOption("--email <address>", "unique in the workspace", email)
    .addOption(
      new Option("--role <role>", "admin and gestor manage the workspace").choices(ROLES)
        .makeOptionMandatory(),
    )
    .addHelpText(
      "after",
      examples('member add --workspace ID --name "Ana Souza" --email ana@exemplo.com.br --role gestor'),
    )
    .action(({ workspace, ...person }, command) =>
      perform(
        command,
        (sql) => addMember(sql, { workspaceId: workspace, ...person }),
        ({ id }) => `Member ${id} added`,
      )
    );

  member.command("update")
    .description("Deactivate a member, or activate again")
    .argument("<id>", "of the member", uuid)
    .requiredOption("--active <true|false>", "whether the member owns records and authors notes", boolean)
    .addHelpText("after", examples("member update ID --active false"))
    .action((id, { active }, command) =>
      perform(
        command,
        (sql) => updateMember(sql, id, { isActive: active }),
        (updated) => `Member ${updated.id} is ${updated.is_active ? "active" : "inactive"}`,
      )
    );

  member.command("list")
    .description("Show the members of a workspace, oldest first")
    .requiredOption("--workspace <id>", "the workspace", uuid)
    .addHelpText("after", examples("member list --workspace ID"))
    .action(({ workspace }, command) =>
      perform(
        command,
        (sql) => listMembers(sql, workspace),
        (members) =>
          table(
            members,
            ["id", "name", "email", "role", "is_active", "created_at"],
            "The workspace has no member",
          ),
      )
    );
}
