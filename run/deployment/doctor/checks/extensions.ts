import { type Check, type Finding, hasCron, schedulerRuns } from "../check.ts";
import { isLoopback } from "../../../../supabase/functions/_shared/runtime/service.ts";

/**
 * The extensions are enabled. Without pg_trgm no contact, company or deal can be written. pg_cron runs the jobs, and
 * pg_net calls the dispatcher. The Vault stores the dispatcher's address and secret.
 */
export const extensions: Check = {
  name: "extensions",
  async look({ sql, functionsUrl }) {
    const findings: Finding[] = [];
    const [{ trigrams }] = await sql<[{ trigrams: boolean }]>`
      select to_regproc('extensions.show_trgm') is not null as trigrams
    `;
    if (!trigrams) {
      findings.push({
        message:
          "The extension pg_trgm is not in the schema extensions, so no contact, company or deal can be written",
        remedy: {
          // Dropped and created again, because only a superuser may move the extension to another schema.
          sql: "drop extension if exists pg_trgm;\ncreate extension pg_trgm with schema extensions;",
        },
      });
    }
    const cron = await hasCron(sql);
    const isLocal = isLoopback(new URL(functionsUrl).hostname) && !cron.installed;
    if (isLocal && (!cron.available || await schedulerRuns(sql))) {
      return {
        findings,
        note: "no pg_cron here: the local stack's scheduler runs the jobs and pokes the dispatcher",
      };
    }
    // crm.poke_dispatcher() uses these two objects.
    const [{ net, vault }] = await sql<[{ net: boolean; vault: boolean }]>`
      select to_regproc('net.http_post') is not null as net, to_regclass('vault.decrypted_secrets') is not null as vault
    `;
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
