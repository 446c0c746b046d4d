import { join } from "node:path";
import { createAuthority, issueCertificate } from "./certificates.ts";

export interface Receiver {
  port: number;
  /** `https://<address>:<port>` of each address. */
  origins: string[];
  /** The environment for processes that deliver to it: the trusted root certificate and the allowed targets. */
  env: Record<string, string>;
  close(): Promise<void>;
}

/**
 * Starts a receiver on a free port.
 * @param folder for the files of its certificate authority, ca.pem and ca.key
 * @param addresses loopback addresses; the dispatcher counts each as a separate host
 */
export async function startReceiver(
  folder: string,
  answer: (request: Request) => Response | Promise<Response>,
  addresses: string[] = ["127.0.0.1"],
): Promise<Receiver> {
  const authority = await createAuthority();
  const caFile = join(folder, "ca.pem");
  await Deno.writeTextFile(caFile, authority.certificate);
  await Deno.writeTextFile(join(folder, "ca.key"), authority.key);
  const certificate = await issueCertificate(authority, ["localhost", ...addresses]);
  const servers = addresses.map((hostname) =>
    Deno.serve({ hostname, port: 0, onListen: () => {}, ...certificate }, answer)
  );
  const targets = servers.map(({ addr: { hostname, port } }) => `${hostname}:${port}`);
  const { port } = servers[0]!.addr;
  return {
    port,
    origins: targets.map((target) => `https://${target}`),
    env: { DENO_CERT: caFile, WEBHOOK_DEV_TARGETS: [`localhost:${port}`, ...targets].join(",") },
    async close() {
      await Promise.all(servers.map((server) => server.shutdown()));
    },
  };
}
