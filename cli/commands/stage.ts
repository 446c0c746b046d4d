import type { Command } from "commander";
import { boolean, uuid } from "../arguments.ts";
import { updateStage } from "../../operator/pipelines.ts";
import { perform } from "../perform.ts";
import { examples } from "../usage.ts";

/** `stage …`: the steps of a pipeline. */
export function stageCommands(program: Command): void {
  const stage = program.command("stage").description("Steps of a pipeline");

  stage.command("update")
    .description("Deactivate a stage, or activate it again")
    .argument("<id>", "of the stage", uuid)
    .requiredOption("--active <true|false>", "whether deals may enter it", boolean)
    .addHelpText("after", examples("stage update ID --active false"))
    .action((id, { active }, command) =>
      perform(
        command,
        (sql) => updateStage(sql, id, { isActive: active }),
        (updated) => `Stage ${updated.id} (${updated.name}) is ${updated.is_active ? "active" : "inactive"}`,
      )
    );
}
