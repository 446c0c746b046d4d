/** What one line of the log says. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

/**
 * One line of JSON on standard output. Never give it a key, a body, an e-mail or a secret.
 *
 * @param event what happened, e.g. `request`
 */
export function log(event: string, fields: LogFields): void {
  console.log(JSON.stringify({ at: new Date().toISOString(), event, ...fields }));
}
