/** What belongs to a code, wherever it is raised. */
export interface ErrorKind {
  status: number;
  /** Portuguese, for the client: what is wrong and what is allowed. */
  message: string;
  /** English, for docs/errors.md: what a client should do. */
  remedy: string;
  /** English, for docs/errors.md and the OpenAPI document: when the error is returned. */
  when: string;
  /** Portuguese: the message for a field that a verb reports without its own message. */
  field?: string;
}
