import { Socket } from "node:net";
import postgres from "postgres";

/** Creates a client for tools and tests. (The functions have their own, `_shared/postgres/database.ts`.) */
export function openSql(url: string, options: postgres.Options<Record<string, never>> = {}): postgres.Sql {
  return postgres(url, { onnotice: () => {}, ...options });
}

// postgres.js sends its buffer from a timer, and on Deno 2.1 a cleared timer may still fire (denoland/deno#29262). It
// then writes `null`, and the error cannot be caught and ends the process. So a write of `null` is ignored.
const { prototype } = Socket;
const write = prototype.write as (...args: unknown[]) => boolean;
prototype.write = function (this: Socket, ...args: unknown[]): boolean {
  return args[0] === null || write.apply(this, args);
};
