// The console signs in with Supabase's library, so local sign-in must work with it.
import { resolve } from "node:path";
import { authUrl, serviceKey } from "../support/local_auth.ts";
import { needing } from "../support/needing.ts";
import { deno } from "../support/run.ts";
import { dataDir } from "../support/stack.ts";

Deno.test(needing(["the packages of the console"], {
  name:
    "Supabase's client library signs up, in and out, refreshes, recovers a password and accepts an invitation",
  async fn() {
    const env = {
      AUTH_URL: authUrl,
      SERVICE_KEY: serviceKey,
      PAGE: new URL("/senha/", authUrl).href,
      MAIL_FOLDER: resolve(dataDir, "mail"),
    };
    const script = ["--config", "console/deno.json", "console/tests/sign_in.ts"];
    await deno(["run", "-A", "--quiet", ...script], { env });
  },
}));
