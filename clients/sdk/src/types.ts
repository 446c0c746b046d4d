// Written by `deno task sdk` from the table of endpoints: do not edit.

/** An active loss reason */
export interface ActiveLossReason {
  /** The loss_reason_id of POST lose */ id: string;
  /** The reason */ name: string;
}

/** An active pipeline with its active stages */
export interface ActivePipeline {
  /** The record's id */ id: string;
  /** Name */ name: string;
  /** Whether it is the workspace's default */ is_default: boolean;
  /** The stages, in the funnel's order */ stages: ActiveStage[];
}

/** An active stage */
export interface ActiveStage {
  /** The record's id */ id: string;
  /** Name */ name: string;
  /** Type: pre-venda, venda, won or lost */ type: string;
}

/** An activity of a deal */
export interface Activity {
  /** The record's id */ id: string;
  /** The record's workspace, always the API key's */ workspace_id: string;
  /** The deal that the activity belongs to (GET /api-v1-deals) */ deal_id: string;
  /** The contact; the deal's contact if absent on creation */ contact_id: string | null;
  /** The member in charge (GET /api-v1-workspace); if absent on creation, the key's creator or, if inactive, the oldest active manager */
  owner_id: string;
  /** The member who created the API key that was used */ created_by_id: string;
  /** Type: tarefa (if absent on creation), ligacao, reuniao, email, whatsapp, visita, or another text */
  type: string;
  /** Title; derived from the type if absent on creation */ title: string;
  /** Description */ description: string | null;
  /** Due date: ISO 8601; without an offset, UTC */ due_at: string | null;
  /** Duration in minutes */ duration_minutes: number | null;
  /** Whether it is an online meeting */ is_online_meeting: boolean;
  /** Address of the meeting */ meeting_url: string | null;
  /** Place */ location: string | null;
  /** State; pendente if absent on creation */ status: ActivityStatus;
  /** When it was completed */ completed_at: string | null;
  /** Whether it is pending and past its due date */ is_overdue: boolean;
  /** When the record was created */ created_at: string;
  /** When the record last changed */ updated_at: string;
}

/** What to create, change and read */
export interface ActivityBatch {
  /** 1 to 100 items, carried out in order */
  items: ({
    /** What to do */ op: "create";
    data: NewActivity;
  } | {
    /** What to do */ op: "update";
    /** The record to change or to read */ id: string;
    data: ActivityPatch;
  } | {
    /** What to do */ op: "get";
    /** The record to change or to read */ id: string;
  })[];
  /** true: if an item fails, none is written and the reply is 422; if absent, an error does not stop other items */
  atomic?: boolean | null | undefined;
}

/** The completed activity, and what changed */
export interface ActivityCompleted extends Activity {
  /** The fields that changed, in alphabetical order, without updated_at */ changed_fields: string[];
}

export type ActivityCompletedDelivery = DeliveryOf<"activity.completed", "activity", ActivityCompleted>;

export type ActivityCompletedEvent = EventOf<"activity.completed", "activity", ActivityCompleted | null>;

export type ActivityCreatedDelivery = DeliveryOf<"activity.created", "activity", Activity>;

export type ActivityCreatedEvent = EventOf<"activity.created", "activity", Activity | null>;

/** What expand can show */
export type ActivityExpansion = "deal" | "contact" | "owner" | "created_by";

/** The overdue activity */
export interface ActivityOverdue extends Activity {
  /** The due date that passed */ overdue_since: string;
}

export type ActivityOverdueDelivery = DeliveryOf<"activity.overdue", "activity", ActivityOverdue>;

export type ActivityOverdueEvent = EventOf<"activity.overdue", "activity", ActivityOverdue | null>;

export interface ActivityPage {
  /** The records */ data: ExpandedActivity[];
  meta: SyncedPageMeta;
}

/** What changes; null clears the field, or restores its default */
export interface ActivityPatch {
  /** The contact; the deal's contact if absent on creation */ contact_id?: string | null | undefined;
  /** The member in charge (GET /api-v1-workspace); if absent on creation, the key's creator or, if inactive, the oldest active manager */
  owner_id?: string | null | undefined;
  /** Type: tarefa (if absent on creation), ligacao, reuniao, email, whatsapp, visita, or another text */
  type?: string | null | undefined;
  /** Title; derived from the type if absent on creation */ title?: string | null | undefined;
  /** Description */ description?: string | null | undefined;
  /** Due date: ISO 8601; without an offset, UTC */ due_at?: string | null | undefined;
  /** Duration in minutes */ duration_minutes?: number | null | undefined;
  /** Whether it is an online meeting */ is_online_meeting?: boolean | null | undefined;
  /** Address of the meeting */ meeting_url?: string | null | undefined;
  /** Place */ location?: string | null | undefined;
  /** State; pendente if absent on creation */ status?: ActivityStatus | null | undefined;
}

/** The order of a list */
export type ActivitySort = "created_at" | "-created_at" | "updated_at" | "-updated_at" | "due_at" | "-due_at";

/** The state of an activity */
export type ActivityStatus = "pendente" | "concluida" | "cancelada";

/** The activity, and what changed */
export interface ActivityUpdated extends Activity {
  /** The fields that changed, in alphabetical order, without updated_at */ changed_fields: string[];
}

export type ActivityUpdatedDelivery = DeliveryOf<"activity.updated", "activity", ActivityUpdated>;

export type ActivityUpdatedEvent = EventOf<"activity.updated", "activity", ActivityUpdated | null>;

/** Who made a change */
export type ActorType = "key" | "member" | "link" | "system";

/** An address */
export interface Address {
  /** Street */ street?: string | null | undefined;
  /** Number */ number?: string | null | undefined;
  /** Complement */ complement?: string | null | undefined;
  /** District */ district?: string | null | undefined;
  /** City */ city?: string | null | undefined;
  /** State */ state?: string | null | undefined;
  /** Postal code */ postal_code?: string | null | undefined;
  /** Country */ country?: string | null | undefined;
}

/** true: only archived ones; false: only the others; any: all */
export type Archived = "false" | "true" | "any";

/** An attempt */
export interface Attempt {
  /** The series; sending again begins another */ series: number;
  /** The number in the series, 1 to 5 */ number: number;
  /** HTTP status of the last response */ status: number | null;
  /** Why it failed; null if it succeeded */ reason: string | null;
  /** Duration, in ms */ duration_ms: number;
  /** When it ended */ finished_at: string;
  /** The first 1,024 bytes of the receiver's answer, without secrets; null if it is empty, not text, or not kept because a person was erased */
  answer: string | null;
}

/** Work that is too large for one call and continues in the background */
export interface BackgroundOperation {
  /** The record's id */ id: string;
  kind: OperationKind;
  /** How far it is */ state: OperationState;
  /** What the call asked for */ arguments: OperationArguments;
  /** In an erasure: what has been cleared so far */ cleared: Cleared | null;
  /** In a completed erasure: what still names the person */ texts_naming: TextsNaming | null;
  /** In a merge: what has been moved so far */ moved: Moved | null;
  /** Why the last step failed; null if it did not. To try again, repeat the call */
  error: OperationError | null;
  /** When the record was created */ created_at: string;
  /** When the record last changed */ updated_at: string;
  /** When it ended */ ended_at: string | null;
}

/** The result of each item */
export interface BatchResult {
  /** One result for each item, in order */
  results: {
    /** Position of the item, from 0 */ index: number;
    /** The status that the call for one record would have */ status: number;
    /** The record's id */ id?: string | undefined;
    /** The fields that an upsert did not write, as in the call for one record; absent if none */
    differences?: string[] | undefined;
    /** For get: the record, as in GET /:id; after 500 KB of records, the other gets fail with too_many_records */
    record?: Record<string, unknown> | undefined;
    /** The error that the call for one record would have */
    error?: {
      /** A stable code */ code: string;
      /** What happened, in Portuguese */ message: string;
      /** The invalid fields; at most 100 in the whole reply, at least the first of each item */
      details?: {
        /** The field's name, with its item */ field: string;
        /** What happened, in Portuguese */ message: string;
        /** The record's id */ id?: string | undefined;
        /** What the field may name, if the workspace has up to 20 options; in a batch, only in the first item with this error */
        choices?: Choice[] | undefined;
      }[] | undefined;
    } | undefined;
  }[];
  /** How many items had each result */
  summary: {
    /** Items that created a record */ created: number;
    /** Items that found or changed a record */ updated: number;
    /** Items with an error; nothing was written for them */ failed: number;
  };
}

/** A change of an object */
export interface Change {
  /** The id of the event that reports the change */ id: string;
  /** The object's type */ object_type: ChangeObjectType;
  /** The object's id */ object_id: string;
  /** What was done: the event */ action: ChangeAction;
  /** The fields that changed, in alphabetical order; empty where the action says it all */
  changed_fields: string[];
  /** Who changed it */
  actor: {
    /** key: an API key; member: a person; link: the customer, by a proposal's link; system: the service itself, or its operator */
    type: ActorType;
    /** The key, member or proposal; null for system */ id: string | null;
    /** The current name of the key or member, or the proposal's title; null for system */
    name: string | null;
  };
  /** When */ occurred_at: string;
}

/** What a change did: the event */
export type ChangeAction =
  | "activity.created"
  | "proposal.viewed"
  | "deal.created"
  | "contact.created"
  | "proposal.accepted"
  | "proposal.rejected"
  | "contact.updated"
  | "company.created"
  | "company.updated"
  | "deal.updated"
  | "deal.contact_added"
  | "deal.contact_removed"
  | "activity.updated"
  | "note.created"
  | "contact.merged"
  | "contact.erased";

/** The type of a change's object */
export type ChangeObjectType = "activity" | "proposal" | "deal" | "contact" | "company" | "note";

export interface ChangePage {
  /** The records */ data: Change[];
  meta: PageMeta;
}

/** What happened in a period */
export interface ChangeSummary {
  /** The start of the period */ since: string;
  /** The end of the period; null: now */ until: string | null;
  /** How many events of each type, most frequent first */
  counts: {
    /** The event */ action: EventType;
    /** How many times */ count: number;
  }[];
  /** The newest 25 highlights */
  highlights: {
    action: Highlight;
    /** When */ occurred_at: string;
    /** A deal of the same workspace (GET /api-v1-deals) */ deal_id: string;
    /** The deal's title */ title: string;
    /** The amount, without a currency symbol */ value: number | null;
    /** The stage that it left */ from_stage: string | null;
    /** The stage that it moved to */ to_stage: string | null;
    /** Who: the key, member or link */ actor: string | null;
  }[];
  /** How many further highlights there were */ highlights_left_out: number;
}

/** A record that the field may refer to */
export interface Choice extends Reference {
  /** Name */ name: string;
  /** Type of the stage; only for stages */ type?: string | undefined;
}

/** How many records of each kind this call changed */
export interface Cleared {
  /** The contact and those merged into it */ contacts: number;
  /** Deals */ deals: number;
  /** Notes */ notes: number;
  /** Activities */ activities: number;
  /** Proposals */ proposals: number;
  /** external_id of leads that were received */ lead_receipts: number;
  /** Deals that had the contact as an additional one or in a role */ deal_contacts: number;
  /** Replies stored for an Idempotency-Key */ stored_replies: number;
  /** Answers from webhook receivers */ webhook_answers: number;
}

/** A company */
export interface Company {
  /** The record's id */ id: string;
  /** The record's workspace, always the API key's */ workspace_id: string;
  /** Name */ name: string;
  /** Legal name */ legal_name: string | null;
  /** CNPJ or another tax id, stored in upper case and without punctuation */ tax_id: string | null;
  /** Domain, stored in lower case, without https://, www and path */ domain: string | null;
  /** Website */ website: string | null;
  /** E-mail address, stored in lower case */ email: string | null;
  /** Phone number */ phone: string | null;
  /** Industry */ industry: string | null;
  /** Number of employees */ employee_count: number | null;
  /** LinkedIn profile */ linkedin: string | null;
  /** Instagram profile */ instagram: string | null;
  /** Address */ address: Address | null;
  /** The member in charge (GET /api-v1-workspace); if absent on creation, the key's creator or, if inactive, the oldest active manager */
  owner_id: string;
  /** Free notes */ notes: string | null;
  /** The integrator's own fields: at most 50 keys and 10 KB; a change keeps the keys that it does not send, and null removes one */
  custom_fields: Record<string, unknown> | null;
  /** Tags: at most 50, of 1 to 60 characters, ignoring case */ tags: string[];
  /** The id in the system that the company comes from, unique in the workspace */
  external_id: string | null;
  /** Since when it is archived, and left out of lists */ archived_at: string | null;
  /** The company that this one was merged into */ merged_into_id: string | null;
  /** When the record was created */ created_at: string;
  /** When the record last changed */ updated_at: string;
}

/** What to create, change and read */
export interface CompanyBatch {
  /** 1 to 100 items, carried out in order */
  items: ({
    /** What to do */ op: "create";
    data: NewCompany;
  } | {
    /** What to do */ op: "update";
    /** The record to change or to read */ id: string;
    data: CompanyPatch;
  } | {
    /** What to do */ op: "get";
    /** The record to change or to read */ id: string;
  } | {
    /** What to do */ op: "upsert";
    /** The field by which to find the record; the body must have a value for it */ match_by: CompanyMatch;
    data: CompanyUpsert;
  })[];
  /** true: if an item fails, none is written and the reply is 422; if absent, an error does not stop other items */
  atomic?: boolean | null | undefined;
}

export type CompanyCreatedDelivery = DeliveryOf<"company.created", "company", Company>;

export type CompanyCreatedEvent = EventOf<"company.created", "company", Company | null>;

/** What records have in common */
export type CompanyLikeness = "name" | "tax_id" | "domain";

/** The field by which a company is looked for */
export type CompanyMatch = "external_id" | "tax_id" | "domain";

export interface CompanyPage {
  /** The records */ data: ExpandedCompany[];
  meta: SyncedPageMeta;
}

/** What changes; null clears */
export interface CompanyPatch extends Optional<NewCompany> {
  /** Tags to add to the current ones */ add_tags?: string[] | null | undefined;
  /** Tags to remove from the current ones */ remove_tags?: string[] | null | undefined;
}

/** The company, and what changed */
export interface CompanyUpdated extends Company {
  /** The fields that changed, in alphabetical order, without updated_at */ changed_fields: string[];
}

export type CompanyUpdatedDelivery = DeliveryOf<"company.updated", "company", CompanyUpdated>;

export type CompanyUpdatedEvent = EventOf<"company.updated", "company", CompanyUpdated | null>;

/** A company to create, or what changes in it */
export interface CompanyUpsert extends CompanyPatch {
}

/** A contact */
export interface Contact {
  /** The record's id */ id: string;
  /** The record's workspace, always the API key's */ workspace_id: string;
  /** Name */ name: string;
  /** E-mail address, stored in lower case */ email: string | null;
  /** Phone number */ phone: string | null;
  /** Second phone number */ phone2: string | null;
  /** WhatsApp number */ whatsapp: string | null;
  /** Job title */ job_title: string | null;
  /** The company that the contact works for, in the same workspace */ company_id: string | null;
  /** The member in charge (GET /api-v1-workspace); if absent on creation, the key's creator or, if inactive, the oldest active manager */
  owner_id: string;
  /** Instagram profile */ instagram: string | null;
  /** LinkedIn profile */ linkedin: string | null;
  /** Free notes */ notes: string | null;
  /** The integrator's own fields: at most 50 keys and 10 KB; a change keeps the keys that it does not send, and null removes one */
  custom_fields: Record<string, unknown> | null;
  /** Tags: at most 50, of 1 to 60 characters, ignoring case */ tags: string[];
  /** The id in the system that the contact comes from, unique in the workspace */
  external_id: string | null;
  /** Since when it is archived, and left out of lists */ archived_at: string | null;
  /** The contact that this one was merged into */ merged_into_id: string | null;
  /** When the personal data was erased */ erased_at: string | null;
  /** When the record was created */ created_at: string;
  /** When the record last changed */ updated_at: string;
}

/** What to create, change and read */
export interface ContactBatch {
  /** 1 to 100 items, carried out in order */
  items: ({
    /** What to do */ op: "create";
    data: NewContact;
  } | {
    /** What to do */ op: "update";
    /** The record to change or to read */ id: string;
    data: ContactPatch;
  } | {
    /** What to do */ op: "get";
    /** The record to change or to read */ id: string;
  } | {
    /** What to do */ op: "upsert";
    /** The field by which to find the record; the body must have a value for it */ match_by: ContactMatch;
    data: ContactUpsert;
  })[];
  /** true: if an item fails, none is written and the reply is 422; if absent, an error does not stop other items */
  atomic?: boolean | null | undefined;
}

export type ContactCreatedDelivery = DeliveryOf<"contact.created", "contact", Contact>;

export type ContactCreatedEvent = EventOf<"contact.created", "contact", Contact | null>;

/** The contact whose data was erased */
export interface ContactErased {
  /** The record's id */ id: string;
}

export type ContactErasedDelivery = DeliveryOf<"contact.erased", "contact", ContactErased>;

export type ContactErasedEvent = EventOf<"contact.erased", "contact", ContactErased | null>;

/** What expand can show */
export type ContactExpansion = "company" | "owner";

/** What records have in common */
export type ContactLikeness = "email" | "phone";

/** The field by which a contact is looked for */
export type ContactMatch = "external_id" | "email" | "phone";

/** The contact that remains, and the contact that was merged into it */
export interface ContactMerged extends Contact {
  /** The contact that was merged into this one */ merged_contact_id: string;
}

export type ContactMergedDelivery = DeliveryOf<"contact.merged", "contact", ContactMerged>;

export type ContactMergedEvent = EventOf<"contact.merged", "contact", ContactMerged | null>;

export interface ContactPage {
  /** The records */ data: ExpandedContact[];
  meta: SyncedPageMeta;
}

/** What changes; null clears */
export interface ContactPatch extends Optional<NewContact> {
  /** Tags to add to the current ones */ add_tags?: string[] | null | undefined;
  /** Tags to remove from the current ones */ remove_tags?: string[] | null | undefined;
}

/** The contact, and what changed */
export interface ContactUpdated extends Contact {
  /** The fields that changed, in alphabetical order, without updated_at */ changed_fields: string[];
}

export type ContactUpdatedDelivery = DeliveryOf<"contact.updated", "contact", ContactUpdated>;

export type ContactUpdatedEvent = EventOf<"contact.updated", "contact", ContactUpdated | null>;

/** A contact to create, or what changes in it */
export interface ContactUpsert extends ContactPatch {
}

/** The record that was created */
export interface CreatedCompany extends Company {
  /** Records that existed before and resemble this one, 5 at most; only with Prefer: return=representation */
  possible_duplicates?: string[] | undefined;
}

/** The new contact's id; with Prefer: return=representation, the whole contact */
export interface CreatedContact extends Optional<Contact> {
  /** The record's id */ id: string;
  /** Records that existed before and resemble this one, 5 at most; only with Prefer: return=representation */
  possible_duplicates?: string[] | undefined;
}

/** The new subscription, with its secret */
export interface CreatedSubscription {
  /** The record's id */ id: string;
  /** The events subscribed to */ event_types: EventType[];
  /** The address that deliveries go to: https and public */ target_url: string;
  /** Whether it gets deliveries; it becomes inactive after the 5th failure of a delivery, or when it is deleted */
  is_active: boolean;
  /** When the record was created */ created_at: string;
  /** Only the events that pass every filter; null: all events of the types */
  filters: StoredFilters | null;
  /** What data contains. full: the object; ids: only the object's id. Absent or null means full */
  payload: SubscriptionPayload;
  /** A header that every attempt has, for receivers that want one. Its value is stored encrypted and never shown */
  header: OwnHeaderName | null;
  /** The subscription's name for people */ name: string | null;
  /** The secret that signs the deliveries; only this reply shows it */ secret: string;
}

/** A custom field that the workspace has defined */
export interface CustomField extends CustomFieldInUse {
  /** The record's id */ id: string;
  /** Since when it is out of use */ archived_at: string | null;
  /** When the record was created */ created_at: string;
  /** When the record last changed */ updated_at: string;
}

/** A defined field, in use */
export interface CustomFieldInUse {
  /** The kind of record that has the field */ object_type: FoundType;
  /** The key in custom_fields; it cannot change */ key: string;
  /** The name shown to people */ label: string;
  /** The type of the value; it cannot change. money is a number from 0; date, YYYY-MM-DD; choices, a list of choices */
  type: CustomFieldType;
  /** The choices of a field of the type choice or choices; null for other types */
  choices: string[] | null;
}

/** The defined fields */
export interface CustomFieldList {
  /** The fields, ordered by kind of record, archived ones included */ data: CustomField[];
}

/** What changes in the field */
export interface CustomFieldPatch {
  /** The name shown to people */ label?: string | undefined;
  /** All choices that are offered; a record with another choice keeps it */
  choices?: string[] | undefined;
}

/** The type of the values of a defined field */
export type CustomFieldType =
  | "text"
  | "number"
  | "money"
  | "date"
  | "boolean"
  | "choice"
  | "choices"
  | "link";

/** Whether the database answers */
export type DatabaseStatus = "up" | "down";

/** deleted: it was deleted; failures: a delivery failed 5 times; key_revoked: the key that created it was revoked */
export type DeactivatedReason = "deleted" | "failures" | "key_revoked";

/** A deal */
export interface Deal {
  /** The record's id */ id: string;
  /** The record's workspace, always the API key's */ workspace_id: string;
  /** Title; if absent on creation, the name of the contact or company */ title: string;
  /** Status */ status: DealStatus;
  /** The amount, without a currency symbol */ value: number | null;
  /** The recurring (monthly) amount, without a currency symbol */ recurring_value: number | null;
  /** The pipeline (GET /api-v1-pipelines); if absent, the workspace's default */ pipeline_id: string;
  /** The stage (GET /api-v1-pipelines); if absent on creation, the pipeline's first */ stage_id: string;
  /** A contact of the same workspace (GET /api-v1-contacts) */ contact_id: string | null;
  /** A company of the same workspace (GET /api-v1-companies) */ company_id: string | null;
  /** The member in charge (GET /api-v1-workspace); if absent on creation, the key's creator or, if inactive, the oldest active manager */
  owner_id: string;
  /** Expected close date */ expected_close_date: string | null;
  /** Reason for the loss (GET /api-v1-workspace) */ loss_reason_id: string | null;
  /** Note on the loss */ loss_note: string | null;
  /** Where the record comes from, in free text */ source: string | null;
  utm: Utm | null;
  /** The integrator's own fields: at most 50 keys and 10 KB; a change keeps the keys that it does not send, and null removes one */
  custom_fields: Record<string, unknown> | null;
  /** Tags: at most 50, of 1 to 60 characters, ignoring case */ tags: string[];
  /** The id in the system that the deal comes from */ external_id: string | null;
  /** When it last changed stage */ stage_changed_at: string;
  /** The last activity */ last_activity_at: string | null;
  /** When it was won */ won_at: string | null;
  /** When it was lost */ lost_at: string | null;
  /** When it was won or lost */ closed_at: string | null;
  /** Since when it is archived, and left out of lists */ archived_at: string | null;
  /** When the record was created */ created_at: string;
  /** When the record last changed */ updated_at: string;
}

/** The deal after the action */
export interface DealAction extends Deal {
  /** true if the result already existed and the call changed nothing */ idempotent: boolean;
}

/** What to create, change and read */
export interface DealBatch {
  /** 1 to 100 items, carried out in order */
  items: ({
    /** What to do */ op: "create";
    data: NewDeal;
  } | {
    /** What to do */ op: "update";
    /** The record to change or to read */ id: string;
    data: DealPatch;
  } | {
    /** What to do */ op: "get";
    /** The record to change or to read */ id: string;
  } | {
    /** What to do */ op: "upsert";
    /** The field by which to find the record; the body must have a value for it */
    match_by: "external_id";
    data: DealUpsert;
  })[];
  /** true: if an item fails, none is written and the reply is 422; if absent, an error does not stop other items */
  atomic?: boolean | null | undefined;
}

/** A contact of a deal */
export interface DealContact {
  /** A contact of the same workspace (GET /api-v1-contacts) */ contact_id: string;
  /** Name of the contact; null for a key without contacts:read */ name: string | null;
  /** The role in the deal */ role: string | null;
  /** Whether it is the main contact, the deal's contact_id */ is_main: boolean;
  /** When it was added to the deal; null if it is only the main contact, which leaves the deal when contact_id changes */
  added_at: string | null;
}

/** The deal, the contact and its role */
export interface DealContactAdded extends Deal {
  /** The contact */ added_contact_id: string;
  /** The contact's role in the deal now */ role: string | null;
}

export type DealContactAddedDelivery = DeliveryOf<"deal.contact_added", "deal", DealContactAdded>;

export type DealContactAddedEvent = EventOf<"deal.contact_added", "deal", DealContactAdded | null>;

/** The contacts of a deal */
export interface DealContactList {
  /** The main contact, then the others in the order in which they were added; at most 51 */
  data: DealContact[];
}

/** The deal, and the contact that left */
export interface DealContactRemoved extends Deal {
  /** The contact that left */ removed_contact_id: string;
}

export type DealContactRemovedDelivery = DeliveryOf<"deal.contact_removed", "deal", DealContactRemoved>;

export type DealContactRemovedEvent = EventOf<"deal.contact_removed", "deal", DealContactRemoved | null>;

export type DealCreatedDelivery = DeliveryOf<"deal.created", "deal", Deal>;

export type DealCreatedEvent = EventOf<"deal.created", "deal", Deal | null>;

/** A deal with contact, company, last activity and the lead that was sent */
export interface DealDetail extends Deal {
  pipeline?: Expanded | null | undefined;
  stage?: Expanded | null | undefined;
  contact: Contact | null;
  company: Company | null;
  owner?: Expanded | null | undefined;
  loss_reason?: Expanded | null | undefined;
  last_activity: Activity | null;
  /** Only with expand=contacts: all contacts of the deal with their roles */
  contacts?: DealContact[] | undefined;
  /** What POST leads received, as it was typed; null if the deal did not come from a lead */
  lead: LeadSubmission | null;
}

/** What expand can show in a deal's detail */
export type DealDetailExpansion =
  | "pipeline"
  | "stage"
  | "contact"
  | "company"
  | "owner"
  | "loss_reason"
  | "contacts";

/** What expand can show */
export type DealExpansion = "pipeline" | "stage" | "contact" | "company" | "owner" | "loss_reason";

/** How a summary of deals is grouped */
export type DealGrouping = "owner" | "stage" | "month" | "source";

export type DealLostDelivery = DeliveryOf<"deal.lost", "deal", Deal>;

export type DealLostEvent = EventOf<"deal.lost", "deal", Deal | null>;

export interface DealPage {
  /** The records */ data: ExpandedDeal[];
  meta: SyncedPageMeta;
}

/** What changes; null clears; status aberto reopens the deal; to win or lose the deal, use POST /api-v1-deals/<id>/win or POST /api-v1-deals/<id>/lose */
export interface DealPatch extends DealUpsert {
  /** Status */ status?: "aberto" | undefined;
}

/** The reopened deal, and what changed */
export interface DealReopened extends Deal {
  /** The fields that changed, in alphabetical order, without updated_at */ changed_fields: string[];
}

export type DealReopenedDelivery = DeliveryOf<"deal.reopened", "deal", DealReopened>;

export type DealReopenedEvent = EventOf<"deal.reopened", "deal", DealReopened | null>;

/** The order of a list */
export type DealSort =
  | "created_at"
  | "-created_at"
  | "updated_at"
  | "-updated_at"
  | "value"
  | "-value"
  | "moved_at"
  | "-moved_at"
  | "expected_close_date"
  | "-expected_close_date";

/** The deal, with its previous stage and pipeline */
export interface DealStageChanged extends Deal {
  /** The previous stage */ previous_stage_id: string;
  /** The previous pipeline */ previous_pipeline_id: string;
}

export type DealStageChangedDelivery = DeliveryOf<"deal.stage_changed", "deal", DealStageChanged>;

export type DealStageChangedEvent = EventOf<"deal.stage_changed", "deal", DealStageChanged | null>;

/** The stale deal */
export interface DealStale extends Deal {
  /** Days without movement */ days_without_movement: number;
  /** Days without movement after which the workspace considers a deal stale */ threshold_days: number;
}

export type DealStaleDelivery = DeliveryOf<"deal.stale", "deal", DealStale>;

export type DealStaleEvent = EventOf<"deal.stale", "deal", DealStale | null>;

/** The state of a deal */
export type DealStatus = "aberto" | "ganho" | "perdido";

/** How many deals there are, and their sums */
export interface DealSummary {
  /** An item for each pipeline, stage and status that has deals */
  data: {
    /** The pipeline */ pipeline_id: string;
    /** The stage */ stage_id: string;
    /** Status */ status: DealStatus;
    /** How many deals */ count: number;
    /** Sum of value */ value: number;
    /** Sum of recurring_value */ recurring_value: number;
  }[];
  /** The sum of data */
  totals: {
    /** How many deals */ count: number;
    /** Sum of value */ value: number;
    /** Sum of recurring_value */ recurring_value: number;
  };
  /** An item for each value of group_by, largest first */
  groups?: {
    /** The id of the owner or stage, the month, or the source; null if the deal has none */
    key: string | null;
    /** The name of the owner or stage; otherwise the same as key */ name: string | null;
    /** How many deals */ count: number;
    /** Sum of value */ value: number;
    /** Sum of recurring_value */ recurring_value: number;
  }[] | undefined;
}

/** The deal, and what changed */
export interface DealUpdated extends Deal {
  /** The fields that changed, in alphabetical order, without updated_at */ changed_fields: string[];
}

export type DealUpdatedDelivery = DeliveryOf<"deal.updated", "deal", DealUpdated>;

export type DealUpdatedEvent = EventOf<"deal.updated", "deal", DealUpdated | null>;

/** A deal to create, with at least one of title, contact_id and company_id, or what changes in it */
export interface DealUpsert {
  /** Title; if absent on creation, the name of the contact or company */ title?: string | undefined;
  /** The amount, without a currency symbol */ value?: number | null | undefined;
  /** The recurring (monthly) amount, without a currency symbol */
  recurring_value?: number | null | undefined;
  /** The pipeline (GET /api-v1-pipelines); if absent, the workspace's default */
  pipeline_id?: string | undefined;
  /** The stage (GET /api-v1-pipelines); if absent on creation, the pipeline's first */
  stage_id?: string | undefined;
  /** A contact of the same workspace (GET /api-v1-contacts) */ contact_id?: string | null | undefined;
  /** A company of the same workspace (GET /api-v1-companies) */ company_id?: string | null | undefined;
  /** The member in charge (GET /api-v1-workspace); if absent on creation, the key's creator or, if inactive, the oldest active manager */
  owner_id?: string | null | undefined;
  /** Expected close date */ expected_close_date?: string | null | undefined;
  /** Where the record comes from, in free text */ source?: string | null | undefined;
  utm?: Utm | null | undefined;
  /** The integrator's own fields: at most 50 keys and 10 KB; a change keeps the keys that it does not send, and null removes one */
  custom_fields?: Record<string, unknown> | null | undefined;
  /** Tags: at most 50, of 1 to 60 characters, ignoring case */ tags?: string[] | null | undefined;
  /** The id in the system that the deal comes from */ external_id?: string | null | undefined;
  /** Tags to add to the current ones */ add_tags?: string[] | null | undefined;
  /** Tags to remove from the current ones */ remove_tags?: string[] | null | undefined;
}

export type DealWonDelivery = DeliveryOf<"deal.won", "deal", Deal>;

export type DealWonEvent = EventOf<"deal.won", "deal", Deal | null>;

/** A delivery */
export interface Delivery {
  /** The delivery's id, which the body has as delivery_id */ id: string;
  /** The event's id, which the body has as event_id */ event_id: string;
  /** The subscription */ subscription_id: string;
  /** Where it goes */ target_url: string;
  /** The type of the event */ event: EventType;
  /** The type of the event's object */ object_type: string;
  /** The event's object */ object_id: string;
  /** The object's title or name as it is now; for a note, the title of its deal. null if it was erased, and in a test */
  object_name: string | null;
  /** Whether it is a test event */ is_test: boolean;
  state: DeliveryState;
  /** Attempts made, of 5 */ attempts: number;
  /** HTTP status of the last response */ last_status: number | null;
  /** Why the last attempt failed */ last_reason: string | null;
  /** Duration of the last attempt, in ms */ last_duration_ms: number | null;
  /** When the last attempt was */ last_attempt_at: string | null;
  /** When the next attempt will be; null if there is none, or the delivery is held */
  next_attempt_at: string | null;
  /** When the event occurred */ occurred_at: string;
  /** When the delivery was created */ created_at: string;
}

/** The deliveries of a day, in the workspace's time zone */
export interface DeliveryDay {
  /** The day */ day: string;
  /** Delivered */ delivered: number;
  /** Failed for good */ failed: number;
  /** Waiting for an attempt */ waiting: number;
}

/** A delivery, its attempts and what it sends */
export interface DeliveryDetail extends Delivery {
  /** The newest 100 attempts, oldest first */ attempts_made: Attempt[];
  /** The body that would be sent now; null if it cannot be built */ body: string | null;
  /** true: the last attempt sent exactly body; false: the object has changed since; null: nothing was sent yet */
  body_as_sent: boolean | null;
  /** The headers of an attempt */ headers: Header[];
}

/** The fields that every delivery has, whatever its event */
export interface DeliveryEnvelope {
  /** The event's id, the same for every subscription */ event_id: string;
  /** The record's workspace, always the API key's */ workspace_id: string;
  /** The object's id */ object_id: string;
  /** When it happened */ occurred_at: string;
  /** Who made the change: the API key, the member, or the proposal whose link the customer used; null: the service itself */
  actor_id: string | null;
  /** The delivery's id, the same on every attempt */ delivery_id: string;
  /** Only in a test event: nothing has happened, and data is made up */ test?: true | undefined;
}

export interface DeliveryPage {
  /** The records */ data: Delivery[];
  meta: PageMeta;
}

/** pending waits for an attempt; held waits until the subscription or the workspace may send again; cancelled was waiting when the subscription was deleted */
export type DeliveryState = "pending" | "held" | "delivered" | "failed" | "cancelled";

/** Records with the same value */
export interface DuplicateGroup {
  /** The value in common */ value: string;
  /** How many records there are */ count: number;
  /** The oldest 10, oldest first */ records: Reference[];
}

export interface DuplicateGroupPage {
  /** The records */ data: DuplicateGroup[];
  meta: PageMeta;
}

/** The erased contact */
export interface ErasedContact {
  /** The record's id */ id: string;
  /** When the personal data was erased */ erased_at: string;
  /** What this call has cleared */ cleared: Cleared;
  /** What still names the person; null while the erasure continues in the background */
  texts_naming: TextsNaming | null;
  /** Only in a 202: the work that continues in the background; `Location` is the address that shows its progress */
  operation?: BackgroundOperation | undefined;
}

/** What to erase */
export interface Erasure {
  /** Whether to erase also what was written about the contact's deals: notes, activities, custom fields, notes on losses, reasons for rejecting proposals; false if absent */
  texts?: boolean | null | undefined;
}

/** The body of every error */
export interface Error {
  /** The error */
  error: {
    code: ErrorCode;
    /** What happened, in Portuguese */ message: string;
    /** Every invalid field */ details?: ErrorDetail[] | undefined;
  };
}

/** A stable code */
export type ErrorCode =
  | "missing_api_key"
  | "invalid_api_key"
  | "revoked_api_key"
  | "insufficient_scope"
  | "workspace_suspended"
  | "feature_disabled"
  | "rate_limited"
  | "method_not_allowed"
  | "invalid_body"
  | "bad_request"
  | "payload_too_large"
  | "request_timeout"
  | "validation_error"
  | "invalid_cursor"
  | "cursor_expired"
  | "too_many_records"
  | "invalid_idempotency_key"
  | "idempotency_conflict"
  | "idempotency_in_progress"
  | "batch_failed"
  | "service_unavailable"
  | "internal_error"
  | "not_found"
  | "precondition_failed"
  | "invalid_reference"
  | "merged"
  | "record_merged"
  | "record_erased"
  | "pipeline_not_found"
  | "no_default_pipeline"
  | "stage_not_found"
  | "pipeline_has_no_stage"
  | "owner_unresolved"
  | "no_owner_available"
  | "external_id_taken"
  | "ambiguous_match"
  | "no_author_available"
  | "invalid_event_type"
  | "invalid_target_url"
  | "subscription_inactive"
  | "queue_full"
  | "proposal_expired"
  | "proposal_closed";

/** An invalid field */
export interface ErrorDetail {
  /** Name of the field or parameter */ field: string;
  /** What is allowed, in Portuguese */ message: string;
  /** The record that the error is about, if there is one */ id?: string | undefined;
  /** What the field may name, if the workspace has up to 20 options; in a batch, only in the first item with this error */
  choices?: Choice[] | undefined;
}

/** Something that happened; event has its type */
export type Event =
  | DealStageChangedEvent
  | DealWonEvent
  | DealLostEvent
  | DealStaleEvent
  | ActivityCreatedEvent
  | ActivityOverdueEvent
  | ProposalViewedEvent
  | DealCreatedEvent
  | ContactCreatedEvent
  | LeadReceivedEvent
  | ProposalAcceptedEvent
  | ProposalRejectedEvent
  | ContactUpdatedEvent
  | CompanyCreatedEvent
  | CompanyUpdatedEvent
  | DealUpdatedEvent
  | DealReopenedEvent
  | DealContactAddedEvent
  | DealContactRemovedEvent
  | ActivityUpdatedEvent
  | ActivityCompletedEvent
  | NoteCreatedEvent
  | ContactMergedEvent
  | ContactErasedEvent;

/** The fields that every event in the list has, whatever its type */
export interface EventEnvelope {
  /** The event's id, which webhook deliveries have as event_id */ id: string;
  /** The record's workspace, always the API key's */ workspace_id: string;
  /** The object's id */ object_id: string;
  /** When it happened */ occurred_at: string;
  /** Who made the change: the API key, the member, or the proposal whose link the customer used; null: the service itself */
  actor_id: string | null;
}

export interface EventPage {
  /** The records */ data: Event[];
  meta: EventPageMeta;
}

/** Where the list continues */
export interface EventPageMeta {
  /** Where to continue, now or later; never null */ next_cursor: string;
  /** Whether there is more to read now; a page may have fewer events than limit, or none, although there are more */
  has_more: boolean;
}

/** The name of an event */
export type EventType =
  | "deal.stage_changed"
  | "deal.won"
  | "deal.lost"
  | "deal.stale"
  | "activity.created"
  | "activity.overdue"
  | "proposal.viewed"
  | "deal.created"
  | "contact.created"
  | "lead.received"
  | "proposal.accepted"
  | "proposal.rejected"
  | "contact.updated"
  | "company.created"
  | "company.updated"
  | "deal.updated"
  | "deal.reopened"
  | "deal.contact_added"
  | "deal.contact_removed"
  | "activity.updated"
  | "activity.completed"
  | "note.created"
  | "contact.merged"
  | "contact.erased";

/** The record that an _id field refers to */
export interface Expanded extends Reference {
  /** Type of the stage; only for stages */ type?: string | undefined;
}

/** An activity of a deal */
export interface ExpandedActivity extends Activity {
  deal?: Expanded | null | undefined;
  contact?: Expanded | null | undefined;
  owner?: Expanded | null | undefined;
  created_by?: Expanded | null | undefined;
}

/** A company */
export interface ExpandedCompany extends Company {
  owner?: Expanded | null | undefined;
}

/** A contact */
export interface ExpandedContact extends Contact {
  company?: Expanded | null | undefined;
  owner?: Expanded | null | undefined;
}

/** A deal */
export interface ExpandedDeal extends Deal {
  pipeline?: Expanded | null | undefined;
  stage?: Expanded | null | undefined;
  contact?: Expanded | null | undefined;
  company?: Expanded | null | undefined;
  owner?: Expanded | null | undefined;
  loss_reason?: Expanded | null | undefined;
}

/** A note of a deal */
export interface ExpandedNote extends Note {
  deal?: Expanded | null | undefined;
  author?: Expanded | null | undefined;
}

/** A record that was found */
export interface Found {
  /** The type of the record */ type: FoundType;
  /** The record's id */ id: string;
  /** The name, or the deal's title */ name: string;
  /** E-mail address, stored in lower case */ email: string | null;
  /** Phone number */ phone: string | null;
  company: Reference | null;
  /** The deal's state */ status: string | null;
  /** The amount, without a currency symbol */ value: number | null;
}

/** The type of a found record */
export type FoundType = "company" | "contact" | "deal";

/** A header */
export interface Header {
  /** Name */ name: string;
  /** Value; a description replaces that of the signature */ value: string;
}

/** The state of the service */
export interface Health {
  status: HealthStatus;
  /** Version */ version: string;
  /** The database */ database: {
    status: DatabaseStatus;
  };
  webhooks: WebhooksStatus | null;
}

/** Whether the service can answer */
export type HealthStatus = "ok" | "unavailable";

/** What happened to a deal */
export type Highlight = "deal.created" | "deal.won" | "deal.lost" | "deal.reopened" | "deal.stage_changed";

/** A field of the lead for which the contact has another value */
export type LeadDifference = "first_name" | "last_name" | "email" | "phone" | "company_name";

/** The lead with its records */
export interface LeadReceived {
  /** The lead's records */
  lead: {
    /** The deal */ deal_id: string;
    /** The contact */ contact_id: string;
    /** The company; null without company_name */ company_id: string | null;
    /** The record's workspace, always the API key's */ workspace_id: string;
    /** State of the deal */ status: DealStatus;
    /** The deal's pipeline */ pipeline_id: string;
    /** The deal's stage */ stage_id: string;
    /** The member in charge */ owner_id: string;
    /** When the record was created */ created_at: string;
  };
  contact: Contact | null;
  company: Company | null;
  /** Where the record comes from, in free text */ source: string | null;
  utm: Utm | null;
  /** The id in the system that the record comes from */ external_id: string | null;
  /** What was sent, as it was typed; null after the data was erased */ submitted: LeadSubmission | null;
}

export type LeadReceivedDelivery = DeliveryOf<"lead.received", "deal", LeadReceived>;

export type LeadReceivedEvent = EventOf<"lead.received", "deal", LeadReceived | null>;

/** A lead: creates or reuses company and contact, and creates a deal */
export interface LeadRequest {
  /** First name */ first_name: string;
  /** Last name */ last_name?: string | null | undefined;
  /** E-mail address, stored in lower case */ email?: string | null | undefined;
  /** Phone number */ phone?: string | null | undefined;
  /** The company, created or reused by its name */ company_name?: string | null | undefined;
  /** The id in the system that the lead comes from; a repeated id returns the lead created before */
  external_id?: string | null | undefined;
  /** The amount, without a currency symbol */ value?: number | null | undefined;
  /** The recurring (monthly) amount, without a currency symbol */
  recurring_value?: number | null | undefined;
  /** The pipeline (GET /api-v1-pipelines); if absent, the workspace's default */
  pipeline_id?: string | null | undefined;
  /** The stage (GET /api-v1-pipelines); if absent on creation, the pipeline's first */
  stage_id?: string | null | undefined;
  /** The member in charge; if absent, or not an active member of the workspace, the API chooses */
  owner_id?: string | null | undefined;
  /** Where the record comes from, in free text */ source?: string | null | undefined;
  utm?: Utm | null | undefined;
  /** The integrator's own fields: at most 50 keys and 10 KB; a change keeps the keys that it does not send, and null removes one */
  custom_fields?: Record<string, unknown> | null | undefined;
  /** Source of the traffic; the same as inside utm */ utm_source?: string | null | undefined;
  /** Medium; the same as inside utm */ utm_medium?: string | null | undefined;
  /** Campaign; the same as inside utm */ utm_campaign?: string | null | undefined;
  /** Keyword; the same as inside utm */ utm_term?: string | null | undefined;
  /** Variant of the advertisement; the same as inside utm */ utm_content?: string | null | undefined;
}

/** The records that the lead created or reused */
export interface LeadResult {
  /** The lead's records */
  lead: {
    /** The deal */ deal_id: string;
    /** The contact */ contact_id: string;
    /** The company; null without company_name */ company_id: string | null;
    /** The record's workspace, always the API key's */ workspace_id: string;
    /** State of the deal */ status: DealStatus;
    /** The deal's pipeline */ pipeline_id: string;
    /** The deal's stage */ stage_id: string;
    /** The member in charge */ owner_id: string;
    /** When the record was created */ created_at: string;
  };
  /** true if the result already existed and the call changed nothing */ idempotent: boolean;
  /** What this call actually created */
  created: {
    /** The company is new */ company: boolean;
    /** The contact is new */ contact: boolean;
    /** The deal is new */ deal: boolean;
  };
  /** How an existing contact was found: by e-mail, or by phone and first name; null if this call reused none */
  matched_by: ContactLikeness | null;
  /** The sent fields that differ from the reused contact: the contact stays as it is, and the deal keeps the sent values */
  differences: LeadDifference[];
}

/** What POST leads received; fields that were not sent are absent */
export interface LeadSubmission {
  /** First name */ first_name: string;
  /** Last name */ last_name?: string | undefined;
  /** E-mail address, stored in lower case */ email?: string | undefined;
  /** Phone number */ phone?: string | undefined;
  /** The company, created or reused by its name */ company_name?: string | undefined;
  /** The id in the system that the lead comes from; a repeated id returns the lead created before */
  external_id?: string | undefined;
  /** The amount, without a currency symbol */ value?: number | undefined;
  /** The recurring (monthly) amount, without a currency symbol */ recurring_value?: number | undefined;
  /** The pipeline (GET /api-v1-pipelines); if absent, the workspace's default */
  pipeline_id?: string | undefined;
  /** The stage (GET /api-v1-pipelines); if absent on creation, the pipeline's first */
  stage_id?: string | undefined;
  /** The member in charge; if absent, or not an active member of the workspace, the API chooses */
  owner_id?: string | undefined;
  /** Where the record comes from, in free text */ source?: string | undefined;
  utm?: Utm | undefined;
  /** The integrator's own fields: at most 50 keys and 10 KB; a change keeps the keys that it does not send, and null removes one */
  custom_fields?: Record<string, unknown> | undefined;
}

/** The limits of the key and of the service */
export interface Limits {
  /** Calls with the key in any 60 seconds */ requests_per_minute: number;
  /** Maximum limit of a list */ page_size_max: number;
  /** Items in a batch */ batch_items_max: number;
  /** Bytes of a body, except in a batch */ body_bytes_max: number;
  /** Bytes of a batch's body */ batch_body_bytes_max: number;
}

/** An error as it was answered, without values that were sent */
export interface LoggedError {
  /** The code */ code: string;
  /** What happened */ message: string;
  /** The invalid fields */ details?: ErrorDetail[] | undefined;
}

/** A request made with the key */
export interface LoggedRequest {
  /** The reply's X-Request-Id */ request_id: string;
  /** When it began */ started_at: string;
  /** The method */ method: string;
  /** The path with the names of its parameters, without their values */ path: string;
  /** The reply's status */ status: number;
  /** Duration in the service, in ms */ duration_ms: number;
  /** The error; null if it succeeded */ error: LoggedError | null;
}

export interface LoggedRequestPage {
  /** The records */ data: LoggedRequest[];
  meta: PageMeta;
}

/** Why it was lost */
export interface Lose {
  /** Reason for the loss (GET /api-v1-workspace) */ loss_reason_id?: string | null | undefined;
  /** Note on the loss */ loss_note?: string | null | undefined;
}

/** The calling key, whose it is and what it may do */
export interface Me {
  /** The key */ key: OwnKey;
  /** The workspace */ workspace: OwnWorkspace;
  /** Who created the key */ member: OwnMember;
  /** The limits */ limits: Limits;
}

/** The record to merge into this one */
export interface Merge {
  /** The record that ceases to exist, for good: it only fills in empty fields of the other; from then on, its address answers 301 to GET and 409 to other calls */
  merge_id: string;
}

/** The company that stays */
export interface MergedCompany extends Company {
  /** Only in a 202: the work that continues in the background; `Location` is the address that shows its progress */
  operation?: BackgroundOperation | undefined;
}

/** The contact that stays */
export interface MergedContact extends Contact {
  /** Only in a 202: the work that continues in the background; `Location` is the address that shows its progress */
  operation?: BackgroundOperation | undefined;
}

/** The stage to move the deal to. A stage does not change the status: POST /api-v1-deals/<id>/win and POST /api-v1-deals/<id>/lose do */
export interface MoveStage {
  /** The new stage */ stage_id: string;
  /** The stage's pipeline; the deal's if absent */ pipeline_id?: string | null | undefined;
}

/** How many records were moved to the one that stays */
export interface Moved {
  /** Activities */ activities: number;
  /** Contacts of the company */ contacts: number;
  /** Deals */ deals: number;
  /** Deals that had the contact as an additional one or in a role */ deal_contacts: number;
  /** Records that were merged before */ merged: number;
}

/** The kind of a record that names the person */
export type NamingObject = "activity" | "company" | "contact" | "deal" | "note" | "proposal";

/** A record that still names the person */
export interface NamingRecord {
  /** The kind of the record */ object: NamingObject;
  /** The record's id */ id: string;
}

/** An activity to create */
export interface NewActivity extends ActivityPatch {
  /** The deal that the activity belongs to (GET /api-v1-deals) */ deal_id: string;
}

/** A company to create */
export interface NewCompany {
  /** Name */ name: string;
  /** Legal name */ legal_name?: string | null | undefined;
  /** CNPJ or another tax id, stored in upper case and without punctuation */
  tax_id?: string | null | undefined;
  /** Domain, stored in lower case, without https://, www and path */ domain?: string | null | undefined;
  /** Website */ website?: string | null | undefined;
  /** E-mail address, stored in lower case */ email?: string | null | undefined;
  /** Phone number */ phone?: string | null | undefined;
  /** Industry */ industry?: string | null | undefined;
  /** Number of employees */ employee_count?: number | null | undefined;
  /** LinkedIn profile */ linkedin?: string | null | undefined;
  /** Instagram profile */ instagram?: string | null | undefined;
  /** Address */ address?: Address | null | undefined;
  /** The member in charge (GET /api-v1-workspace); if absent on creation, the key's creator or, if inactive, the oldest active manager */
  owner_id?: string | null | undefined;
  /** Free notes */ notes?: string | null | undefined;
  /** The integrator's own fields: at most 50 keys and 10 KB; a change keeps the keys that it does not send, and null removes one */
  custom_fields?: Record<string, unknown> | null | undefined;
  /** Tags: at most 50, of 1 to 60 characters, ignoring case */ tags?: string[] | null | undefined;
  /** The id in the system that the company comes from, unique in the workspace */
  external_id?: string | null | undefined;
}

/** A contact to create */
export interface NewContact {
  /** Name */ name: string;
  /** E-mail address, stored in lower case */ email?: string | null | undefined;
  /** Phone number */ phone?: string | null | undefined;
  /** Second phone number */ phone2?: string | null | undefined;
  /** WhatsApp number */ whatsapp?: string | null | undefined;
  /** Job title */ job_title?: string | null | undefined;
  /** The company that the contact works for, in the same workspace */
  company_id?: string | null | undefined;
  /** The member in charge (GET /api-v1-workspace); if absent on creation, the key's creator or, if inactive, the oldest active manager */
  owner_id?: string | null | undefined;
  /** Instagram profile */ instagram?: string | null | undefined;
  /** LinkedIn profile */ linkedin?: string | null | undefined;
  /** Free notes */ notes?: string | null | undefined;
  /** The integrator's own fields: at most 50 keys and 10 KB; a change keeps the keys that it does not send, and null removes one */
  custom_fields?: Record<string, unknown> | null | undefined;
  /** Tags: at most 50, of 1 to 60 characters, ignoring case */ tags?: string[] | null | undefined;
  /** The id in the system that the contact comes from, unique in the workspace */
  external_id?: string | null | undefined;
}

/** A field to define */
export interface NewCustomField {
  /** The kind of record that has the field */ object_type: FoundType;
  /** The key in custom_fields; it cannot change */ key: string;
  /** The name shown to people; the key if absent */ label?: string | undefined;
  /** The type of the value; it cannot change. money is a number from 0; date, YYYY-MM-DD; choices, a list of choices */
  type: CustomFieldType;
  /** The choices of a field of the type choice or choices; null for other types */
  choices?: string[] | undefined;
}

/** A deal to create; at least one of title, contact_id and company_id */
export interface NewDeal {
  /** Title; if absent on creation, the name of the contact or company */
  title?: string | null | undefined;
  /** The amount, without a currency symbol */ value?: number | null | undefined;
  /** The recurring (monthly) amount, without a currency symbol */
  recurring_value?: number | null | undefined;
  /** The pipeline (GET /api-v1-pipelines); if absent, the workspace's default */
  pipeline_id?: string | null | undefined;
  /** The stage (GET /api-v1-pipelines); if absent on creation, the pipeline's first */
  stage_id?: string | null | undefined;
  /** A contact of the same workspace (GET /api-v1-contacts) */ contact_id?: string | null | undefined;
  /** A company of the same workspace (GET /api-v1-companies) */ company_id?: string | null | undefined;
  /** The member in charge (GET /api-v1-workspace); if absent on creation, the key's creator or, if inactive, the oldest active manager */
  owner_id?: string | null | undefined;
  /** Expected close date */ expected_close_date?: string | null | undefined;
  /** Where the record comes from, in free text */ source?: string | null | undefined;
  utm?: Utm | null | undefined;
  /** The integrator's own fields: at most 50 keys and 10 KB; a change keeps the keys that it does not send, and null removes one */
  custom_fields?: Record<string, unknown> | null | undefined;
  /** Tags: at most 50, of 1 to 60 characters, ignoring case */ tags?: string[] | null | undefined;
  /** The id in the system that the deal comes from */ external_id?: string | null | undefined;
}

/** Whom to add, and in which role */
export interface NewDealContact {
  /** The contact */ contact_id: string;
  /** The role in the deal, such as decisor or influenciador; null clears the role, and it stays as it is if absent */
  role?: string | null | undefined;
}

/** A note to create */
export interface NewNote {
  /** The deal that the note belongs to (GET /api-v1-deals) */ deal_id: string;
  /** Free text */ body: string;
  /** note: something that happened; observation: free context; note if absent */
  kind?: NoteKind | null | undefined;
}

/** A subscription to create */
export interface NewSubscription {
  /** The events subscribed to */ event_types: EventType[];
  /** The address that deliveries go to: https and public */ target_url: string;
  /** Only the events that pass every filter; null: all events of the types */
  filters?: SubscriptionFilters | null | undefined;
  /** What data contains. full: the object; ids: only the object's id. Absent or null means full */
  payload?: SubscriptionPayload | null | undefined;
  /** A header that every attempt has, for receivers that want one. Its value is stored encrypted and never shown */
  header?: OwnHeader | null | undefined;
  /** The subscription's name for people */ name?: string | null | undefined;
}

/** A delivery that was not queued */
export interface NotQueued {
  /** The delivery */ id: string;
  reason: NotQueuedReason;
}

/** not_found: the subscription has no such delivery; queue_full: the queue has no room for it */
export type NotQueuedReason = "not_found" | "queue_full";

/** A note of a deal */
export interface Note {
  /** The record's id */ id: string;
  /** The deal that the note belongs to (GET /api-v1-deals) */ deal_id: string;
  /** The member who created the API key that was used */ author_id: string;
  /** Free text */ body: string;
  /** note: something that happened; observation: free context; note if absent */ kind: NoteKind;
  /** How the note was created; through this API, always integration */ source: NoteSource;
  /** When the record was created */ created_at: string;
  /** When the record last changed */ updated_at: string;
}

/** What to create, change and read */
export interface NoteBatch {
  /** 1 to 100 items, carried out in order */
  items: ({
    /** What to do */ op: "create";
    data: NewNote;
  } | {
    /** What to do */ op: "get";
    /** The record to change or to read */ id: string;
  })[];
  /** true: if an item fails, none is written and the reply is 422; if absent, an error does not stop other items */
  atomic?: boolean | null | undefined;
}

export type NoteCreatedDelivery = DeliveryOf<"note.created", "note", Note>;

export type NoteCreatedEvent = EventOf<"note.created", "note", Note | null>;

/** What expand can show */
export type NoteExpansion = "deal" | "author";

/** note: something that happened; observation: free context; note if absent */
export type NoteKind = "note" | "observation";

export interface NotePage {
  /** The records */ data: ExpandedNote[];
  meta: SyncedPageMeta;
}

/** How the note was created; through this API, always integration */
export type NoteSource = "user" | "automation" | "agent" | "integration";

/** What the call asked for */
export interface OperationArguments {
  /** The record's id */ id: string;
  /** The record that was merged */ merge_id: string | null;
  /** Whether texts are erased as well */ texts: boolean | null;
}

/** An error code */
export type OperationError = "internal_error" | "service_unavailable";

/** An erasure, or a merge of contacts or of companies */
export type OperationKind = "contact_erasure" | "contact_merge" | "company_merge";

/** Waiting, under way, done, or stopped after ten failures */
export type OperationState = "queued" | "running" | "done" | "failed";

/** A header that the receiver wants */
export interface OwnHeader {
  /** Name of the header */ name: string;
  /** Value, which no reply shows; without spaces at its beginning or end */ value: string;
}

/** The header, without its value */
export interface OwnHeaderName {
  /** Name of the header */ name: string;
}

/** The calling key */
export interface OwnKey {
  /** The record's id */ id: string;
  /** What the key is for */ name: string;
  /** The first characters of the key's newest value */ prefix: string;
  /** The key's scopes */ scopes: string[];
  /** When the record was created */ created_at: string;
  /** When it expires; null: never */ expires_at: string | null;
  /** The networks from which the key may be used; empty: from everywhere */ allowed_networks: string[];
}

/** The member who created the key: author of its notes and default owner */
export interface OwnMember {
  /** The record's id */ id: string;
  /** The member's name */ name: string;
  /** The role in the workspace */ role: Role;
  /** Whether the member is still active; if not, the key cannot create notes */ is_active: boolean;
}

/** The key's workspace */
export interface OwnWorkspace {
  /** The record's id */ id: string;
  /** The workspace's name */ name: string;
  /** The time zone in which assistants read and write times; the API uses UTC */ time_zone: string;
}

/** Where the list continues */
export interface PageMeta {
  /** Cursor of the next page; null on the last */ next_cursor: string | null;
  /** Whether there is another page, even if this one has fewer records than limit, or none */
  has_more: boolean;
}

/** A sales funnel with its stages */
export interface Pipeline {
  /** The record's id */ id: string;
  /** The record's workspace, always the API key's */ workspace_id: string;
  /** Name */ name: string;
  /** Whether it is the workspace's default */ is_default: boolean;
  /** Whether it is in use */ is_active: boolean;
  /** When the record was created */ created_at: string;
  /** The stages, in the funnel's order */ stages: Stage[];
}

export interface PipelineList {
  /** The records */ data: Pipeline[];
}

/** A proposal */
export interface Proposal {
  /** The record's id */ id: string;
  /** The record's workspace, always the API key's */ workspace_id: string;
  /** The proposal's deal */ deal_id: string;
  /** Title */ title: string;
  /** The amount, without a currency symbol */ value: number | null;
  /** The recurring (monthly) amount, without a currency symbol */ recurring_value: number | null;
  /** Status */ status: ProposalStatus;
  /** When it was sent */ sent_at: string | null;
  /** When the customer first opened it */ viewed_at: string | null;
  /** When it was accepted */ accepted_at: string | null;
  /** When it was rejected */ rejected_at: string | null;
  /** The reason that the customer gave */ rejection_reason: string | null;
  /** Until when it can be answered */ expires_at: string | null;
  /** When the record was created */ created_at: string;
  /** When the record last changed */ updated_at: string;
}

export type ProposalAcceptedDelivery = DeliveryOf<"proposal.accepted", "proposal", Proposal>;

export type ProposalAcceptedEvent = EventOf<"proposal.accepted", "proposal", Proposal | null>;

/** The proposal that was answered */
export interface ProposalAnswer extends ProposalView {
  /** true if the result already existed and the call changed nothing */ idempotent: boolean;
}

export type ProposalRejectedDelivery = DeliveryOf<"proposal.rejected", "proposal", Proposal>;

export type ProposalRejectedEvent = EventOf<"proposal.rejected", "proposal", Proposal | null>;

/** Why the proposal is rejected */
export interface ProposalRejection {
  /** Reason for the rejection */ reason?: string | null | undefined;
}

/** Who makes the offer */
export interface ProposalSeller {
  /** Name of the seller's workspace */ name: string;
}

/** The state of a proposal */
export type ProposalStatus = "rascunho" | "enviada" | "visualizada" | "aceita" | "recusada" | "expirada";

/** A proposal as its customer sees it */
export interface ProposalView {
  /** The record's id */ id: string;
  /** Title */ title: string;
  /** The amount, without a currency symbol */ value: number | null;
  /** The recurring (monthly) amount, without a currency symbol */ recurring_value: number | null;
  /** Status */ status: ProposalStatus;
  /** When it was sent */ sent_at: string | null;
  /** Until when it can be answered */ expires_at: string | null;
  /** When it was accepted */ accepted_at: string | null;
  /** When it was rejected */ rejected_at: string | null;
  /** The reason that the customer gave */ rejection_reason: string | null;
  /** Who makes the offer */ seller: ProposalSeller;
}

export type ProposalViewedDelivery = DeliveryOf<"proposal.viewed", "proposal", Proposal>;

export type ProposalViewedEvent = EventOf<"proposal.viewed", "proposal", Proposal | null>;

/** The subscription, active */
export interface ReactivatedSubscription extends Subscription {
  /** How many deliveries were waiting */ resumed: number;
  /** The key that created the subscription, if it is revoked */ revoked_key: RevokedMaker | null;
}

/** From whom and to whom the deals go */
export interface Reassign {
  /** The member who owns the deals */ from_owner_id: string;
  /** The active member who gets them */ to_owner_id: string;
  /** Only those in this state */ status?: DealStatus | null | undefined;
  /** The previous call's meta.next_cursor */ cursor?: string | null | undefined;
  /** true: only counts, and changes nothing */ dry_run?: boolean | null | undefined;
}

/** What the call handed over */
export interface Reassigned {
  /** How many deals were handed over */ count: number;
  /** true: nothing changed; count is how many would change */ dry_run: boolean;
  meta: PageMeta;
}

/** The attempts of the newest 200 deliveries of the last 7 days; of fewer if the list has more than 20 webhooks */
export interface RecentAttempts {
  /** How many there were */ attempts: number;
  /** The part of the attempts that succeeded, from 0 to 1; null if there were none */
  success_rate: number | null;
  /** Time within which half of the answers arrived, in ms; null if there were none */
  median_ms: number | null;
  /** Time within which 95% of the answers arrived, in ms; null if there were none */
  p95_ms: number | null;
}

/** What was queued */
export interface Recovery {
  /** Deliveries queued, 20,000 at most; with dry_run, those that would be queued */ count: number;
  /** Whether the period has more events; if so, repeat the call with next_since as since */
  has_more: boolean;
  /** Where to continue; null if there is no more */ next_since: string | null;
  /** The start of the period: the since of the call or, if later, the subscription's creation */
  since: string;
}

/** The events to recover */
export interface RecoveryWindow {
  /** Events at or after this moment in the past: ISO 8601; without an offset, UTC */ since: string;
  /** Events before this moment; now if absent */ until?: string | undefined;
  /** true: also events from before the subscription was created */
  before_creation?: boolean | null | undefined;
  /** true: only answers how many would be sent */ dry_run?: boolean | null | undefined;
}

/** What was queued */
export interface Redeliveries {
  /** How many are on their way, including those that already waited */ count: number;
  /** Those that were not queued; if the queue lacks room, the newest */ not_queued: NotQueued[];
  /** Whether sending waits because the workspace is suspended or has no public API */ held: boolean;
}

/** The delivery, on its way again */
export interface Redelivery extends Delivery {
  /** Whether sending waits because the workspace is suspended or has no public API */ held: boolean;
}

/** The deliveries to send again */
export interface RedeliveryList {
  /** 1 to 100 deliveries of the subscription */ ids: string[];
}

/** Another record, by its name */
export interface Reference {
  /** The record's id */ id: string;
  /** Name */ name: string;
}

/** A key that is revoked */
export interface RevokedMaker {
  /** The record's id */ id: string;
  /** Name */ name: string;
  /** The first characters of the key */ prefix: string;
}

/** A member's role: vendedor, gestor or admin; each also has the rights of the one before */
export type Role = "vendedor" | "gestor" | "admin";

/** The subscription, with its new secret */
export interface RotatedSubscription extends Subscription {
  /** The secret that signs the deliveries; only this reply shows it */ secret: string;
}

/** What the search found */
export interface SearchResult {
  /** First the records with this name, then those that begin with it, the others, and last those found by their company */
  data: Found[];
}

/** How to replace the secret */
export interface SecretRotation {
  /** For how many seconds X-Service-Signature still uses the old secret, and X-Service-Signature-Next the new one; 0: replace at once */
  overlap_seconds: number;
}

/** The order of a list */
export type Sort = "created_at" | "-created_at" | "updated_at" | "-updated_at";

/** A step of a pipeline */
export interface Stage {
  /** The record's id */ id: string;
  /** Name */ name: string;
  /** Order in the funnel */ position: number;
  /** Type: pre-venda, venda, won or lost */ type: string;
  /** Whether it is in use */ is_active: boolean;
}

/** The filters of a subscription */
export interface StoredFilters {
  /** The pipeline of the deal, or of the deal of the activity, note or proposal */
  pipeline_id?: string[] | undefined;
  /** The stage of the deal, as for pipeline_id; in deal.stage_changed, the new stage */
  stage_id?: string[] | undefined;
  /** The owner of the object; of its deal, for a note or proposal */ owner_id?: string[] | undefined;
  /** In updated events, at least one of these fields changed; does not restrict other events */
  changed_fields?: string[] | undefined;
}

/** A webhook subscription */
export interface Subscription {
  /** The record's id */ id: string;
  /** The events subscribed to */ event_types: EventType[];
  /** The address that deliveries go to: https and public */ target_url: string;
  /** Whether it gets deliveries; it becomes inactive after the 5th failure of a delivery, or when it is deleted */
  is_active: boolean;
  /** Failed attempts since the last success */ failure_count: number;
  /** The last attempt that succeeded; may be up to 10 s older than the last delivery */
  last_success_at: string | null;
  /** The last attempt that failed */ last_failure_at: string | null;
  /** When the record was created */ created_at: string;
  /** The key that created the subscription, which stops if the key is revoked; null if created in the console */
  key_id: string | null;
  /** When it became inactive; null while it is active */ deactivated_at: string | null;
  deactivated_reason: DeactivatedReason | null;
  /** Whether deliveries wait because the workspace is suspended or has no public API */ held: boolean;
  /** Since when events wait for room in the queue; their deliveries are created later, in order. null if none wait */
  behind_since: string | null;
  /** Until when X-Service-Signature uses the old secret; null unless the secret is being replaced */
  old_secret_until: string | null;
  /** Only the events that pass every filter; null: all events of the types */
  filters: StoredFilters | null;
  /** What data contains. full: the object; ids: only the object's id. Absent or null means full */
  payload: SubscriptionPayload;
  /** A header that every attempt has, for receivers that want one. Its value is stored encrypted and never shown */
  header: OwnHeaderName | null;
  /** The subscription's name for people */ name: string | null;
}

/** A subscription, and the deliveries of 7 days */
export interface SubscriptionDetail extends Subscription {
  /** The key that created the subscription, which stops if the key is revoked; null if created in the console */
  key: Reference | null;
  /** The deliveries of the last 7 days, oldest first; counts the newest 1,000, or fewer with more than 20 webhooks */
  days: DeliveryDay[];
  /** Whether there may be more deliveries than were counted */ days_are_partial: boolean;
  /** The newest attempts */ recent: RecentAttempts;
}

/** The events that the subscription gets: each filter is an id or a list of up to 20. A filter by pipeline, stage or owner excludes objects without that field */
export interface SubscriptionFilters {
  /** The pipeline of the deal, or of the deal of the activity, note or proposal */
  pipeline_id?: string | string[] | undefined;
  /** The stage of the deal, as for pipeline_id; in deal.stage_changed, the new stage */
  stage_id?: string | string[] | undefined;
  /** The owner of the object; of its deal, for a note or proposal */
  owner_id?: string | string[] | undefined;
  /** In updated events, at least one of these fields changed; does not restrict other events */
  changed_fields?: string[] | undefined;
}

export interface SubscriptionList {
  /** The records */ data: Subscription[];
}

/** Changes of a subscription */
export interface SubscriptionPatch {
  /** The events subscribed to */ event_types?: EventType[] | undefined;
  /** Only the events that pass every filter; null: all events of the types */
  filters?: SubscriptionFilters | null | undefined;
  /** What data contains. full: the object; ids: only the object's id. Absent or null means full */
  payload?: SubscriptionPayload | null | undefined;
  /** A header that every attempt has, for receivers that want one. Its value is stored encrypted and never shown */
  header?: OwnHeader | null | undefined;
  /** The subscription's name for people */ name?: string | null | undefined;
}

/** What data contains. full: the object; ids: only the object's id. Absent or null means full */
export type SubscriptionPayload = "full" | "ids";

/** Where the list continues, and where the next synchronisation begins */
export interface SyncedPageMeta extends PageMeta {
  /** On the first page of a list with updated_since: the updated_since for the next synchronisation */
  synced_until?: string | undefined;
}

/** The event to test */
export interface TestOptions {
  /** One of the subscription's events; the first if absent */ event_type?: EventType | undefined;
}

/** The test delivery */
export interface TestSent {
  /** The delivery of the test event */ delivery_id: string;
  /** Whether sending waits because the workspace is suspended or has no public API */ held: boolean;
}

/** The records of the workspace whose texts still name the person */
export interface TextsNaming {
  /** How many there are */ count: number;
  /** true if there may be more: the contact was erased before, and only the records found then are read */
  is_minimum: boolean;
  /** The first 20 */ records: NamingRecord[];
}

/** A deal, as it is now */
export interface TimelineDeal extends Reference {
  /** Status; without the scope deals:read, status and value are null */ status: DealStatus | null;
  /** The amount, without a currency symbol */ value: number | null;
}

/** What happened with a contact or company */
export interface TimelineEntry {
  /** The id of the deal, activity, note or event */ id: string;
  /** What it is */ type: TimelineType;
  /** When it was created, or when it changed stage */ occurred_at: string;
  /** The deal */ deal: TimelineDeal;
  activity: Activity | null;
  note: Note | null;
  /** The stage that the deal left */ from_stage: string | null;
  /** The stage that the deal moved to */ to_stage: string | null;
}

export interface TimelineEntryPage {
  /** The records */ data: TimelineEntry[];
  meta: PageMeta;
}

/** What an entry of a timeline is */
export type TimelineType = "deal" | "stage_change" | "activity" | "note";

/** The record after an upsert, and what the call did */
export interface UpsertedCompany extends Company {
  /** Whether the record was created now */ created: boolean;
  /** The field by which the record was found; null if it was created */ matched_by: CompanyMatch | null;
  /** The sent fields that were not stored: the record has a fuller phone number, or was found by the match_by field of a record that was merged into it */
  differences: string[];
}

/** The record after an upsert, and what the call did */
export interface UpsertedContact extends Contact {
  /** Whether the record was created now */ created: boolean;
  /** The field by which the record was found; null if it was created */ matched_by: ContactMatch | null;
  /** The sent fields that were not stored: the record has a fuller phone number, or was found by the match_by field of a record that was merged into it */
  differences: string[];
}

/** The record after an upsert, and what the call did */
export interface UpsertedDeal extends Deal {
  /** Whether the record was created now */ created: boolean;
  /** The field by which the record was found; null if it was created */ matched_by: string | null;
  /** The sent fields that were not stored: the record has a fuller phone number, or was found by the match_by field of a record that was merged into it */
  differences: string[];
}

/** The campaign that a lead came from */
export interface Utm {
  /** Source of the traffic */ source?: string | null | undefined;
  /** Medium */ medium?: string | null | undefined;
  /** Campaign */ campaign?: string | null | undefined;
  /** Keyword */ term?: string | null | undefined;
  /** Variant of the advertisement */ content?: string | null | undefined;
}

/** The body of a delivery; event says of which event */
export type WebhookDelivery =
  | DealStageChangedDelivery
  | DealWonDelivery
  | DealLostDelivery
  | DealStaleDelivery
  | ActivityCreatedDelivery
  | ActivityOverdueDelivery
  | ProposalViewedDelivery
  | DealCreatedDelivery
  | ContactCreatedDelivery
  | LeadReceivedDelivery
  | ProposalAcceptedDelivery
  | ProposalRejectedDelivery
  | ContactUpdatedDelivery
  | CompanyCreatedDelivery
  | CompanyUpdatedDelivery
  | DealUpdatedDelivery
  | DealReopenedDelivery
  | DealContactAddedDelivery
  | DealContactRemovedDelivery
  | ActivityUpdatedDelivery
  | ActivityCompletedDelivery
  | NoteCreatedDelivery
  | ContactMergedDelivery
  | ContactErasedDelivery;

/** degraded: deliveries have waited for over a minute and nothing sends them */
export type WebhooksStatus = "ok" | "degraded";

/** The final amounts, if they have changed */
export interface Win {
  /** The amount, without a currency symbol */ value?: number | null | undefined;
  /** The recurring (monthly) amount, without a currency symbol */
  recurring_value?: number | null | undefined;
}

/** The key's workspace, with the ids that other calls accept */
export interface Workspace {
  /** The record's id */ id: string;
  /** The workspace's name */ name: string;
  /** The members, oldest first: the active ones, then the 200 newest inactive ones */
  members: WorkspaceMember[];
  /** The active loss reasons */ loss_reasons: ActiveLossReason[];
  /** The active pipelines, oldest first */ pipelines: ActivePipeline[];
  /** The events that can be subscribed to */ event_types: EventType[];
  /** The defined fields that custom_fields may have */ custom_fields: CustomFieldInUse[];
}

/** A member; only active members can own new records */
export interface WorkspaceMember {
  /** The owner_id of the member's records */ id: string;
  /** The member's name */ name: string;
  /** The member's e-mail */ email: string;
  /** The role in the workspace */ role: Role;
  /** Whether the member is still active */ is_active: boolean;
}

/** An object whose fields may all be absent */
export type Optional<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined };

/** The fields of `DeliveryEnvelope`, and those that depend on the event */
export interface DeliveryOf<Type extends EventType, Kind extends string, Data> extends DeliveryEnvelope {
  /** The event */ event: Type;
  /** The object's type */ object_type: Kind;
  data: Data;
}

/** The fields of `EventEnvelope`, and those that depend on the event */
export interface EventOf<Type extends EventType, Kind extends string, Data> extends EventEnvelope {
  /** The event */ event: Type;
  /** The object's type */ object_type: Kind;
  data: Data;
}
