// What an error remembers about an unknown name until the nearest valid one is looked for (nearest_name.ts). The keys are
// symbols, which neither a reply nor the arguments of a verb contain.
import type { FieldError } from "../contract/errors.ts";

/** Marks the detail of a field or parameter that was not sent. */
export const MISSING = Symbol("missing");

/** The key of {@link Near}. */
export const NEAR = Symbol("near");

/** Where to look for what an unknown name may have meant. */
export interface Near {
  name: string;
  /** The valid names that were not sent. */
  among: readonly string[];
  /** Whether the name is an error by itself, or worth telling only if there is a name like it. */
  named: "error" | "if near";
}

/** The detail of an unknown name. */
export type UnknownDetail = FieldError & { [NEAR]?: Near };
