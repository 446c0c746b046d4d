// Exports the types that reading.ts uses, as @hey-api/openapi-ts generates them, and calls its functions.
import { contactsCreate, contactsList, dealsWin } from "./generated/index.ts";
import type { OnDealWonWebhookPayload } from "./generated/index.ts";

export type {
  ContactPage,
  Deal,
  DealDetail,
  DealStatus,
  Error as ErrorReply,
  Event as FeedEvent,
  NewDeal,
  WebhookDelivery as Delivery,
} from "./generated/index.ts";

export async function createContact(): Promise<string> {
  const { data, error } = await contactsCreate({ body: { name: "Ana", email: "ana@example.com" } });
  if (data) return data.id;
  // An error has only the codes of this operation.
  // @ts-expect-error -- creating a contact has no such code
  if (error.error.code === "invalid_target_url") return "";
  return error.error.details?.map(({ field, message }) => `${field}: ${message}`).join() ??
    error.error.message;
}

export async function names(): Promise<string[]> {
  const { data } = await contactsList({ query: { limit: 10 } });
  return data?.data.map(({ name }) => name) ?? [];
}

export async function win(id: string): Promise<boolean> {
  const { data } = await dealsWin({ path: { id }, body: { value: 10 } });
  return data !== undefined && data.status === "ganho" && !data.idempotent;
}

export const wonValue = ({ data }: OnDealWonWebhookPayload): number | null => data.value;
