import { X509Certificate } from "node:crypto";
import { isDecodable } from "../local/settings.ts";
import { StackError } from "../local/stack_error.ts";
import { FUNCTIONS_ROLE } from "../operator/functions_password.ts";
import { restoreLineBreaks } from "../../supabase/functions/_shared/postgres/connection.ts";
import { isEncryptionKey } from "../../supabase/functions/_shared/webhooks/secret.ts";
import { isLoopback } from "../../supabase/functions/_shared/runtime/service.ts";

/** A shorter secret could be guessed. */
const SHORTEST_SECRET = 16;

export interface Settings {
  accessToken: string;
  projectRef: string;
  /** The database's URL for the owner of the schema. No transaction pooler, because migrations need a session. */
  databaseUrl: string;
  /** The database's URL for the role crm_functions. The functions get this URL as DATABASE_URL. */
  functionsDatabaseUrl: string;
  encryptionKey: string;
  dispatcherSecret: string;
  /** The URL of the functions, as clients call them. */
  functionsUrl: string;
  region: string | null;
  appOrigin: string;
  /** The secrets that the functions get, by name. */
  secrets: Record<string, string>;
}

/** A variable of a deployment. A test compares VARIABLES with the table in docs/deployment.md. */
interface Variable {
  name: string;
  required: boolean;
  /** Whether the functions get the variable, as a secret with the same name. */
  forFunctions: boolean;
  /** Says what is wrong with a value, without quoting the value; null if nothing is wrong. */
  check: (value: string, env: Record<string, string>) => string | null;
}

const form = (pattern: RegExp, otherwise: string) => (value: string) =>
  pattern.test(value) ? null : otherwise;

const checkRef = form(/^[a-z]{20}$/, "is not the reference of a project: 20 lower-case letters");

const required = (name: string, check: Variable["check"], forFunctions = true): Variable => {
  return { name, required: true, forFunctions, check };
};
const optional = (name: string, check: Variable["check"]): Variable => {
  return { name, required: false, forFunctions: true, check };
};

export const VARIABLES: readonly Variable[] = [
  required(
    "SUPABASE_ACCESS_TOKEN",
    form(/^sbp_\w{40,}$/, "is not an access token of Supabase: sbp_ and 40 letters and digits"),
    false,
  ),
  required("SUPABASE_PROJECT_REF", checkRef, false),
  required("DATABASE_URL", checkOwnerUrl, false),
  // The functions get this URL as their DATABASE_URL.
  required("FUNCTIONS_DATABASE_URL", checkFunctionsUrl, false),
  required("WEBHOOK_ENCRYPTION_KEY", checkKey),
  required("WEBHOOK_DISPATCHER_SECRET", checkSecret),
  required("APP_ORIGIN", checkAppOrigin),
  optional("DATABASE_CA", checkCertificate),
  optional("PUBLIC_URL", checkPublicUrl),
  optional("FUNCTIONS_REGION", form(/^[a-z]{2}-[a-z]+-\d$/, "is not a region such as sa-east-1")),
  optional("MAIL_URL", checkMailUrl),
  optional("MAIL_TOKEN", checkSecret),
  optional(
    "MAIL_FROM",
    form(/^[^\r\n@]+@[^\s@]+$/, "is not an address such as CRM <avisos@example.com>"),
  ),
  optional("CORS_ALLOWED_ORIGINS", checkOrigins),
  optional("DATABASE_POOL_SIZE", form(/^[1-9]\d*$/, "is not a whole number of 1 or more")),
  optional(
    "CLIENT_ADDRESS_HEADER",
    form(/^[A-Za-z][A-Za-z0-9-]*$/, "is not the name of a header such as X-Forwarded-For"),
  ),
];

/**
 * Reads the settings of a deployment.
 * @throws StackError with a line for each missing or unusable variable; never with a value.
 */
export function readDeploymentSettings(variables: Record<string, string>): Settings {
  // Empty means unset, because a workflow passes a secret that does not exist as an empty variable.
  const env = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const errors = VARIABLES.flatMap(({ name, required, check }) => {
    const value = env[name];
    if (value === undefined) return required ? [`${name} is not set`] : [];
    const error = checkText(value) ?? check(value, env);
    return error === null ? [] : [`${name} ${error}`];
  });
  if (errors.length > 0) {
    throw new StackError(`Nothing was done. See docs/deployment.md.\n${errors.join("\n")}`);
  }
  const forFunctions = VARIABLES.filter(({ name, forFunctions }) => forFunctions && env[name] !== undefined);
  const projectRef = env["SUPABASE_PROJECT_REF"]!;
  const origin = env["PUBLIC_URL"]?.replace(/\/+$/, "") ?? `https://${projectRef}.supabase.co`;
  return {
    accessToken: env["SUPABASE_ACCESS_TOKEN"]!,
    projectRef,
    databaseUrl: env["DATABASE_URL"]!,
    functionsDatabaseUrl: env["FUNCTIONS_DATABASE_URL"]!,
    encryptionKey: env["WEBHOOK_ENCRYPTION_KEY"]!,
    dispatcherSecret: env["WEBHOOK_DISPATCHER_SECRET"]!,
    functionsUrl: `${origin}/functions/v1`,
    region: env["FUNCTIONS_REGION"] ?? null,
    appOrigin: env["APP_ORIGIN"]!,
    secrets: {
      DATABASE_URL: env["FUNCTIONS_DATABASE_URL"]!,
      ...Object.fromEntries(forFunctions.map(({ name }) => [name, env[name]!])),
    },
  };
}

/** The secrets to hide in the output. Other values are not hidden, because a pool size of 4 would hide every 4. */
export function secretTexts(settings: Settings): string[] {
  const { accessToken, databaseUrl, functionsDatabaseUrl, encryptionKey, dispatcherSecret } = settings;
  const passwords = [databaseUrl, functionsDatabaseUrl].map((url) => new URL(url).password)
    .flatMap((password) => [password, decodeURIComponent(password)]);
  const mailToken = settings.secrets["MAIL_TOKEN"] ?? "";
  // Empty texts would match everywhere. A local owner may have no password, and there may be no mail token.
  return [...new Set([accessToken, ...passwords, encryptionKey, dispatcherSecret, mailToken])].filter((
    text,
  ) => text !== "");
}

function checkText(value: string): string | null {
  // formatEnvFile puts values in single quotes.
  if (value.includes("'")) return "has a single quote: write it as %27 in a URL, or choose another value";
  // docs/deployment.md writes placeholders in angle brackets.
  return /<[a-z]+>/.test(value) ? "still has a placeholder in <>: put your own value in its place" : null;
}

function checkOwnerUrl(value: string, env: Record<string, string>): string | null {
  const error = checkDatabaseUrl(value);
  if (error !== null) return error;
  const { port, username } = new URL(value);
  if (username.startsWith(FUNCTIONS_ROLE)) return "has the functions' user: it must be the owner's, postgres";
  if (port === "6543") return "has port 6543, the transaction pooler: migrations need a session, port 5432";
  return checkProject(value, env);
}

function checkFunctionsUrl(value: string, env: Record<string, string>): string | null {
  const error = checkDatabaseUrl(value);
  if (error !== null) return error;
  const { username, password } = new URL(value);
  const [role] = decodeURIComponent(username).split(".");
  if (role !== FUNCTIONS_ROLE) {
    return `has the user ${username}: it must be ${FUNCTIONS_ROLE}, or ${FUNCTIONS_ROLE}.<ref>`;
  }
  if (password.length < SHORTEST_SECRET) return `has a password of fewer than ${SHORTEST_SECRET} characters`;
  return checkProject(value, env);
}

/** The pooler's user name and the direct address contain the reference, which must be SUPABASE_PROJECT_REF. */
function checkProject(
  value: string,
  { SUPABASE_PROJECT_REF: ref = "" }: Record<string, string>,
): string | null {
  const { hostname, username } = new URL(value);
  const named = decodeURIComponent(username).split(".")[1] ?? /^db\.(\w+)\.supabase\.co$/.exec(hostname)?.[1];
  if (named === undefined || named === ref || checkRef(ref) !== null) return null;
  return "belongs to another project than SUPABASE_PROJECT_REF";
}

function checkDatabaseUrl(value: string): string | null {
  if (!URL.canParse(value) || !/^postgres(ql)?:$/.test(new URL(value).protocol)) {
    return "is not postgresql://user:password@host:port/database (with special characters percent-encoded)";
  }
  const url = new URL(value);
  if (!isDecodable(url.password)) {
    return "has a % in its password that is not percent-encoded: write it as %25";
  }
  if (isLoopback(url.hostname) || url.searchParams.get("sslmode") === "verify-full") return null;
  return "does not end in ?sslmode=verify-full, so the password could be read on its way";
}

function checkKey(value: string): string | null {
  return isEncryptionKey(value) ? null : "is not the base64 of 32 bytes";
}

function checkSecret(value: string): string | null {
  if (value.length < SHORTEST_SECRET) return `has fewer than ${SHORTEST_SECRET} characters`;
  return /^[\x21-\x7e]+$/.test(value) ? null : "has characters that a header cannot carry";
}

function checkCertificate(value: string): string | null {
  const certificates = restoreLineBreaks(value).split(/(?=-----BEGIN CERTIFICATE-----)/)
    .filter((text) => text.includes("-----BEGIN"));
  return certificates.length > 0 && certificates.every(isCertificate)
    ? null
    : "is not the text of a certificate (PEM)";
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text) !== null;
  } catch {
    return false;
  }
}

function checkPublicUrl(value: string): string | null {
  if (!URL.canParse(value)) return "is not a URL";
  const url = new URL(value);
  if (url.protocol !== "https:" && !isLoopback(url.hostname)) return "is not https";
  return url.pathname === "/" && url.search === "" ? null : "has a path: it must be the origin alone";
}

function checkMailUrl(value: string, env: Record<string, string>): string | null {
  if (!URL.canParse(value)) return "is not a URL";
  const { protocol, hostname, username } = new URL(value);
  if (protocol !== "https:" && !isLoopback(hostname)) return "is not https";
  if (username) return "has a user: the service's token goes into MAIL_TOKEN";
  return env["MAIL_TOKEN"] && env["MAIL_FROM"] ? null : "needs MAIL_TOKEN and MAIL_FROM beside it";
}

/** The address may have a path, because links begin with the whole address, and CORS compares only its origin. */
function checkAppOrigin(value: string): string | null {
  if (!URL.canParse(value)) return "is not a URL";
  const { protocol, hostname, search, hash, username } = new URL(value);
  if (protocol !== "https:" && !isLoopback(hostname)) return "is not https";
  if (value.endsWith("/")) return "has a slash at its end";
  return search || hash || username ? "has more than an address and a path" : null;
}

function checkOrigins(value: string): string | null {
  const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text;
  return value.split(",").every((text) => isOrigin(text.trim()))
    ? null
    : "is not a list of origins such as https://app.example, without a slash at the end, separated by commas";
}
