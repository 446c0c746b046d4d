/** `deno task nodes`: prints the proxy's functions, which pass the statements of supabase/functions on to the nodes. */
import { generateDoors } from "./doors.ts";

console.log(await generateDoors());
