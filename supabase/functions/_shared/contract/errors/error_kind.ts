/** The status and texts of a code in replies. tools/errors/ has the documentation of each code. */
export interface ErrorKind {
  status: number;
  /** Portuguese, for the client: what is wrong and what is allowed. */
  message: string;
  /** Portuguese: the message for a field that a verb reports without a message. */
  field?: string;
}
