import { join } from "node:path";
import { firstLine, StackError } from "../local/stack_error.ts";

const ROOT = join(import.meta.dirname!, "../..");
const PACKAGE = join(import.meta.dirname!, "supabase_cli");

/** A run of the Supabase CLI, whose version is in supabase_cli/deno.json. */
interface CliRun {
  args: string[];
  stdin?: string;
  /** Texts that an error must not contain. */
  secrets?: string[];
}

/**
 * Runs the Supabase CLI at the root of the repository with `--yes`. The CLI reads SUPABASE_ACCESS_TOKEN. The first run
 * installs the CLI.
 * @returns what the CLI printed.
 * @throws StackError with its output, without the secrets, if it fails.
 */
export async function runSupabase({ args, stdin = "", secrets = [] }: CliRun): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--config", join(PACKAGE, "deno.json"), join(PACKAGE, "main.ts")]
      .concat(args, "--yes"),
    cwd: ROOT,
    env: { SUPABASE_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // An error is ignored: the CLI ended without reading its input, and its exit code and output say why.
  const sending = new Blob([stdin]).stream().pipeTo(child.stdin).catch(() => {});
  const [{ success, stdout, stderr }] = await Promise.all([child.output(), sending])
    .catch((error) => {
      throw new StackError(`The Supabase CLI could not be run: ${firstLine(error)}`);
    });
  const decoder = new TextDecoder();
  const printed = `${decoder.decode(stdout)}\n${decoder.decode(stderr)}`.trim();
  if (success) return printed;
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, "***"), printed);
  throw new StackError(`supabase ${args.slice(0, 2).join(" ")} failed. It printed:\n${shown}`);
}

/** What a list command of the CLI prints, such as `secrets list`. */
export async function listSupabase<T>(run: CliRun): Promise<T[]> {
  const printed = await runSupabase({ ...run, args: [...run.args, "--output", "json"] });
  return JSON.parse(printed.slice(printed.indexOf("["), printed.lastIndexOf("]") + 1));
}

/**
 * Formats variables as a file for the CLI (dotenv). Values are in single quotes, so that passwords and certificates
 * arrive unchanged; they must not contain single quotes.
 */
export function formatEnvFile(variables: Record<string, string>): string {
  return Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`).join("");
}
