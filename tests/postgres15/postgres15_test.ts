import assert from "node:assert/strict";
import { join } from "node:path";
import { openSql } from "../../local/sql.ts";
import { migrate } from "../../local/migrate.ts";
import { startDebianPostgres } from "../support/debian_postgres.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { needing } from "../support/needing.ts";

const ROOT = join(import.meta.dirname!, "../..");

Deno.test(needing(["postgresql-15", "postgresql-15-plpgsql-check", "postgresql-15-cron"], {
  name: "on Debian's Postgres 15",
  fn: async (t) => {
    await using server = await startDebianPostgres();
    const admin = openSql(server.superuserUrl, { max: 1 });
    // As on Supabase, where the superuser creates extensions and hands them to postgres.
    await admin.unsafe(`
      create role postgres login createrole createdb replication bypassrls;
      alter database postgres owner to postgres;
      create schema extensions;
      create extension plpgsql_check schema extensions;
      create extension pg_cron;
      grant usage on schema cron to postgres;
      grant select, delete on cron.job, cron.job_run_details to postgres;
      alter database postgres set search_path = public, extensions;
      grant usage on schema extensions to postgres;
    `);
    const sql = openSql(server.url, { max: 2 });
    try {
      await t.step("the migrations apply, once", async () => {
        assert.ok(await migrate(sql, server.url) > 10);
        assert.equal(await migrate(sql, server.url), 0);
      });

      await t.step("plpgsql_check, through `supabase db lint`, finds no error in any function", async () => {
        const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", join("node_modules", "supabase", "dist", "supabase.js")]
            .concat("db", "lint", "--schema", "crm,api,app", "--level", "warning", "--fail-on", "error")
            .concat("--db-url", `${server.url}?sslmode=disable`),
          cwd: ROOT,
          env: { SUPABASE_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
        }).output();
        const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
        assert.equal(code, 0, said);
        assert.doesNotMatch(said, /"level": "error"/, said);
        // Without the extension the linter reports nothing, so it must be installed.
        assert.match(said, /Linting schema: crm/);
      });

      await t.step("the door answers", async () => {
        const { key } = await makeWorkspace(sql);
        const [reply] = await sql`
          select error_code, body::json -> 'data' -> 0 ->> 'name' as name
          from api.call(sha256(${key}::text::bytea), 'pipelines:read', 'pipeline_list', '{}', null, null)`;
        assert.deepEqual({ ...reply }, { error_code: null, name: "Vendas" });
      });

      await t.step("every job is on pg_cron's schedule, and scheduling again replaces it", async () => {
        const jobs = () => sql`select jobname, schedule, command from cron.job order by jobname`;
        const before = await jobs();
        const [{ n }] = await sql<[{ n: number }]>`select count(*)::int as n from crm.jobs`;
        assert.equal(before.length, n);
        // pg_cron 1.4 has no intervals in seconds.
        assert.equal(
          before.find(({ jobname }) => jobname === "crm:webhook-dispatch")!["schedule"],
          "*/1 * * * *",
        );
        await sql`update crm.jobs set command = 'select 1' where name = 'webhook-dispatch'`;
        await sql`select crm.schedule_jobs()`;
        const after = await jobs();
        assert.equal(after.length, n);
        assert.equal(after.find(({ jobname }) => jobname === "crm:webhook-dispatch")!["command"], "select 1");
      });
    } finally {
      await sql.end();
      await admin.end();
    }
  },
}));
