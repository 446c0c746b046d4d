// Runs a program of clients/examples/ as its README says, in a copy of its folder next to the SDK as published to npm.
import assert from "node:assert/strict";
import { join } from "node:path";
import { copyFolder } from "../../run/local/data_dir.ts";
import { collectOutput } from "../../run/local/output.ts";
import { eventually } from "./mailbox.ts";
import { outcomeOf } from "./run.ts";

const ROOT = join(import.meta.dirname!, "../..");
/** Names of what an installation or a run leaves in a folder; copies leave these out. */
const LEFT = /^(node_modules|dist|outbox|\.env)$|\.db\b/;

/** A command of the README that keeps running. */
export type Running = ReturnType<typeof startIn>;

/** An installed copy of an example, with its `.env`; removed at the end. */
export type Example = Awaited<ReturnType<typeof openExample>>;

/**
 * Makes a copy of an example, installed with the first commands of its README, and fills in its `.env`.
 *
 * @param variables for the `.env`; all others stay as in `.env.example`
 */
export async function openExample(name: string, variables: Record<string, string>) {
  const place = await Deno.makeTempDir({ prefix: "crm-example-" });
  const folder = join(place, "examples", name);
  const running: Running[] = [];
  const commands = await readCommands(name);
  const check = (command: string) =>
    assert.ok(commands.includes(command), `README.md does not say: ${command}`);

  const example = {
    folder,
    /** Changes variables of the example's `.env`. */
    async configure(variables: Record<string, string>) {
      const file = join(folder, ".env");
      let text = await Deno.readTextFile(file);
      for (const [variable, value] of Object.entries(variables)) {
        const line = new RegExp(`^${variable}=.*$`, "m");
        assert.match(text, line, `.env.example does not name ${variable}`);
        text = text.replace(line, () => `${variable}=${value}`);
      }
      await Deno.writeTextFile(file, text);
    },
    /** Runs a command of the README and waits for its end. */
    async run(command: string) {
      check(command);
      return await runIn(folder, command);
    },
    /** Starts a command of the README. If it still runs when the example is removed, it is killed. */
    start(command: string): Running {
      check(command);
      running.push(startIn(folder, command));
      return running.at(-1)!;
    },
    async [Symbol.asyncDispose]() {
      for (const process of running) await process.kill();
      await Deno.remove(place, { recursive: true });
    },
  };

  try {
    if (!installed.has(name)) installed.set(name, install(name, commands));
    // cp -R keeps the symbolic links that npm made.
    const { code, output } = await runIn(place, `cp -R '${await installed.get(name)}/.' .`);
    assert.equal(code, 0, output);
    await example.configure(variables);
    return example;
  } catch (error) {
    await example[Symbol.asyncDispose]();
    throw error;
  }
}

/** The folders with installed examples, by name. Each example is installed once in a test process. */
const installed = new Map<string, Promise<string>>();

/** Copies an example and the SDK, and installs the example with the first commands of its README. */
async function install(name: string, commands: string[]): Promise<string> {
  const place = await Deno.makeTempDir({ prefix: "crm-installed-" });
  const folder = join(place, "examples", name);
  const built = await (sdk ??= buildSdk());
  await copyFolder(join(built, "dist"), join(place, "sdk/dist"));
  await Deno.copyFile(join(built, "package.json"), join(place, "sdk/package.json"));
  await copyFolder(join(ROOT, "clients", "examples", name), folder, LEFT);
  for (const command of ["npm install", "cp .env.example .env"]) {
    assert.ok(commands.includes(command), `README.md does not say: ${command}`);
    const { code, output } = await runIn(folder, command);
    assert.equal(code, 0, output);
  }
  return place;
}

/** The commands of the README's first block, without comments, and each `npm run …` that follows `&&`. */
async function readCommands(name: string): Promise<string[]> {
  const readme = await Deno.readTextFile(join(ROOT, "clients", "examples", name, "README.md"));
  const [, block = ""] = /^```sh\n([^]*?)^```$/m.exec(readme) ?? [];
  const lines = block.split("\n").map((line) => line.replace(/ +#.*/, ""));
  return lines.concat([...readme.matchAll(/&& (npm run \w+)$/gm)].map(([, command]) => command!));
}

/** The SDK as published to npm, built once in a test process. */
let sdk: Promise<string> | undefined;

/** Builds a copy of the SDK, because other tests may be building clients/sdk/dist at this moment. */
async function buildSdk(): Promise<string> {
  const folder = join(await Deno.makeTempDir({ prefix: "crm-sdk-" }), "sdk");
  await copyFolder(join(ROOT, "clients", "sdk"), folder, LEFT);
  const deno = `'${Deno.execPath()}' run -A --config '${join(ROOT, "clients/sdk/build/deno.json")}'`;
  const { code, output } = await runIn(folder, `${deno} build/main.ts`);
  assert.equal(code, 0, output);
  return folder;
}

/** Runs a command and waits for its end. Returns standard output and standard error together, in order of arrival. */
async function runIn(folder: string, command: string) {
  const options = { cwd: folder, env: ownEnvironment(), clearEnv: true };
  const { code, stdout } = await outcomeOf("sh", ["-c", `exec 2>&1; ${command}`], options);
  return { code, output: stdout };
}

function startIn(folder: string, command: string) {
  const child = new Deno.Command("sh", {
    args: ["-c", `exec 2>&1; exec ${command}`],
    cwd: folder,
    env: ownEnvironment(),
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    // The command gets its own process group, because npm is the parent of the process to kill.
    detached: true,
  }).spawn();
  const { output, ended } = collectOutput(child, [child.stdout]);
  let running = true;
  ended.then(() => running = false);
  return {
    /** Everything that it has printed so far. */
    output,
    /** Waits until the command has printed a text. Throws an error with its output if the command ends first. */
    async prints(text: string | RegExp) {
      await eventually(() => {
        const isPrinted = typeof text === "string" ? output().includes(text) : text.test(output());
        if (!running && !isPrinted) throw new Error("It has ended");
        return isPrinted;
      }, `${text}`).catch((error) => {
        throw new Error(`${error.message}:\n${output()}`);
      });
    },
    /** Kills the command with SIGKILL, and waits for its end. */
    async kill() {
      // Kills npm, its shell and node; they may have ended already.
      try {
        if (running) Deno.kill(-child.pid, "SIGKILL");
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
      await ended;
    },
  };
}

/** This process's environment without the variables of the examples, which would override their `.env`. */
function ownEnvironment(): Record<string, string> {
  const { PORT: _port, DATABASE: _database, OUTBOX: _outbox, ...others } = Deno.env.toObject();
  return Object.fromEntries(Object.entries(others).filter(([name]) => !name.startsWith("CRM_")));
}
