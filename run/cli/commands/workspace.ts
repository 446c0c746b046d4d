import type { Command } from "commander";
import { moveWorkspace } from "../../nodes/move.ts";
import { atDatabase, emptiestNode, nodeNumbers, operatorUrl } from "../../nodes/nodes.ts";
import { createAt } from "../../nodes/registering.ts";
import { numberParser, parseBoolean } from "../arguments.ts";
import { refuseNode, withOperatorDatabase, withProxy } from "../database.ts";
import { call, namedNode, perform, printResult } from "../perform.ts";
import { parseNode } from "./node.ts";
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
    .action(async ({ name, adminName, adminEmail }, command) => {
      const create = call("workspace_create", {
        name,
        member_name: adminName,
        member_email: adminEmail,
      });
      const node = namedNode(command);
      const created = await withOperatorDatabase(async (sql, isProxy) => {
        if (isProxy) return await createAt(sql, node ?? await emptiestNode(sql), create);
        refuseNode(node);
        return await create(sql);
      });
      printResult(
        command,
        created,
        () =>
          `Workspace ${created.id} created, with admin member ${created.member_id} and default pipeline ` +
          created.pipeline_id,
      );
    });

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
    .action(async (_options, command) => {
      const list = call("workspace_list", {});
      const node = namedNode(command);
      const nothing = "There is no workspace";
      await withOperatorDatabase(async (sql, isProxy) => {
        if (!isProxy) {
          refuseNode(node);
          const workspaces = await list(sql);
          printResult(command, workspaces, () => formatTable(workspaces, COLUMNS, nothing));
          return;
        }
        const numbers = node === undefined ? await nodeNumbers(sql) : [node];
        const lists = await Promise.all(numbers.map(async (number) => {
          const found = await atDatabase(await operatorUrl(sql, number), list);
          return found.map((workspace) => ({ ...workspace, node: number }));
        }));
        const workspaces = lists.flat().sort((a, b) => a.id < b.id ? -1 : 1);
        printResult(command, workspaces, () => formatTable(workspaces, [...COLUMNS, "node"], nothing));
      });
    });

  workspace.command("move")
    .description(
      "Move a workspace to another node while it is in use. After an interruption the same command continues the " +
        "move, and --undo undoes it",
    )
    .argument("<id>", "id of the workspace")
    .option("--to <node>", "number of the node, as `node list` shows it", parseNode)
    .option("--undo", "undo an interrupted move, so that the workspace stays at its node")
    .addHelpText("after", formatExamples("workspace move ID --to 1", "workspace move ID --undo"))
    .action(async (id, { to, undo }, command) => {
      const log = (what: string) => console.error(what);
      const moved = await withProxy((sql) =>
        moveWorkspace(sql, { workspaceId: id, to, undo: undo === true, log })
      );
      printResult(command, moved, () => `The workspace lives at node ${moved.node}`);
    });
}
