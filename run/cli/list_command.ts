import type { Command } from "commander";
import type { Args, Result, VerbName } from "../operator/verbs.ts";
import { operate } from "../operator/operator.ts";
import { perform } from "./perform.ts";
import { type Cell, formatTable } from "./table.ts";
import { formatExamples } from "./usage.ts";

/** The verbs that list records of a workspace. */
type ListVerb = {
  [V in VerbName]: Args<V> extends { workspace_id: string }
    ? Result<V> extends unknown[] | { data: unknown[] } ? V : never
    : never;
}[VerbName];

/** A row of the list, which the verb returns directly or in `data`. */
type Row<V extends ListVerb> = Result<V> extends { data: (infer R)[] } ? R
  : Result<V> extends (infer R)[] ? R
  : never;

interface Rows<Row> {
  columns: readonly (keyof Row & string)[];
  nothing: string;
}

/** How a list is printed: as a table, or by `describe` if a record needs more than one line. */
type List<Row> = { description: string } & (Rows<Row> | { describe: (rows: Row[]) => string });

/** Adds `<group> list --workspace <id>`. @param reshape changes the rows before they are printed */
export function addListCommand<V extends ListVerb, Shown = Row<V>>(
  group: Command,
  verb: V,
  list: List<NoInfer<Shown>>,
  reshape = (rows: Row<V>[]) => rows as unknown as Shown[],
): void {
  const describe = "describe" in list
    ? list.describe
    : (rows: Shown[]) => formatTable(rows as Record<string, Cell>[], list.columns, list.nothing);
  group.command("list")
    .description(list.description)
    .requiredOption("--workspace <id>", "the workspace")
    .addHelpText("after", formatExamples(`${group.name()} list --workspace ID`))
    .action(({ workspace }, command) =>
      perform(
        command,
        async (sql) => {
          const result = await operate(sql, verb, { workspace_id: workspace } as Args<V>);
          return reshape((Array.isArray(result) ? result : (result as { data: unknown }).data) as Row<V>[]);
        },
        describe,
      )
    );
}
