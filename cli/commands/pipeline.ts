import type { Command } from "commander";
import { boolean, name, stages, uuid } from "../arguments.ts";
import { createPipeline, listPipelines, updatePipeline } from "../../operator/pipelines.ts";
import { perform } from "../perform.ts";
import { table } from "../table.ts";
import { examples, requireChange } from "../usage.ts";

/** `pipeline …`: the sales funnels of a workspace. */
export function pipelineCommands(program: Command): void {
  const pipeline = program.command("pipeline").description("Sales funnels of a workspace");

  pipeline.command("create")
    .description("Make a pipeline with its stages")
    .requiredOption("--workspace <id>", "the workspace", uuid)
    .requiredOption("--name <name>", "1 to 255 characters", name)
    .option("--default", "make it the one where deals go that name none")
    .requiredOption("--stages <list>", "name:type in order, separated by commas", stages)
    .addHelpText(
      "after",
      examples(
        'pipeline create --workspace ID --name "Vendas" --stages "Prospecção:pre-venda,Proposta:venda,Ganho:won,Perdido:lost"',
      ),
    )
    .action((options, command) =>
      perform(
        command,
        (sql) =>
          createPipeline(sql, {
            workspaceId: options.workspace,
            name: options.name,
            isDefault: options.default,
            stages: options.stages,
          }),
        (made) => `Pipeline ${made.id} made\n\n${table(made.stages, ["position", "id", "name", "type"], "")}`,
      )
    );

  pipeline.command("update")
    .description("Deactivate a pipeline, activate it again, or make it the default")
    .argument("<id>", "of the pipeline", uuid)
    .option("--active <true|false>", "whether the API shows it and deals may enter it", boolean)
    .option("--default", "make it the one where deals go that name none")
    .addHelpText(
      "after",
      examples("pipeline update ID --active false", "pipeline update ID --active true --default"),
    )
    .action((id, options, command) => {
      requireChange(command, options);
      return perform(
        command,
        (sql) => updatePipeline(sql, id, { isActive: options.active, isDefault: options.default }),
        (updated) => table([updated], ["id", "name", "is_default", "is_active"], ""),
      );
    });

  pipeline.command("list")
    .description("Show every stage of every pipeline, inactive ones included, oldest pipeline first")
    .requiredOption("--workspace <id>", "the workspace", uuid)
    .addHelpText("after", examples("pipeline list --workspace ID"))
    .action(({ workspace }, command) =>
      perform(
        command,
        (sql) => listPipelines(sql, workspace),
        (pipelines) =>
          pipelines.map(({ stages, ...pipeline }) =>
            [
              table([pipeline], ["id", "name", "is_default", "is_active"], ""),
              table(stages, ["position", "id", "name", "type", "is_active"], "The pipeline has no stage"),
            ].join("\n\n")
          ).join("\n\n\n"),
      )
    );
}
