import { type Check, type Finding, fine } from "../check.ts";
import { isLoopback } from "../../../supabase/functions/_shared/runtime/service.ts";
import { hasCron } from "../project.ts";

/** What the schedule needs: pg_cron runs the jobs, pg_net calls the dispatcher, the Vault has its address and secret. */
export const extensions: Check = {
  name: "extensions",
  needsDatabase: true,
  async look({ sql, functionsUrl }) {
    const cron = await hasCron(sql);
    if (!cron.available && isLoopback(new URL(functionsUrl).hostname)) {
      return fine(
        "no pg_cron on this Postgres: the local stack's scheduler runs the jobs and pokes the dispatcher",
      );
    }
    // The objects that crm.poke_dispatcher() uses, wherever their extension put them.
    const [{ net, vault }] = await sql<[{ net: boolean; vault: boolean }]>`
      select to_regproc('net.http_post') is not null as net, to_regclass('vault.decrypted_secrets') is not null as vault
    `;
    const findings: Finding[] = [];
    if (!cron.installed) {
      findings.push({
        message: "The extension pg_cron is not enabled, so no job runs",
        remedy: { sql: "create extension if not exists pg_cron;\nselect crm.schedule_jobs();" },
      });
    }
    if (!net) {
      findings.push({
        message: "The extension pg_net is not enabled, so the schedule cannot call the dispatcher",
        remedy: { sql: "create extension if not exists pg_net with schema extensions;" },
      });
    }
    if (!vault) {
      findings.push({
        message: "The extension supabase_vault is not enabled, so the schedule does not know the dispatcher",
        remedy: { sql: "create extension if not exists supabase_vault cascade;" },
      });
    }
    return { findings };
  },
};
