/** What belongs to a code, wherever it is raised; tools/errors/ has what the documents say of it. */
export interface ErrorKind {
  status: number;
  /** Portuguese, for the client: what is wrong and what is allowed. */
  message: string;
  /** Portuguese: the message for a field that a verb reports without its own message. */
  field?: string;
}
