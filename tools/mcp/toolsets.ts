import type { Toolset } from "../../supabase/functions/mcp/tools.ts";

/**
 * The tools of the sets that an assistant must ask for, by the name of their operation. All other tools are in the set
 * `sales`, for a salesperson's questions. Sets are small, because a model chooses worse among many tools.
 */
export const OTHER_TOOLSETS: Readonly<Record<Exclude<Toolset, "sales">, readonly string[]>> = {
  webhooks: [
    "webhook_list",
    "webhook_get",
    "webhook_deliveries",
    "webhook_delivery",
    "webhook_redeliver",
    "webhook_redeliver_all",
    "webhook_test",
    "webhook_reactivate",
    "webhook_recover",
    "webhook_delete",
  ],
  // Tools for programs that copy or import records, and tools that a person seldom needs.
  records: [
    "me_get",
    "operation_get",
    "pipeline_list",
    "event_list",
    "change_list",
    "activity_get",
    "note_get",
    "company_get",
    "contact_get",
    "lead_create",
    "company_duplicates",
    "company_upsert",
    "contact_upsert",
    "deal_upsert",
    "deal_contact_remove",
    "company_merge",
    "contact_erase",
    "company_archive",
    "contact_archive",
    "deal_archive",
    "company_restore",
    "contact_restore",
    "deal_restore",
  ],
};
