// The console signs in with Supabase's library, so local sign-in must work with it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { authUrl, serviceKey } from "../support/local_auth.ts";
import { needing } from "../support/needing.ts";
import { dataDir } from "../support/stack.ts";

const CONSOLE = join(import.meta.dirname!, "../../console");

Deno.test(needing(["the packages of the console"], {
  name:
    "Supabase's client library signs up, in and out, refreshes, recovers a password and accepts an invitation",
  async fn() {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--quiet",
        "--config",
        join(CONSOLE, "deno.json"),
        join(CONSOLE, "tests/sign_in.ts"),
      ],
      env: {
        AUTH_URL: authUrl,
        SERVICE_KEY: serviceKey,
        PAGE: new URL("/senha/", authUrl).href,
        MAIL_FOLDER: join(dataDir, "mail"),
      },
      stdin: "null",
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
  },
}));
