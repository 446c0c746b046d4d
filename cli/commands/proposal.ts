import type { Command } from "commander";
import { createProposal, sendProposal } from "../../operator/proposals.ts";
import { number } from "../arguments.ts";
import { readFunctionsUrl } from "../functions_url.ts";
import { addListCommand } from "../list_command.ts";
import { perform } from "../perform.ts";
import { examples } from "../usage.ts";

/** `proposal …`: offers to customers, on a deal. */
export function proposalCommands(program: Command): void {
  const proposal = program.command("proposal").description("Offers to customers, on a deal");

  proposal.command("create")
    .description("Make a draft of a proposal")
    .requiredOption("--deal <id>", "the deal")
    .requiredOption("--title <title>", "1 to 255 characters")
    .option("--value <amount>", "0 or more, without a currency symbol", number("value"))
    .option("--recurring-value <amount>", "0 or more each month", number("recurring_value"))
    .option("--expires-at <moment>", "until when it can be answered, ISO 8601 (default: for ever)")
    .addHelpText(
      "after",
      examples(
        'proposal create --deal ID --title "Plano anual" --value 12500.50 --expires-at 2027-01-31T12:00:00Z',
      ),
    )
    .action(({ deal, ...options }, command) =>
      perform(
        command,
        (sql) => createProposal(sql, { dealId: deal, ...options }),
        (made) => `Proposal ${made.id} made, a draft until \`proposal send\``,
      )
    );

  proposal.command("send")
    .description("Give a proposal its public link, shown this once; one from before stops working")
    .argument("<id>", "of the proposal")
    .addHelpText("after", examples("proposal send ID"))
    .action((id, _options, command) =>
      perform(
        command,
        async (sql) => sendProposal(sql, id, await readFunctionsUrl()),
        (sent) => [`Proposal ${sent.id} sent. Its link is shown only now:`, "", sent.url].join("\n"),
      )
    );

  addListCommand(proposal, "proposal_list", {
    description: "Show the proposals of a workspace, newest first; never their links",
    columns: ["id", "deal_id", "title", "value", "recurring_value", "status", "sent_at", "expires_at"],
    nothing: "The workspace has no proposal",
  });
}
