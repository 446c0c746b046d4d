import type { Command } from "commander";
import { call, perform } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples } from "../usage.ts";

export function jobCommands(program: Command): void {
  const job = program.command("job").description(
    "Periodic tasks of the database. Behind a proxy: the tasks of node 0, or of the node in --node",
  );

  job.command("list")
    .description("Show the jobs and their intervals")
    .addHelpText("after", formatExamples("job list"))
    .action((_options, command) =>
      perform(
        command,
        call("job_list", {}),
        (jobs) => formatTable(jobs, ["name", "every", "description"], "There is no job"),
      )
    );

  job.command("run")
    .description("Run a job now")
    .argument("<name>", "name of the job, from `job list`")
    .addHelpText("after", formatExamples("job run partition-events"))
    .action((name, _options, command) =>
      perform(
        command,
        call("job_run", { name }),
        (run) => `The job ${run.name} ran in ${run.duration_ms} ms`,
      )
    );
}
