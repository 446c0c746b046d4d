// No secret may be an argument of a process: every user of a machine can read all arguments (`ps`).
import assert from "node:assert/strict";
import { openDataDir } from "../../run/local/data_dir.ts";
import { startPostgres } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { watchCommandLines } from "../support/command_lines.ts";
import { openFolder } from "../support/folder.ts";

Deno.test({
  name: "No process gets a password as an argument while Postgres is created and started",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using dataDir = await openFolder();
    const lock = await openDataDir(dataDir.path);
    const secrets = await loadSecrets(dataDir.path);
    const lines = watchCommandLines();
    try {
      const { stop } = await startPostgres(dataDir.path, secrets);
      await stop();
    } finally {
      await lines.stop();
      lock.close();
    }
    for (const program of ["initdb", "pg_ctl"]) {
      assert.ok(lines.seen().some((line) => line.includes(program)), `${program} was not seen`);
    }
    const { postgres_password, superuser_password } = secrets;
    for (const secret of [postgres_password, superuser_password]) {
      assert.deepEqual(lines.seen().filter((line) => line.includes(secret)), []);
    }
  },
});
