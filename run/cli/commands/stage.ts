import type { Command } from "commander";
import { parseBoolean } from "../arguments.ts";
import { callOn, perform } from "../perform.ts";
import { formatExamples } from "../usage.ts";

/** `stage …`: the steps of a pipeline. */
export function stageCommands(program: Command): void {
  const stage = program.command("stage").description("Steps of a pipeline");

  stage.command("update")
    .description("Deactivate a stage, or activate it again")
    .argument("<id>", "id of the stage")
    .requiredOption("--active <true|false>", "whether deals may enter it", parseBoolean)
    .addHelpText("after", formatExamples("stage update ID --active false"))
    .action((id, { active }, command) =>
      perform(
        command,
        callOn("stage", id, "stage_update", { is_active: active }),
        (updated) => `Stage ${updated.id} (${updated.name}) is ${updated.is_active ? "active" : "inactive"}`,
      )
    );
}
