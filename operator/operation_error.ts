import postgres from "postgres";

/** Why an operation was refused, in one line that the operator understands. It is shown without a stack trace. */
export class OperationError extends Error {
  override name = "OperationError";
}

/** The refusal of an id that belongs to nothing, e.g. `No member has the id "…"`. */
export function unknownId(thing: string, id: string): OperationError {
  return new OperationError(`No ${thing} has the id "${id}"`);
}

/**
 * Makes of a violated constraint the words that belong to it.
 * @param reasons The refusal for each constraint, by its name.
 * @returns A handler for `catch`, which throws an OperationError, or on, what has no words here.
 */
export function refuseViolation(reasons: Record<string, string>): (error: unknown) => never {
  return (error) => {
    const constraint = error instanceof postgres.PostgresError ? error.constraint_name : undefined;
    const reason = constraint === undefined ? undefined : reasons[constraint];
    throw reason === undefined ? error : new OperationError(reason);
  };
}
