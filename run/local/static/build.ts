import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** A file that marks a build for the local stack. A build without it is for another address. */
const MARK = ".local";
/** Folders with installed packages or builds. */
const NOT_SOURCES = ["node_modules", "dist", "local"];
const SHOWN_LINES = 30;

/** Whether the build is current. `failed` has the last lines of its output. */
export type BuildState = "ready" | "building" | { failed: string };

export interface Build {
  /** Starts a build if the last build is outdated. Returns a failure only once: the next call starts another build. */
  state(): Promise<BuildState>;
  close(): Promise<void>;
}

interface Options {
  out: string;
  sources: string[];
  /** Arguments to Deno, run at the root of the repository. */
  command: string[];
  env?: Record<string, string>;
}

/**
 * Builds pages when they are first opened, and again when a source is newer. So a stack that only serves the API needs
 * neither the packages nor the time for a build.
 */
export function createBuild(
  { out, sources, command, env = {} }: Options,
): Build {
  let running: { child: Deno.ChildProcess; ended: Promise<void> } | null = null;
  let failure: string | null = null;

  function start(): void {
    const startedAt = new Date();
    const child = new Deno.Command(Deno.execPath(), {
      args: command,
      cwd: ROOT,
      env: { ...env, NO_COLOR: "1" },
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

  /** Dates the build from its start, so that a source which changed during the build is newer. */
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
      // Another request may have started the build meanwhile.
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
      if (name.startsWith(".") || NOT_SOURCES.includes(name)) continue;
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
