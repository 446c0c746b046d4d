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
  activity_batch:
    "An assistant calls the tool of one record for each; a hundred items at once hide what it does",
  company_batch: "As activity_batch",
  deal_batch: "As activity_batch",
  note_batch: "As activity_batch",
};
