// Every user of a machine can read the arguments of each process on it (`ps`), so no secret may be among them.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { openDataDir } from "../../local/data_dir.ts";
import { migrate } from "../../local/migrate.ts";
import { startPostgres } from "../../local/postgres.ts";
import { loadSecrets } from "../../local/secrets.ts";
import { openSql } from "../../local/sql.ts";
import { watchCommandLines } from "../support/command_lines.ts";
import { makeDataDir } from "../support/own_stack.ts";

Deno.test({
  name: "No process gets a password as an argument while Postgres is created, started and migrated",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const dataDir = await makeDataDir();
    const lock = await openDataDir(dataDir);
    const secrets = await loadSecrets(dataDir);
    // It has characters that a URL escapes, because the CLI must get them unescaped.
    const password = `p@ss:w/rd%?${randomBytes(9).toString("hex")}`;
    const lines = watchCommandLines();
    try {
      const { databaseUrl, stop } = await startPostgres(dataDir, secrets);
      const sql = openSql(databaseUrl, { max: 1 });
      try {
        await sql.unsafe(`alter role postgres password '${password}'`);
        const url = databaseUrl.replace(secrets.postgres_password, encodeURIComponent(password));
        assert.ok(await migrate(sql, url) > 0);
      } finally {
        await sql.end();
        await stop();
      }
    } finally {
      await lines.stop();
      lock.close();
      await Deno.remove(dataDir, { recursive: true });
    }
    for (const program of ["initdb", "pg_ctl", "supabase.js"]) {
      assert.ok(lines.seen().some((line) => line.includes(program)), `${program} was not seen`);
    }
    const { postgres_password, superuser_password } = secrets;
    for (const secret of [password, encodeURIComponent(password), postgres_password, superuser_password]) {
      assert.deepEqual(lines.seen().filter((line) => line.includes(secret)), []);
    }
  },
});
