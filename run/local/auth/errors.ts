/** An error of Supabase Auth: its status, its code, and its English message, which supabase-js hands to the program. */
export class AuthError extends Error {
  override readonly name = "AuthError";

  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** The error as a response that supabase-js reads. */
export function errorResponse({ status, code, message }: AuthError): Response {
  const headers = { "x-sb-error-code": code };
  return Response.json({ code: status, error_code: code, msg: message }, { status, headers });
}
