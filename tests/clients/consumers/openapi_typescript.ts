// Exports the types that reading.ts uses, as openapi-typescript generates them, and types calls by operation.
import type { components, operations, webhooks } from "./generated/schema.ts";

type Schemas = components["schemas"];
export type ErrorReply = Schemas["Error"];
export type Delivery = Schemas["WebhookDelivery"];
export type FeedEvent = Schemas["Event"];
export type ContactPage = Schemas["ContactPage"];
export type Deal = Schemas["Deal"];
export type DealDetail = Schemas["DealDetail"];
export type DealStatus = Schemas["DealStatus"];
export type NewDeal = Schemas["NewDeal"];

type Responses<Id extends keyof operations> = operations[Id]["responses"];

export function idOfCreated(reply: Responses<"contacts.create">[201]["content"]["application/json"]): string {
  return reply.id;
}

export function isFieldError(
  reply: Responses<"contacts.create">[422]["content"]["application/json"],
): boolean {
  // @ts-expect-error -- creating a contact has no such code
  if (reply.error.code === "invalid_target_url") return false;
  return reply.error.code === "validation_error" && reply.error.details?.[0]?.field === "email";
}

export function wonValue(
  body: NonNullable<webhooks["deal.won"]["post"]["requestBody"]>["content"]["application/json"],
): number | null {
  return body.data.value;
}
