import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  ApiError,
  type ErrorCode,
  unknownAddress,
} from "../../supabase/functions/_shared/contract/errors.ts";
import { functionNames, FUNCTIONS_FOLDER } from "./function_names.ts";
import { firstLine, StackError } from "./stack_error.ts";

const PREFIX = "/functions/v1";
/** How long requests in progress may take when the gateway closes. */
const CLOSE_TIMEOUT_MS = 5_000;
/**
 * A well-formed Host header. Deno puts the header, unchecked, between `http://` and the path of the URL, so the header
 * `x/functions/v1/proposals?` would reach a function. An absent header counts as empty.
 */
const HOST = /^([\w.~-]*|\[[\da-f:.]+\])(:\d*)?$/i;

type Handler = Deno.ServeHandler<Deno.NetAddr>;
/** Returns null if there is no such page. */
type OtherHandler = (request: Request) => Promise<Response | null>;

export interface Gateway {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /**
   * Loads every function. Until then every request gets 503. Functions read most variables when they are loaded, so set
   * these before; they read DATABASE_URL at the first request.
   * @param prepared requests get 503 until it resolves, and always if it rejects
   */
  openFunctions(folder?: string, prepared?: Promise<unknown>): Promise<void>;
  /**
   * Serves paths outside `/functions/v1/` that begin with `prefix`, once the functions are loaded. If several prefixes
   * match, the one that was added first counts. The handler sees a URL with the gateway's own address.
   */
  serve(prefix: string, handler: OtherHandler): void;
  /** Accepts no more requests, and waits for those in progress for at most CLOSE_TIMEOUT_MS. */
  close(): Promise<void>;
}

/**
 * Listens on the port at once, so that a port in use is reported before anything else starts.
 * @param port of 127.0.0.1; 0 for any free port
 * @throws StackError if the port cannot be used.
 */
export function openGateway(port: number): Gateway {
  const handlers = new Map<string, Handler>();
  const others: { prefix: string; handler: OtherHandler }[] = [];
  const broken = new Set<string>();
  let ready = false;

  function handle(request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>): Response | Promise<Response> {
    const { url } = request;
    if (!HOST.test(request.headers.get("host") ?? "")) {
      // RFC 9112 requires 400.
      return errorResponse(new ApiError("bad_request", undefined, "O cabeçalho Host é inválido"));
    }
    if (!ready) return errorResponse("service_unavailable");
    const pathStart = url.indexOf("/", url.indexOf("//") + 2);
    const name = functionName(url, pathStart);
    const handler = handlers.get(name);
    if (!handler) {
      if (broken.has(name)) return errorResponse("service_unavailable");
      return name === "" ? serveOther(request) : errorResponse(unknownAddress);
    }
    // As on Supabase, a function sees a path that begins with its name. The property is overridden, because a new
    // Request would cost a tenth of the throughput.
    Object.defineProperty(request, "url", { value: origin + url.slice(pathStart + PREFIX.length) });
    setAddress(request.headers, info.remoteAddr.hostname);
    return handler(request, info);
  }

  async function serveOther(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const other = others.find(({ prefix }) => pathname.startsWith(prefix));
    Object.defineProperty(request, "url", { value: origin + pathname + search });
    return await other?.handler(request) ?? errorResponse(unknownAddress);
  }

  const server = listen(port, handle);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return {
    origin,
    async openFunctions(folder = FUNCTIONS_FOLDER, prepared) {
      for (const name of await functionNames(folder)) {
        try {
          handlers.set(name, await loadFunction(join(folder, name), server));
        } catch (error) {
          broken.add(name);
          console.error(
            `The function ${name} could not be loaded; the others are served. ${describe(error)}`,
          );
        }
      }
      await prepared;
      ready = true;
    },
    serve(prefix, handler) {
      others.push({ prefix, handler });
    },
    async close() {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const timeout = new Promise((resolve) => timer = setTimeout(resolve, CLOSE_TIMEOUT_MS));
      await Promise.race([server.shutdown(), timeout]);
      clearTimeout(timer);
    },
  };
}

/**
 * Gives functions the caller's address in the header that Cloudflare overwrites in front of Supabase. Replaces only
 * the method `get`, because a request's headers cannot be changed and copying them would cost throughput.
 */
function setAddress(headers: Headers, address: string): void {
  const get = headers.get.bind(headers);
  const value = (name: string) => name.toLowerCase() === "cf-connecting-ip" ? address : get(name);
  Object.defineProperty(headers, "get", { value });
}

function listen(port: number, handle: Handler): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {}, onError }, handle);
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) {
      throw new StackError(
        `Port ${port} is in use: stop the program that uses it, or set PORT to another port (0: any free port)`,
      );
    }
    throw new StackError(`Port ${port} cannot be used (${firstLine(error)}): set PORT to another port`);
  }
}

function onError(error: unknown): Response {
  console.error(`A function threw. ${describe(error)}`);
  return errorResponse("internal_error");
}

/** `/functions/v1/<name>/…` → `<name>`; "" for any other path. */
function functionName(url: string, pathStart: number): string {
  if (!url.startsWith(`${PREFIX}/`, pathStart)) return "";
  return /^[^/?#]*/.exec(url.slice(pathStart + PREFIX.length + 1))?.[0] ?? "";
}

/**
 * Imports the `index.ts` of a function and returns the handler that it passes to Deno.serve. Functions must be loaded
 * one after the other, because each load replaces Deno.serve.
 */
async function loadFunction(folder: string, server: Deno.HttpServer<Deno.NetAddr>): Promise<Handler> {
  const deno = Deno as { serve: unknown };
  const serve = deno.serve;
  let handler: Handler | undefined;
  deno.serve = (...args: unknown[]) => {
    handler = args.find((arg): arg is Handler => typeof arg === "function");
    return server;
  };
  try {
    await import(pathToFileURL(join(folder, "index.ts")).href);
  } finally {
    deno.serve = serve;
  }
  if (!handler) throw new Error("its index.ts does not call Deno.serve(handler)");
  return handler;
}

function errorResponse(cause: ErrorCode | ApiError): Response {
  const error = typeof cause === "string" ? new ApiError(cause) : cause;
  return new Response(error.body(), {
    status: error.status,
    headers: { "content-type": "application/json; charset=utf-8", "x-content-type-options": "nosniff" },
  });
}

/** The error with its stack, so that a developer can find the failing line of the function. */
function describe(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}
