import { isLoopback, serviceHosts } from "../runtime/service.ts";

/** What `pg` needs to connect. TLS always checks the server's certificate and name; without TLS, `ssl` is false. */
export interface ConnectionSettings {
  connectionString: string;
  ssl: false | { ca?: string };
}

/** Whether a value of `sslmode` means TLS. As in `pg` 8, each value that means TLS is as strict as `verify-full`. */
const TLS_OF_MODE: Record<string, boolean> = {
  "disable": false,
  "prefer": true,
  "require": true,
  "verify-ca": true,
  "verify-full": true,
};

const EXAMPLE = "postgresql://crm_functions:<password>@<host>:6543/postgres?sslmode=verify-full";

/**
 * Reads where to connect. Environment: DATABASE_URL (never SUPABASE_DB_URL: its role owns the data); DATABASE_CA, the
 * certificates (PEM) of the authorities that may have issued the server's certificate, by default the authorities that
 * the runtime trusts.
 *
 * @throws Error for an unusable value, and in a hosted service for a connection without TLS to another machine, which
 * would expose the password and the data. The message contains no secret.
 */
export function readConnection(): ConnectionSettings {
  const text = Deno.env.get("DATABASE_URL") ?? "";
  if (!/^postgres(ql)?:/.test(text) || !URL.canParse(text)) {
    throw new Error(`DATABASE_URL is not an address of Postgres: set it to ${EXAMPLE}`);
  }
  const url = new URL(text);
  const tls = readSslMode(url);
  const host = url.searchParams.get("host") ?? url.hostname;
  if (!tls && isHosted() && !isInternal(host)) {
    throw new Error(
      `DATABASE_URL connects to ${host} without TLS: end it in ?sslmode=verify-full, ` +
        "and set DATABASE_CA to the certificate of the database's authority",
    );
  }
  const ca = restoreLineBreaks(Deno.env.get("DATABASE_CA") ?? "");
  if (ca !== "" && !ca.includes("-----BEGIN CERTIFICATE-----")) {
    throw new Error("DATABASE_CA is not a certificate: set it to the text of the PEM file, or unset it");
  }
  return { connectionString: url.href, ssl: tls && { ...(ca && { ca }) } };
}

/** Turns each `\n` written as two characters, as in a file of environment variables, into a line break. */
export function restoreLineBreaks(certificate: string): string {
  return certificate.replaceAll("\\n", "\n");
}

/**
 * Reads `sslmode` and removes it from the URL: in `pg` it would override the option `ssl`, which has the trusted
 * authority. Other TLS parameters are errors. They name files, which an edge function does not have, or weaken the
 * check.
 */
function readSslMode(url: URL): boolean {
  const mode = url.searchParams.get("sslmode") ?? "disable";
  url.searchParams.delete("sslmode");
  const tls = TLS_OF_MODE[mode];
  if (tls === undefined) throw new Error(`DATABASE_URL has sslmode=${mode}: use sslmode=verify-full`);
  for (const name of url.searchParams.keys()) {
    if (!/^(ssl|uselibpqcompat)/.test(name)) continue;
    throw new Error(`DATABASE_URL has the parameter ${name}: use sslmode=verify-full and DATABASE_CA`);
  }
  return tls;
}

/** Whether the service is reachable from other machines. */
function isHosted(): boolean {
  return serviceHosts().some((host) => !isLoopback(host));
}

/** Whether a database is on this machine or in the same Docker network, whose names have a single label. */
function isInternal(host: string): boolean {
  return isLoopback(host) || host === "host.docker.internal" || !/[.:]/.test(host);
}
