// An integrator's code: with the types of every generator, it reads errors, pages and each event's data without a cast.
import type {
  ContactPage,
  Deal,
  DealDetail,
  DealStatus,
  Delivery,
  ErrorReply,
  FeedEvent,
  NewDeal,
} from "./types.ts";

export function explain({ error }: ErrorReply): string {
  // @ts-expect-error -- no error has this code
  if (error.code === "no_such_code") return "";
  if (error.code === "rate_limited") return "wait";
  const fields = error.details?.map(({ field, message, id }) => `${field}: ${message} ${id ?? ""}`);
  return [error.message, ...(fields ?? [])].join("\n");
}

export function next({ data, meta }: ContactPage): string | null {
  const emails: (string | null)[] = data.map(({ email }) => email);
  return emails.length > 0 && meta.has_more ? meta.next_cursor : null;
}

/** GET of a deal by id returns every field of the deal, and more. */
export function lastTitle(detail: DealDetail): string {
  const deal: Deal = detail;
  const status: DealStatus = deal.status;
  // @ts-expect-error -- only GET of a deal by id has its contact
  void deal.contact;
  return `${status} ${detail.contact?.name} ${detail.last_activity?.title}`;
}

export const deals: NewDeal[] = [
  { title: "Plano anual", value: 10 },
  { company_id: "019cae6b-6600-7e31-8ab6-43c44f7a0ec8" },
];

/** Reads a value from each event. Does not compile until it handles every event, so a new event must be added here. */
export function read(delivery: Delivery): string | number | boolean | null {
  switch (delivery.event) {
    case "deal.stage_changed":
      return delivery.data.previous_stage_id;
    case "deal.won":
      // @ts-expect-error -- only a change of stage has this field
      void delivery.data.previous_stage_id;
      return delivery.data.won_at;
    case "deal.lost":
      return delivery.data.loss_note;
    case "deal.contact_added":
      return delivery.data.added_contact_id;
    case "deal.contact_removed":
      return delivery.data.removed_contact_id;
    case "deal.stale":
      return delivery.data.days_without_movement;
    case "deal.created":
      return delivery.data.title;
    case "deal.updated":
    case "deal.reopened":
      return delivery.data.changed_fields.join() + delivery.data.title;
    case "activity.created":
      return delivery.data.is_online_meeting;
    case "activity.overdue":
      return delivery.data.overdue_since;
    case "activity.updated":
    case "activity.completed":
      return delivery.data.changed_fields.join() + delivery.data.type;
    case "proposal.viewed":
      return delivery.data.viewed_at;
    case "proposal.accepted":
      return delivery.data.accepted_at;
    case "proposal.rejected":
      return delivery.data.rejection_reason;
    case "contact.created":
      return delivery.data.email;
    case "contact.updated":
      return delivery.data.changed_fields.join() + delivery.data.name;
    case "contact.merged":
      return delivery.data.merged_contact_id + delivery.data.name;
    case "contact.erased":
      // @ts-expect-error -- only the id of the contact is left
      void delivery.data.name;
      return delivery.data.id;
    case "company.created":
      return delivery.data.tax_id;
    case "company.updated":
      return delivery.data.changed_fields.join() + delivery.data.name;
    case "note.created":
      return delivery.data.body;
    case "lead.received":
      return delivery.data.lead.deal_id + (delivery.data.contact?.name ?? "");
  }
}

/** The feed has the same events, but its `data` is null if the object no longer exists. */
export function readEvent(event: FeedEvent): string | null {
  switch (event.event) {
    case "deal.won":
      return event.data?.won_at ?? null;
    case "note.created":
      return event.data?.body ?? null;
    case "lead.received":
      // @ts-expect-error -- a lead's data is not a deal
      void event.data?.won_at;
      return event.data?.lead.contact_id ?? null;
    default:
      return event.occurred_at;
  }
}
