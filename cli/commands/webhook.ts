import type { Command } from "commander";
import type { Result, Subscription } from "../../operator/verbs.ts";
import { rotateSecret } from "../../operator/webhooks.ts";
import { readEncryptionKey } from "../encryption_key.ts";
import { addReshapedListCommand } from "../list_command.ts";
import { callOn, perform, performWithWarnings } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples } from "../usage.ts";

/** `webhook …`: the webhook subscriptions of a workspace. */
export function webhookCommands(program: Command): void {
  const webhook = program.command("webhook").description("Webhook subscriptions of a workspace");

  addReshapedListCommand(
    webhook,
    "subscription_list",
    // One field for the key, as scripts that read `--json` know it.
    (rows: Subscription[]) => rows.map((row) => ({ ...row, key_id: row.key?.id ?? null })),
    {
      description:
        "Show the subscriptions of a workspace, active ones first, then newest first, 200 at most; never their secrets",
      columns: [
        "id",
        "target_url",
        "event_types",
        "is_active",
        "failure_count",
        "last_success_at",
        "last_failure_at",
        "key_id",
      ],
      nothing: "The workspace has no webhook subscription",
    },
  );

  webhook.command("show")
    .description("Show a subscription, and the outcomes of its deliveries of 7 days; never its secret")
    .argument("<id>", "id of the subscription")
    .addHelpText("after", formatExamples("webhook show ID"))
    .action((id, _options, command) =>
      perform(command, callOn("subscription", id, "subscription_get", {}), describeSubscription)
    );

  webhook.command("test")
    .description("Send a test event to a subscription")
    .argument("<id>", "id of the subscription")
    .addHelpText("after", formatExamples("webhook test ID"))
    .action((id, _options, command) =>
      perform(
        command,
        callOn("subscription", id, "subscription_test", {}),
        ({ delivery_id, held }) =>
          held
            ? `The test event waits as delivery ${delivery_id}: the workspace is suspended or has no public API`
            : `The test event is on its way as delivery ${delivery_id}: see \`delivery list\``,
      )
    );

  webhook.command("reactivate")
    .description("Activate an inactive subscription again, and send its waiting deliveries")
    .argument("<id>", "id of the subscription")
    .addHelpText("after", formatExamples("webhook reactivate ID"))
    .action((id, _options, command) =>
      performWithWarnings(
        command,
        callOn("subscription", id, "subscription_reactivate", {}),
        ({ resumed }) =>
          `The subscription ${id} is active; ${resumed} ${
            resumed === 1 ? "delivery goes" : "deliveries go"
          } on`,
        ({ revoked_key: key }) =>
          key === null ? [] : [
            `The key that made the subscription is revoked: ${key.id} ("${key.name}", ${key.prefix})`,
          ],
      )
    );

  webhook.command("rotate")
    .description(
      "Give a subscription a new secret, shown only once; deliveries are signed with it from now on",
    )
    .argument("<id>", "id of the subscription")
    .option("--force", "even if the encryption key does not open the present secret, after a key was lost")
    .addHelpText(
      "after",
      "\nIt needs the functions' WEBHOOK_ENCRYPTION_KEY; that of the local stack is read from DATA_DIR.\n" +
        formatExamples("webhook rotate ID"),
    )
    .action((id, { force = false }, command) =>
      perform(
        command,
        async (sql) => await rotateSecret(sql, id, await readEncryptionKey(), force),
        ({ secret }) => `The new secret of subscription ${id} is shown only now:\n\n${secret}`,
      )
    );
}

function describeSubscription({ days, ...subscription }: Result<"subscription_get">): string {
  const { id, target_url, event_types, is_active, failure_count, key, held } = subscription;
  return [
    `Subscription ${id} is ${is_active ? "active" : "inactive"}: ${target_url}`,
    `Events: ${event_types.join(", ")}`,
    `Made ${key === null ? "in the console" : `by the key ${key.id} "${key.name}"`}`,
    `Failed attempts since the last success: ${failure_count}`,
    ...held ? ["Its deliveries wait: the workspace is suspended or has no public API"] : [],
    "",
    formatTable(days, ["day", "delivered", "failed", "waiting"], ""),
  ].join("\n");
}
