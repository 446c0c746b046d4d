/** A reply of the service, read to its end. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // deno-lint-ignore no-explicit-any -- each test asserts the fields that it expects
  body: any;
}

/** Reads a reply whose body is JSON; the body is null if the reply has none. */
export async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === "" ? null : JSON.parse(text),
  };
}
