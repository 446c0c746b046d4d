/**
 * The endpoints that an assistant does not get as a tool, by the name of their operation, and why. Every other endpoint of a
 * key is a tool.
 */
export const NOT_TOOLS: Readonly<Record<string, string>> = {
  webhook_create: "Its reply reveals the secret of the subscription, which would stay in the conversation",
  me_requests:
    "It is for the developer of an integration; an assistant sees the error of its own call in the reply",
  webhook_rotate_secret:
    "Its reply reveals the secret of the subscription, which would stay in the conversation",
  custom_field_list: "An administrator defines fields once; workspace_get shows those in use",
  custom_field_create: "For the reason of custom_field_list",
  custom_field_update: "For the reason of custom_field_list",
  custom_field_archive: "For the reason of custom_field_list",
  custom_field_restore: "For the reason of custom_field_list",
  webhook_update:
    "Its body may have the value of the receiver's own header, which would stay in the conversation",
  deal_contact_list: "The tool that shows a deal lists its contacts",
  activity_batch:
    "An assistant calls the tool of one record for each; a hundred items at once hide what it does",
  company_batch: "As activity_batch",
  deal_batch: "As activity_batch",
  note_batch: "As activity_batch",
};
