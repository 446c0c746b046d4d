import { parseArgs, type ParseArgsConfig } from "node:util";

/**
 * Reads the program's options with parseArgs of node:util. If an option is unknown or lacks its value, prints the error
 * and the options, and ends the process with status 2.
 */
export function readOptions<T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs({ ...config, args: Deno.args.filter((arg) => arg !== "--") });
  } catch (error) {
    const options = Object.keys(config.options ?? {}).map((name) => `--${name}`);
    console.error(
      `${(error as Error).message.split(/[.'"]? To /)[0]}. The options are ${options.join(", ")}`,
    );
    Deno.exit(2);
  }
}
