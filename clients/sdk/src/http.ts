import { CrmError } from "./error.ts";
import { type Operation, type OperationId, OPERATIONS } from "./operations.ts";
import { etagOf, readReply } from "./reply.ts";
import { REPEATABLE, sleep, waitBefore } from "./retry.ts";

/** A repetition that is about to happen, for `onRetry`. */
export interface Retry {
  operation: OperationId;
  /** The attempt that failed, from 1. */
  attempt: number;
  /** Seconds until the next one. */
  wait: number;
  error: CrmError;
}

/** How a {@link Crm} calls. */
export interface CrmOptions {
  /** The API key, which begins with `svc_`. Null where only links of proposals are answered. Keep it on a server. */
  key: string | null | undefined;
  /** The address of the API, which ends in `/functions/v1`. */
  baseUrl: string | undefined;
  /** Milliseconds of one attempt; 30,000 where absent. */
  timeout?: number | undefined;
  /** Repetitions of a call, beside its first attempt; 5 where absent. */
  retries?: number | undefined;
  /** The longest wait, in seconds: where a reply asks for a longer one, its error is thrown at once; 120 where absent. */
  maxWait?: number | undefined;
  /** Whether an unknown or read-only field of a body is an error, instead of being ignored; false where absent. */
  strict?: boolean | undefined;
  /** Called before each repetition, for a log. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** Sends the requests; the global `fetch` where absent. */
  fetch?: typeof fetch | undefined;
}

/** What every method takes as its last argument. */
export interface CallOptions {
  /** Ends the call, and its waits; it then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds of one attempt; as in {@link CrmOptions} where absent. */
  timeout?: number | undefined;
  /** As in {@link CrmOptions}. */
  strict?: boolean | undefined;
}

/** Options of calls that an `Idempotency-Key` protects. */
export interface CreateOptions extends CallOptions {
  /**
   * Repeating the call with the same key and body within 24 hours creates nothing more. One that follows from your own
   * data (`order-1042`) also covers a process that is started again; where absent, a random one covers the repetitions
   * of this call.
   */
  idempotencyKey?: string | undefined;
}

/** Options of a change. */
export interface UpdateOptions extends CallOptions {
  /** What was read, or its ETag: if the record has changed since, nothing is changed: `precondition_failed`. */
  ifMatch?: string | object | undefined;
}

/** Options of reading a record. */
export interface ReadOptions extends CallOptions {
  ifNoneMatch?: undefined;
}

/** Options of a conditional read. */
export interface ReadAgainOptions extends CallOptions {
  /** What was read before, or its ETag: if it has not changed, the result is null. */
  ifNoneMatch: string | object;
}

/** The options of all calls together. */
export interface AnyOptions extends CreateOptions, UpdateOptions {
  ifNoneMatch?: string | object | undefined;
}

/** What a call sends. */
export interface Input {
  path?: Record<string, string>;
  query?: object | undefined;
  body?: object | undefined;
  options?: AnyOptions | undefined;
}

const utf8 = new TextEncoder();

/** Calls operations, and repeats them where that is safe. */
export class Http {
  readonly #options: CrmOptions & { key: string | null; baseUrl: string };

  constructor(options: CrmOptions) {
    const { key, baseUrl } = options;
    if (!baseUrl) throw new TypeError("new Crm: baseUrl is missing, the address that ends in /functions/v1");
    // Without this check every call would fail as `no_answer`, and be repeated.
    if (!URL.canParse(baseUrl)) throw new TypeError(`new Crm: baseUrl ${baseUrl} is no address`);
    if (key === undefined || key === "") throw new TypeError("new Crm: key is missing");
    // If a runtime refuses the key as a header, its error would show the key.
    if (key !== null && !/^[\x21-\x7e]+$/.test(key.trim())) throw new TypeError("new Crm: key is malformed");
    this.#options = { ...options, key, baseUrl: baseUrl.replace(/\/+$/, "") };
  }

  /** Calls an operation until it is answered, or must not be repeated. */
  async call<Reply>(id: OperationId, input: Input = {}): Promise<Reply> {
    const { retries = 5, maxWait = 120, onRetry } = this.#options;
    const operation = OPERATIONS[id];
    const { signal, ifMatch } = input.options ?? {};
    // Made once, so that every attempt has the same Idempotency-Key and the same body.
    const send = this.#prepare(operation, input);
    // With If-Match a second attempt would mistake the first attempt's change for somebody else's.
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
        // The random part may exceed maxWait; it must not turn a repetition into an error.
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
    const { signal, idempotencyKey, ifMatch, ifNoneMatch } = options;
    // For errors, which end in logs: without ids, tokens and search words.
    const target = `${method} ${baseUrl}${path}`;
    const url = baseUrl + path.replace(/\{(\w+)\}/g, (_, name) => segment(name, parameters[name])) +
      search(query);
    const headers = new Headers({ "Accept": "application/json" });
    if (key !== null && !open) headers.set("X-API-Key", key);
    if (keyed) headers.set("Idempotency-Key", idempotencyKey ?? crypto.randomUUID());
    if (ifMatch) headers.set("If-Match", etagOf(ifMatch));
    if (ifNoneMatch) headers.set("If-None-Match", etagOf(ifNoneMatch));
    if (options.strict ?? strict) headers.set("Prefer", "handling=strict");
    if (body !== undefined) headers.set("Content-Type", "application/json");
    // Bytes, because some runtimes add a charset to the type of a text.
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
            // Followed by `call`, because fetch would also send the key to another host.
            redirect: "manual",
            signal: signal ? AbortSignal.any([signal, late]) : late,
          }),
        );
      } catch (cause) {
        if (cause instanceof CrmError) throw cause;
        signal?.throwIfAborted();
        throw late.aborted
          ? new CrmError({ code: "timeout", message: `No reply of ${target} in time`, cause })
          : new CrmError({ code: "no_answer", message: `No answer of ${target}`, cause });
      }
    };
  }
}

/** An empty id, or one that URLs resolve as a path, would call another operation: the list instead of the record. */
function segment(name: string, value: string | undefined): string {
  if (!value) throw new TypeError(`${name} is missing`);
  if (value === "." || value === "..") throw new TypeError(`${name} must not be "${value}"`);
  return encodeURIComponent(value);
}

function search(query: object = {}): string {
  const entries = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : String(value)]);
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
}
