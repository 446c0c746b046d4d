// Properties that mark the details of errors for nearest_name.ts. Their keys are symbols, so that JSON.stringify leaves
// them out of replies and of the arguments of verbs.
import type { FieldError } from "../contract/errors.ts";

/** Marks the detail of a field or parameter that was not sent. */
export const MISSING = Symbol("missing");

/** The key of a detail's {@link Near}. */
export const NEAR = Symbol("near");

/** An unknown name, and the valid names from which the error suggests the nearest. */
export interface Near {
  name: string;
  /** The valid names that were not sent. */
  among: readonly string[];
  /**
   * `error`: the unknown name is an error in any case. `if near`: the name is reported only if it resembles one of
   * `among`.
   */
  named: "error" | "if near";
}

export type UnknownDetail = FieldError & { [NEAR]?: Near };

/** The detail of a parameter that the call does not have. */
export function unknownParameter(name: string, among: readonly string[]): UnknownDetail {
  return { field: name, message: "Parâmetro desconhecido", [NEAR]: { name, among, named: "error" } };
}
