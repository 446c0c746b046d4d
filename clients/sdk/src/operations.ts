// Written by `deno task sdk` from the table of endpoints: do not edit.
import type { Batch, Get } from "./methods.ts";
import type { CallOptions, CreateOptions, DryRunOptions, UpdateOptions } from "./http.ts";
import type { List } from "./list.ts";
import type * as T from "./types.ts";

/** Where a page of a list begins, and how long it is */
export interface PageQuery {
  /** The maximum number of records on a page. A page may have fewer: continue until has_more is false. A value above 200 is reduced to 200 */
  limit?: number | undefined;
  /** The previous page's meta.next_cursor */ cursor?: string | undefined;
}
/** When records were created or changed */
export interface PeriodQuery {
  /** Only records created at or after this moment, in ISO 8601. Without an offset it is UTC; a date alone is the start of the day */
  since?: string | Date | undefined;
  /** Only records created before this moment, in the same forms as since */
  until?: string | Date | undefined;
  /** Only records that changed at or after this moment, in the same forms as since */
  updated_since?: string | Date | undefined;
}
/** The query of `activities.list` */
export interface ActivitiesListQuery extends PageQuery, PeriodQuery {
  /** Only those of this deal */ deal_id?: string | undefined;
  /** Only those of this contact */ contact_id?: string | undefined;
  /** Only those of this member in charge */ owner_id?: string | undefined;
  /** Only of this type, or of any of several types */ type?: string | (string)[] | undefined;
  /** Only those in this state, or in any of several states */
  status?: T.ActivityStatus | (T.ActivityStatus)[] | undefined;
  /** Only the overdue ones, or only the others */ is_overdue?: boolean | undefined;
  /** Only of deals with this company */ company_id?: string | undefined;
  /** Due before this moment, in the same forms as since */ due_before?: string | Date | undefined;
  /** Due at or after this moment, in the same forms as since */ due_after?: string | Date | undefined;
  /** The order; with - before the name, from largest to smallest or from newest to oldest. Records without a value come last */
  sort?: T.ActivitySort | undefined;
  /** The records to show by id and name, beside their _id field */
  expand?: T.ActivityExpansion | (T.ActivityExpansion)[] | undefined;
}
/** The query of `changes.list` */
export interface ChangesListQuery extends PageQuery {
  /** Only those of this object */ object_id?: string | undefined;
  /** Only those of objects of this type */ object_type?: T.ChangeObjectType | undefined;
  /** Only those made at or after this moment: ISO 8601, in UTC unless it has an offset; a date alone is the start of the day */
  since?: string | Date | undefined;
  /** Only those made before this moment: ISO 8601 */ until?: string | Date | undefined;
}
/** The query of `changes.summary` */
export interface ChangesSummaryQuery {
  /** From when: ISO 8601; without an offset, UTC; if absent, 24 hours ago, rounded down to the hour */
  since?: string | Date | undefined;
  /** Only those made before this moment: ISO 8601 */ until?: string | Date | undefined;
  /** Only what the key or member with this id did; me: the key of the call */
  actor?: string | undefined;
  /** Without what the key or member with this id did; me: the key of the call */
  not_actor?: string | undefined;
}
/** The query of `companies.list` */
export interface CompaniesListQuery extends PageQuery, PeriodQuery {
  /** This name, ignoring case */ name?: string | undefined;
  /** This tax id, with or without punctuation */ tax_id?: string | undefined;
  /** This domain, or a URL with it */ domain?: string | undefined;
  /** Only those of this member in charge */ owner_id?: string | undefined;
  /** This id */ external_id?: string | undefined;
  /** Only those with all of these tags, ignoring case */ tag?: string | (string)[] | undefined;
  /** Only those with this value in the defined field, as custom[segment]=bakery; for numbers, amounts and dates also a range, custom[shops][gte]=2 and custom[shops][lte]=9 */
  custom?: Record<string, unknown> | undefined;
  /** false: only records in use; true: only archived ones; any: all. To copy the records, use any: archived_at tells which are archived */
  archived?: T.Archived | undefined;
  /** All of these words, in any order, ignoring accents and case, in name, legal name, tax id, domain, e-mail, external_id and phone number (only digits) */
  q?: string | undefined;
  /** The order; with - before the name, from largest to smallest or from newest to oldest. Records without a value come last */
  sort?: T.Sort | undefined;
  /** The records to show by id and name, beside their _id field */
  expand?: "owner" | ("owner")[] | undefined;
}
/** The query of `companies.duplicates` */
export interface CompaniesDuplicatesQuery extends PageQuery {
  /** The field with the same value */ by: T.CompanyLikeness;
}
/** The query of `companies.timeline` */
export interface CompaniesTimelineQuery extends PageQuery {
}
/** The query of `contacts.list` */
export interface ContactsListQuery extends PageQuery, PeriodQuery {
  /** This e-mail address, exactly */ email?: string | undefined;
  /** This phone number, with its area code, in any spelling; for a part of the number, use q */
  phone?: string | undefined;
  /** Only those of this company */ company_id?: string | undefined;
  /** This id */ external_id?: string | undefined;
  /** Only those with all of these tags, ignoring case */ tag?: string | (string)[] | undefined;
  /** Only those with this value in the defined field, as custom[segment]=bakery; for numbers, amounts and dates also a range, custom[shops][gte]=2 and custom[shops][lte]=9 */
  custom?: Record<string, unknown> | undefined;
  /** false: only records in use; true: only archived ones; any: all. To copy the records, use any: archived_at tells which are archived */
  archived?: T.Archived | undefined;
  /** All of these words, in any order, ignoring accents and case, in name, e-mail, job title, external_id and phone numbers (only digits) */
  q?: string | undefined;
  /** The order; with - before the name, from largest to smallest or from newest to oldest. Records without a value come last */
  sort?: T.Sort | undefined;
  /** The records to show by id and name, beside their _id field */
  expand?: T.ContactExpansion | (T.ContactExpansion)[] | undefined;
}
/** The query of `contacts.duplicates` */
export interface ContactsDuplicatesQuery extends PageQuery {
  /** The field with the same value */ by: T.ContactLikeness;
}
/** The query of `contacts.timeline` */
export interface ContactsTimelineQuery extends PageQuery {
}
/** The query of `deals.list` */
export interface DealsListQuery extends PageQuery, PeriodQuery {
  /** Only those in this state, or in any of several states */
  status?: T.DealStatus | (T.DealStatus)[] | undefined;
  /** Only those of this pipeline */ pipeline_id?: string | undefined;
  /** Only those of this stage */ stage_id?: string | undefined;
  /** Only those of this contact */ contact_id?: string | undefined;
  /** Only those of this company */ company_id?: string | undefined;
  /** Only those of this member in charge */ owner_id?: string | undefined;
  /** Only those with this id in the system that they come from */ external_id?: string | undefined;
  /** Stalled since this moment: without a change, an activity or a note after it */
  inactive_since?: string | Date | undefined;
  /** Won or lost at or after this moment, in the same forms as since */
  closed_since?: string | Date | undefined;
  /** Won or lost before this moment, in the same forms as since */
  closed_until?: string | Date | undefined;
  /** Expected to close on this day or later */ expected_close_since?: string | undefined;
  /** Expected to close before this day */ expected_close_until?: string | undefined;
  /** Only those with all of these tags, ignoring case */ tag?: string | (string)[] | undefined;
  /** Only those with this value in the defined field, as custom[segment]=bakery; for numbers, amounts and dates also a range, custom[shops][gte]=2 and custom[shops][lte]=9 */
  custom?: Record<string, unknown> | undefined;
  /** false: only records in use; true: only archived ones; any: all. To copy the records, use any: archived_at tells which are archived */
  archived?: T.Archived | undefined;
  /** All of these words, in any order, ignoring accents and case, in title and external_id */
  q?: string | undefined;
  /** The order; with - before the name, from largest to smallest or from newest to oldest. Records without a value come last */
  sort?: T.DealSort | undefined;
  /** The records to show by id and name, beside their _id field */
  expand?: T.DealExpansion | (T.DealExpansion)[] | undefined;
}
/** The query of `deals.summary` */
export interface DealsSummaryQuery extends PeriodQuery {
  /** Only those in this state, or in any of several states */
  status?: T.DealStatus | (T.DealStatus)[] | undefined;
  /** Only those of this pipeline */ pipeline_id?: string | undefined;
  /** Only those of this stage */ stage_id?: string | undefined;
  /** Only those of this contact */ contact_id?: string | undefined;
  /** Only those of this company */ company_id?: string | undefined;
  /** Only those of this member in charge */ owner_id?: string | undefined;
  /** Only those with this id in the system that they come from */ external_id?: string | undefined;
  /** Stalled since this moment: without a change, an activity or a note after it */
  inactive_since?: string | Date | undefined;
  /** Won or lost at or after this moment, in the same forms as since */
  closed_since?: string | Date | undefined;
  /** Won or lost before this moment, in the same forms as since */
  closed_until?: string | Date | undefined;
  /** Expected to close on this day or later */ expected_close_since?: string | undefined;
  /** Expected to close before this day */ expected_close_until?: string | undefined;
  /** Only those with all of these tags, ignoring case */ tag?: string | (string)[] | undefined;
  /** Only those with this value in the defined field, as custom[segment]=bakery; for numbers, amounts and dates also a range, custom[shops][gte]=2 and custom[shops][lte]=9 */
  custom?: Record<string, unknown> | undefined;
  /** false: only records in use; true: only archived ones; any: all. To copy the records, use any: archived_at tells which are archived */
  archived?: T.Archived | undefined;
  /** All of these words, in any order, ignoring accents and case, in title and external_id */
  q?: string | undefined;
  /** Also adds up by owner, stage, month or source, in groups; the month is that of the close, in UTC, or, for open deals, of the expected close */
  group_by?: T.DealGrouping | undefined;
}
/** The query of `events.list` */
export interface EventsListQuery {
  /** The maximum number of records on a page. A page may have fewer: continue until has_more is false. A value above 200 is reduced to 200 */
  limit?: number | undefined;
  /** The previous reply's meta.next_cursor, even if its has_more was false */
  cursor?: string | undefined;
  /** Only these events */ event_types?: T.EventType | (T.EventType)[] | undefined;
  /** Only those of this object */ object_id?: string | undefined;
  /** Only what happened at or after this moment: ISO 8601, in UTC unless it has an offset; a date alone is the start of the day */
  since?: string | Date | undefined;
}
/** The query of `me.requests` */
export interface MeRequestsQuery extends PageQuery {
  /** Only those answered with this status, or with one of this class */ status?: string | undefined;
  /** Only those that failed with this code */ code?: string | undefined;
  /** Only those whose path begins like this */ path?: string | undefined;
  /** Only those that began at or after this moment */ since?: string | Date | undefined;
  /** Only those that began before this moment */ until?: string | Date | undefined;
}
/** The query of `notes.list` */
export interface NotesListQuery extends PageQuery, PeriodQuery {
  /** Only of this deal; required without company_id and contact_id */ deal_id?: string | undefined;
  /** Only notes of this kind, or of any of several kinds */
  kind?: T.NoteKind | (T.NoteKind)[] | undefined;
  /** Only notes of deals with this company; deal_id is then optional */ company_id?: string | undefined;
  /** Only notes of deals with this contact; deal_id is then optional */ contact_id?: string | undefined;
  /** The order; with - before the name, from largest to smallest or from newest to oldest. Records without a value come last */
  sort?: T.Sort | undefined;
  /** The records to show by id and name, beside their _id field */
  expand?: T.NoteExpansion | (T.NoteExpansion)[] | undefined;
}
/** The query of `search.list` */
export interface SearchListQuery {
  /** The maximum number of records on a page. A page may have fewer: continue until has_more is false. A value above 200 is reduced to 200 */
  limit?: number | undefined;
  /** All of these words, in any order, ignoring accents and case */ q: string;
  /** Only these types */ types?: T.FoundType | (T.FoundType)[] | undefined;
}
/** The query of `webhooks.deliveries` */
export interface WebhooksDeliveriesQuery extends PageQuery {
  /** Only those in this state */ state?: T.DeliveryState | undefined;
  /** Only those of this event */ event?: T.EventType | undefined;
  /** Only deliveries of events at or after this moment, in any date and time format */
  since?: string | Date | undefined;
  /** Only deliveries of events before this moment */ until?: string | Date | undefined;
}
/** Lead intake: company, contact and deal in one call */
export interface Leads {
  /** Send a lead. Scope of the key: `leads:write`. */
  create(body: T.LeadRequest, options?: CreateOptions): Promise<T.LeadResult>;
}
/** The deals, from first contact to won or lost */
export interface Deals {
  /** List deals. Scope of the key: `deals:read`. */
  list(query?: DealsListQuery, options?: CallOptions): List<T.ExpandedDeal, T.DealPage>;
  /** Create a deal. Scope of the key: `deals:write`. */
  create(body: T.NewDeal, options?: CreateOptions): Promise<T.Deal>;
  /** Count and add up the deals of a list by pipeline, stage and status. Scope of the key: `deals:read`. */
  summary(query?: DealsSummaryQuery, options?: CallOptions): Promise<T.DealSummary>;
  /** Create or update a deal, found by a field. Scope of the key: `deals:write`. */
  upsert(matchBy: "external_id", body: T.DealUpsert, options?: DryRunOptions): Promise<T.UpsertedDeal>;
  /** Up to 100 creations, changes and reads in one call. Scope of the key: `deals:write`. */
  batch: Batch<T.DealBatch>;
  /** Hand a member's deals over to another, up to 1,000 in a call. Scope of the key: `deals:write`. */
  reassign(body: T.Reassign, options?: CallOptions): Promise<T.Reassigned>;
  /** Show a deal with contact, company and last activity. Scope of the key: `deals:read`. */
  get: Get<T.DealDetail, T.DealDetailExpansion>;
  /** Update or reopen a deal. Scope of the key: `deals:write`. */
  update(id: string, body: T.DealPatch, options?: UpdateOptions): Promise<T.Deal>;
  /** Move the deal to another stage. Scope of the key: `deals:write`. */
  moveStage(id: string, body: T.MoveStage, options?: CallOptions): Promise<T.DealAction>;
  /** Mark the deal won. Scope of the key: `deals:write`. */
  win(id: string, body?: T.Win, options?: CallOptions): Promise<T.DealAction>;
  /** Mark the deal lost. Scope of the key: `deals:write`. */
  lose(id: string, body?: T.Lose, options?: CallOptions): Promise<T.DealAction>;
  /** List the contacts of a deal with their roles. Scope of the key: `deals:read`. */
  contacts(id: string, options?: CallOptions): List<T.DealContact, T.DealContactList>;
  /** Add another contact to the deal, or change the role of one that is there already. Scope of the key: `deals:write`. */
  addContact(id: string, body: T.NewDealContact, options?: CallOptions): Promise<T.DealContact>;
  /** Remove a contact other than the main one from the deal. Scope of the key: `deals:write`. */
  removeContact(id: string, contactId: string, options?: CallOptions): Promise<void>;
  /** Archive the deal. Scope of the key: `deals:write`. */
  archive(id: string, options?: CallOptions): Promise<T.Deal>;
  /** Restore the deal from the archive. Scope of the key: `deals:write`. */
  restore(id: string, options?: CallOptions): Promise<T.Deal>;
}
/** The people that the workspace deals with */
export interface Contacts {
  /** List contacts. Scope of the key: `contacts:read`. */
  list(query?: ContactsListQuery, options?: CallOptions): List<T.ExpandedContact, T.ContactPage>;
  /** Create a contact. Scope of the key: `contacts:write`. */
  create(body: T.NewContact, options?: CreateOptions): Promise<T.CreatedContact>;
  /** List the groups of unarchived records that have the same value: they may be duplicates. Scope of the key: `contacts:read`. */
  duplicates(
    query: ContactsDuplicatesQuery,
    options?: CallOptions,
  ): List<T.DuplicateGroup, T.DuplicateGroupPage>;
  /** Create or update a contact, found by a field. Scope of the key: `contacts:write`. */
  upsert(matchBy: T.ContactMatch, body: T.ContactUpsert, options?: DryRunOptions): Promise<T.UpsertedContact>;
  /** Up to 100 creations, changes and reads in one call. Scope of the key: `contacts:write`. */
  batch: Batch<T.ContactBatch>;
  /** Show a contact. Scope of the key: `contacts:read`. */
  get: Get<T.ExpandedContact, T.ContactExpansion>;
  /** Update a contact. Scope of the key: `contacts:write`. */
  update(id: string, body: T.ContactPatch, options?: UpdateOptions): Promise<T.Contact>;
  /** What happened: deals, moves to another stage, activities and notes, newest first. Scope of the key: `contacts:read`. */
  timeline(
    id: string,
    query?: ContactsTimelineQuery,
    options?: CallOptions,
  ): List<T.TimelineEntry, T.TimelineEntryPage>;
  /** Merge another contact into this one. Scope of the key: `contacts:write`. */
  merge(id: string, mergeId: string, options?: CallOptions): Promise<T.MergedContact>;
  /** Archive the contact. Scope of the key: `contacts:write`. */
  archive(id: string, options?: CallOptions): Promise<T.Contact>;
  /** Restore the contact from the archive. Scope of the key: `contacts:write`. */
  restore(id: string, options?: CallOptions): Promise<T.Contact>;
  /** Erase the contact's personal data. Scope of the key: `contacts:manage`. */
  erase(id: string, body?: T.Erasure, options?: CallOptions): Promise<T.ErasedContact>;
}
/** The companies that the workspace deals with */
export interface Companies {
  /** List companies. Scope of the key: `companies:read`. */
  list(query?: CompaniesListQuery, options?: CallOptions): List<T.ExpandedCompany, T.CompanyPage>;
  /** Create a company. Scope of the key: `companies:write`. */
  create(body: T.NewCompany, options?: CreateOptions): Promise<T.CreatedCompany>;
  /** List the groups of unarchived records that have the same value: they may be duplicates. Scope of the key: `companies:read`. */
  duplicates(
    query: CompaniesDuplicatesQuery,
    options?: CallOptions,
  ): List<T.DuplicateGroup, T.DuplicateGroupPage>;
  /** Create or update a company, found by a field. Scope of the key: `companies:write`. */
  upsert(matchBy: T.CompanyMatch, body: T.CompanyUpsert, options?: DryRunOptions): Promise<T.UpsertedCompany>;
  /** Up to 100 creations, changes and reads in one call. Scope of the key: `companies:write`. */
  batch: Batch<T.CompanyBatch>;
  /** Show a company. Scope of the key: `companies:read`. */
  get: Get<T.ExpandedCompany, "owner">;
  /** Update a company. Scope of the key: `companies:write`. */
  update(id: string, body: T.CompanyPatch, options?: UpdateOptions): Promise<T.Company>;
  /** What happened: deals, moves to another stage, activities and notes, newest first. Scope of the key: `companies:read`. */
  timeline(
    id: string,
    query?: CompaniesTimelineQuery,
    options?: CallOptions,
  ): List<T.TimelineEntry, T.TimelineEntryPage>;
  /** Merge another company into this one. Scope of the key: `companies:write`. */
  merge(id: string, mergeId: string, options?: CallOptions): Promise<T.MergedCompany>;
  /** Archive the company. Scope of the key: `companies:write`. */
  archive(id: string, options?: CallOptions): Promise<T.Company>;
  /** Restore the company from the archive. Scope of the key: `companies:write`. */
  restore(id: string, options?: CallOptions): Promise<T.Company>;
}
/** Tasks, calls, meetings and other activities of a deal */
export interface Activities {
  /** List activities. Scope of the key: `activities:read`. */
  list(query?: ActivitiesListQuery, options?: CallOptions): List<T.ExpandedActivity, T.ActivityPage>;
  /** Create an activity. Scope of the key: `activities:write`. */
  create(body: T.NewActivity, options?: CreateOptions): Promise<T.Activity>;
  /** Up to 100 creations, changes and reads in one call. Scope of the key: `activities:write`. */
  batch: Batch<T.ActivityBatch>;
  /** Show an activity. Scope of the key: `activities:read`. */
  get: Get<T.ExpandedActivity, T.ActivityExpansion>;
  /** Update an activity. Scope of the key: `activities:write`. */
  update(id: string, body: T.ActivityPatch, options?: UpdateOptions): Promise<T.Activity>;
}
/** Notes of a deal; they cannot be changed or removed */
export interface Notes {
  /** List the notes of a deal, a company or a contact. Scope of the key: `notes:read`. */
  list(query?: NotesListQuery, options?: CallOptions): List<T.ExpandedNote, T.NotePage>;
  /** Create a note. Scope of the key: `notes:write`. */
  create(body: T.NewNote, options?: CreateOptions): Promise<T.Note>;
  /** Up to 100 creations, changes and reads in one call. Scope of the key: `notes:write`. */
  batch: Batch<T.NoteBatch>;
  /** Show a note. Scope of the key: `notes:read`. */
  get: Get<T.ExpandedNote, T.NoteExpansion>;
}
/** The sales funnels */
export interface Pipelines {
  /** List active pipelines with their stages. Scope of the key: `pipelines:read`. */
  list(options?: CallOptions): List<T.Pipeline, T.PipelineList>;
}
/** The custom fields that the workspace defines */
export interface CustomFields {
  /** List the defined fields. Scope of the key: `workspace:read`. */
  list(options?: CallOptions): List<T.CustomField, T.CustomFieldList>;
  /** Define a custom field. Scope of the key: `workspace:manage`. */
  create(body: T.NewCustomField, options?: CallOptions): Promise<T.CustomField>;
  /** Change the label or the choices of a field. Scope of the key: `workspace:manage`. */
  update(id: string, body: T.CustomFieldPatch, options?: CallOptions): Promise<T.CustomField>;
  /** Take a field out of use. Scope of the key: `workspace:manage`. */
  archive(id: string, options?: CallOptions): Promise<T.CustomField>;
  /** Put a field back into use. Scope of the key: `workspace:manage`. */
  restore(id: string, options?: CallOptions): Promise<T.CustomField>;
}
/** One search in all that the key may read */
export interface Search {
  /** Search companies, contacts and deals by words; also contacts and deals by their company's name. Any key, whatever its scopes. */
  list(query: SearchListQuery, options?: CallOptions): List<T.Found, T.SearchResult>;
}
/** Subscriptions to events, delivered over HTTP and signed */
export interface Webhooks {
  /** List subscriptions. Scope of the key: `webhooks:manage`. */
  list(options?: CallOptions): List<T.Subscription, T.SubscriptionList>;
  /** Subscribe to events. Scope of the key: `webhooks:manage`. */
  create(body: T.NewSubscription, options?: CallOptions): Promise<T.CreatedSubscription>;
  /** Show a subscription. Scope of the key: `webhooks:manage`. */
  get: Get<T.SubscriptionDetail>;
  /** Change name, events, filters, body or header. Scope of the key: `webhooks:manage`. */
  update(id: string, body: T.SubscriptionPatch, options?: CallOptions): Promise<T.Subscription>;
  /** Deactivate a subscription. Scope of the key: `webhooks:manage`. */
  delete(id: string, options?: CallOptions): Promise<void>;
  /** List the deliveries of a subscription. Scope of the key: `webhooks:manage`. */
  deliveries(
    id: string,
    query?: WebhooksDeliveriesQuery,
    options?: CallOptions,
  ): List<T.Delivery, T.DeliveryPage>;
  /** Show a delivery and its attempts. Scope of the key: `webhooks:manage`. */
  delivery(id: string, deliveryId: string, options?: CallOptions): Promise<T.DeliveryDetail>;
  /** Send a delivery again. Scope of the key: `webhooks:manage`. */
  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<T.Redelivery>;
  /** Send several deliveries again. Scope of the key: `webhooks:manage`. */
  redeliverDeliveries(id: string, body: T.RedeliveryList, options?: CallOptions): Promise<T.Redeliveries>;
  /** Send a test event. Scope of the key: `webhooks:manage`. */
  test(id: string, body?: T.TestOptions, options?: CallOptions): Promise<T.TestSent>;
  /** Reactivate an inactive subscription. Scope of the key: `webhooks:manage`. */
  reactivate(id: string, options?: CallOptions): Promise<T.ReactivatedSubscription>;
  /** Send the events that were missed. Scope of the key: `webhooks:manage`. */
  recover(id: string, body: T.RecoveryWindow, options?: CallOptions): Promise<T.Recovery>;
  /** Replace the secret of a subscription. Scope of the key: `webhooks:manage`. */
  rotateSecret(id: string, body: T.SecretRotation, options?: CallOptions): Promise<T.RotatedSubscription>;
}
/** What happened in the last 30 days, in order, to read and to resume where you stopped */
export interface Events {
  /** List what happened, oldest first. Scope of the key: `events:read`. */
  list(query?: EventsListQuery, options?: CallOptions): List<T.Event, T.EventPage>;
}
/** Who changed what in the last 90 days: names of fields, never values */
export interface Changes {
  /** List who changed what, and when. Scope of the key: `changes:read`. */
  list(query?: ChangesListQuery, options?: CallOptions): List<T.Change, T.ChangePage>;
  /** Count what happened in a period, and name the deals that are new, moved or closed. Scope of the key: `changes:read`. */
  summary(query?: ChangesSummaryQuery, options?: CallOptions): Promise<T.ChangeSummary>;
}
/** The calling key: whose it is, and what it may do */
export interface MeMethods {
  /** Show the calling key. Any key, whatever its scopes. */
  (options?: CallOptions): Promise<T.Me>;
  /** List the key's requests of the last 7 days, with the error of each that failed. Any key, whatever its scopes. */
  requests(query?: MeRequestsQuery, options?: CallOptions): List<T.LoggedRequest, T.LoggedRequestPage>;
}
/** The public link of a proposal, without an API key */
export interface Proposals {
  /** Show the proposal to its customer. Without an API key: the link's token is enough. */
  get(token: string, options?: CallOptions): Promise<T.ProposalView>;
  /** Accept the proposal; the answer is final. Without an API key: the link's token is enough. */
  accept(token: string, options?: CallOptions): Promise<T.ProposalAnswer>;
  /** Reject the proposal; the answer is final. Without an API key: the link's token is enough. */
  reject(token: string, body?: T.ProposalRejection, options?: CallOptions): Promise<T.ProposalAnswer>;
}
/** The methods of the client, by resource */
export interface Resources {
  /** Lead intake: company, contact and deal in one call */
  readonly leads: Leads;
  /** The deals, from first contact to won or lost */
  readonly deals: Deals;
  /** The people that the workspace deals with */
  readonly contacts: Contacts;
  /** The companies that the workspace deals with */
  readonly companies: Companies;
  /** Tasks, calls, meetings and other activities of a deal */
  readonly activities: Activities;
  /** Notes of a deal; they cannot be changed or removed */
  readonly notes: Notes;
  /** The sales funnels */
  readonly pipelines: Pipelines;
  /** Show members, loss reasons, pipelines, event types and defined fields. Scope of the key: `workspace:read`. */
  workspace(options?: CallOptions): Promise<T.Workspace>;
  /** The custom fields that the workspace defines */
  readonly customFields: CustomFields;
  /** One search in all that the key may read */
  readonly search: Search;
  /** Subscriptions to events, delivered over HTTP and signed */
  readonly webhooks: Webhooks;
  /** What happened in the last 30 days, in order, to read and to resume where you stopped */
  readonly events: Events;
  /** Who changed what in the last 90 days: names of fields, never values */
  readonly changes: Changes;
  /** The calling key: whose it is, and what it may do */
  readonly me: MeMethods;
  /** Show the progress of an operation. Any key, whatever its scopes. */
  operation: Get<T.BackgroundOperation>;
  /** The public link of a proposal, without an API key */
  readonly proposals: Proposals;
  /** Show whether the service is up. Without a credential. */
  health(options?: CallOptions): Promise<T.Health>;
}
/** The name of an operation, as in the OpenAPI documents */
export type OperationId =
  | `leads.${"create"}`
  | `deals.${
    | "list"
    | "create"
    | "summary"
    | "upsert"
    | "batch"
    | "reassign"
    | "get"
    | "update"
    | "move_stage"
    | "win"
    | "lose"
    | "contacts"
    | "add_contact"
    | "remove_contact"
    | "archive"
    | "restore"}`
  | `contacts.${
    | "list"
    | "create"
    | "duplicates"
    | "upsert"
    | "batch"
    | "get"
    | "update"
    | "timeline"
    | "merge"
    | "archive"
    | "restore"
    | "erase"}`
  | `companies.${
    | "list"
    | "create"
    | "duplicates"
    | "upsert"
    | "batch"
    | "get"
    | "update"
    | "timeline"
    | "merge"
    | "archive"
    | "restore"}`
  | `activities.${"list" | "create" | "batch" | "get" | "update"}`
  | `notes.${"list" | "create" | "batch" | "get"}`
  | `pipelines.${"list"}`
  | `workspace.${"get"}`
  | `custom_fields.${"list" | "create" | "update" | "archive" | "restore"}`
  | `search.${"list"}`
  | `webhooks.${
    | "list"
    | "create"
    | "get"
    | "update"
    | "delete"
    | "deliveries"
    | "delivery"
    | "redeliver"
    | "redeliver_deliveries"
    | "test"
    | "reactivate"
    | "recover"
    | "rotate_secret"}`
  | `events.${"list"}`
  | `changes.${"list" | "summary"}`
  | `me.${"get" | "requests"}`
  | `operations.${"get"}`
  | `proposals.${"get" | "accept" | "reject"}`
  | `health.${"get"}`;
/** An operation: its address below `baseUrl`, and how it may be called */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** The name of its method, unless it follows from the id: `deals.moveStage` */
  readonly name?: string;
  /** Its method's arguments after the path's ids: `query`, `body`, or a field such as `body.merge_id`. */
  readonly takes?: readonly string[];
  /** Whether its method returns a `List`. */
  readonly list?: true;
  /** Whether a repetition with the same `Idempotency-Key` creates nothing more. */
  readonly keyed?: true;
  /** Whether it is called without an API key. */
  readonly open?: true;
}
/** Every operation of the API */
export const OPERATIONS: Readonly<Record<OperationId, Operation>> = {
  "activities.list": { method: "GET", path: "/api-v1-activities", takes: ["query"], list: true },
  "activities.create": { method: "POST", path: "/api-v1-activities", takes: ["body"], keyed: true },
  "activities.batch": { method: "POST", path: "/api-v1-activities/batch", takes: ["body"], keyed: true },
  "activities.get": { method: "GET", path: "/api-v1-activities/{id}" },
  "activities.update": { method: "PATCH", path: "/api-v1-activities/{id}", takes: ["body"] },
  "changes.list": { method: "GET", path: "/api-v1-changes", takes: ["query"], list: true },
  "changes.summary": { method: "GET", path: "/api-v1-changes/summary", takes: ["query"] },
  "companies.list": { method: "GET", path: "/api-v1-companies", takes: ["query"], list: true },
  "companies.create": { method: "POST", path: "/api-v1-companies", takes: ["body"], keyed: true },
  "companies.duplicates": {
    method: "GET",
    path: "/api-v1-companies/duplicates",
    takes: ["query"],
    list: true,
  },
  "companies.upsert": {
    method: "POST",
    path: "/api-v1-companies/upsert",
    takes: ["query.match_by", "body"],
    keyed: true,
  },
  "companies.batch": { method: "POST", path: "/api-v1-companies/batch", takes: ["body"], keyed: true },
  "companies.get": { method: "GET", path: "/api-v1-companies/{id}" },
  "companies.update": { method: "PATCH", path: "/api-v1-companies/{id}", takes: ["body"] },
  "companies.timeline": {
    method: "GET",
    path: "/api-v1-companies/{id}/timeline",
    takes: ["query"],
    list: true,
  },
  "companies.merge": { method: "POST", path: "/api-v1-companies/{id}/merge", takes: ["body.merge_id"] },
  "companies.archive": { method: "POST", path: "/api-v1-companies/{id}/archive" },
  "companies.restore": { method: "POST", path: "/api-v1-companies/{id}/restore" },
  "contacts.list": { method: "GET", path: "/api-v1-contacts", takes: ["query"], list: true },
  "contacts.create": { method: "POST", path: "/api-v1-contacts", takes: ["body"], keyed: true },
  "contacts.duplicates": { method: "GET", path: "/api-v1-contacts/duplicates", takes: ["query"], list: true },
  "contacts.upsert": {
    method: "POST",
    path: "/api-v1-contacts/upsert",
    takes: ["query.match_by", "body"],
    keyed: true,
  },
  "contacts.batch": { method: "POST", path: "/api-v1-contacts/batch", takes: ["body"], keyed: true },
  "contacts.get": { method: "GET", path: "/api-v1-contacts/{id}" },
  "contacts.update": { method: "PATCH", path: "/api-v1-contacts/{id}", takes: ["body"] },
  "contacts.timeline": {
    method: "GET",
    path: "/api-v1-contacts/{id}/timeline",
    takes: ["query"],
    list: true,
  },
  "contacts.merge": { method: "POST", path: "/api-v1-contacts/{id}/merge", takes: ["body.merge_id"] },
  "contacts.archive": { method: "POST", path: "/api-v1-contacts/{id}/archive" },
  "contacts.restore": { method: "POST", path: "/api-v1-contacts/{id}/restore" },
  "contacts.erase": { method: "POST", path: "/api-v1-contacts/{id}/erase", takes: ["body"] },
  "deals.list": { method: "GET", path: "/api-v1-deals", takes: ["query"], list: true },
  "deals.create": { method: "POST", path: "/api-v1-deals", takes: ["body"], keyed: true },
  "deals.summary": { method: "GET", path: "/api-v1-deals/summary", takes: ["query"] },
  "deals.upsert": {
    method: "POST",
    path: "/api-v1-deals/upsert",
    takes: ["query.match_by", "body"],
    keyed: true,
  },
  "deals.batch": { method: "POST", path: "/api-v1-deals/batch", takes: ["body"], keyed: true },
  "deals.reassign": { method: "POST", path: "/api-v1-deals/reassign", takes: ["body"] },
  "deals.get": { method: "GET", path: "/api-v1-deals/{id}" },
  "deals.update": { method: "PATCH", path: "/api-v1-deals/{id}", takes: ["body"] },
  "deals.move_stage": { method: "POST", path: "/api-v1-deals/{id}/move-stage", takes: ["body"] },
  "deals.win": { method: "POST", path: "/api-v1-deals/{id}/win", takes: ["body"] },
  "deals.lose": { method: "POST", path: "/api-v1-deals/{id}/lose", takes: ["body"] },
  "deals.contacts": { method: "GET", path: "/api-v1-deals/{id}/contacts", list: true },
  "deals.add_contact": { method: "POST", path: "/api-v1-deals/{id}/contacts", takes: ["body"] },
  "deals.remove_contact": { method: "DELETE", path: "/api-v1-deals/{id}/contacts/{contact_id}" },
  "deals.archive": { method: "POST", path: "/api-v1-deals/{id}/archive" },
  "deals.restore": { method: "POST", path: "/api-v1-deals/{id}/restore" },
  "events.list": { method: "GET", path: "/api-v1-events", takes: ["query"], list: true },
  "leads.create": { method: "POST", path: "/api-v1-leads", takes: ["body"], keyed: true },
  "me.get": { method: "GET", path: "/api-v1-me", name: "me" },
  "me.requests": { method: "GET", path: "/api-v1-me/requests", takes: ["query"], list: true },
  "notes.list": { method: "GET", path: "/api-v1-notes", takes: ["query"], list: true },
  "notes.create": { method: "POST", path: "/api-v1-notes", takes: ["body"], keyed: true },
  "notes.batch": { method: "POST", path: "/api-v1-notes/batch", takes: ["body"], keyed: true },
  "notes.get": { method: "GET", path: "/api-v1-notes/{id}" },
  "operations.get": { method: "GET", path: "/api-v1-operations/{id}", name: "operation" },
  "pipelines.list": { method: "GET", path: "/api-v1-pipelines", list: true },
  "search.list": { method: "GET", path: "/api-v1-search", takes: ["query"], list: true },
  "webhooks.list": { method: "GET", path: "/api-v1-webhooks", list: true },
  "webhooks.create": { method: "POST", path: "/api-v1-webhooks", takes: ["body"] },
  "webhooks.get": { method: "GET", path: "/api-v1-webhooks/{id}" },
  "webhooks.update": { method: "PATCH", path: "/api-v1-webhooks/{id}", takes: ["body"] },
  "webhooks.delete": { method: "DELETE", path: "/api-v1-webhooks/{id}" },
  "webhooks.deliveries": {
    method: "GET",
    path: "/api-v1-webhooks/{id}/deliveries",
    takes: ["query"],
    list: true,
  },
  "webhooks.delivery": { method: "GET", path: "/api-v1-webhooks/{id}/deliveries/{delivery_id}" },
  "webhooks.redeliver": { method: "POST", path: "/api-v1-webhooks/{id}/deliveries/{delivery_id}/redeliver" },
  "webhooks.redeliver_deliveries": {
    method: "POST",
    path: "/api-v1-webhooks/{id}/deliveries/redeliver",
    takes: ["body"],
  },
  "webhooks.test": { method: "POST", path: "/api-v1-webhooks/{id}/test", takes: ["body"] },
  "webhooks.reactivate": { method: "POST", path: "/api-v1-webhooks/{id}/reactivate" },
  "webhooks.recover": { method: "POST", path: "/api-v1-webhooks/{id}/recover", takes: ["body"] },
  "webhooks.rotate_secret": { method: "POST", path: "/api-v1-webhooks/{id}/rotate-secret", takes: ["body"] },
  "workspace.get": { method: "GET", path: "/api-v1-workspace", name: "workspace" },
  "custom_fields.list": { method: "GET", path: "/api-v1-workspace/custom-fields", list: true },
  "custom_fields.create": { method: "POST", path: "/api-v1-workspace/custom-fields", takes: ["body"] },
  "custom_fields.update": { method: "PATCH", path: "/api-v1-workspace/custom-fields/{id}", takes: ["body"] },
  "custom_fields.archive": { method: "POST", path: "/api-v1-workspace/custom-fields/{id}/archive" },
  "custom_fields.restore": { method: "POST", path: "/api-v1-workspace/custom-fields/{id}/restore" },
  "proposals.get": { method: "GET", path: "/proposals/{token}", open: true },
  "proposals.accept": { method: "POST", path: "/proposals/{token}/accept", open: true },
  "proposals.reject": { method: "POST", path: "/proposals/{token}/reject", takes: ["body"], open: true },
  "health.get": { method: "GET", path: "/api-v1-health", name: "health", open: true },
};
