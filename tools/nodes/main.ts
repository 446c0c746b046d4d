/** `deno task nodes`: writes the proxy's functions, which pass the statements of supabase/functions on to the nodes. */
import { writtenDoors } from "./doors.ts";

export const WRITTEN = new URL("../../run/nodes/proxy_written.sql", import.meta.url);

if (import.meta.main) await Deno.writeTextFile(WRITTEN, await writtenDoors());
