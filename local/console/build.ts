import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** What a build reads: the console, and the contract's lists that it shows. */
const SOURCES = [join(ROOT, "console"), join(ROOT, "supabase", "functions", "_shared", "contract")];
/** Written into the folder of a build: `deno task console` for another address leaves a folder without it. */
const MARK = ".local";
const SHOWN_LINES = 30;

/** What a page gets instead of the console while there is no current build. */
export type BuildState = "ready" | "building" | { failed: string };

export interface ConsoleBuild {
  /** Looks whether the build is current, and starts one if not. A failure is told once; asking again tries again. */
  state(): Promise<BuildState>;
  /** Ends a build in progress. */
  close(): Promise<void>;
}

interface Options {
  /** The folder of the build. */
  out: string;
  sources?: string[];
  /** Arguments to Deno, run at the root of the repository. */
  command?: string[];
}

/**
 * Builds the console for this stack when a page of it is asked for, and again when a source is newer: the API alone
 * needs neither its packages nor the time.
 */
export function createConsoleBuild(
  { out, sources = SOURCES, command = ["task", "console"] }: Options,
): ConsoleBuild {
  let running: { child: Deno.ChildProcess; ended: Promise<void> } | null = null;
  let failure: string | null = null;

  function start(): void {
    const startedAt = new Date();
    const child = new Deno.Command(Deno.execPath(), {
      args: command,
      cwd: ROOT,
      // The console calls the origin that serves it.
      env: {
        CONSOLE_BASE_PATH: "/",
        CONSOLE_SUPABASE_URL: "",
        CONSOLE_PUBLISHABLE_KEY: "local",
        NO_COLOR: "1",
      },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const ended = child.output().then(async ({ success, stdout, stderr }) => {
      if (success) await mark(startedAt);
      else failure = lastLines(stdout, stderr);
    }).catch((error) => {
      failure = String(error);
    }).finally(() => {
      running = null;
    });
    running = { child, ended };
  }

  /** Dates the build from its start, so that a source which changed meanwhile is newer. */
  async function mark(startedAt: Date): Promise<void> {
    await Deno.writeTextFile(join(out, MARK), "");
    await Deno.utime(join(out, MARK), startedAt, startedAt);
  }

  return {
    async state() {
      if (running) return "building";
      if (failure !== null) {
        const failed = failure;
        failure = null;
        return { failed };
      }
      const built = (await Deno.stat(join(out, MARK)).catch(() => null))?.mtime;
      if (built && await newestChange(sources) < built.getTime()) return "ready";
      // Another request may have begun it while this one looked.
      if (!running) start();
      return "building";
    },
    async close() {
      running?.child.kill("SIGTERM");
      await running?.ended;
    },
  };
}

/** When a file in the folders was last changed, in ms since 1970; 0 if there is none. */
async function newestChange(folders: string[]): Promise<number> {
  let newest = 0;
  for (const folder of folders) {
    const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
    for (const { name, isDirectory } of entries) {
      if (name.startsWith(".") || name === "node_modules" || name === "dist") continue;
      const path = join(folder, name);
      const changed = isDirectory
        ? await newestChange([path])
        : (await Deno.stat(path).catch(() => null))?.mtime?.getTime() ?? 0;
      newest = Math.max(newest, changed);
    }
  }
  return newest;
}

function lastLines(...outputs: Uint8Array[]): string {
  const decoder = new TextDecoder();
  const text = outputs.map((output) => decoder.decode(output).trim()).filter(Boolean).join("\n");
  return stripVTControlCharacters(text).split("\n").slice(-SHOWN_LINES).join("\n");
}
