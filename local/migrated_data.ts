import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { AUTH_SCHEMA } from "./auth/schema.ts";
import { writePrivateFile } from "./data_dir.ts";
import { migrationFiles } from "./migrate.ts";
import { StackError } from "./stack_error.ts";

const FILE = "migrations.json";

/**
 * Refuses a data folder that was made by migrations, or a schema of local sign-in, which have been edited since: they
 * would not be applied again, and the schema would silently stay what it was. Until the first release both are edited in
 * place.
 * @returns records the files of the tree, once they are applied.
 * @throws StackError naming the folder to delete.
 */
export async function checkMigratedData(dataDir: string): Promise<() => Promise<void>> {
  const path = join(dataDir, FILE);
  const digests = await digestsInTree();
  const recorded: Record<string, string> = await Deno.readTextFile(path).then(JSON.parse, () => ({}));
  const edited = Object.keys(recorded).filter((name) => digests[name] !== recorded[name]).sort();
  if (edited.length > 0) {
    throw new StackError(
      `The data in ${dataDir} was made by another ${
        edited[0]
      }: delete ${dataDir}, or set DATA_DIR to another folder`,
    );
  }
  return () => writePrivateFile(path, JSON.stringify(digests));
}

async function digestsInTree(): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const { path } of await migrationFiles()) {
    digests[basename(path)] = digest(await Deno.readFile(path));
  }
  digests["local/auth/schema.sql"] = digest(await Deno.readFile(AUTH_SCHEMA));
  return digests;
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
