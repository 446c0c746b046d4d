import type { Command } from "commander";
import { createWorkspace } from "../../operator/workspaces.ts";
import { numberParser, parseBoolean } from "../arguments.ts";
import { call, perform } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples, requireChange } from "../usage.ts";

const COLUMNS = [
  "id",
  "name",
  "suspended",
  "public_api",
  "rate_limit_per_minute",
  "stale_after_days",
  "time_zone",
  "created_at",
] as const;

/** `workspace …`: the workspaces and their plans. */
export function workspaceCommands(program: Command): void {
  const workspace = program.command("workspace").description("Workspaces and their plans");

  workspace.command("create")
    .description("Create a workspace with an admin member and a default pipeline")
    .requiredOption("--name <name>", "1 to 255 characters")
    .option("--admin-name <name>", "name of the admin (default: Administrador)")
    .option(
      "--admin-email <email>",
      "e-mail by which the admin signs in to the console (default: nobody can)",
    )
    .addHelpText(
      "after",
      formatExamples(
        'workspace create --name "Padaria Sol" --admin-name "Ana Souza" --admin-email ana@padariasol.com.br',
      ),
    )
    .action(({ name, adminName, adminEmail }, command) =>
      perform(
        command,
        (sql) => createWorkspace(sql, { name, memberName: adminName, memberEmail: adminEmail }),
        (created) =>
          `Workspace ${created.id} created, with admin member ${created.member_id} and default pipeline ` +
          created.pipeline_id,
      )
    );

  workspace.command("update")
    .description("Rename a workspace, suspend it, or change its plan")
    .argument("<id>", "id of the workspace")
    .option("--name <name>", "1 to 255 characters")
    .option(
      "--suspended <true|false>",
      "refuse every call with a key of the workspace, and hold its webhooks",
      parseBoolean,
    )
    .option("--public-api <true|false>", "include the public API in its plan", parseBoolean)
    .option(
      "--rate-limit <calls>",
      "calls a minute for each key, 1 to 1000000",
      numberParser("rate_limit_per_minute"),
    )
    .option(
      "--stale-after-days <days>",
      "days until a deal is stale, 1 to 3650",
      numberParser("stale_after_days"),
    )
    .option("--time-zone <name>", "IANA time zone of its assistants, such as America/Sao_Paulo")
    .addHelpText(
      "after",
      formatExamples("workspace update ID --suspended true", "workspace update ID --rate-limit 600"),
    )
    .action((id, options, command) => {
      requireChange(command, options);
      return perform(
        command,
        call("workspace_update", {
          workspace_id: id,
          name: options.name,
          suspended: options.suspended,
          public_api: options.publicApi,
          rate_limit_per_minute: options.rateLimit,
          stale_after_days: options.staleAfterDays,
          time_zone: options.timeZone,
        }),
        (updated) => formatTable([updated], COLUMNS, ""),
      );
    });

  workspace.command("list")
    .description("Show all workspaces, oldest first")
    .addHelpText("after", formatExamples("workspace list", "workspace list --json"))
    .action((_options, command) =>
      perform(
        command,
        call("workspace_list", {}),
        (workspaces) => formatTable(workspaces, COLUMNS, "There is no workspace"),
      )
    );
}
