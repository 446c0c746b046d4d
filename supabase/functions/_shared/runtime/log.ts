/** The fields of a log line. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

/**
 * Writes one line of JSON to standard output. Never pass it a key, a body, an e-mail address or a secret.
 *
 * @param event what happened, e.g. `request`
 */
export function log(event: string, fields: LogFields): void {
  console.log(JSON.stringify({ at: new Date().toISOString(), event, ...fields }));
}
