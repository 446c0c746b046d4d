/**
 * Whether Postgres or a pooler sent this error. Checks a property, because checking the class would load the driver.
 */
export function isDatabaseError(error: unknown): error is Error & { code?: string } {
  return error instanceof Error && "severity" in error;
}
