import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { eventually } from "./mailbox.ts";

/** A function as the Supabase CLI uploads it. */
interface Upload {
  metadata: { name: string; entrypoint_path: string; import_map_path: string; verify_jwt: boolean };
  /** The files by their paths from the root. */
  files: Map<string, Uint8Array>;
}

/** This process's environment without the variables that functions read. Deno needs the rest to find packages. */
function environmentOfDeno(): Record<string, string> {
  const ours = /^(CORS|DATABASE|FUNCTIONS|PUBLIC|SUPABASE|WEBHOOK)_/;
  return Object.fromEntries(Object.entries(Deno.env.toObject()).filter(([name]) => !ours.test(name)));
}

/**
 * Stands in for Supabase, which does not run here. Serves the management API on loopback, and runs the functions from
 * the uploaded files, with only the secrets that were set.
 * @param token the only access token that it accepts
 * @param port where the functions answer
 */
export async function startHostedProject(token: string, port: number) {
  const folder = await Deno.makeTempDir({ prefix: "crm-hosted-" });
  const requests: string[] = [];
  const uploads = new Map<string, Upload>();
  const secrets = new Map<string, string>();
  const origin = `http://127.0.0.1:${port}`;
  let functions: Deno.ChildProcess | undefined;
  let released: Promise<void> = Promise.resolve();

  async function stopFunctions(): Promise<void> {
    await functions?.stdin.close().catch(() => {});
    await functions?.status;
    functions = undefined;
  }

  /** Restarts every function from its last upload. Supabase, too, replaces the isolates of the old version. */
  async function release(): Promise<void> {
    await stopFunctions();
    const root = await Deno.makeTempDir({ dir: folder });
    for (const { files } of uploads.values()) {
      for (const [path, bytes] of files) {
        await Deno.mkdir(dirname(join(root, path)), { recursive: true });
        await Deno.writeFile(join(root, path), bytes);
      }
    }
    functions = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--no-config", "--no-lock"]
        .concat(`--import-map=${join(root, "supabase/functions/deno.json")}`)
        .concat(join(import.meta.dirname!, "serve_uploaded.ts"), `${port}`, join(root, "supabase/functions")),
      clearEnv: true,
      env: { ...environmentOfDeno(), ...Object.fromEntries(secrets), SUPABASE_URL: origin },
      stdin: "piped",
      stdout: "null",
      stderr: "inherit",
    }).spawn();
    // The gateway answers 503 until a function is loaded, and webhook-dispatcher is loaded last.
    const loaded = async () => {
      const response = await fetch(`${origin}/functions/v1/webhook-dispatcher`).catch(() => null);
      await response?.body?.cancel();
      return response !== null && response.status !== 503;
    };
    await eventually(loaded, "the uploaded functions", 120);
  }

  /** Releases when no other release runs: the CLI repeats slow calls, and two releases would need the same port. */
  function releaseInTurn(): Promise<void> {
    released = released.catch(() => {}).then(release);
    return released;
  }

  async function receiveFunction(request: Request): Promise<Response> {
    const form = await request.formData();
    const metadata = JSON.parse(form.get("metadata") as string);
    const files = new Map<string, Uint8Array>();
    for (const file of form.getAll("file") as File[]) {
      files.set(file.name, new Uint8Array(await file.arrayBuffer()));
    }
    uploads.set(metadata.name, { metadata, files });
    return Response.json(describeFunction(metadata.name), { status: 201 });
  }

  function describeFunction(name: string) {
    const now = Date.now();
    const { metadata } = uploads.get(name)!;
    const id = crypto.randomUUID();
    return { ...metadata, id, slug: name, status: "ACTIVE", version: 1, created_at: now, updated_at: now };
  }

  async function receiveSecrets(request: Request): Promise<Response> {
    for (const { name, value } of await request.json()) secrets.set(name, value);
    return new Response(null, { status: 201 });
  }

  const api = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    requests.push(`${request.method} ${pathname}`);
    if (request.headers.get("authorization") !== `Bearer ${token}`) {
      return Response.json({ message: "Unauthorized" }, { status: 401 });
    }
    if (request.method === "POST" && pathname.endsWith("/functions/deploy")) {
      return await receiveFunction(request);
    }
    if (request.method === "POST" && pathname.endsWith("/secrets")) return await receiveSecrets(request);
    if (request.method === "GET" && pathname.endsWith("/secrets")) {
      return Response.json([...secrets].map(([name, value]) => ({
        name,
        value: createHash("sha256").update(value).digest("hex"),
        updated_at: new Date(),
      })));
    }
    if (request.method === "GET" && pathname.endsWith("/functions")) {
      return Response.json([...uploads.keys()].map(describeFunction));
    }
    if (request.method === "PUT" && pathname.endsWith("/functions")) {
      // Not a 5xx, because the CLI would repeat the call forever.
      return await releaseInTurn().then(
        () => Response.json({ functions: [] }),
        (error) => Response.json({ message: String(error) }, { status: 400 }),
      );
    }
    return Response.json({ message: "Not found" }, { status: 404 });
  });
  const profile = join(folder, "profile.yaml");
  const address = `http://127.0.0.1:${api.addr.port}`;
  await Deno.writeTextFile(
    profile,
    `name: stub\napi_url: ${address}\ndashboard_url: ${address}\nproject_host: supabase.invalid\n`,
  );
  return {
    /** The file that makes the CLI call this API (`--profile`, SUPABASE_PROFILE). */
    profile,
    /** Every request to the API: `<method> <path>`. */
    requests,
    uploads,
    secrets,
    /** Origin under which the functions answer, once they are deployed. */
    origin,
    async [Symbol.asyncDispose]() {
      await released.catch(() => {});
      await stopFunctions();
      await api.shutdown();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
