// TLS to the database: a real Postgres whose certificate is signed by a test authority.
import assert from "node:assert/strict";
import { createAuthority } from "../../bench/harness/certificates.ts";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { table as pipelines } from "../../supabase/functions/api-v1-pipelines/table.ts";
import { serveResource } from "../../supabase/functions/_shared/http/serve.ts";
import { readConnection } from "../../supabase/functions/_shared/postgres/connection.ts";
import { query } from "../../supabase/functions/_shared/postgres/database.ts";
import { withEnvironment } from "../support/environment.ts";
import { startTlsPostgres } from "../support/tls_postgres.ts";

const IN_TLS = { name: "in_tls", text: "select ssl from pg_stat_ssl where pid = pg_backend_pid()" };
const UNAVAILABLE = { code: "service_unavailable" };

Deno.test("TLS to the database", async (t) => {
  await using server = await startTlsPostgres();
  const { url, authority, setTls } = server;
  const hosted = { PUBLIC_URL: null, SUPABASE_URL: "https://x.supabase.co" };

  async function connectError(variables: Record<string, string | null>): Promise<string> {
    const lines = await withEnvironment({ ...hosted, ...variables }, async () => {
      await assert.rejects(query(IN_TLS), UNAVAILABLE);
    });
    assert.deepEqual(lines.map(({ event }) => event), ["database_connect_failed"]);
    return lines[0]!["error"] as string;
  }

  await t.step("every mode connects if DATABASE_CA issued the certificate", async () => {
    const another = await createAuthority("Another authority");
    for (const mode of ["verify-full", "require", "prefer"]) {
      for (
        const ca of [
          authority.certificate,
          authority.certificate.replaceAll("\n", "\\n"),
          `${another.certificate}\n${authority.certificate}`,
        ]
      ) {
        await withEnvironment({ DATABASE_URL: `${url}?sslmode=${mode}`, DATABASE_CA: ca }, async () => {
          assert.deepEqual(await query(IN_TLS), [{ ssl: true }]);
        });
      }
    }
  });

  await t.step("no mode connects with the wrong authority or under another host name", async () => {
    const another = await createAuthority("Another authority");
    for (const mode of ["verify-full", "require", "prefer"]) {
      const withMode = `${url}?sslmode=${mode}`;
      const untrusted = /unable to verify|UnknownIssuer/;
      assert.match(await connectError({ DATABASE_URL: withMode, DATABASE_CA: null }), untrusted);
      assert.match(
        await connectError({ DATABASE_URL: withMode, DATABASE_CA: another.certificate }),
        untrusted,
      );
      const byAddress = withMode.replace("localhost", "127.0.0.1");
      assert.match(
        await connectError({ DATABASE_URL: byAddress, DATABASE_CA: authority.certificate }),
        /does not match certificate|NotValidForName/,
      );
    }
  });

  await t.step("a connection that timed out is replaced at once", async () => {
    const variables = { DATABASE_URL: `${url}?sslmode=verify-full`, DATABASE_CA: authority.certificate };
    await withEnvironment({ ...variables, DATABASE_POOL_SIZE: "1" }, async () => {
      await query(IN_TLS);
      const slow = query({ name: "slow", text: "select pg_sleep(8)", timeout: 300 });
      const started = performance.now();
      const next = query(IN_TLS);
      await assert.rejects(slow, UNAVAILABLE);
      assert.deepEqual(await next, [{ ssl: true }]);
      // The connection was replaced before the statement of 8 s ended.
      assert.ok(performance.now() - started < 7_000, `${performance.now() - started} ms`);
    });
  });

  await t.step("a server without TLS is never sent the password", async () => {
    await setTls("off");
    assert.match(
      await connectError({ DATABASE_URL: `${url}?sslmode=prefer`, DATABASE_CA: authority.certificate }),
      /The server does not support SSL connections/,
    );
  });
});

Deno.test("A hosted service without TLS to its database answers 503 and logs once what to change", async () => {
  const key = generateKey();
  const lines = await withEnvironment({
    PUBLIC_URL: null,
    SUPABASE_URL: "https://x.supabase.co",
    DATABASE_URL: "postgresql://postgres.x:hidden@db.invalid:6543/postgres",
  }, async () => {
    for (let call = 0; call < 3; call++) {
      const request = new Request("http://localhost/api-v1-pipelines", { headers: { "X-API-Key": key } });
      const reply = await serveResource(pipelines)(request);
      assert.equal(reply.status, 503);
      assert.equal((await reply.json()).error.code, "service_unavailable");
    }
  });
  const said = lines.filter(({ event }) => event === "database_misconfigured");
  assert.equal(said.length, 1);
  assert.match(said[0]!["error"] as string, /without TLS: end it in \?sslmode=verify-full/);
  assert.doesNotMatch(JSON.stringify(lines), /hidden/);
});

Deno.test("With an invalid DATABASE_POOL_SIZE calls fail at once, and one log line names the variable", async () => {
  for (const size of ["zero", "-3", "0", "2.5"]) {
    const lines = await withEnvironment({
      DATABASE_URL: "postgresql://u:p@127.0.0.1:9/postgres",
      DATABASE_POOL_SIZE: size,
    }, async () => {
      // Imported again under another URL, because the module reads the pool size when it is loaded.
      const source = new URL("../../supabase/functions/_shared/postgres/database.ts", import.meta.url);
      const fresh: typeof import("../../supabase/functions/_shared/postgres/database.ts") = await import(
        `${source}?size=${size}`
      );
      const started = performance.now();
      for (let call = 0; call < 2; call++) {
        await assert.rejects(fresh.query({ ...IN_TLS, owner: "somebody" }), UNAVAILABLE);
      }
      // A call that waited for a connection would take 5 s.
      assert.ok(performance.now() - started < 4_000);
    });
    assert.deepEqual(lines.map(({ event }) => event), ["database_misconfigured"], size);
    assert.match(lines[0]!["error"] as string, /DATABASE_POOL_SIZE is not a whole number/);
  }
});

Deno.test("A hosted service needs TLS for a database on another machine", async () => {
  const CASES: [host: string, publicUrl: string | null, supabaseUrl: string | null, accepted: boolean][] = [
    ["db.example", null, "https://x.supabase.co", false],
    ["db.example", "https://crm.example", "http://127.0.0.1:54321", false],
    ["db.example", null, "http://kong:8000", false],
    ["192.0.2.1", null, "https://x.supabase.co", false],
    ["[2001:db8::1]", null, "https://x.supabase.co", false],
    ["localhost.example", null, "https://x.supabase.co", false],
    ["127.0.0.1", null, "https://x.supabase.co", true],
    ["[::1]", null, "https://x.supabase.co", true],
    ["localhost", null, "https://x.supabase.co", true],
    ["supabase_db_crm", null, "http://kong:8000", true],
    ["host.docker.internal", null, "http://kong:8000", true],
    ["db.example", null, "http://127.0.0.1:54321", true],
    ["db.example", "http://localhost:54321", "http://[::1]:54321/", true],
    ["db.example", null, null, true],
  ];
  for (const [host, publicUrl, supabaseUrl, accepted] of CASES) {
    const DATABASE_URL = `postgresql://u:p@${host}:5432/postgres`;
    await withEnvironment({ PUBLIC_URL: publicUrl, SUPABASE_URL: supabaseUrl, DATABASE_URL }, () => {
      if (accepted) assert.equal(readConnection().ssl, false);
      else assert.throws(readConnection, /without TLS/, `${host} of ${publicUrl} and ${supabaseUrl}`);
      return Promise.resolve();
    });
  }
});

Deno.test("An invalid DATABASE_URL or DATABASE_CA is an error that names the variable", async () => {
  const url = "postgresql://u:hidden@db.invalid:5432/postgres";
  const CASES: [variables: Record<string, string | null>, message: RegExp][] = [
    [{ DATABASE_URL: null }, /^DATABASE_URL is not an address of Postgres/],
    [{ DATABASE_URL: "mysql://u:hidden@db.invalid/x" }, /^DATABASE_URL is not an address of Postgres/],
    [{ DATABASE_URL: `${url}?sslmode=no-verify` }, /^DATABASE_URL has sslmode=no-verify/],
    [{ DATABASE_URL: `${url}?sslmode=verify-full&sslrootcert=/ca.crt` }, /the parameter sslrootcert/],
    [{ DATABASE_URL: `${url}?ssl=true` }, /the parameter ssl:/],
    [{ DATABASE_URL: `${url}?sslmode=require&uselibpqcompat=true` }, /the parameter uselibpqcompat/],
    [
      { DATABASE_URL: `${url}?sslmode=verify-full`, DATABASE_CA: "/ca.crt" },
      /^DATABASE_CA is not a certificate/,
    ],
  ];
  for (const [variables, message] of CASES) {
    await withEnvironment({ DATABASE_CA: null, ...variables }, () => {
      assert.throws(
        readConnection,
        (error: Error) => message.test(error.message) && !/hidden/.test(error.message),
      );
      return Promise.resolve();
    });
  }
});
