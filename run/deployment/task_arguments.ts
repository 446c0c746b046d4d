/** The arguments of a task, without the `--` that `deno task <name> -- --option` passes on. */
export function taskArguments(): string[] {
  return Deno.args[0] === "--" ? Deno.args.slice(1) : Deno.args;
}
