import type { Command } from "commander";
import type { Result, Subscription } from "../../operator/verbs.ts";
import { toMoment } from "../../operator/operator.ts";
import { rotateSecret } from "../../operator/webhooks.ts";
import { numberParser } from "../arguments.ts";
import { readEncryptionKey } from "../settings.ts";
import { addListCommand } from "../list_command.ts";
import { callOn, perform } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples } from "../usage.ts";

export function webhookCommands(program: Command): void {
  const webhook = program.command("webhook").description("Webhook subscriptions of a workspace");

  addListCommand(webhook, "subscription_list", {
    description:
      "Show the subscriptions of a workspace, active ones first, then newest first, at most 200, but not their secrets",
    columns: [
      "id",
      "target_url",
      "event_types",
      "is_active",
      "failure_count",
      "last_success_at",
      "last_failure_at",
      "behind_since",
      "key_id",
    ],
    nothing: "The workspace has no webhook subscription",
  });

  webhook.command("show")
    .description("Show a subscription and the outcomes of its deliveries in 7 days, but not its secret")
    .argument("<id>", "id of the subscription")
    .addHelpText("after", formatExamples("webhook show ID"))
    .action((id, _options, command) =>
      perform(command, callOn("subscription", id, "subscription_get", {}), describeSubscription)
    );

  webhook.command("test")
    .description("Send a test event to a subscription")
    .argument("<id>", "id of the subscription")
    .option("--event <name>", "one of its events (default: the first)")
    .addHelpText("after", formatExamples("webhook test ID", "webhook test ID --event deal.won"))
    .action((id, { event }, command) =>
      perform(
        command,
        callOn("subscription", id, "subscription_test", { event_type: event ?? null }),
        ({ delivery_id, held }) =>
          held
            ? `The test event waits as delivery ${delivery_id}: the workspace is suspended or has no public API`
            : `The test event is on its way as delivery ${delivery_id}: see \`delivery list\``,
      )
    );

  webhook.command("reactivate")
    .description("Reactivate a subscription and send the deliveries that waited for it")
    .argument("<id>", "id of the subscription")
    .addHelpText("after", formatExamples("webhook reactivate ID"))
    .action((id, _options, command) =>
      perform(
        command,
        callOn("subscription", id, "subscription_reactivate", {}),
        ({ resumed }) =>
          `The subscription ${id} is active. ${resumed} waiting ${
            resumed === 1 ? "delivery is" : "deliveries are"
          } sent`,
        ({ revoked_key: key }) =>
          key === null ? [] : [
            `The key that made the subscription is revoked: ${key.id} ("${key.name}", ${key.prefix})`,
          ],
      )
    );

  webhook.command("recover")
    .description("Send a subscription the events that it missed, oldest first, at most 20,000")
    .argument("<id>", "id of the subscription")
    .requiredOption(
      "--since <time>",
      "events at or after this moment, such as 2027-01-31 or 2027-01-31T12:00:00Z",
    )
    .option("--until <time>", "events before this moment (default: now)")
    .option("--before-creation", "also events from before the subscription was created")
    .option("--dry-run", "only count them")
    .addHelpText("after", formatExamples("webhook recover ID --since 2027-01-31T12:00:00Z"))
    .action((id, { since, until, beforeCreation = false, dryRun = false }, command) =>
      perform(
        command,
        callOn("subscription", id, "subscription_recover", {
          since: toMoment(since)!,
          until: toMoment(until) ?? null,
          before_creation: beforeCreation,
          dry_run: dryRun,
        }),
        ({ count, has_more, next_since }) =>
          (dryRun
            ? `${count} ${count === 1 ? "event" : "events"} would be sent to subscription ${id}`
            : `${count} ${count === 1 ? "delivery is" : "deliveries are"} on the way to subscription ${id}`) +
          (has_more ? `. There are more events: repeat with --since ${next_since}` : ""),
      )
    );

  webhook.command("rotate")
    .description(
      "Replace the secret of a subscription. The new secret is shown only once",
    )
    .argument("<id>", "id of the subscription")
    .option(
      "--overlap <seconds>",
      "for how many seconds the current secret keeps signing beside the new one, at most 604800",
      numberParser("overlap_seconds"),
      0,
    )
    .option(
      "--force",
      "replace the secret even if the encryption key does not decrypt it, because the earlier key was lost",
    )
    .addHelpText(
      "after",
      "\nThe command needs the functions' WEBHOOK_ENCRYPTION_KEY. For the local stack it reads the key from DATA_DIR.\n" +
        formatExamples("webhook rotate ID", "webhook rotate ID --overlap 86400"),
    )
    .action((id, { overlap, force = false }, command) =>
      perform(
        command,
        async (sql) => await rotateSecret(sql, id, await readEncryptionKey(), overlap, force),
        ({ secret, old_secret_until: until }) =>
          (until === null ? "" : `The earlier secret also signs until ${until}.\n`) +
          `The new secret of subscription ${id} is shown only now:\n\n${secret}`,
      )
    );
}

function describeSubscription({ days, ...subscription }: Result<"subscription_get">): string {
  const { id, target_url, event_types, failure_count, key, held, old_secret_until: until } = subscription;
  const { filters, payload, header, name } = subscription;
  return [
    `Subscription ${id}${name === null ? "" : ` "${name}"`} is ${
      describeActivity(subscription)
    }: ${target_url}`,
    `Events: ${event_types.join(", ")}`,
    ...Object.entries(filters ?? {}).map(([field, values]) => `Only with ${field}: ${values.join(", ")}`),
    ...payload === "ids" ? ["Bodies have only the id of the object"] : [],
    ...header === null ? [] : [`Header for the receiver: ${header.name}`],
    `Made ${key === null ? "in the console" : `by the key ${key.id} "${key.name}"`}`,
    `Failed attempts since the last success: ${failure_count}`,
    ...until === null ? [] : [`The earlier secret also signs until ${until}`],
    ...held ? ["Its deliveries wait: the workspace is suspended or has no public API"] : [],
    "",
    formatTable(days, ["day", "delivered", "failed", "waiting"], ""),
  ].join("\n");
}

function describeActivity(
  subscription: Pick<Subscription, "is_active" | "deactivated_at" | "deactivated_reason">,
): string {
  const { is_active, deactivated_at: at, deactivated_reason: reason } = subscription;
  if (is_active) return "active";
  return `inactive since ${at}${reason === null ? "" : ` (${REASONS[reason]})`}`;
}

const REASONS: Record<NonNullable<Subscription["deactivated_reason"]>, string> = {
  deleted: "it was deleted",
  failures: "a delivery failed five times",
  key_revoked: "the key that made it was revoked",
};
