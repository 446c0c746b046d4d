/** A mistake that one line can tell: what is wrong and what to do about it. It is shown without a stack trace. */
export class StackError extends Error {
  override name = "StackError";
}

/** The one line to show for anything that was thrown. */
export function oneLine(error: unknown): string {
  // A refused connection may come as an AggregateError, which has a code and no message.
  const text = error instanceof Error
    ? error.message || (error as { code?: string }).code || error.name
    : `${error}`;
  return text.split("\n", 1)[0] ?? text;
}
