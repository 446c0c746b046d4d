import { resolve } from "node:path";
import { StackError } from "./stack_error.ts";

export interface Settings {
  /** Absolute path of the folder with all files of the stack. */
  dataDir: string;
  /** Port of the gateway; 0 for any free port. */
  port: number;
  /** Address of a Postgres to use; null for the embedded Postgres. */
  databaseUrl: string | null;
  /** The console's address, without a slash at its end; null for the gateway's. */
  appOrigin: string | null;
}

/**
 * Reads DATA_DIR (default `.local`), PORT (default 54321), DATABASE_URL and APP_ORIGIN.
 * @throws StackError if a value cannot be used.
 */
export function readSettings(): Settings {
  return {
    dataDir: resolve(Deno.env.get("DATA_DIR") || ".local"),
    port: readPort(Deno.env.get("PORT") || "54321"),
    databaseUrl: checkDatabaseUrl("DATABASE_URL", Deno.env.get("DATABASE_URL") || null),
    appOrigin: readAppOrigin(Deno.env.get("APP_ORIGIN") || null),
  };
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) {
    throw new StackError(`PORT is "${text}": set it to a number from 0 (any free port) to 65535`);
  }
  return port;
}

function readAppOrigin(text: string | null): string | null {
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    !url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "" || url.hash !== ""
  ) {
    throw new StackError(
      `APP_ORIGIN is "${text}": set it to the console's address, such as https://crm.example.com, or unset it`,
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** @param name the variable or option, for the error. @throws StackError if the value is not an address of Postgres. */
export function checkDatabaseUrl<Text extends string | null>(name: string, text: Text): Text {
  if (text === null) return text;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    !url || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === "" ||
    !isDecodable(url.username) || !isDecodable(url.password)
  ) {
    // The value is not repeated, because it contains a password.
    throw new StackError(
      `${name} is not an address of Postgres: set it to postgresql://user:password@host:5432/database, or unset it`,
    );
  }
  return text;
}

/** Whether a part of a URL can be decoded. A `%` in it must be written `%25`. */
export function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== null;
  } catch {
    return false;
  }
}
