import assert from "node:assert/strict";
import { join } from "node:path";

const SCRIPT = join(import.meta.dirname!, "../../lab/reliability/main.ts");

// The sizes of `--short`; the whole figures are in docs/reliability.md.
for (
  const [figure, name] of [
    [1, "Dispatchers that are killed lose nothing, and send again under the same id alone"],
    [2, "Deliveries go on after Postgres has crashed, and none is lost"],
    [3, "A holder whose lease was taken over changes no row"],
    [4, "A dispatcher whose clock is an hour off keeps the schedule"],
    [5, "A receiver that hangs does not hold up the others"],
    [6, "First attempts are prompt with the poke"],
    [7, "Deliveries are quick enough, and a run of them stays within its limits"],
    [8, "16 concurrent dispatchers deactivate a subscription once"],
  ] as const
) {
  Deno.test(name, async () => {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", SCRIPT, "--short", "--only", String(figure)],
    }).output();
    assert.ok(success, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
  });
}
