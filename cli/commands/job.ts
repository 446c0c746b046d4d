import type { Command } from "commander";
import { call, perform } from "../perform.ts";
import { table } from "../table.ts";
import { examples } from "../usage.ts";

/** `job …`: the scheduled work. */
export function jobCommands(program: Command): void {
  const job = program.command("job").description("Scheduled work");

  job.command("list")
    .description("Show what runs by itself, and how often")
    .addHelpText("after", examples("job list"))
    .action((_options, command) =>
      perform(
        command,
        call("job_list", {}),
        (jobs) => table(jobs, ["name", "every", "description"], "There is no job"),
      )
    );

  job.command("run")
    .description("Run a scheduled job now")
    .argument("<name>", "of the job, as `job list` shows it")
    .addHelpText("after", examples("job run purge-events"))
    .action((name, _options, command) =>
      perform(
        command,
        call("job_run", { name }),
        (run) => `The job ${run.name} ran in ${run.duration_ms} ms`,
      )
    );
}
