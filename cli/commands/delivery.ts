import type { Command } from "commander";
import { uuid } from "../arguments.ts";
import { listDeliveries, redeliver, retryDeliveries } from "../../operator/deliveries.ts";
import { perform } from "../perform.ts";
import { table } from "../table.ts";
import { examples } from "../usage.ts";

/** `delivery …`: webhook deliveries of a workspace. */
export function deliveryCommands(program: Command): void {
  const delivery = program.command("delivery").description("Webhook deliveries of a workspace");

  delivery.command("list")
    .description("Show the last 50 deliveries, newest first")
    .requiredOption("--workspace <id>", "the workspace", uuid)
    .addHelpText("after", examples("delivery list --workspace ID"))
    .action(({ workspace }, command) =>
      perform(
        command,
        (sql) => listDeliveries(sql, workspace),
        (deliveries) =>
          table(
            deliveries,
            [
              "id",
              "event",
              "state",
              "attempts",
              "last_status",
              "last_reason",
              "last_attempt_at",
              "next_attempt_at",
            ],
            "The workspace has no delivery",
          ),
      )
    );

  delivery.command("retry")
    .description("Make the deliveries that wait for their next attempt due now")
    .requiredOption("--workspace <id>", "the workspace", uuid)
    .addHelpText("after", examples("delivery retry --workspace ID"))
    .action(({ workspace }, command) =>
      perform(
        command,
        (sql) => retryDeliveries(sql, workspace),
        ({ retried }) => `${retried} ${retried === 1 ? "delivery is" : "deliveries are"} due now`,
      )
    );

  delivery.command("redeliver")
    .description("Send a delivery once more, under the same id; one that had ended gets five attempts anew")
    .argument("<id>", "of the delivery", uuid)
    .addHelpText("after", examples("delivery redeliver ID"))
    .action((id, _options, command) =>
      perform(
        command,
        (sql) => redeliver(sql, id),
        (sent) => `The delivery ${sent.id} is on its way to subscription ${sent.subscription_id}`,
      )
    );
}
