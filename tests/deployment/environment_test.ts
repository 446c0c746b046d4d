import assert from "node:assert/strict";
import { readDeploymentSettings, secretTexts } from "../../run/deployment/environment.ts";
import { createAuthority } from "../../bench/harness/certificates.ts";
import { PROJECT_REF } from "../support/empty_project.ts";
import { deploymentVariables } from "./deploy.ts";

Deno.test("A deployment names a variable whose value cannot be right for the project, and accepts valid values", async () => {
  const { certificate } = await createAuthority();
  const pooler = "aws-0-sa-east-1.pooler.supabase.com";
  const database = (user: string, host = `${pooler}:5432`) =>
    `postgresql://${user}:0123456789abcdef@${host}/postgres?sslmode=verify-full`;
  const other = "z".repeat(20);
  const right: Record<string, string> = {
    ...deploymentVariables(database(`postgres.${PROJECT_REF}`)),
    FUNCTIONS_DATABASE_URL: database(`crm_functions.${PROJECT_REF}`, `${pooler}:6543`),
  };
  const accepted: Record<string, string>[] = [
    {},
    { DATABASE_URL: database("postgres", `db.${PROJECT_REF}.supabase.co:5432`) },
    { APP_ORIGIN: "https://crm.example" },
    { APP_ORIGIN: "http://127.0.0.1:54321" },
    { DATABASE_CA: certificate },
    { DATABASE_CA: certificate.replaceAll("\n", "\\n") },
    { DATABASE_CA: `${certificate}\n${certificate}` },
    {
      MAIL_URL: "https://mail.example/emails",
      MAIL_TOKEN: "re_0123456789abcdef",
      MAIL_FROM: "CRM <a@b.example>",
    },
    { CORS_ALLOWED_ORIGINS: "https://app.example, http://localhost:5173", DATABASE_POOL_SIZE: "10" },
  ];
  for (const variables of accepted) readDeploymentSettings({ ...right, ...variables });
  const refused: [name: string, value: string, error: RegExp][] = [
    ["DATABASE_URL", database(`postgres.${other}`), /another project/],
    ["DATABASE_URL", database("postgres", `db.${other}.supabase.co:5432`), /another project/],
    ["FUNCTIONS_DATABASE_URL", database(`crm_functions.${other}`), /another project/],
    ["FUNCTIONS_DATABASE_URL", database("crm_functions", `db.${other}.supabase.co:5432`), /another project/],
    ["DATABASE_URL", right["DATABASE_URL"]!.replace("0123456789abcdef", "<password>"), /placeholder/],
    [
      "DATABASE_URL",
      "postgresql://postgres:50%hunter2@127.0.0.1/postgres",
      /^DATABASE_URL has a % in its password/,
    ],
    ["DATABASE_URL", right["DATABASE_URL"]!.replace(/\?.*/, ""), /does not end in \?sslmode=verify-full/],
    ["SUPABASE_ACCESS_TOKEN", "<token>", /placeholder/],
    ["SUPABASE_ACCESS_TOKEN", " ", /not an access token/],
    ["DATABASE_CA", "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", /not the text/],
    ["DATABASE_CA", "-----BEGIN CERTIFICATE-----", /not the text/],
    ["DATABASE_CA", `${certificate}\n-----BEGIN CERTIFICATE-----`, /not the text/],
    ["DATABASE_POOL_SIZE", "zero", /whole number/],
    ["DATABASE_POOL_SIZE", "-3", /whole number/],
    ["DATABASE_POOL_SIZE", "0", /whole number/],
    ["APP_ORIGIN", "crm.example", /is not a URL/],
    ["APP_ORIGIN", "http://crm.example", /is not https/],
    ["APP_ORIGIN", "https://crm.example/", /slash at its end/],
    ["APP_ORIGIN", "https://crm.example/#x", /more than an address/],
    ["MAIL_URL", "https://mail.example/emails", /needs MAIL_TOKEN and MAIL_FROM/],
    ["MAIL_URL", "http://mail.example/emails", /is not https/],
    ["MAIL_URL", "https://me@mail.example/", /goes into MAIL_TOKEN/],
    ["MAIL_TOKEN", "short", /fewer than 16/],
    ["MAIL_FROM", "CRM", /is not an address/],
    ["CORS_ALLOWED_ORIGINS", "foo", /origins/],
    ["CORS_ALLOWED_ORIGINS", "https://app.example/", /origins/],
  ];
  for (const [name, value, error] of refused) {
    assert.throws(
      () => readDeploymentSettings({ ...right, [name]: value }),
      ({ message }: Error) => {
        const lines = message.split("\n").slice(1);
        return lines.length === 1 && lines[0]!.startsWith(`${name} `) && error.test(lines[0]!);
      },
      `${name}=${value}`,
    );
  }
});

Deno.test("Only secrets are hidden in the output of the Supabase CLI", () => {
  const variables = {
    ...deploymentVariables("postgresql://postgres:owner@127.0.0.1/postgres"),
    FUNCTIONS_DATABASE_URL: "postgresql://crm_functions:p%40ssword-of-functions@127.0.0.1/postgres",
    PUBLIC_URL: "https://crm.example",
    DATABASE_POOL_SIZE: "4",
    MAIL_URL: "https://mail.example/emails",
    MAIL_TOKEN: "re_0123456789abcdef",
    MAIL_FROM: "CRM <a@b.example>",
  };
  const named = [
    "SUPABASE_ACCESS_TOKEN",
    "WEBHOOK_ENCRYPTION_KEY",
    "WEBHOOK_DISPATCHER_SECRET",
    "MAIL_TOKEN",
  ] as const;
  const secrets = named.map((name) => (variables as Record<string, string>)[name]);
  assert.deepEqual(
    secretTexts(readDeploymentSettings(variables)).toSorted(),
    [...secrets, "owner", "p%40ssword-of-functions", "p@ssword-of-functions"].sort(),
  );
});
