import { join } from "node:path";
import { firstLine, StackError } from "../local/stack_error.ts";

const ROOT = join(import.meta.dirname!, "../..");
const PACKAGE = join(import.meta.dirname!, "supabase_cli");

/** A run of the Supabase CLI that supabase_cli/deno.json pins. */
interface CliRun {
  args: string[];
  /** Sent to its standard input. */
  stdin?: string;
  /** Texts that must not be printed where it fails. */
  secrets?: string[];
}

/**
 * Runs the Supabase CLI in the root. It reads SUPABASE_ACCESS_TOKEN, and asks nothing. Its packages are installed the first
 * time.
 * @returns what it printed.
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
  const [{ success, stdout, stderr }] = await Promise.all([child.output(), send(child.stdin, stdin)])
    .catch((error) => {
      throw new StackError(`The Supabase CLI could not be run: ${firstLine(error)}`);
    });
  const decoder = new TextDecoder();
  const printed = `${decoder.decode(stdout)}\n${decoder.decode(stderr)}`.trim();
  if (success) return printed;
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, "***"), printed);
  throw new StackError(`supabase ${args.slice(0, 2).join(" ")} failed. It printed:\n${shown}`);
}

async function send(stream: WritableStream<Uint8Array>, text: string): Promise<void> {
  const writer = stream.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // The CLI has ended without reading. Its exit code and what it printed say why.
  }
}

/**
 * Formats variables, whose values have no single quote, as a file that the CLI reads (dotenv). Single quotes keep all
 * else, so that passwords and the lines of a certificate arrive as they are.
 */
export function formatEnvFile(variables: Record<string, string>): string {
  return Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`).join("");
}
