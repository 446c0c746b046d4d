import { join } from "node:path";

/** A folder of migrations that one test writes. */
export interface MigrationsFolder extends AsyncDisposable {
  path: string;
  /** Adds a file. */
  add(file: string, sql: string): Promise<void>;
  remove(file: string): Promise<void>;
}

/** Creates an empty folder of migrations. */
export async function makeMigrationsFolder(): Promise<MigrationsFolder> {
  const path = await Deno.makeTempDir({ prefix: "crm-migrations-" });
  return {
    path,
    add: (file, sql) => Deno.writeTextFile(join(path, file), sql),
    remove: (file) => Deno.remove(join(path, file)),
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}
