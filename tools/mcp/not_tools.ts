/**
 * The endpoints that are no tools for assistants, by the name of their operation, each with the reason. Every other
 * endpoint for keys is a tool.
 */
export const NOT_TOOLS: Readonly<Record<string, string>> = {
  webhook_create: "Its reply reveals the secret of the subscription, which would stay in the conversation",
  me_requests:
    "It is for the developer of an integration. An assistant sees the error of its own call in the reply",
  webhook_rotate_secret:
    "Its reply reveals the secret of the subscription, which would stay in the conversation",
  custom_field_list: "An administrator defines fields once. workspace_get shows the fields in use",
  custom_field_create: "The same reason as custom_field_list",
  custom_field_update: "The same reason as custom_field_list",
  custom_field_archive: "The same reason as custom_field_list",
  custom_field_restore: "The same reason as custom_field_list",
  webhook_update:
    "Its body may have the value of the receiver's own header, which would stay in the conversation",
  deal_contact_list: "The tool that shows a deal lists its contacts",
  activity_batch:
    "An assistant calls the tool for one record several times, so that a person can follow what it does",
  company_batch: "The same reason as activity_batch",
  deal_batch: "The same reason as activity_batch",
  note_batch: "The same reason as activity_batch",
};
