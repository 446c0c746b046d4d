import type { Command } from "commander";
import { rotateSecret } from "../../operator/webhooks.ts";
import { readEncryptionKey } from "../encryption_key.ts";
import { addListCommand } from "../list_command.ts";
import { callOn, perform, performWithWarnings } from "../perform.ts";
import { formatExamples } from "../usage.ts";

/** `webhook …`: the webhook subscriptions of a workspace. */
export function webhookCommands(program: Command): void {
  const webhook = program.command("webhook").description("Webhook subscriptions of a workspace");

  addListCommand(webhook, "subscription_list", {
    description: "Show the subscriptions of a workspace, newest first; never their secrets",
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
  });

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
