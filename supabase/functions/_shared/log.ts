/**
 * One line of JSON on standard output. Never give it a key, a body, an e-mail or a secret.
 *
 * @param event what happened, e.g. `request`
 */
export function log(
  event: string,
  fields: Record<string, string | number | boolean | null | undefined>,
): void {
  console.log(JSON.stringify({ at: new Date().toISOString(), event, ...fields }));
}
