/** An error of Supabase Auth, with the status, the code and the English message that supabase-js passes on. */
export class AuthError extends Error {
  override readonly name = "AuthError";

  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }

  response(): Response {
    const { status, code, message } = this;
    const headers = { "x-sb-error-code": code };
    return Response.json({ code: status, error_code: code, msg: message }, { status, headers });
  }
}

/** An OAuth error of the token endpoint (RFC 6749, 5.2). */
export class OAuthError extends Error {
  override readonly name = "OAuthError";

  constructor(readonly code: string, message: string) {
    super(message);
  }

  response(): Response {
    return Response.json({ error: this.code, error_description: this.message }, { status: 400 });
  }
}
