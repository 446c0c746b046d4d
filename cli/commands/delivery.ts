import type { Command } from "commander";
import { addListCommand } from "../list_command.ts";
import { call, callOn, perform } from "../perform.ts";
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
