export type FailureKind =
  /** No complete reply: no network, or the server did not answer in time. */
  | "away"
  /** The session has ended; the sign-in page opens. */
  | "session"
  | "limited"
  | "server"
  /** The function refused the call: `code` says why, and nothing was saved. */
  | "refused";

export class Failure extends Error {
  readonly kind: FailureKind;
  readonly code: string;
  /** The server's message, in Portuguese. */
  readonly text: string;
  readonly fields: Record<string, string>;
  readonly requestId: string | null;
  /** Seconds until another try may succeed. */
  readonly retryAfter: number;
  /** Whether the call would have changed something. */
  readonly writing: boolean;

  constructor(given: {
    kind: FailureKind;
    code?: string;
    text?: string;
    fields?: Record<string, string>;
    requestId?: string | null;
    retryAfter?: number;
    writing: boolean;
  }) {
    super(given.code ?? given.kind);
    this.kind = given.kind;
    this.code = given.code ?? given.kind;
    this.text = given.text ?? "";
    this.fields = given.fields ?? {};
    this.requestId = given.requestId ?? null;
    this.retryAfter = given.retryAfter ?? 0;
    this.writing = given.writing;
  }
}

/** Returns a thrown Failure. Rethrows any other value, because it is an error in the console's own code. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  throw thrown;
}
