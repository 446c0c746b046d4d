import { firstLine } from "../../local/stack_error.ts";

/** How long a function may take to answer. A cold start takes much less. */
const TIMEOUT_MS = 20_000;

export interface Reply {
  /** 0 if there was no reply. */
  status: number;
  /** The code in our error envelope; null if the reply has none. */
  code: string | null;
  /** The platform's code, such as BOOT_ERROR, if the platform answered instead of the function. */
  platformCode: string | null;
  /** The body, if it is a JSON object. */
  body: Record<string, unknown> | null;
  headers: Headers;
  error: string | null;
}

/** Sends one request and reads the reply. Never throws. */
export async function probe(url: string, init: RequestInit = {}): Promise<Reply> {
  try {
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = parseObject(await response.text());
    const error = body?.["error"] as { code?: unknown; data?: { code?: unknown } } | undefined;
    // In JSON-RPC the code is a number; the function mcp puts our code into `data`.
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
    const none = { status: 0, code: null, platformCode: null, body: null, headers: new Headers() };
    return { ...none, error: reasonOf(error) };
  }
}

/** The reason without the address, so that functions that fail for the same reason report the same text. */
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
