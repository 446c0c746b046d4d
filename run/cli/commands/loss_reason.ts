import type { Command } from "commander";
import { parseBoolean } from "../arguments.ts";
import { addListCommand } from "../list_command.ts";
import { call, callOn, perform } from "../perform.ts";
import { formatExamples } from "../usage.ts";

export function lossReasonCommands(program: Command): void {
  const reason = program.command("loss-reason").description("Reasons for lost deals");

  reason.command("create")
    .description("Add a reason")
    .requiredOption("--workspace <id>", "the workspace")
    .requiredOption("--name <name>", "1 to 255 characters")
    .addHelpText("after", formatExamples('loss-reason create --workspace ID --name "Preço"'))
    .action(({ workspace, name }, command) =>
      perform(
        command,
        call("loss_reason_create", { workspace_id: workspace, name }),
        ({ id }) => `Loss reason ${id} created`,
      )
    );

  reason.command("update")
    .description("Activate or deactivate a reason")
    .argument("<id>", "id of the reason")
    .requiredOption("--active <true|false>", "whether deals can be lost for this reason", parseBoolean)
    .addHelpText("after", formatExamples("loss-reason update ID --active false"))
    .action((id, { active }, command) =>
      perform(
        command,
        callOn("loss_reason", id, "loss_reason_update", { is_active: active }),
        (updated) => `Loss reason ${updated.id} is ${updated.is_active ? "active" : "inactive"}`,
      )
    );

  addListCommand(reason, "loss_reason_list", {
    description: "Show the reasons of a workspace, oldest first",
    columns: ["id", "name", "is_active", "created_at"],
    nothing: "The workspace has no loss reason",
  });
}
