import type { Command } from "commander";
import type { Result } from "../../operator/verbs.ts";
import { callOn, perform } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples } from "../usage.ts";

/** `key show <id>` */
export function keyShowCommand(group: Command): void {
  group.command("show")
    .description(
      "Show a key: its state, the subscriptions that it made, its calls of 30 days; never its value",
    )
    .argument("<id>", "id of the key")
    .addHelpText("after", formatExamples("key show ID"))
    .action((id, _options, command) => perform(command, callOn("key", id, "key_get", {}), describeKey));
}

function describeKey({ subscriptions, days_30: days, ...key }: Result<"key_get">): string {
  const used = days.filter(({ calls }) => calls > 0);
  return [
    `Key ${key.id} "${key.name}" (${key.prefix}…) is ${key.state}`,
    `Scopes: ${key.scopes.join(", ")}`,
    `Created at ${key.created_at} by ${key.creator.name}; last used: ${key.last_used_at ?? "never"}`,
    ...key.old_secret_expires_at === null
      ? []
      : [`Its earlier value works until ${key.old_secret_expires_at}`],
    "",
    formatTable(
      subscriptions,
      ["id", "target_url", "is_active", "event_types"],
      "It made no webhook subscription",
    ),
    "",
    formatTable(used, ["day", "calls"], "It made no call in the last 30 days"),
  ].join("\n");
}
