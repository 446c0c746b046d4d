import { runShort } from "../support/lab.ts";

// The sizes of `--short`; the whole figures are in docs/reliability.md.
for (
  const [figure, name] of [
    [1, "Killed dispatchers lose no delivery, and repeat one only under its own id"],
    [2, "Deliveries continue after Postgres has crashed, and none is lost"],
    [3, "A holder whose lease was taken over changes no row"],
    [4, "A dispatcher whose clock is an hour off keeps the schedule"],
    [5, "A receiver that hangs does not delay the others"],
    [6, "The first attempt follows within 2 s of the poke"],
    [7, "Dispatchers reach the required rate, and a run stays within its limits of CPU and memory"],
    [8, "16 concurrent dispatchers deactivate a subscription once"],
  ] as const
) {
  Deno.test(name, () => runShort("reliability", "--only", String(figure)));
}
