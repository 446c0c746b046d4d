/** The arguments of a task. `deno task <name> -- --option` passes the `--` on, which would end the options. */
export function taskArguments(): string[] {
  return Deno.args[0] === "--" ? Deno.args.slice(1) : Deno.args;
}
