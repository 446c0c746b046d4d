import type { Command } from "commander";
import { readSettings } from "../../local/settings.ts";
import { addProxy, otherProxies, removeProxy } from "../../nodes/proxies.ts";
import { withProxy } from "../database.ts";
import { printResult } from "../perform.ts";
import { formatExamples } from "../usage.ts";
import { parseUrl } from "./node.ts";

const EXAMPLE = "postgresql://postgres:PASSWORD@proxy2.internal:5432/postgres";

export function proxyCommands(program: Command): void {
  const proxy = program.command("proxy")
    .description("Further proxies in front of the nodes of the proxy in DATABASE_URL (docs/scale.md)");

  proxy.command("add")
    .description(
      "Turn an empty database into a further proxy. From then on, commands tell all proxies what changes",
    )
    .argument("<url>", "its address for a superuser. The proxies store it with the password", parseUrl)
    .addHelpText("after", formatExamples(`proxy add ${EXAMPLE}`))
    .action(async (url, _options, command) => {
      const { databaseUrl } = readSettings();
      // A local stack is never a proxy, so DATABASE_URL is set.
      await withProxy((sql) => addProxy(sql, databaseUrl!, url));
      printResult(command, { url }, () => `${new URL(url).host} is a proxy now`);
    });

  proxy.command("list")
    .description("Show the addresses of the other proxies, with passwords")
    .addHelpText("after", formatExamples("proxy list"))
    .action(async (_options, command) => {
      const urls = await withProxy(otherProxies);
      printResult(command, urls, () => urls.join("\n") || "There is no other proxy");
    });

  proxy.command("remove")
    .description("Make the proxies forget another proxy that is gone or should no longer be used")
    .argument("<url>", "its address, as `proxy list` shows it", parseUrl)
    .addHelpText("after", formatExamples(`proxy remove ${EXAMPLE}`))
    .action(async (url, _options, command) => {
      await withProxy((sql) => removeProxy(sql, url));
      printResult(command, { url }, () => `${new URL(url).host} is no longer told what changes`);
    });
}
