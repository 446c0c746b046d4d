import type { Command } from "commander";
import type { Result } from "../../operator/verbs.ts";
import { addListCommand } from "../list_command.ts";
import { callOn, perform } from "../perform.ts";
import { formatExamples } from "../usage.ts";

export function appCommands(program: Command): void {
  const app = program.command("app").description("Apps that act for a person (OAuth)");

  addListCommand(
    app,
    "grant_list",
    {
      description: "Show the apps that have access to a workspace, newest first",
      columns: ["id", "client_name", "client_id", "member", "scopes", "created_at", "last_used_at"],
      nothing: "No app has access",
    },
    (grants: Result<"grant_list">["data"]) =>
      grants.map(({ member, ...grant }) => ({ ...grant, member: member.name })),
  );

  app.command("revoke")
    .description("Revoke an app's access for good, and end the webhook subscriptions that it made")
    .argument("<id>", "id of the grant")
    .addHelpText("after", formatExamples("app revoke ID"))
    .action((id, _options, command) =>
      perform(
        command,
        // Grants and keys are rows of the same table, so a grant is looked up as a key.
        callOn("key", id, "grant_revoke", {}),
        (revoked) => `The access of ${revoked.client_name} for ${revoked.member.name} is revoked`,
      )
    );
}
