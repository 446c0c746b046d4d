import type { Command } from "commander";
import { uuid } from "../arguments.ts";
import { readEncryptionKey } from "../encryption_key.ts";
import {
  listSubscriptions,
  reactivateSubscription,
  rotateSecret,
  sendTestEvent,
} from "../../operator/webhooks.ts";
import { perform } from "../perform.ts";
import { table } from "../table.ts";
import { examples } from "../usage.ts";

/** `webhook …`: the webhook subscriptions of a workspace. */
export function webhookCommands(program: Command): void {
  const webhook = program.command("webhook").description("Webhook subscriptions of a workspace");

  webhook.command("list")
    .description("Show the subscriptions of a workspace, newest first; never their secrets")
    .requiredOption("--workspace <id>", "the workspace", uuid)
    .addHelpText("after", examples("webhook list --workspace ID"))
    .action(({ workspace }, command) =>
      perform(
        command,
        (sql) => listSubscriptions(sql, workspace),
        (subscriptions) =>
          table(
            subscriptions,
            [
              "id",
              "target_url",
              "event_types",
              "is_active",
              "failure_count",
              "last_success_at",
              "last_failure_at",
            ],
            "The workspace has no webhook subscription",
          ),
      )
    );

  webhook.command("test")
    .description("Send a test event to a subscription")
    .argument("<id>", "of the subscription", uuid)
    .addHelpText("after", examples("webhook test ID"))
    .action((id, _options, command) =>
      perform(
        command,
        (sql) => sendTestEvent(sql, id),
        (sent) => `The test event is on its way as delivery ${sent.delivery_id}: see \`delivery list\``,
      )
    );

  webhook.command("reactivate")
    .description("Make an inactive subscription active again, and send what waits for it")
    .argument("<id>", "of the subscription", uuid)
    .addHelpText("after", examples("webhook reactivate ID"))
    .action((id, _options, command) =>
      perform(
        command,
        (sql) => reactivateSubscription(sql, id),
        ({ resumed }) =>
          `The subscription ${id} is active; ${resumed} ${
            resumed === 1 ? "delivery goes" : "deliveries go"
          } on`,
      )
    );

  webhook.command("rotate")
    .description(
      "Give a subscription a new secret, shown this once; deliveries are signed with it from now on",
    )
    .argument("<id>", "of the subscription", uuid)
    .option("--force", "also where the encryption key does not open the present secret, after a key was lost")
    .addHelpText(
      "after",
      "\nIt needs the functions' WEBHOOK_ENCRYPTION_KEY, which is found where the local stack is used.\n" +
        examples("webhook rotate ID"),
    )
    .action((id, { force = false }, command) =>
      perform(
        command,
        async (sql) => await rotateSecret(sql, id, await readEncryptionKey(), force),
        ({ secret }) => `The new secret of subscription ${id} is shown only now:\n\n${secret}`,
      )
    );
}
