import { ERRORS } from "../../supabase/functions/_shared/contract/errors.ts";
import { endpoints } from "./endpoints.ts";
import { errorTests } from "./errors.ts";
import { events } from "./events.ts";
import { records } from "./records.ts";
import { type Part, rule } from "./rule.ts";
import { service } from "./service.ts";

const errors: Part = {
  part: "7",
  title: "Errors",
  rules: [
    rule(
      "the envelope; status and text belong to the code",
      "Whatever is wrong with a call, the answer's status, code and headers are in the OpenAPI document",
    ),
    ...Object.keys(ERRORS).map((code) => rule(`\`${code}\``, ...errorTests[code as keyof typeof ERRORS])),
  ],
};

/** Every rule of the contract, in the contract's order. */
export const parts: readonly Part[] = [...records, ...endpoints, ...events, errors, ...service]
  .sort((a, b) => a.part.localeCompare(b.part, "en", { numeric: true }));
