/**
 * Whether Postgres or a pooler sent this error. Checks a property instead of the class, which would load the driver.
 */
export function isDatabaseError(error: unknown): error is Error & { code?: string } {
  return error instanceof Error && "severity" in error;
}
