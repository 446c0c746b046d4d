import type { Command } from "commander";
import { boolean, number } from "../arguments.ts";
import { call, perform } from "../perform.ts";
import { table } from "../table.ts";
import { examples, requireChange } from "../usage.ts";

const COLUMNS = [
  "id",
  "name",
  "suspended",
  "public_api",
  "rate_limit_per_minute",
  "stale_after_days",
  "created_at",
] as const;

/** `workspace …`: the accounts and their plans. */
export function workspaceCommands(program: Command): void {
  const workspace = program.command("workspace").description("Accounts and their plans");

  workspace.command("create")
    .description("Make a workspace with an admin member and a default pipeline")
    .requiredOption("--name <name>", "1 to 255 characters")
    .addHelpText("after", examples('workspace create --name "Padaria Sol"'))
    .action((options, command) =>
      perform(
        command,
        call("workspace_create", options),
        (made) =>
          `Workspace ${made.id} made, with admin member ${made.member_id} and default pipeline ${made.pipeline_id}`,
      )
    );

  workspace.command("update")
    .description("Suspend a workspace, or change its plan")
    .argument("<id>", "of the workspace")
    .option("--suspended <true|false>", "refuse every key of it", boolean)
    .option("--public-api <true|false>", "include the public API in its plan", boolean)
    .option(
      "--rate-limit <calls>",
      "calls a minute for each key, 1 to 1000000",
      number("rate_limit_per_minute"),
    )
    .option("--stale-after-days <days>", "days until a deal is stale, 1 to 3650", number("stale_after_days"))
    .addHelpText(
      "after",
      examples("workspace update ID --suspended true", "workspace update ID --rate-limit 600"),
    )
    .action((id, options, command) => {
      requireChange(command, options);
      return perform(
        command,
        call("workspace_update", {
          workspace_id: id,
          suspended: options.suspended,
          public_api: options.publicApi,
          rate_limit_per_minute: options.rateLimit,
          stale_after_days: options.staleAfterDays,
        }),
        (updated) => table([updated], COLUMNS, ""),
      );
    });

  workspace.command("list")
    .description("Show all workspaces, oldest first")
    .addHelpText("after", examples("workspace list", "workspace list --json"))
    .action((_options, command) =>
      perform(
        command,
        call("workspace_list", {}),
        (workspaces) => table(workspaces, COLUMNS, "There is no workspace"),
      )
    );
}
