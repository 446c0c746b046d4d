import { bareHost } from "../_shared/webhooks/target_policy.ts";
import { Connection } from "./connection.ts";
import { AttemptFailure, awaitUntil, type FailureReason } from "./failure.ts";

const CONNECT_MS = 5_000;

/**
 * Opens a connection to one of `addresses`, trying them in order for at most 5 s in all, without the TLS handshake. The
 * caller has checked the addresses. The name is not resolved again, because an attacker could change the result. For
 * https the certificate is verified against the URL's host name.
 *
 * Uses Deno's sockets, because on Supabase's runtime no HTTP client can be made to use a checked address: Node's
 * options `lookup` and `agent` have no effect there.
 *
 * @param deadline end of the whole attempt, in milliseconds of `performance.now()`
 * @throws {AttemptFailure} `connection_refused`, `host_unreachable`, `timeout_connect`, `tls_…`, `timeout_tls`, …
 */
export async function connect(url: URL, addresses: readonly string[], deadline: number): Promise<Connection> {
  const secure = url.protocol === "https:";
  const port = Number(url.port || (secure ? 443 : 80));
  const [socket, address] = await connectToFirst(
    addresses,
    port,
    Math.min(deadline, performance.now() + CONNECT_MS),
  );
  return new Connection(secure ? await handshake(socket, bareHost(url), deadline) : socket, address);
}

async function connectToFirst(
  addresses: readonly string[],
  port: number,
  deadline: number,
): Promise<[socket: Deno.TcpConn, address: string]> {
  let failure: AttemptFailure | undefined;
  for (const hostname of addresses) {
    const opening = Deno.connect({ hostname, port });
    try {
      const socket = await awaitUntil(deadline, "timeout_connect", opening);
      // With Nagle's algorithm the request would wait 40 ms for the delayed acknowledgement of the handshake.
      socket.setNoDelay(true);
      return [socket, hostname];
    } catch (error) {
      if (error instanceof AttemptFailure) {
        // Deno 2.1 cannot abort a connect, so a socket that opens after the timeout must be closed.
        opening.then((socket) => socket.close(), () => {});
        throw error;
      }
      failure = new AttemptFailure(connectReason(error), error);
    }
  }
  throw failure ?? new AttemptFailure("connect_failed");
}

async function handshake(socket: Deno.TcpConn, hostname: string, deadline: number): Promise<Deno.Conn> {
  let tls: Deno.TlsConn | undefined;
  try {
    tls = await Deno.startTls(socket, { hostname });
    await awaitUntil(deadline, "timeout_tls", tls.handshake());
    return tls;
  } catch (error) {
    tls?.close();
    throw error instanceof AttemptFailure ? error : new AttemptFailure(tlsReason(error), error);
  }
}

function connectReason(error: unknown): FailureReason {
  if (error instanceof Deno.errors.ConnectionRefused) return "connection_refused";
  if (error instanceof Deno.errors.ConnectionReset) return "connection_reset";
  return /unreachable|no route/i.test(String(error)) ? "host_unreachable" : "connect_failed";
}

/** Recognises rustls's messages, whose form depends on Deno's version: `NotValidForName`, `not valid for name "…"`. */
function tlsReason(error: unknown): FailureReason {
  const text = String(error).replaceAll(" ", "").toLowerCase();
  if (text.includes("notvalidforname")) return "tls_name_mismatch";
  // rustls reports a bad signature if an untrusted authority has the name of a trusted one.
  if (text.includes("unknownissuer") || text.includes("badsignature")) return "tls_unknown_authority";
  if (text.includes("notvalidyet")) return "tls_certificate_not_yet_valid";
  if (text.includes("expired")) return "tls_certificate_expired";
  if (error instanceof Deno.errors.ConnectionReset) return "connection_reset";
  return "tls_failed";
}
