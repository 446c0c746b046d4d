// Exports the types that reading.ts uses, as orval generates them, and makes calls by its functions.
import { contactsCreate, contactsList } from "./generated/contacts/contacts.ts";
import { dealsWin } from "./generated/deals/deals.ts";

export type {
  ContactPage,
  Deal,
  DealDetail,
  DealStatus,
  Error as ErrorReply,
  Event as FeedEvent,
  NewDeal,
  WebhookDelivery as Delivery,
} from "./generated/model/index.ts";

export async function createContact(): Promise<string> {
  const reply = await contactsCreate({ name: "Ana", email: "ana@example.com" });
  if (reply.status === 201) return reply.data.id;
  if (reply.status === 422) {
    // @ts-expect-error -- creating a contact has no such code
    if (reply.data.error.code === "invalid_target_url") return "";
    return reply.data.error.details?.map(({ field, message }) => `${field}: ${message}`).join() ?? "";
  }
  return "";
}

export async function names(): Promise<string[]> {
  const reply = await contactsList({ limit: 10 });
  return reply.status === 200 ? reply.data.data.map(({ name }) => name) : [];
}

export async function win(id: string): Promise<boolean> {
  const reply = await dealsWin(id, { value: 10 });
  return reply.status === 200 && reply.data.status === "ganho" && !reply.data.idempotent;
}
