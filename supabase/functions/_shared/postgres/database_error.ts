/** Whether Postgres said this error, or a pooler in its protocol. By what only such have, so that no driver is loaded for it. */
export function isDatabaseError(error: unknown): error is Error & { code?: string } {
  return error instanceof Error && "severity" in error;
}
