import { Socket } from "node:net";
import postgres from "postgres";

/**
 * A client for tools and tests. (The functions have their own, `_shared/postgres/database.ts`.)
 *
 * postgres.js sends what has gathered from a timer, and on Deno 2.1 a timer that was cleared may still fire: it then
 * writes `null`, which throws where nobody can catch it and ends the process (denoland/deno#29262).
 */
export function openSql(url: string, options: postgres.Options<Record<string, never>> = {}): postgres.Sql {
  return postgres(url, { onnotice: () => {}, ...options });
}

const { prototype } = Socket;
const write = prototype.write as (...args: unknown[]) => boolean;
prototype.write = function (this: Socket, ...args: unknown[]): boolean {
  return args[0] === null || write.apply(this, args);
};
