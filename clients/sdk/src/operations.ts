// Written by `deno task sdk` from the table of endpoints: do not edit.
import type {
  Activity,
  ActivityBatch,
  ActivityPage,
  ActivityPatch,
  ActivityStatus,
  Archived,
  BackgroundOperation,
  BatchResult,
  ChangeObjectType,
  ChangePage,
  Company,
  CompanyBatch,
  CompanyMatch,
  CompanyPage,
  CompanyPatch,
  CompanyUpsert,
  Contact,
  ContactBatch,
  ContactMatch,
  ContactPage,
  ContactPatch,
  ContactUpsert,
  CreatedCompany,
  CreatedContact,
  CreatedSubscription,
  Deal,
  DealAction,
  DealBatch,
  DealDetail,
  DealPage,
  DealPatch,
  DealStatus,
  DealSummary,
  DealUpsert,
  DeliveryDetail,
  DeliveryPage,
  DeliveryState,
  ErasedContact,
  Erasure,
  EventPage,
  EventType,
  Health,
  LeadRequest,
  LeadResult,
  Lose,
  Me,
  Merge,
  MergedCompany,
  MergedContact,
  MoveStage,
  NewActivity,
  NewCompany,
  NewContact,
  NewDeal,
  NewNote,
  NewSubscription,
  Note,
  NoteBatch,
  NoteKind,
  NotePage,
  PipelineList,
  ProposalAnswer,
  ProposalRejection,
  ProposalView,
  ReactivatedSubscription,
  Recovery,
  RecoveryWindow,
  Redelivery,
  RotatedSubscription,
  SecretRotation,
  SubscriptionDetail,
  SubscriptionList,
  TestOptions,
  TestSent,
  UpsertedCompany,
  UpsertedContact,
  UpsertedDeal,
  Win,
  Workspace,
} from "./types.ts";

/** The query of `activities.list` */
export interface ActivitiesListQuery {
  /**
   * Most records on a page, which may have fewer: continue until has_more is false; a value above
   * 200 is reduced to 200
   */
  limit?: number | undefined;
  /** The previous page's meta.next_cursor */
  cursor?: string | undefined;
  /**
   * Only records created at or after this moment: ISO 8601; without an offset, UTC; a date alone,
   * its beginning
   */
  since?: string | Date | undefined;
  /** Only records created before this moment, in the same forms as since */
  until?: string | Date | undefined;
  /** Only records that changed at or after this moment, in the same forms as since */
  updated_since?: string | Date | undefined;
  /** Only those of this deal */
  deal_id?: string | undefined;
  /** Only those of this contact */
  contact_id?: string | undefined;
  /** Only those of this member in charge */
  owner_id?: string | undefined;
  /** Only of this type, or of these, separated by commas */
  type?: string | string[] | undefined;
  /** Only those in this state, or in these, separated by commas */
  status?: ActivityStatus | ActivityStatus[] | undefined;
  /** Only the overdue ones, or only the others */
  is_overdue?: boolean | undefined;
  /** Due before this moment, in the same forms as since */
  due_before?: string | Date | undefined;
  /** Due at or after this moment, in the same forms as since */
  due_after?: string | Date | undefined;
}
/** The query of `changes.list` */
export interface ChangesListQuery {
  /**
   * Most records on a page, which may have fewer: continue until has_more is false; a value above
   * 200 is reduced to 200
   */
  limit?: number | undefined;
  /** The previous page's meta.next_cursor */
  cursor?: string | undefined;
  /** Only those of this object */
  object_id?: string | undefined;
  /** Only those of objects of this type */
  object_type?: ChangeObjectType | undefined;
  /**
   * Only those made at or after this moment: ISO 8601; without an offset, UTC; a date alone, its
   * beginning
   */
  since?: string | Date | undefined;
  /** Only those made before this moment: ISO 8601 */
  until?: string | Date | undefined;
}
/** The query of `companies.list` */
export interface CompaniesListQuery {
  /**
   * Most records on a page, which may have fewer: continue until has_more is false; a value above
   * 200 is reduced to 200
   */
  limit?: number | undefined;
  /** The previous page's meta.next_cursor */
  cursor?: string | undefined;
  /**
   * Only records created at or after this moment: ISO 8601; without an offset, UTC; a date alone,
   * its beginning
   */
  since?: string | Date | undefined;
  /** Only records created before this moment, in the same forms as since */
  until?: string | Date | undefined;
  /** Only records that changed at or after this moment, in the same forms as since */
  updated_since?: string | Date | undefined;
  /** This name, ignoring case */
  name?: string | undefined;
  /** This tax id, with or without punctuation */
  tax_id?: string | undefined;
  /** This domain */
  domain?: string | undefined;
  /** Only those of this member in charge */
  owner_id?: string | undefined;
  /** This id */
  external_id?: string | undefined;
  /**
   * false: only those in use; true: only the archived ones; any: all. To copy the records, any:
   * archived_at tells which are archived
   */
  archived?: Archived | undefined;
  /**
   * All of these words, in any order, ignoring accents and case, in name, legal name, tax id,
   * domain, e-mail, external_id and phone number (digits alone)
   */
  q?: string | undefined;
}
/** The query of `companies.upsert` */
export interface CompaniesUpsertQuery {
  /** The field by which the record is looked for; the body must have a value in it */
  match_by: CompanyMatch;
}
/** The query of `contacts.list` */
export interface ContactsListQuery {
  /**
   * Most records on a page, which may have fewer: continue until has_more is false; a value above
   * 200 is reduced to 200
   */
  limit?: number | undefined;
  /** The previous page's meta.next_cursor */
  cursor?: string | undefined;
  /**
   * Only records created at or after this moment: ISO 8601; without an offset, UTC; a date alone,
   * its beginning
   */
  since?: string | Date | undefined;
  /** Only records created before this moment, in the same forms as since */
  until?: string | Date | undefined;
  /** Only records that changed at or after this moment, in the same forms as since */
  updated_since?: string | Date | undefined;
  /** This e-mail address, exactly */
  email?: string | undefined;
  /** This phone number, in any spelling */
  phone?: string | undefined;
  /** Only those of this company */
  company_id?: string | undefined;
  /** This id */
  external_id?: string | undefined;
  /**
   * false: only those in use; true: only the archived ones; any: all. To copy the records, any:
   * archived_at tells which are archived
   */
  archived?: Archived | undefined;
  /**
   * All of these words, in any order, ignoring accents and case, in name, e-mail, job title,
   * external_id and phone numbers (digits alone)
   */
  q?: string | undefined;
}
/** The query of `contacts.upsert` */
export interface ContactsUpsertQuery {
  /** The field by which the record is looked for; the body must have a value in it */
  match_by: ContactMatch;
}
/** The query of `deals.list` */
export interface DealsListQuery {
  /**
   * Most records on a page, which may have fewer: continue until has_more is false; a value above
   * 200 is reduced to 200
   */
  limit?: number | undefined;
  /** The previous page's meta.next_cursor */
  cursor?: string | undefined;
  /**
   * Only records created at or after this moment: ISO 8601; without an offset, UTC; a date alone,
   * its beginning
   */
  since?: string | Date | undefined;
  /** Only records created before this moment, in the same forms as since */
  until?: string | Date | undefined;
  /** Only records that changed at or after this moment, in the same forms as since */
  updated_since?: string | Date | undefined;
  /** Only those in this state, or in these, separated by commas */
  status?: DealStatus | DealStatus[] | undefined;
  /** Only those of this pipeline */
  pipeline_id?: string | undefined;
  /** Only those of this stage */
  stage_id?: string | undefined;
  /** Only those of this contact */
  contact_id?: string | undefined;
  /** Only those of this company */
  company_id?: string | undefined;
  /** Only those of this member in charge */
  owner_id?: string | undefined;
  /** Only those with this id in the system they come from */
  external_id?: string | undefined;
  /** Won or lost at or after this moment, in the same forms as since */
  closed_since?: string | Date | undefined;
  /** Won or lost before this moment, in the same forms as since */
  closed_until?: string | Date | undefined;
  /**
   * false: only those in use; true: only the archived ones; any: all. To copy the records, any:
   * archived_at tells which are archived
   */
  archived?: Archived | undefined;
  /** All of these words, in any order, ignoring accents and case, in title and external_id */
  q?: string | undefined;
}
/** The query of `deals.summary` */
export interface DealsSummaryQuery {
  /**
   * Only records created at or after this moment: ISO 8601; without an offset, UTC; a date alone,
   * its beginning
   */
  since?: string | Date | undefined;
  /** Only records created before this moment, in the same forms as since */
  until?: string | Date | undefined;
  /** Only records that changed at or after this moment, in the same forms as since */
  updated_since?: string | Date | undefined;
  /** Only those in this state, or in these, separated by commas */
  status?: DealStatus | DealStatus[] | undefined;
  /** Only those of this pipeline */
  pipeline_id?: string | undefined;
  /** Only those of this stage */
  stage_id?: string | undefined;
  /** Only those of this contact */
  contact_id?: string | undefined;
  /** Only those of this company */
  company_id?: string | undefined;
  /** Only those of this member in charge */
  owner_id?: string | undefined;
  /** Only those with this id in the system they come from */
  external_id?: string | undefined;
  /** Won or lost at or after this moment, in the same forms as since */
  closed_since?: string | Date | undefined;
  /** Won or lost before this moment, in the same forms as since */
  closed_until?: string | Date | undefined;
  /**
   * false: only those in use; true: only the archived ones; any: all. To copy the records, any:
   * archived_at tells which are archived
   */
  archived?: Archived | undefined;
}
/** The query of `deals.upsert` */
export interface DealsUpsertQuery {
  /** The field by which the record is looked for; the body must have a value in it */
  match_by: "external_id";
}
/** The query of `events.list` */
export interface EventsListQuery {
  /**
   * Most records on a page, which may have fewer: continue until has_more is false; a value above
   * 200 is reduced to 200
   */
  limit?: number | undefined;
  /** The previous reply's meta.next_cursor, also where has_more was false */
  cursor?: string | undefined;
  /** Only these events, separated by commas */
  event_types?: EventType | EventType[] | undefined;
  /** Only those of this object */
  object_id?: string | undefined;
  /**
   * Only what happened at or after this moment: ISO 8601; without an offset, UTC; a date alone,
   * its beginning
   */
  since?: string | Date | undefined;
}
/** The query of `notes.list` */
export interface NotesListQuery {
  /**
   * Most records on a page, which may have fewer: continue until has_more is false; a value above
   * 200 is reduced to 200
   */
  limit?: number | undefined;
  /** The previous page's meta.next_cursor */
  cursor?: string | undefined;
  /**
   * Only records created at or after this moment: ISO 8601; without an offset, UTC; a date alone,
   * its beginning
   */
  since?: string | Date | undefined;
  /** Only records created before this moment, in the same forms as since */
  until?: string | Date | undefined;
  /** Only records that changed at or after this moment, in the same forms as since */
  updated_since?: string | Date | undefined;
  /** Only those of this deal */
  deal_id: string;
  /** Only notes of this kind, or of these, separated by commas */
  kind?: NoteKind | NoteKind[] | undefined;
}
/** The query of `webhooks.deliveries` */
export interface WebhooksDeliveriesQuery {
  /**
   * Most records on a page, which may have fewer: continue until has_more is false; a value above
   * 200 is reduced to 200
   */
  limit?: number | undefined;
  /** The previous page's meta.next_cursor */
  cursor?: string | undefined;
  /** Only those in this state */
  state?: DeliveryState | undefined;
  /** Only those of this event */
  event?: EventType | undefined;
  /** Only those of events at or after this moment, in any form of a date and time */
  since?: string | Date | undefined;
  /** Only those of events before this moment */
  until?: string | Date | undefined;
}
/** What each operation takes and returns */
export interface Operations {
  "activities.list": { query: ActivitiesListQuery; body: undefined; reply: ActivityPage };
  "activities.create": { query: undefined; body: NewActivity; reply: Activity };
  "activities.batch": { query: undefined; body: ActivityBatch; reply: BatchResult };
  "activities.get": { query: undefined; body: undefined; reply: Activity };
  "activities.update": { query: undefined; body: ActivityPatch; reply: Activity };
  "changes.list": { query: ChangesListQuery; body: undefined; reply: ChangePage };
  "companies.list": { query: CompaniesListQuery; body: undefined; reply: CompanyPage };
  "companies.create": { query: undefined; body: NewCompany; reply: CreatedCompany };
  "companies.upsert": { query: CompaniesUpsertQuery; body: CompanyUpsert; reply: UpsertedCompany };
  "companies.batch": { query: undefined; body: CompanyBatch; reply: BatchResult };
  "companies.get": { query: undefined; body: undefined; reply: Company };
  "companies.update": { query: undefined; body: CompanyPatch; reply: Company };
  "companies.merge": { query: undefined; body: Merge; reply: MergedCompany };
  "companies.archive": { query: undefined; body: Record<string, never> | undefined; reply: Company };
  "companies.restore": { query: undefined; body: Record<string, never> | undefined; reply: Company };
  "contacts.list": { query: ContactsListQuery; body: undefined; reply: ContactPage };
  "contacts.create": { query: undefined; body: NewContact; reply: CreatedContact };
  "contacts.upsert": { query: ContactsUpsertQuery; body: ContactUpsert; reply: UpsertedContact };
  "contacts.batch": { query: undefined; body: ContactBatch; reply: BatchResult };
  "contacts.get": { query: undefined; body: undefined; reply: Contact };
  "contacts.update": { query: undefined; body: ContactPatch; reply: Contact };
  "contacts.merge": { query: undefined; body: Merge; reply: MergedContact };
  "contacts.archive": { query: undefined; body: Record<string, never> | undefined; reply: Contact };
  "contacts.restore": { query: undefined; body: Record<string, never> | undefined; reply: Contact };
  "contacts.erase": { query: undefined; body: Erasure | undefined; reply: ErasedContact };
  "deals.list": { query: DealsListQuery; body: undefined; reply: DealPage };
  "deals.create": { query: undefined; body: NewDeal; reply: Deal };
  "deals.summary": { query: DealsSummaryQuery; body: undefined; reply: DealSummary };
  "deals.upsert": { query: DealsUpsertQuery; body: DealUpsert; reply: UpsertedDeal };
  "deals.batch": { query: undefined; body: DealBatch; reply: BatchResult };
  "deals.get": { query: undefined; body: undefined; reply: DealDetail };
  "deals.update": { query: undefined; body: DealPatch; reply: Deal };
  "deals.move_stage": { query: undefined; body: MoveStage; reply: DealAction };
  "deals.win": { query: undefined; body: Win | undefined; reply: DealAction };
  "deals.lose": { query: undefined; body: Lose | undefined; reply: DealAction };
  "deals.archive": { query: undefined; body: Record<string, never> | undefined; reply: Deal };
  "deals.restore": { query: undefined; body: Record<string, never> | undefined; reply: Deal };
  "events.list": { query: EventsListQuery; body: undefined; reply: EventPage };
  "leads.create": { query: undefined; body: LeadRequest; reply: LeadResult };
  "me.get": { query: undefined; body: undefined; reply: Me };
  "notes.list": { query: NotesListQuery; body: undefined; reply: NotePage };
  "notes.create": { query: undefined; body: NewNote; reply: Note };
  "notes.batch": { query: undefined; body: NoteBatch; reply: BatchResult };
  "notes.get": { query: undefined; body: undefined; reply: Note };
  "operations.get": { query: undefined; body: undefined; reply: BackgroundOperation };
  "pipelines.list": { query: undefined; body: undefined; reply: PipelineList };
  "webhooks.list": { query: undefined; body: undefined; reply: SubscriptionList };
  "webhooks.create": { query: undefined; body: NewSubscription; reply: CreatedSubscription };
  "webhooks.get": { query: undefined; body: undefined; reply: SubscriptionDetail };
  "webhooks.delete": { query: undefined; body: undefined; reply: undefined };
  "webhooks.deliveries": { query: WebhooksDeliveriesQuery; body: undefined; reply: DeliveryPage };
  "webhooks.delivery": { query: undefined; body: undefined; reply: DeliveryDetail };
  "webhooks.redeliver": { query: undefined; body: Record<string, never> | undefined; reply: Redelivery };
  "webhooks.test": { query: undefined; body: TestOptions | undefined; reply: TestSent };
  "webhooks.reactivate": {
    query: undefined;
    body: Record<string, never> | undefined;
    reply: ReactivatedSubscription;
  };
  "webhooks.recover": { query: undefined; body: RecoveryWindow; reply: Recovery };
  "webhooks.rotate_secret": { query: undefined; body: SecretRotation; reply: RotatedSubscription };
  "workspace.get": { query: undefined; body: undefined; reply: Workspace };
  "proposals.get": { query: undefined; body: undefined; reply: ProposalView };
  "proposals.accept": { query: undefined; body: undefined; reply: ProposalAnswer };
  "proposals.reject": { query: undefined; body: ProposalRejection | undefined; reply: ProposalAnswer };
  "health.get": { query: undefined; body: undefined; reply: Health };
}
/** The name of an operation, as in the OpenAPI documents */
export type OperationId = keyof Operations;
/** An operation: its address below `baseUrl`, and how it may be called */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** Whether a repetition with the same `Idempotency-Key` creates nothing more. */
  readonly keyed?: true;
  /** Whether it is called without an API key. */
  readonly open?: true;
}
/** Every operation of the API */
export const OPERATIONS: Readonly<Record<OperationId, Operation>> = {
  "activities.list": { method: "GET", path: "/api-v1-activities" },
  "activities.create": { method: "POST", path: "/api-v1-activities", keyed: true },
  "activities.batch": { method: "POST", path: "/api-v1-activities/batch", keyed: true },
  "activities.get": { method: "GET", path: "/api-v1-activities/{id}" },
  "activities.update": { method: "PATCH", path: "/api-v1-activities/{id}" },
  "changes.list": { method: "GET", path: "/api-v1-changes" },
  "companies.list": { method: "GET", path: "/api-v1-companies" },
  "companies.create": { method: "POST", path: "/api-v1-companies", keyed: true },
  "companies.upsert": { method: "POST", path: "/api-v1-companies/upsert", keyed: true },
  "companies.batch": { method: "POST", path: "/api-v1-companies/batch", keyed: true },
  "companies.get": { method: "GET", path: "/api-v1-companies/{id}" },
  "companies.update": { method: "PATCH", path: "/api-v1-companies/{id}" },
  "companies.merge": { method: "POST", path: "/api-v1-companies/{id}/merge" },
  "companies.archive": { method: "POST", path: "/api-v1-companies/{id}/archive" },
  "companies.restore": { method: "POST", path: "/api-v1-companies/{id}/restore" },
  "contacts.list": { method: "GET", path: "/api-v1-contacts" },
  "contacts.create": { method: "POST", path: "/api-v1-contacts", keyed: true },
  "contacts.upsert": { method: "POST", path: "/api-v1-contacts/upsert", keyed: true },
  "contacts.batch": { method: "POST", path: "/api-v1-contacts/batch", keyed: true },
  "contacts.get": { method: "GET", path: "/api-v1-contacts/{id}" },
  "contacts.update": { method: "PATCH", path: "/api-v1-contacts/{id}" },
  "contacts.merge": { method: "POST", path: "/api-v1-contacts/{id}/merge" },
  "contacts.archive": { method: "POST", path: "/api-v1-contacts/{id}/archive" },
  "contacts.restore": { method: "POST", path: "/api-v1-contacts/{id}/restore" },
  "contacts.erase": { method: "POST", path: "/api-v1-contacts/{id}/erase" },
  "deals.list": { method: "GET", path: "/api-v1-deals" },
  "deals.create": { method: "POST", path: "/api-v1-deals", keyed: true },
  "deals.summary": { method: "GET", path: "/api-v1-deals/summary" },
  "deals.upsert": { method: "POST", path: "/api-v1-deals/upsert", keyed: true },
  "deals.batch": { method: "POST", path: "/api-v1-deals/batch", keyed: true },
  "deals.get": { method: "GET", path: "/api-v1-deals/{id}" },
  "deals.update": { method: "PATCH", path: "/api-v1-deals/{id}" },
  "deals.move_stage": { method: "POST", path: "/api-v1-deals/{id}/move-stage" },
  "deals.win": { method: "POST", path: "/api-v1-deals/{id}/win" },
  "deals.lose": { method: "POST", path: "/api-v1-deals/{id}/lose" },
  "deals.archive": { method: "POST", path: "/api-v1-deals/{id}/archive" },
  "deals.restore": { method: "POST", path: "/api-v1-deals/{id}/restore" },
  "events.list": { method: "GET", path: "/api-v1-events" },
  "leads.create": { method: "POST", path: "/api-v1-leads", keyed: true },
  "me.get": { method: "GET", path: "/api-v1-me" },
  "notes.list": { method: "GET", path: "/api-v1-notes" },
  "notes.create": { method: "POST", path: "/api-v1-notes", keyed: true },
  "notes.batch": { method: "POST", path: "/api-v1-notes/batch", keyed: true },
  "notes.get": { method: "GET", path: "/api-v1-notes/{id}" },
  "operations.get": { method: "GET", path: "/api-v1-operations/{id}" },
  "pipelines.list": { method: "GET", path: "/api-v1-pipelines" },
  "webhooks.list": { method: "GET", path: "/api-v1-webhooks" },
  "webhooks.create": { method: "POST", path: "/api-v1-webhooks" },
  "webhooks.get": { method: "GET", path: "/api-v1-webhooks/{id}" },
  "webhooks.delete": { method: "DELETE", path: "/api-v1-webhooks/{id}" },
  "webhooks.deliveries": { method: "GET", path: "/api-v1-webhooks/{id}/deliveries" },
  "webhooks.delivery": { method: "GET", path: "/api-v1-webhooks/{id}/deliveries/{delivery_id}" },
  "webhooks.redeliver": { method: "POST", path: "/api-v1-webhooks/{id}/deliveries/{delivery_id}/redeliver" },
  "webhooks.test": { method: "POST", path: "/api-v1-webhooks/{id}/test" },
  "webhooks.reactivate": { method: "POST", path: "/api-v1-webhooks/{id}/reactivate" },
  "webhooks.recover": { method: "POST", path: "/api-v1-webhooks/{id}/recover" },
  "webhooks.rotate_secret": { method: "POST", path: "/api-v1-webhooks/{id}/rotate-secret" },
  "workspace.get": { method: "GET", path: "/api-v1-workspace" },
  "proposals.get": { method: "GET", path: "/proposals/{token}", open: true },
  "proposals.accept": { method: "POST", path: "/proposals/{token}/accept", open: true },
  "proposals.reject": { method: "POST", path: "/proposals/{token}/reject", open: true },
  "health.get": { method: "GET", path: "/api-v1-health", open: true },
};
