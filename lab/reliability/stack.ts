import type { Sql } from "postgres";
import { createKey } from "../../operator/keys.ts";
import { loadSecrets } from "../../local/secrets.ts";
import { openSql } from "../../local/sql.ts";
import { startStackProcess } from "../../local/stack_process.ts";
import type { DeliveryWorld } from "./world.ts";

/** A whole stack that delivers to the world's receiver: gateway, scheduler, its own Postgres and dispatcher. */
export interface Stack {
  sql: Sql;
  /** Under which its dispatcher opens the subscriptions' secrets. */
  encryptionKey: string;
  /** Makes a contact through the API, in each of the workspaces in turn; the request then pokes the dispatcher. */
  contactMaker(workspaces: string[]): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export async function openStack({ folder, receiver }: DeliveryWorld): Promise<Stack> {
  const dataDir = await Deno.makeTempDir({ dir: folder, prefix: "stack-" });
  const stack = await startStackProcess(dataDir, {
    ...receiver.env,
    // Those of the world, which is not what is on trial here.
    SUPABASE_DB_URL: "",
    WEBHOOK_ENCRYPTION_KEY: "",
  });
  const sql = openSql(stack.file.database_url, { max: 2 });
  return {
    sql,
    encryptionKey: (await loadSecrets(dataDir)).webhook_encryption_key,
    contactMaker: (workspaces) => contactMaker(sql, stack.file.base_url, workspaces),
    async close() {
      await sql.end();
      await stack.stop();
    },
  };
}

async function contactMaker(sql: Sql, baseUrl: string, workspaces: string[]): Promise<() => Promise<void>> {
  const keys: string[] = [];
  for (const workspaceId of workspaces) {
    keys.push((await createKey(sql, { workspaceId, name: "Chaos", scopes: ["contacts:write"] })).key);
  }
  let made = 0;
  return async () => {
    const response = await fetch(`${baseUrl}/api-v1-contacts`, {
      method: "POST",
      headers: { "X-API-Key": keys[made++ % keys.length]!, "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Ana" }),
    });
    if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
    await response.body?.cancel();
  };
}
