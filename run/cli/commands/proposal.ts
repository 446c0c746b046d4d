import type { Command } from "commander";
import { createProposal, sendProposal } from "../../operator/proposals.ts";
import { numberParser } from "../arguments.ts";
import { readAppOrigin } from "../settings.ts";
import { addListCommand } from "../list_command.ts";
import { perform } from "../perform.ts";
import { formatExamples } from "../usage.ts";

export function proposalCommands(program: Command): void {
  const proposal = program.command("proposal").description(
    "Proposals: offers that a customer accepts or rejects by a link",
  );

  proposal.command("create")
    .description("Create a draft of a proposal")
    .requiredOption("--deal <id>", "the deal")
    .requiredOption("--title <title>", "1 to 255 characters")
    .option("--value <amount>", "0 or more, without a currency symbol", numberParser("value"))
    .option("--recurring-value <amount>", "0 or more each month", numberParser("recurring_value"))
    .option("--expires-at <moment>", "last moment for an answer, ISO 8601 (default: none)")
    .addHelpText(
      "after",
      formatExamples(
        'proposal create --deal ID --title "Plano anual" --value 12500.50 --expires-at 2027-01-31T12:00:00Z',
      ),
    )
    .action(({ deal, ...options }, command) =>
      perform(
        command,
        (sql) => createProposal(sql, { dealId: deal, ...options }),
        (created) => `Proposal ${created.id} created. It is a draft until \`proposal send\``,
      )
    );

  proposal.command("send")
    .description("Give a proposal its public link, which is shown only once. An earlier link stops working")
    .argument("<id>", "id of the proposal")
    .addHelpText("after", formatExamples("proposal send ID"))
    .action((id, _options, command) =>
      perform(
        command,
        async (sql) => sendProposal(sql, id, await readAppOrigin()),
        (sent) => [`Proposal ${sent.id} sent. Its link is shown only now:`, "", sent.url].join("\n"),
      )
    );

  addListCommand(proposal, "proposal_list", {
    description: "Show the proposals of a workspace, newest first, but not their links",
    columns: ["id", "deal_id", "title", "value", "recurring_value", "status", "sent_at", "expires_at"],
    nothing: "The workspace has no proposal",
  });
}
