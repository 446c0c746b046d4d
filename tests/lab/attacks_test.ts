import { runShort } from "../support/lab.ts";

// The sizes of `--short`; the whole figures, and those of the other attacks, are in docs/security.md.
for (
  const [subject, name] of [
    [
      "large-bodies",
      "Large bodies without a valid credential do not delay other callers, and take no memory",
    ],
    [
      "hostile-headers",
      "A header that is expensive to read does not delay other callers, whatever key comes with it",
    ],
    ["random-keys", "Random keys and tokens do not delay other callers"],
    ["large-pages", "Pages of the largest records stay small, and do not delay other callers"],
  ] as const
) {
  Deno.test(name, () => runShort("attacks", subject));
}
