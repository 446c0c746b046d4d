import type { Command } from "commander";
import { boolean } from "../arguments.ts";
import { addListCommand } from "../list_command.ts";
import { call, callOn, perform } from "../perform.ts";
import { examples } from "../usage.ts";

/** `loss-reason …`: why deals of a workspace can be lost (`loss_reason_id` of POST deals/:id/lose). */
export function lossReasonCommands(program: Command): void {
  const reason = program.command("loss-reason").description("Why deals can be lost");

  reason.command("create")
    .description("Add a reason")
    .requiredOption("--workspace <id>", "the workspace")
    .requiredOption("--name <name>", "1 to 255 characters")
    .addHelpText("after", examples('loss-reason create --workspace ID --name "Preço"'))
    .action(({ workspace, name }, command) =>
      perform(
        command,
        call("loss_reason_create", { workspace_id: workspace, name }),
        ({ id }) => `Loss reason ${id} created`,
      )
    );

  reason.command("update")
    .description("Deactivate a reason, or activate again")
    .argument("<id>", "of the reason")
    .requiredOption("--active <true|false>", "whether a deal can be lost for it", boolean)
    .addHelpText("after", examples("loss-reason update ID --active false"))
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
