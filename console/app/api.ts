/** Calls the functions with the session and the chosen workspace. */
import { locale } from "../strings/locale.ts";
import { textNamed } from "../strings/strings.ts";
import { Failure } from "./failure.ts";
import { reach } from "./reach.ts";
import { accessToken, dropSession, renewSession } from "./session.ts";
import { chosenWorkspace, forgetWorkspace, mustChoose } from "./workspace_choice.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

interface Options {
  body?: unknown;
  signal?: AbortSignal;
  /** The id of a workspace other than the open one. */
  workspace?: string;
}

/**
 * Calls a function: `call("GET", "app-v1-keys")`. Resolves with its reply, undefined for 204; rejects with a Failure.
 * If the session has ended, opens the sign-in page. If the person must choose a workspace, opens the page for it.
 */
export async function call<T>(
  method: Method,
  path: string,
  options: Options = {},
): Promise<T> {
  const writing = method !== "GET";
  let reply = await send(method, path, await accessToken(writing), options);
  if (reply.status === 401) {
    const renewed = await renewSession(writing);
    if (renewed !== null) reply = await send(method, path, renewed, options);
  }
  if (reply.ok) return (reply.status === 204 ? undefined : await readJson(reply, writing)) as T;
  const failure = await failureOf(reply, writing);
  if (failure.kind === "session") await dropSession();
  else if (failure.code === "workspace_required") mustChoose.value = true;
  else if (failure.code === "not_a_member" && !options.workspace && chosenWorkspace.value) forgetWorkspace();
  throw failure;
}

function send(
  method: Method,
  path: string,
  token: string,
  { workspace = chosenWorkspace.value ?? "", ...options }: Options,
): Promise<Response> {
  const headers = new Headers({ accept: "application/json", authorization: `Bearer ${token}` });
  if (workspace !== "") headers.set("x-workspace-id", workspace);
  return reach(method, `functions/v1/${path}`, headers, options);
}

async function readJson(reply: Response, writing: boolean): Promise<unknown> {
  try {
    return await reply.json();
  } catch {
    throw new Failure({ kind: "away", writing, requestId: reply.headers.get("x-request-id") });
  }
}

async function failureOf(reply: Response, writing: boolean): Promise<Failure> {
  const { error } = await reply.json().catch(() => ({})) as {
    error?: { code: string; message: string; details?: { field: string; message: string }[] };
  };
  // The functions write in Portuguese. In English, the code's text replaces their message, if the code has one.
  const english = error && locale.value === "en" ? textNamed(`failure.field.${error.code}`) : null;
  return new Failure({
    kind: reply.status === 401
      ? "session"
      : reply.status === 429
      ? "limited"
      : reply.status >= 500 || !error
      ? "server"
      : "refused",
    code: error?.code ?? `http_${reply.status}`,
    text: error?.message ?? "",
    fields: Object.fromEntries(
      (error?.details ?? []).map(({ field, message }) => [field, english ?? message]),
    ),
    requestId: reply.headers.get("x-request-id"),
    retryAfter: Number(reply.headers.get("retry-after")) || 0,
    writing,
  });
}
