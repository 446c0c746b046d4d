import type { Command } from "commander";
import { parseBoolean, parseStages } from "../arguments.ts";
import { addListCommand } from "../list_command.ts";
import { call, callOn, perform } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples, requireChange } from "../usage.ts";

const COLUMNS = ["id", "name", "is_default", "is_active"] as const;

export function pipelineCommands(program: Command): void {
  const pipeline = program.command("pipeline").description("Sales funnels of a workspace");

  pipeline.command("create")
    .description("Create a pipeline with its stages")
    .requiredOption("--workspace <id>", "the workspace")
    .requiredOption("--name <name>", "1 to 255 characters")
    .option("--default", "make it the pipeline of deals that name no pipeline")
    .requiredOption("--stages <list>", "name:type in order, separated by commas", parseStages)
    .addHelpText(
      "after",
      formatExamples(
        'pipeline create --workspace ID --name "Vendas" --stages "Prospecção:pre-venda,Proposta:venda,Ganho:won,Perdido:lost"',
      ),
    )
    .action(({ workspace, default: isDefault, ...options }, command) =>
      perform(
        command,
        call("pipeline_create", { workspace_id: workspace, is_default: isDefault, ...options }),
        (created) =>
          `Pipeline ${created.id} created\n\n${
            formatTable(created.stages, ["position", "id", "name", "type"], "")
          }`,
      )
    );

  pipeline.command("update")
    .description("Deactivate a pipeline, activate it again, or make it the default")
    .argument("<id>", "id of the pipeline")
    .option("--active <true|false>", "whether the API shows it and deals may enter it", parseBoolean)
    .option("--default", "make it the pipeline of deals that name no pipeline")
    .addHelpText(
      "after",
      formatExamples("pipeline update ID --active false", "pipeline update ID --active true --default"),
    )
    .action((id, options, command) => {
      requireChange(command, options);
      return perform(
        command,
        callOn("pipeline", id, "pipeline_update", { is_active: options.active, is_default: options.default }),
        (updated) => formatTable([updated], COLUMNS, ""),
      );
    });

  addListCommand(pipeline, "pipeline_list", {
    description: "Show every pipeline with its stages, also the inactive ones, oldest pipeline first",
    describe: (pipelines) =>
      pipelines.map(({ stages, ...pipeline }) =>
        [
          formatTable([pipeline], COLUMNS, ""),
          formatTable(stages, ["position", "id", "name", "type", "is_active"], "The pipeline has no stage"),
        ].join("\n\n")
      ).join("\n\n\n"),
  });
}

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
