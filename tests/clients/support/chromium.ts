import { basename, join } from "node:path";
import { eventually } from "../../../bench/harness/waiting.ts";
import { killIfRunning } from "../../support/kill.ts";

const PROGRAM = join(import.meta.dirname!, "../programs/first_lead.js");

/** A timeout long enough for a machine that is busy with other work. */
const TIMEOUT_MS = 60_000;

interface Page {
  /** The folder of the built SDK. */
  sdk: string;
  /** The address of the API. */
  crmUrl: string;
  key: string;
}

const html = (key: string, crmUrl: string) =>
  `<!doctype html><title>SDK</title>
<script type="importmap">{ "imports": { "@crm-api/sdk": "/sdk/index.js" } }</script>
<script type="module">
  import { Crm } from "@crm-api/sdk";
  import { firstLead } from "/first_lead.js";
  const key = ${JSON.stringify(key)};
  const direct = new Crm({ key, baseUrl: ${JSON.stringify(crmUrl)}, retries: 0 });
  const seen = await firstLead({ key, baseUrl: location.origin + "/functions/v1" }).catch(String);
  const directly = await direct.me().then(() => "answered", (error) => error.code);
  await fetch("/seen", { method: "POST", body: JSON.stringify({ ...seen, directly }) });
</script>`;

/**
 * Opens a page in Chromium that runs programs/first_lead.js, from a server that also passes calls on to the API.
 *
 * @returns the program's result, and in `directly` the result of a call that bypassed the proxy
 */
export async function serveInBrowser({ sdk, crmUrl, key }: Page): Promise<unknown> {
  const { promise: seen, resolve, reject } = Promise.withResolvers<unknown>();
  const script = async (path: string) =>
    new Response(await Deno.readTextFile(path), { headers: { "Content-Type": "text/javascript" } });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname.startsWith("/sdk/")) return await script(join(sdk, basename(pathname)));
    if (pathname === "/first_lead.js") return await script(PROGRAM);
    if (pathname === "/seen") {
      resolve(await request.json());
      return new Response(null, { status: 204 });
    }
    if (pathname.startsWith("/functions/v1/")) {
      const headers = new Headers(request.headers);
      headers.delete("host");
      const { method, body } = request;
      const address = crmUrl + pathname.slice("/functions/v1".length) + search;
      return await fetch(address, { method, headers, body, redirect: "manual" });
    }
    return new Response(html(key, crmUrl), { headers: { "Content-Type": "text/html" } });
  });
  const profile = await Deno.makeTempDir();
  const chromium = new Deno.Command("chromium-headless-shell", {
    args: [
      "--no-sandbox",
      "--disable-gpu",
      `--user-data-dir=${profile}`,
      "--remote-debugging-port=0",
      `http://127.0.0.1:${server.addr.port}/`,
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const timer = setTimeout(() => reject(new Error("The page did not finish")), TIMEOUT_MS);
  try {
    return await seen;
  } finally {
    clearTimeout(timer);
    await close(profile).catch(() => killIfRunning(chromium));
    await chromium.status;
    await server.shutdown();
    // Chromium's helper processes outlive it briefly and still write to the profile.
    await eventually(
      () => Deno.remove(profile, { recursive: true }).then(() => true, () => false),
      "the profile of Chromium to be removed",
    );
  }
}

/** Closes the Chromium with this profile. Debian's program is a script: a signal would end the script alone. */
async function close(profile: string): Promise<void> {
  const [port, path] = (await Deno.readTextFile(join(profile, "DevToolsActivePort"))).split("\n");
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  await new Promise((resolve, reject) => {
    socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: "Browser.close" }));
    socket.onclose = resolve;
    socket.onerror = () => reject(new Error("Chromium cannot be reached"));
  });
}
