/** An error that the user can correct. Its message is one line that says what is wrong and what to do. */
export class StackError extends Error {
  override name = "StackError";
}

/** The first line of an error's message, or of its code or name if it has no message. */
export function firstLine(error: unknown): string {
  // A refused connection may be an AggregateError with a code and no message.
  const text = error instanceof Error
    ? error.message || (error as { code?: string }).code || error.name
    : `${error}`;
  return text.split("\n", 1)[0] ?? text;
}
