import { CrmError } from "./error.ts";
import { type Operation, type OperationId, OPERATIONS } from "./operations.ts";
import { etagOf, readReply } from "./reply.ts";
import { REPEATABLE, sleep, waitBefore } from "./retry.ts";

/** What `onRetry` gets before a call is retried. */
export interface Retry {
  operation: OperationId;
  /** Number of the attempt that failed, from 1. */
  attempt: number;
  /** Seconds until the next attempt. */
  wait: number;
  error: CrmError;
}

/** The options of a {@link Crm}. */
export interface CrmOptions {
  /**
   * The API key, which begins with `svc_`. Keep it on a server. Null if you only use public links of proposals.
   */
  key: string | null | undefined;
  /** The address of the API, which ends in `/functions/v1`. */
  baseUrl: string | undefined;
  /** Maximum milliseconds of one attempt; 30,000 by default. */
  timeout?: number | undefined;
  /** Maximum retries of a call after its first attempt; 5 by default. */
  retries?: number | undefined;
  /**
   * Maximum wait before a retry, in seconds; 120 by default. If a reply asks for a longer wait, the call fails at
   * once with the error of that reply.
   */
  maxWait?: number | undefined;
  /** Whether the API refuses an unknown or read-only field in a body. By default the API ignores the field. */
  strict?: boolean | undefined;
  /** Called before each retry, for example to log it. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** Sends the requests; the global `fetch` by default. */
  fetch?: typeof fetch | undefined;
}

/** The options that every method takes as its last argument. */
export interface CallOptions {
  /** Aborts the call, even while it waits for a retry. The call then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Maximum milliseconds of one attempt; by default the `timeout` of {@link CrmOptions}. */
  timeout?: number | undefined;
  /** As `strict` of {@link CrmOptions}, for this call. */
  strict?: boolean | undefined;
}

/** Options of calls that send an `Idempotency-Key`. */
export interface CreateOptions extends CallOptions {
  /**
   * Repeating a call with the same key and body within 24 hours creates nothing twice. By default the key is random,
   * which protects only the retries that the SDK makes. A key from your own data (`order-1042`) also protects a call
   * that your program repeats after a restart.
   */
  idempotencyKey?: string | undefined;
}

/** Options of calls that support a dry run. */
export interface DryRunOptions extends CreateOptions {
  /** Returns what the call would do, and writes nothing. */
  dryRun?: boolean | undefined;
}

/** Options of an update. */
export interface UpdateOptions extends CallOptions {
  /**
   * The record as it was read, or its ETag. If the record has changed since, the call changes nothing and fails with
   * `precondition_failed`.
   */
  ifMatch?: string | object | undefined;
}

/** Options for reading a record. */
export interface ReadOptions<Expansion extends string = string> extends CallOptions {
  ifNoneMatch?: undefined;
  /** The related records to show with id and name, beside their `_id` field. */
  expand?: readonly Expansion[] | undefined;
}

/** Options for a conditional read. */
export interface ReadAgainOptions<Expansion extends string = string> extends CallOptions {
  expand?: readonly Expansion[] | undefined;
  /** The record as it was read before, or its ETag. If the record has not changed since, the result is null. */
  ifNoneMatch: string | object;
}

/** The options of all calls together. */
export interface AnyOptions extends DryRunOptions, UpdateOptions {
  ifNoneMatch?: string | object | undefined;
  expand?: readonly string[] | undefined;
}

/** The parts of a request, and the options of its call. */
export interface Input {
  path?: Record<string, string>;
  query?: object | undefined;
  body?: object | undefined;
  options?: AnyOptions | undefined;
}

const utf8 = new TextEncoder();

/** Calls operations, and retries a failed call if that is safe. */
export class Http {
  readonly #options: CrmOptions & { key: string | null; baseUrl: string };

  constructor(options: CrmOptions) {
    const { key, baseUrl } = options;
    if (!baseUrl) throw new TypeError("new Crm: baseUrl is missing, the address that ends in /functions/v1");
    // Without this check every call would be retried and finally fail with `no_answer`.
    if (!URL.canParse(baseUrl)) throw new TypeError(`new Crm: baseUrl ${baseUrl} is not a URL`);
    if (key === undefined || key === "") throw new TypeError("new Crm: key is missing");
    // A runtime that refuses the key as a header value would show the key in its error.
    if (key !== null && !/^[\x21-\x7e]+$/.test(key.trim())) throw new TypeError("new Crm: key is malformed");
    this.#options = { ...options, key, baseUrl: baseUrl.replace(/\/+$/, "") };
  }

  /** Calls an operation, and retries until it succeeds or must not be retried. */
  async call<Reply>(id: OperationId, input: Input = {}): Promise<Reply> {
    const { retries = 5, maxWait = 120, onRetry } = this.#options;
    const operation = OPERATIONS[id];
    const { signal, ifMatch } = input.options ?? {};
    // Prepared once, so that every attempt has the same Idempotency-Key and the same body.
    const send = this.#prepare(operation, input);
    // If the first attempt changed the record, a second attempt with the same If-Match would fail.
    const repeatable = operation.method === "POST"
      ? operation.keyed === true || REPEATABLE.has(id)
      : !ifMatch;
    for (let attempt = 1;; attempt++) {
      try {
        return await send() as Reply;
      } catch (error) {
        if (!(error instanceof CrmError)) throw error;
        const survivor = error.details[0]?.id;
        if (error.code === "merged" && survivor) {
          return await this.call(id, { ...input, path: { ...input.path, id: survivor } });
        }
        const mayWait = attempt <= retries && (error.retryAfter ?? 0) <= maxWait;
        const proposed = mayWait ? waitBefore(error, attempt, repeatable) : null;
        if (proposed === null) throw error;
        // With its random part the wait may exceed maxWait, but by at most a second.
        const wait = Math.min(proposed, maxWait + 1);
        onRetry?.({ operation: id, attempt, wait, error });
        await sleep(wait, signal);
      }
    }
  }

  #prepare(
    { method, path, keyed, open }: Operation,
    { path: parameters = {}, query, body, options = {} }: Input,
  ): () => Promise<unknown> {
    const { key, baseUrl, strict, timeout = 30_000 } = this.#options;
    const { signal, idempotencyKey, ifMatch, ifNoneMatch, expand, dryRun } = options;
    // The path without ids, tokens and search words, because error messages are often logged.
    const target = `${method} ${baseUrl}${path}`;
    const url = baseUrl + path.replace(/\{(\w+)\}/g, (_, name) => segment(name, parameters[name])) +
      search({ ...query, ...(expand && { expand }), ...(dryRun && { dry_run: true }) });
    const headers = new Headers({ "Accept": "application/json" });
    if (key !== null && !open) headers.set("X-API-Key", key);
    if (keyed) headers.set("Idempotency-Key", idempotencyKey ?? crypto.randomUUID());
    if (ifMatch) headers.set("If-Match", etagOf(ifMatch));
    if (ifNoneMatch) headers.set("If-None-Match", etagOf(ifNoneMatch));
    if (options.strict ?? strict) headers.set("Prefer", "handling=strict");
    if (body !== undefined) headers.set("Content-Type", "application/json");
    // Sent as bytes, because with a string some runtimes append a charset to Content-Type.
    const bytes = body === undefined ? null : utf8.encode(JSON.stringify(body));
    return async () => {
      signal?.throwIfAborted();
      const late = AbortSignal.timeout(options.timeout ?? timeout);
      try {
        const send = this.#options.fetch ?? fetch;
        return await readReply(
          await send(url, {
            method,
            headers,
            body: bytes,
            // A followed redirect would send the key to another host. For a merged record, `call` sends a new request.
            redirect: "manual",
            signal: signal ? AbortSignal.any([signal, late]) : late,
          }),
        );
      } catch (cause) {
        if (cause instanceof CrmError) throw cause;
        signal?.throwIfAborted();
        throw late.aborted
          ? new CrmError({ code: "timeout", message: `No reply from ${target} in time`, cause })
          : new CrmError({ code: "no_answer", message: `No reply from ${target}`, cause });
      }
    };
  }
}

/**
 * Encodes an id for the path. Refuses an empty id, `.` and `..`, because the URL would then name another operation,
 * such as the list instead of the record.
 */
function segment(name: string, value: string | undefined): string {
  if (!value) throw new TypeError(`${name} is missing`);
  if (value === "." || value === "..") throw new TypeError(`${name} must not be "${value}"`);
  return encodeURIComponent(value);
}

function search(query: object): string {
  const entries = Object.entries(query).flatMap(([name, value]) => parametersOf(name, value));
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
}

/** The query parameters for a value. An object becomes several: `custom[key]`, `custom[key][gte]`. */
function parametersOf(name: string, value: unknown): [string, string][] {
  if (value === undefined || value === null) return [];
  if (value instanceof Date) return [[name, value.toISOString()]];
  if (typeof value !== "object" || Array.isArray(value)) return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, member]) => parametersOf(`${name}[${key}]`, member));
}
