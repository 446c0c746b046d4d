import { type Command, Option } from "commander";
import { SCOPES } from "../../../supabase/functions/_shared/contract/scopes.ts";
import { createKey, rotateKey, warningsOfScopes } from "../../operator/keys.ts";
import type { Key, Result } from "../../operator/verbs.ts";
import { parseScopes } from "../arguments.ts";
import { addListCommand } from "../list_command.ts";
import { callOn, perform } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples } from "../usage.ts";

/** The values of `--overlap`: for how many seconds the current secret keeps working after a rotation. */
const OVERLAPS = { "0": 0, "1h": 3_600, "24h": 86_400, "7d": 604_800 } as const;

const NETWORKS = "the networks from which the key may be used, at most 20, separated by commas";

function parseNetworks(list: string): string[] {
  return list === "any" ? [] : list.split(",").map((network) => network.trim());
}

function describeNetworks({ allowed_networks: networks }: Pick<Key, "allowed_networks">): string {
  return networks.length === 0 ? "everywhere" : networks.join(", ");
}

export function keyCommands(program: Command): void {
  const key = program.command("key").description("API keys of a workspace");

  key.command("create")
    .description("Create an API key. Its value is shown only once and not stored")
    .requiredOption("--workspace <id>", "the workspace")
    .option("--member <id>", "the member who counts as its creator (default: the oldest active admin)")
    .requiredOption("--name <name>", "what it is for, 1 to 255 characters")
    .requiredOption("--scopes <list>", "its scopes, separated by commas", parseScopes)
    .option("--expires-at <moment>", "ISO 8601, in the future (default: never)")
    .option("--networks <list>", NETWORKS, parseNetworks)
    .addHelpText(
      "after",
      `\nScopes in use:\n  ${SCOPES.join("\n  ")}\n` + formatExamples(
        'key create --workspace ID --name "Site" --scopes leads:write,pipelines:read',
        'key create --workspace ID --name "Teste" --scopes contacts:read --expires-at 2027-01-31T12:00:00Z',
      ),
    )
    .action(({ workspace, member, ...options }, command) => {
      const warnings = warningsOfScopes(options.scopes);
      return perform(
        command,
        async (sql) => {
          const { creatorIsActive, ...created } = await createKey(sql, {
            workspaceId: workspace,
            memberId: member,
            ...options,
          });
          if (!creatorIsActive && options.scopes.includes("notes:write")) {
            warnings.push(`The member ${member} is inactive: the key works, except for writing notes`);
          }
          return created;
        },
        ({ id, key }) => [`Key ${id} created. Its value is shown only now:`, "", key].join("\n"),
        () => warnings,
      );
    });

  addListCommand(key, "key_list", {
    description:
      "Show the keys of a workspace, oldest first, with their calls in 7 days, but not their values. If there are " +
      "more than 500, show the working keys and the newest revoked or expired keys",
    columns: [
      "id",
      "name",
      "prefix",
      "scopes",
      "creator",
      "expires_at",
      "revoked_at",
      "last_used_at",
      "calls_7_days",
      "old_secret_expires_at",
    ],
    nothing: "The workspace has no key",
  }, (keys: Key[]) =>
    keys.map(({ creator, ...key }) => ({
      ...key,
      // The creator as two fields instead of an object, because scripts that read `--json` expect them.
      creator_id: creator.id,
      creator: creator.name,
      calls_7_days: key.calls.total_7_days,
    })).toSorted((a, b) => a.id < b.id ? -1 : 1));

  key.command("show")
    .description(
      "Show a key, the subscriptions that it made, and its calls in 30 days, but not its value",
    )
    .argument("<id>", "id of the key")
    .addHelpText("after", formatExamples("key show ID"))
    .action((id, _options, command) => perform(command, callOn("key", id, "key_get", {}), describeKey));

  key.command("rename")
    .description("Rename a key")
    .argument("<id>", "id of the key")
    .argument("<name>", "what it is for, 1 to 255 characters")
    .addHelpText("after", formatExamples('key rename ID "Site novo"'))
    .action((id, name, _options, command) =>
      perform(
        command,
        callOn("key", id, "key_update", { name }),
        (renamed) => `Key ${renamed.id} is called "${renamed.name}"`,
      )
    );

  key.command("networks")
    .description("Change the networks from which a key may be used. Calls from elsewhere get 403")
    .argument("<id>", "id of the key")
    .argument("<networks>", `${NETWORKS}, or "any"`, parseNetworks)
    .addHelpText(
      "after",
      formatExamples("key networks ID 203.0.113.0/24,2001:db8::/32", "key networks ID any"),
    )
    .action((id, networks, _options, command) =>
      perform(
        command,
        callOn("key", id, "key_update", { allowed_networks: networks }),
        (changed) => `Key ${changed.id} may be used from ${describeNetworks(changed)}`,
      )
    );

  key.command("rotate")
    .description("Replace the value of a key. The new value is shown only once")
    .argument("<id>", "id of the key")
    .addOption(
      new Option("--overlap <time>", "how long the current value keeps working").choices(
        Object.keys(OVERLAPS) as (keyof typeof OVERLAPS)[],
      ).default("0"),
    )
    .addHelpText("after", formatExamples("key rotate ID", "key rotate ID --overlap 24h"))
    .action((id, { overlap }, command) =>
      perform(
        command,
        (sql) => rotateKey(sql, id, OVERLAPS[overlap]),
        ({ id, key, old_secret_expires_at: end }) =>
          [
            `The earlier value of key ${id} ${end === null ? "no longer works" : `works until ${end}`}.`,
            "The new value is shown only now:",
            "",
            key,
          ].join("\n"),
      )
    );

  key.command("revoke")
    .description(
      "Revoke a key for good, and end the webhook subscriptions that it made",
    )
    .argument("<id>", "id of the key")
    .option("--keep-webhooks", "leave its webhook subscriptions active")
    .addHelpText("after", formatExamples("key revoke ID", "key revoke ID --keep-webhooks"))
    .action((id, { keepWebhooks = false }, command) =>
      perform(
        command,
        callOn("key", id, "key_revoke", { keep_webhooks: keepWebhooks }),
        (revoked) =>
          [
            `Key ${revoked.id} ${revoked.was_revoked ? "was already " : ""}revoked at ${revoked.revoked_at}`,
            ...describeSubscriptions(revoked),
          ].join("\n"),
      )
    );
}

/** Lists the subscriptions that ended with the key. If --keep-webhooks kept them, lists the kept ones. */
function describeSubscriptions(
  { ended_subscriptions: ended, kept_subscriptions: kept }: Result<"key_revoke">,
): string[] {
  if (ended.length + kept.length === 0) return ["It had no active webhook subscription"];
  return [
    `These webhook subscriptions of the key ${ended.length > 0 ? "have ended" : "are kept"}:`,
    "",
    formatTable(ended.length > 0 ? ended : kept, ["id", "target_url"], ""),
  ];
}

function describeKey({ subscriptions, days_30: days, ...key }: Result<"key_get">): string {
  const used = days.filter(({ calls }) => calls > 0);
  return [
    `Key ${key.id} "${key.name}" (${key.prefix}…) is ${key.state}`,
    `Scopes: ${key.scopes.join(", ")}`,
    `May be used from ${describeNetworks(key)}`,
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
