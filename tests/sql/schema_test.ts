import { needing } from "../support/needing.ts";
import { deno } from "../support/run.ts";

const CHECK = "run -A --quiet --config tools/schema/deno.json tools/schema/main.ts --check".split(" ");

Deno.test(needing(["the packages of tools/schema/"], {
  name: "The rights of verbs and the first release are what deno task schema would write",
  fn: async () => void await deno(CHECK),
}));
