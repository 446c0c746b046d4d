import type { Command } from "commander";
import type { Args, Result, VerbName } from "../operator/verbs.ts";
import { call, perform } from "./perform.ts";
import { type Cell, table } from "./table.ts";
import { examples } from "./usage.ts";

/** The verbs that list something of a workspace. */
type ListVerb = {
  [V in VerbName]: Args<V> extends { workspace_id: string } ? Result<V> extends unknown[] ? V : never : never;
}[VerbName];

interface Rows<Row> {
  /** The fields that a person sees, in order. */
  columns: readonly (keyof Row & string)[];
  /** What is printed where there are no rows. */
  nothing: string;
}

/** How a list reads to a person: a table, or, where a row is more than a line, what `describe` makes of it. */
type List<Row> = { description: string } & (Rows<Row> | { describe: (rows: Row[]) => string });

/** Adds `<group> list --workspace <id>`. */
export function addListCommand<V extends ListVerb>(
  group: Command,
  verb: V,
  list: List<Result<V>[number]>,
): void {
  const describe = "describe" in list
    ? list.describe
    : (rows: Result<V>[number][]) =>
      table(rows as unknown as Record<string, Cell>[], list.columns, list.nothing);
  group.command("list")
    .description(list.description)
    .requiredOption("--workspace <id>", "the workspace")
    .addHelpText("after", examples(`${group.name()} list --workspace ID`))
    .action(({ workspace }, command) =>
      perform(
        command,
        call(verb, { workspace_id: workspace } as Args<V>),
        describe,
      )
    );
}
