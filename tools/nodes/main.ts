/** `deno task nodes`: writes the doors of the proxy, from the statements that the functions send. */
import { writtenDoors } from "./doors.ts";

export const WRITTEN = new URL("../../run/nodes/proxy_written.sql", import.meta.url);

if (import.meta.main) await Deno.writeTextFile(WRITTEN, await writtenDoors());
