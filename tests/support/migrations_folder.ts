import { join } from "node:path";

/** Creates an empty folder of migrations for one test. */
export async function makeMigrationsFolder() {
  const path = await Deno.makeTempDir({ prefix: "crm-migrations-" });
  return {
    path,
    add: (file: string, sql: string) => Deno.writeTextFile(join(path, file), sql),
    remove: (file: string) => Deno.remove(join(path, file)),
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}
