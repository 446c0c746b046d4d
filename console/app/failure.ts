/** Why a call did not do what was asked. */

export type FailureKind =
  /** No reply: the network is away, or the server did not answer in time. */
  | "away"
  /** The session has ended; the person is led to sign in. */
  | "session"
  | "limited"
  | "server"
  /** The functions refused it: `code` says why, and nothing was kept. */
  | "refused";

export class Failure extends Error {
  readonly kind: FailureKind;
  readonly code: string;
  /** What the server says, in Portuguese. */
  readonly text: string;
  readonly fields: Record<string, string>;
  readonly requestId: string | null;
  /** Seconds until another try may succeed. */
  readonly retryAfter: number;
  /** Whether it would have changed something. */
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

/** Returns what was thrown as a Failure; rethrows a mistake of the console itself. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  throw thrown;
}
