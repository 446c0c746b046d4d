/** The version of the API from which an error has the form `{code, message}`. */
const NEW_FORM = "2024-01-01";
const VERSION_HEADER = "x-supabase-api-version";

/** An error of GoTrue: its status, its `error_code`, and its English message, which supabase-js hands to the program. */
export class AuthError extends Error {
  override readonly name = "AuthError";

  /** @param extra Further fields of the body. */
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** The error as GoTrue answers it: in the form of the API version that the request names. */
export function errorResponse({ status, code, message, extra }: AuthError, request: Request): Response {
  const isNew = (request.headers.get(VERSION_HEADER) ?? "") >= NEW_FORM;
  const body = isNew
    ? { code, message, ...extra }
    : { code: status, error_code: code, msg: message, ...extra };
  return Response.json(body, {
    status,
    headers: { "x-sb-error-code": code, ...(isNew && { [VERSION_HEADER]: NEW_FORM }) },
  });
}
