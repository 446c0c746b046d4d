import { firstLine } from "../../local/stack_error.ts";

/** A function that starts cold and loads its modules answers well within this. */
const TIMEOUT_MS = 20_000;

/** What came back from a request to a function. */
export interface Reply {
  /** 0 where nothing came back. */
  status: number;
  /** The code of our error envelope; null where the reply is not in it. */
  code: string | null;
  /** The platform's own code, such as BOOT_ERROR, where the platform answered in place of the function. */
  platformCode: string | null;
  /** The body as JSON; null where it is none. */
  body: Record<string, unknown> | null;
  headers: Headers;
  /** Why nothing came back. */
  error: string | null;
}

/** Sends one request and reads what came back. It never throws. */
export async function probe(url: string, init: RequestInit = {}): Promise<Reply> {
  try {
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = parseObject(await response.text());
    const error = body?.["error"] as { code?: unknown; data?: { code?: unknown } } | undefined;
    // JSON-RPC has numbers; MCP's replies have the code of our error beside it.
    const code = error?.data?.code ?? error?.code;
    const platformCode = response.headers.get("sb-error-code") ?? body?.["code"];
    return {
      status: response.status,
      code: typeof code === "string" ? code : null,
      platformCode: typeof platformCode === "string" ? platformCode : null,
      body,
      headers: response.headers,
      error: null,
    };
  } catch (error) {
    return {
      status: 0,
      code: null,
      platformCode: null,
      body: null,
      headers: new Headers(),
      error: reasonOf(error),
    };
  }
}

/** Without the address, which the caller knows, so that one cause is one text. */
function reasonOf(error: unknown): string {
  return firstLine(error).replace(/ for url \([^)]*\)/, "");
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
