import { type Command, type CommandUnknownOpts, InvalidArgumentError } from "commander";
import { firstLine, StackError } from "../../local/stack_error.ts";
import { checkDatabaseUrl } from "../../local/settings.ts";
import { nodeStates, readProxy, restoreProxy } from "../../nodes/proxies.ts";
import { addNode } from "../../nodes/registering.ts";
import { withOperatorDatabase, withProxy } from "../database.ts";
import { printResult } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples } from "../usage.ts";

const COLUMNS = ["node", "state", "workspaces", "slots", "connection"] as const;

export function parseNode(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError("It must be the number of a node, such as 1");
  return Number(text);
}

export function parseUrl(text: string): string {
  try {
    return checkDatabaseUrl("It", text);
  } catch {
    throw new InvalidArgumentError("It must be an address of Postgres");
  }
}

export function nodeCommands(program: Command): void {
  const node = program.command("node")
    .description("Databases with workspaces, behind the proxy in DATABASE_URL (docs/scale.md)");

  node.command("add")
    .description(
      "Add a database behind the proxy, with its workspaces. The first `node add` also turns the empty database in " +
        "DATABASE_URL into the proxy, and needs FUNCTIONS_PASSWORD, the password of crm_functions",
    )
    .argument(
      "<url>",
      "its address without a pooler, for a role that may create subscriptions. The proxy stores it with the password",
      parseUrl,
    )
    .option(
      "--connection <text>",
      "libpq connection string by which the proxy reaches it, such as its pooler's (default: from <url>)",
    )
    .addHelpText(
      "after",
      formatExamples("node add postgresql://postgres:PASSWORD@db1.internal:5432/postgres"),
    )
    .action(async (url, { connection }, command) => {
      const password = Deno.env.get("FUNCTIONS_PASSWORD") || undefined;
      const number = await withOperatorDatabase((sql) => addNode(sql, { url, connection, password }));
      printResult(command, { node: number }, () => `Node ${number} added`);
    });

  node.command("list")
    .description(
      "Show the nodes. --json prints, with passwords, all that `node restore` needs to rebuild the proxy",
    )
    .addHelpText("after", formatExamples("node list", "node list --json > proxy.json"))
    .action(async (_options, command) => {
      const isJson = (command as CommandUnknownOpts).optsWithGlobals()["json"];
      const data = await withProxy(readProxy);
      const states = isJson ? [] : await nodeStates(data);
      printResult(command, data, () => formatTable(states, COLUMNS, "There is no node"));
    });

  node.command("restore")
    .description(
      "Turn the empty database in DATABASE_URL into a proxy of known nodes, to replace the only proxy",
    )
    .argument("<file>", "what `node list --json` printed")
    .addHelpText("after", formatExamples("node restore proxy.json"))
    .action(async (file, _options, command) => {
      const data = await Deno.readTextFile(file).then(JSON.parse).catch((error) => {
        throw new StackError(`${file} is not what \`node list --json\` printed: ${firstLine(error)}`);
      });
      if (!Array.isArray(data?.nodes) || !Array.isArray(data.proxies)) {
        throw new StackError(`${file} is not what \`node list --json\` printed: it lacks nodes or proxies`);
      }
      await withOperatorDatabase((sql) => restoreProxy(sql, data));
      printResult(command, { nodes: data.nodes.length }, () => `The proxy has ${data.nodes.length} nodes`);
    });
}
