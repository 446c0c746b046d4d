/** The status and texts of a code in replies. The texts about it in the documents are in tools/errors/. */
export interface ErrorKind {
  status: number;
  /** Portuguese, for the client: what is wrong and what is allowed. */
  message: string;
  /** Portuguese: the message for a field that a verb reports without a message. */
  field?: string;
}
