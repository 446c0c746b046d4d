// No secret may be an argument of a process: every user of a machine can read all arguments (`ps`).
import assert from "node:assert/strict";
import { openDataDir } from "../../run/local/data_dir.ts";
import { startPostgres } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { watchCommandLines } from "../support/command_lines.ts";
import { makeDataDir } from "../support/own_stack.ts";

Deno.test({
  name: "No process gets a password as an argument while Postgres is created and started",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const dataDir = await makeDataDir();
    const lock = await openDataDir(dataDir);
    const secrets = await loadSecrets(dataDir);
    const lines = watchCommandLines();
    try {
      const { stop } = await startPostgres(dataDir, secrets);
      await stop();
    } finally {
      await lines.stop();
      lock.close();
      await Deno.remove(dataDir, { recursive: true });
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
