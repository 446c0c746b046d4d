import { Command } from "commander";
import { deliveryCommands } from "./commands/delivery.ts";
import { jobCommands } from "./commands/job.ts";
import { keyCommands } from "./commands/key.ts";
import { lossReasonCommands } from "./commands/loss_reason.ts";
import { memberCommands } from "./commands/member.ts";
import { pipelineCommands } from "./commands/pipeline.ts";
import { proposalCommands } from "./commands/proposal.ts";
import { stageCommands } from "./commands/stage.ts";
import { webhookCommands } from "./commands/webhook.ts";
import { workspaceCommands } from "./commands/workspace.ts";
import { examples, PROGRAM } from "./usage.ts";

/** Every command of the operator. A new one is a file in commands/ and a line here. */
const GROUPS = [
  workspaceCommands,
  memberCommands,
  keyCommands,
  pipelineCommands,
  stageCommands,
  lossReasonCommands,
  proposalCommands,
  webhookCommands,
  deliveryCommands,
  jobCommands,
];

/** The program as commander knows it. It throws instead of ending the process. */
export function createProgram(): Command {
  const program = new Command(PROGRAM)
    .description(
      "The operator's commands. They work on the database of DATABASE_URL, else on the stack that runs on DATA_DIR.",
    )
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    // Commander puts its suggestion on a line of its own; a mistake is told in one.
    .configureOutput({ outputError: (text, write) => write(`${text.trimEnd().replaceAll("\n", " ")}\n`) })
    .addHelpText(
      "after",
      examples(
        'workspace create --name "Padaria Sol"',
        'key create --workspace ID --name "Site" --scopes leads:write',
        "delivery list --workspace ID --json",
      ),
    );
  program.option("--json", "print JSON, for programs");
  for (const addTo of GROUPS) addTo(program);
  return program;
}
