import { join } from "node:path";
import { createAuthority, issueCertificate } from "./certificates.ts";

/** A TLS server on loopback that receives webhooks. */
export interface Receiver {
  port: number;
  /** The environment of processes that deliver to it: the trusted root certificate and the allowed targets. */
  env: Record<string, string>;
  close(): Promise<void>;
}

/**
 * Starts a receiver on a free port.
 * @param folder for the authority of its certificate, as ca.pem and ca.key
 */
export async function startReceiver(
  folder: string,
  answer: (request: Request) => Response | Promise<Response>,
): Promise<Receiver> {
  const authority = await createAuthority();
  const caFile = join(folder, "ca.pem");
  await Deno.writeTextFile(caFile, authority.certificate);
  await Deno.writeTextFile(join(folder, "ca.key"), authority.key);
  const certificate = await issueCertificate(authority, ["localhost", "127.0.0.1"]);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {}, ...certificate }, answer);
  const { port } = server.addr;
  return {
    port,
    env: { DENO_CERT: caFile, WEBHOOK_DEV_TARGETS: `localhost:${port},127.0.0.1:${port}` },
    close: () => server.shutdown(),
  };
}
