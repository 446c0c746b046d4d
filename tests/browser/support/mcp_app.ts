// An AI assistant that connects with the official MCP client. It receives the authorization code on a loopback address,
// as a program on this device does.
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { MCP_URL, post, request } from "../../support/mcp.ts";

/** Collects the parameters of the redirects to a loopback port. */
function openCallback() {
  const answers: URLSearchParams[] = [];
  let waiting: ((answer: URLSearchParams) => void) | null = null;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/callback") return new Response(null, { status: 404 });
    if (waiting) waiting(searchParams);
    else answers.push(searchParams);
    waiting = null;
    const page = '<!doctype html><html lang="pt-BR"><title>Conectado</title><p>Conectado';
    return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    next: () => answers.shift() ?? new Promise<URLSearchParams>((resolve) => waiting = resolve),
    close: () => server.shutdown(),
  };
}

/** The client's tokens and registration, and the address to which it sends the person. */
function openProvider(name: string, redirectUrl: string) {
  let information: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
  let verifier = "";
  const kept = {
    tokens: undefined as Awaited<ReturnType<OAuthClientProvider["tokens"]>>,
    /** The address at which the person must sign in; null until the client asks. */
    wanted: null as URL | null,
  };
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: "none",
    },
    state: () => "estado",
    clientInformation: () => information,
    saveClientInformation: (given) => void (information = given),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.wanted = url),
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
  };
  return { provider, kept };
}

export type Assistant = ReturnType<typeof openAssistant>;

/** An assistant with this name, which is not connected yet. */
export function openAssistant(name: string) {
  const callback = openCallback();
  const { provider, kept } = openProvider(name, `${callback.origin}/callback`);
  let client = new Client({ name: "teste", version: "1.0.0" });
  let transport = new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider: provider });

  /** Connects; returns false if the client needs the person to authorize it first. */
  async function isLetIn(): Promise<boolean> {
    client = new Client({ name: "teste", version: "1.0.0" });
    transport = new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider: provider });
    try {
      await client.connect(transport);
      return true;
    } catch (error) {
      if (error instanceof UnauthorizedError) return false;
      throw error;
    }
  }

  return {
    origin: callback.origin,
    get client() {
      return client;
    },
    get tokens() {
      return kept.tokens;
    },
    /** Forgets the tokens and connects again; returns where the person must go. */
    async connect(): Promise<URL> {
      kept.tokens = undefined;
      kept.wanted = null;
      if (await isLetIn() || kept.wanted === null) throw new Error("The client was let in without a token");
      return kept.wanted;
    },
    /** The parameters of the next redirect, which the browser follows. */
    answer: async () => await callback.next(),
    /** Waits for the answer, exchanges the code and connects. */
    async finish(): Promise<void> {
      await transport.finishAuth((await callback.next()).get("code")!);
      if (!await isLetIn()) throw new Error("The client was not let in with its new token");
    },
    // deno-lint-ignore no-explicit-any -- each test asserts the fields that it expects
    async call(tool: string, args: Record<string, unknown> = {}): Promise<any> {
      const { structuredContent, isError } = await client.callTool({ name: tool, arguments: args });
      if (isError) throw new Error(JSON.stringify(structuredContent));
      return structuredContent;
    },
    /** Replaces the end of the access token, so that it is invalid and the client renews it at its next call. */
    spoilToken(): void {
      kept.tokens!.access_token = `${kept.tokens!.access_token.slice(0, -4)}AAAA`;
    },
    /** Sends a message without the client, which would renew the token. */
    send: () => post(request("tools/list"), { Authorization: `Bearer ${kept.tokens!.access_token}` }),
    /** Connects with the client's tokens; returns whether the person must sign in again. */
    async asksAgain(): Promise<boolean> {
      kept.wanted = null;
      return !await isLetIn() && kept.wanted !== null;
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await callback.close();
    },
  };
}
