// Plays a reader of the site's guides, who has a folder, a shell, the programs that a page asks for, and a key.
import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually } from "../../bench/harness/waiting.ts";
import { collectOutput } from "../../run/local/output.ts";
import { killIfRunning } from "../support/kill.ts";
import { outcomeOf } from "../support/run.ts";

/** The longest that the commands of a page may take, in milliseconds. */
const LONGEST_MS = 60_000;

/** Makes curl fail on an error reply, for a page whose calls must all succeed. */
export const CURL_FAILS = 'curl() { command curl --fail-with-body "$@"; }';

/** What a reader of a guide can do; its folder is deleted when the scope ends. */
export type Reader = Awaited<ReturnType<typeof openReader>>;

/**
 * Opens a folder for a reader's terminal, in which address and key are set. Some pages also read them from `stack.json`
 * in DATA_DIR.
 *
 * @param env added to the environment of the reader's commands
 * @param longest milliseconds after which commands are killed
 */
export async function openReader(
  baseUrl: string,
  key: string,
  env: Record<string, string> = {},
  longest = LONGEST_MS,
) {
  const folder = await Deno.makeTempDir();
  const stack = JSON.stringify({ base_url: baseUrl, demo_key: key }, null, 2);
  await Deno.writeTextFile(join(folder, "stack.json"), stack);
  const variables = { DATA_DIR: folder, CRM_URL: baseUrl, CRM_KEY: key, ...env };
  const options = { cwd: folder, env: variables, stdin: "null" } as const;
  const output = async (script: string) => {
    const signal = AbortSignal.timeout(longest);
    return await outcomeOf("sh", ["-ec", script], { ...options, signal });
  };
  return {
    folder,
    /** Runs commands that must succeed; returns the lines that they printed, without empty lines. */
    async run(script: string): Promise<string[]> {
      const { code, stdout, stderr } = await output(script);
      assert.equal(code, 0, `${stdout}${stderr}`);
      return stdout.split("\n").filter((line) => line !== "");
    },
    /** Runs commands that must fail, and returns what they wrote to stderr. */
    async fail(script: string): Promise<string> {
      const { code, stdout, stderr } = await output(script);
      assert.notEqual(code, 0, stdout);
      return stderr;
    },
    /** Starts commands, the last of which runs until `stop`. */
    start(script: string, more: Record<string, string> = {}) {
      const lines = script.trimEnd().split("\n");
      // `exec` replaces the shell with the last command, so that the signal to stop reaches that command.
      lines.push(`exec ${lines.pop()}`);
      const child = new Deno.Command("sh", {
        ...options,
        args: ["-ec", lines.join("\n")],
        env: { ...options.env, ...more },
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const { ended, output: printed } = collectOutput(child);
      return {
        /** Everything that the commands have printed so far. */
        printed,
        /** Waits until the commands have printed a text. */
        until: (text: string) =>
          eventually(() => printed().includes(text), `"${text}"`).catch(({ message }) => {
            throw new Error(`${message}:\n${printed()}`);
          }),
        async [Symbol.asyncDispose](): Promise<void> {
          killIfRunning(child);
          await ended;
        },
      };
    },
    async write(name: string, content: string | Uint8Array): Promise<void> {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await Deno.writeFile(join(folder, name), bytes);
    },
    read: (name: string) => Deno.readTextFile(join(folder, name)),
    /** The names of the files in a subfolder. */
    list: (name: string) => [...Deno.readDirSync(join(folder, name))].map((entry) => entry.name),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

// deno-lint-ignore no-explicit-any -- each test asserts the fields that it expects
export const parse = (text: string | undefined): any => JSON.parse(text ?? "nothing was printed");

export const idOf = ({ id }: { id: string }): string => id;
