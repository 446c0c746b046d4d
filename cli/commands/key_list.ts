import type { Command } from "commander";
import { operate } from "../../operator/operator.ts";
import type { Key } from "../../operator/verbs.ts";
import { perform } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples } from "../usage.ts";

/** The columns of the table, in order. */
const COLUMNS = [
  ...["id", "name", "prefix", "scopes", "creator", "expires_at", "revoked_at", "last_used_at"] as const,
  ...["calls_7_days", "old_secret_expires_at"] as const,
];

/** `key list` */
export function keyListCommand(group: Command): void {
  group.command("list")
    .description(
      "Show the keys of a workspace, oldest first, with their calls of 7 days; never their values. " +
        "Of more than 500 it shows those that work, then the newest",
    )
    .requiredOption("--workspace <id>", "the workspace")
    .addHelpText("after", formatExamples("key list --workspace ID"))
    .action(({ workspace }, command) =>
      perform(
        command,
        async (sql) => {
          const { data } = await operate(sql, "key_list", { workspace_id: workspace });
          return data.map(flatten).toSorted((a, b) => a.id < b.id ? -1 : 1);
        },
        (keys) =>
          formatTable(
            keys.map((key) => ({ ...key, calls: null, calls_7_days: key.calls.total_7_days })),
            COLUMNS,
            "The workspace has no key",
          ),
      )
    );
}

/** A key whose creator is two fields, as scripts that read `--json` know it. */
function flatten({ creator, ...key }: Key) {
  return { ...key, creator_id: creator.id, creator: creator.name };
}
