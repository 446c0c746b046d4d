import type { Command } from "commander";
import type { Sql } from "postgres";
import { operate, toMoment } from "../../operator/operator.ts";
import type { Args, Result } from "../../operator/verbs.ts";
import { DELIVERY_STATES } from "../../../supabase/functions/api-v1-webhooks/delivery.ts";
import { call, callOn, perform } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples } from "../usage.ts";

const LISTED = 50;

type Row = Result<"delivery_list">["data"][number];

export function deliveryCommands(program: Command): void {
  const delivery = program.command("delivery").description("Webhook deliveries of a workspace");

  delivery.command("list")
    .description("Show the last 50 deliveries, newest event first; options filter them")
    .requiredOption("--workspace <id>", "the workspace")
    .option("--subscription <id>", "only for this subscription")
    .option("--state <state>", `only in this state: ${DELIVERY_STATES.join(", ")}`)
    .option("--event <name>", "only for this event, such as deal.won")
    .option("--since <time>", "only for events at or after this moment, such as 2027-01-31")
    .option("--until <time>", "only for events before this moment")
    .addHelpText(
      "after",
      formatExamples(
        "delivery list --workspace ID",
        "delivery list --workspace ID --subscription ID --state failed --since 2027-01-31",
      ),
    )
    .action(({ workspace, subscription, state, event, since, until }, command) =>
      perform(
        command,
        (sql) =>
          listDeliveries(sql, {
            workspace_id: workspace,
            subscription_id: subscription ?? null,
            state: state ?? null,
            event: event ?? null,
            since: toMoment(since) ?? null,
            until: toMoment(until) ?? null,
          }),
        (rows) => formatTable(rows, COLUMNS, "The workspace has no delivery"),
      )
    );

  delivery.command("show")
    .description("Show a delivery, its attempts, and the request that an attempt would send now")
    .argument("<id>", "id of the delivery")
    .addHelpText("after", formatExamples("delivery show ID"))
    .action((id, _options, command) =>
      perform(command, callOn("delivery", id, "delivery_get", {}), describeDelivery)
    );

  delivery.command("retry")
    .description("Make due now every delivery that waits for its next attempt")
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
    .description("Send a delivery again, with the same id. A delivery that has ended gets five new attempts")
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

const COLUMNS = [
  "id",
  "event",
  "state",
  "attempts",
  "last_status",
  "last_reason",
  "last_attempt_at",
  "next_attempt_at",
] as const;

/** Reads pages until it has LISTED deliveries. A page may have few, because the verb looks at a bounded number. */
async function listDeliveries(sql: Sql, filters: Args<"delivery_list">): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: Result<"delivery_list"> = await operate(sql, "delivery_list", { ...filters, cursor });
    rows.push(...page.data);
    cursor = page.meta.next_cursor;
  } while (cursor !== null && rows.length < LISTED);
  return rows.slice(0, LISTED);
}

function describeDelivery(delivery: Result<"delivery_get">): string {
  const { id, event, state, target_url, attempts_made, headers, body } = delivery;
  return [
    `Delivery ${id} of ${event} to ${target_url} is ${state}`,
    "",
    formatTable(
      attempts_made,
      ["series", "number", "status", "reason", "duration_ms", "finished_at"],
      "No attempt yet",
    ),
    "",
    ...headers.map(({ name, value }) => `${name}: ${value}`),
    "",
    body ?? "The body cannot be built: see the log of the database",
  ].join("\n");
}
