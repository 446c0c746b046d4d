import type { Command } from "commander";
import type { Result } from "../../operator/verbs.ts";
import { addListCommand } from "../list_command.ts";
import { call, callOn, perform } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples } from "../usage.ts";

/** `delivery …`: webhook deliveries of a workspace. */
export function deliveryCommands(program: Command): void {
  const delivery = program.command("delivery").description("Webhook deliveries of a workspace");

  addListCommand(delivery, "delivery_list", {
    description: "Show the last 50 deliveries, newest first",
    columns: [
      "id",
      "event",
      "state",
      "attempts",
      "last_status",
      "last_reason",
      "last_attempt_at",
      "next_attempt_at",
    ],
    nothing: "The workspace has no delivery",
  });

  delivery.command("show")
    .description("Show a delivery: its attempts, and the request that an attempt would send now")
    .argument("<id>", "id of the delivery")
    .addHelpText("after", formatExamples("delivery show ID"))
    .action((id, _options, command) =>
      perform(command, callOn("delivery", id, "delivery_get", {}), describeDelivery)
    );

  delivery.command("retry")
    .description("Make the deliveries that wait for their next attempt due now")
    .requiredOption("--workspace <id>", "the workspace")
    .addHelpText("after", formatExamples("delivery retry --workspace ID"))
    .action(({ workspace }, command) =>
      perform(
        command,
        call("delivery_retry", { workspace_id: workspace }),
        ({ retried }) => `${retried} ${retried === 1 ? "delivery is" : "deliveries are"} due now`,
      )
    );

  delivery.command("redeliver")
    .description("Send a delivery once more, under the same id; one that had ended gets five new attempts")
    .argument("<id>", "id of the delivery")
    .addHelpText("after", formatExamples("delivery redeliver ID"))
    .action((id, _options, command) =>
      perform(
        command,
        callOn("delivery", id, "delivery_redeliver", {}),
        ({ id, subscription_id, held }) =>
          held
            ? `The delivery ${id} waits: the workspace is suspended or has no public API`
            : `The delivery ${id} is on its way to subscription ${subscription_id}`,
      )
    );
}

function describeDelivery(delivery: Result<"delivery_get">): string {
  const { id, event, state, target_url, attempts_made, headers, body } = delivery;
  return [
    `Delivery ${id} of ${event} to ${target_url} is ${state}`,
    "",
    formatTable(
      attempts_made,
      ["series", "number", "status", "reason", "duration_ms", "finished_at"],
      "It has had no attempt",
    ),
    "",
    ...headers.map(({ name, value }) => `${name}: ${value}`),
    "",
    body ?? "The body cannot be built: the log of the database says why",
  ].join("\n");
}
