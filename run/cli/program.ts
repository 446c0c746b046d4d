import { Command } from "commander";
import { appCommands } from "./commands/app.ts";
import { deliveryCommands } from "./commands/delivery.ts";
import { jobCommands } from "./commands/job.ts";
import { keyCommands } from "./commands/key.ts";
import { lossReasonCommands } from "./commands/loss_reason.ts";
import { memberCommands } from "./commands/member.ts";
import { nodeCommands, parseNode } from "./commands/node.ts";
import { pipelineCommands, stageCommands } from "./commands/pipeline.ts";
import { proposalCommands } from "./commands/proposal.ts";
import { proxyCommands } from "./commands/proxy.ts";
import { webhookCommands } from "./commands/webhook.ts";
import { workspaceCommands } from "./commands/workspace.ts";
import { formatExamples, PROGRAM } from "./usage.ts";

/** All groups of commands. A new group is a file in commands/ and a line here. */
const GROUPS = [
  workspaceCommands,
  memberCommands,
  keyCommands,
  appCommands,
  pipelineCommands,
  stageCommands,
  lossReasonCommands,
  proposalCommands,
  webhookCommands,
  deliveryCommands,
  jobCommands,
  nodeCommands,
  proxyCommands,
];

/** Creates the program. It throws an error instead of ending the process. */
export function createProgram(): Command {
  const program = new Command(PROGRAM)
    .description(
      "The operator's commands. They use the database in DATABASE_URL, or the stack that runs on DATA_DIR. If the " +
        "database is a proxy, a command goes to the node that has the record that it names.",
    )
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    // Commander prints suggestions on a second line, but an error must be one line.
    .configureOutput({ outputError: (text, write) => write(`${text.trimEnd().replaceAll("\n", " ")}\n`) })
    .addHelpText(
      "after",
      formatExamples(
        'workspace create --name "Padaria Sol"',
        'key create --workspace ID --name "Site" --scopes leads:write',
        "delivery list --workspace ID --json",
      ),
    );
  program.option("--json", "print JSON, for programs");
  program.option("--node <number>", "behind a proxy: use only this node", parseNode);
  for (const addTo of GROUPS) addTo(program);
  return program;
}
