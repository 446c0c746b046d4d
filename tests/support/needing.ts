// Declares tests that need more programs than Node. If a program is missing, its tests are skipped and the run says so.
import { join } from "node:path";

const inTree = (path: string) => join(import.meta.dirname!, "../..", path);

/** For Debian and npm packages that are not on the PATH: a file that exists once the package is installed. */
const PACKAGES: Record<string, string> = {
  "postgresql-15": "/usr/lib/postgresql/15/bin/pg_ctl",
  "postgresql-15-plpgsql-check": "/usr/share/postgresql/15/extension/plpgsql_check.control",
  "postgresql-15-plproxy": "/usr/share/postgresql/15/extension/plproxy.control",
  "postgresql-15-cron": "/usr/share/postgresql/15/extension/pg_cron.control",
  // Installed by `deno task console` and `deno task check`.
  "the packages of the console": inTree("console/node_modules/@supabase/auth-js/package.json"),
  // Installed by `deno task schema` and `deno task check`.
  "the packages of tools/schema/": inTree("tools/schema/node_modules/@electric-sql/pglite/package.json"),
  // Installed by `deno task deploy` and `deno task check`.
  "the Supabase CLI": inTree("run/deployment/supabase_cli/node_modules/supabase/package.json"),
};

/** The variable that names the file to which skipped tests append their reasons, for the runner. */
export const REASONS_VARIABLE = "TEST_SKIP_REASONS";
/** The variable that makes a missing program a failure. In CI `test:all` and `test:added` set it. */
export const REQUIRED_VARIABLE = "TEST_PROGRAMS_REQUIRED";

/** The variable that leaves out tests that need only Node. `deno task test:added` sets it, because `test` runs them. */
export const ADDED_VARIABLE = "TEST_ADDED_ONLY";

/** The programs that a machine with only Node has. */
const NODE_ALONE = ["node", "npm", "npx", "sh", "env"];

/**
 * Returns a test that runs only if the programs are installed. Otherwise it is skipped, or fails if REQUIRED_VARIABLE
 * is set.
 *
 * @param programs names of programs on the PATH, or keys of `PACKAGES`
 */
export function needing(programs: string[], test: Deno.TestDefinition): Deno.TestDefinition {
  const isDefault = programs.every((program) => NODE_ALONE.includes(program));
  if (isDefault && Deno.env.get(ADDED_VARIABLE)) return { ...test, ignore: true };
  const missing = programs.filter((program) => !isInstalled(program)).join(", ");
  if (missing === "") return test;
  if (Deno.env.get(REQUIRED_VARIABLE)) {
    return { ...test, fn: () => Promise.reject(new Error(`Not installed: ${missing}`)) };
  }
  const file = Deno.env.get(REASONS_VARIABLE);
  const reason: SkipReason = { title: test.name, missing };
  if (file) Deno.writeTextFileSync(file, `${JSON.stringify(reason)}\n`, { append: true });
  return { ...test, ignore: true };
}

/** Declares a test that needs headless Chromium. No sanitizers: Playwright keeps connections open between steps. */
export function chromiumTest(
  name: string,
  fn: (t: Deno.TestContext) => Promise<void>,
  programs: string[] = [],
): void {
  const sanitizers = { sanitizeOps: false, sanitizeResources: false };
  Deno.test(needing(["chromium-headless-shell", ...programs], { name, fn, ...sanitizers }));
}

/** Why a test was skipped. */
export interface SkipReason {
  title: string;
  /** The missing programs. */
  missing: string;
}

/** Reads the reasons from a file; returns none if the file does not exist. */
export async function readSkipReasons(file: string): Promise<SkipReason[]> {
  const text = await Deno.readTextFile(file).catch(() => "");
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

function isInstalled(program: string): boolean {
  const paths = PACKAGES[program] !== undefined
    ? [PACKAGES[program]]
    // Debian's servers are in /usr/sbin, which is not on every user's PATH.
    : [...(Deno.env.get("PATH") ?? "").split(":"), "/usr/sbin"].map((folder) => join(folder, program));
  return paths.some(exists);
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
