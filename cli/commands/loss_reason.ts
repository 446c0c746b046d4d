import type { Command } from "commander";
import { boolean, name, uuid } from "../arguments.ts";
import { createLossReason, listLossReasons, updateLossReason } from "../../operator/loss_reasons.ts";
import { perform } from "../perform.ts";
import { table } from "../table.ts";
import { examples } from "../usage.ts";

/** `loss-reason …`: why deals of a workspace can be lost (`loss_reason_id` of POST deals/:id/lose). */
export function lossReasonCommands(program: Command): void {
  const reason = program.command("loss-reason").description("Why deals can be lost");

  reason.command("create")
    .description("Add a reason")
    .requiredOption("--workspace <id>", "the workspace", uuid)
    .requiredOption("--name <name>", "1 to 255 characters", name)
    .addHelpText("after", examples('loss-reason create --workspace ID --name "Preço"'))
    .action(({ workspace, name }, command) =>
      perform(
        command,
        (sql) => createLossReason(sql, { workspaceId: workspace, name }),
        ({ id }) => `Loss reason ${id} created`,
      )
    );

  reason.command("update")
    .description("Deactivate a reason, or activate again")
    .argument("<id>", "of the reason", uuid)
    .requiredOption("--active <true|false>", "whether a deal can be lost for it", boolean)
    .addHelpText("after", examples("loss-reason update ID --active false"))
    .action((id, { active }, command) =>
      perform(
        command,
        (sql) => updateLossReason(sql, id, { isActive: active }),
        (updated) => `Loss reason ${updated.id} is ${updated.is_active ? "active" : "inactive"}`,
      )
    );

  reason.command("list")
    .description("Show the reasons of a workspace, oldest first")
    .requiredOption("--workspace <id>", "the workspace", uuid)
    .addHelpText("after", examples("loss-reason list --workspace ID"))
    .action(({ workspace }, command) =>
      perform(
        command,
        (sql) => listLossReasons(sql, workspace),
        (reasons) =>
          table(reasons, ["id", "name", "is_active", "created_at"], "The workspace has no loss reason"),
      )
    );
}
