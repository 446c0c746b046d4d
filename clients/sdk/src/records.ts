// The records that people work with. Each method is one operation of the API.
import { type BatchOptions, sendBatch } from "./batch.ts";
import type { CallOptions, CreateOptions, ReadAgainOptions, ReadOptions, UpdateOptions } from "./http.ts";
import { List } from "./list.ts";
import type * as Queries from "./operations.ts";
import { Resource } from "./resource.ts";
import type * as T from "./types.ts";

/** Items of a batch. */
type Items<Batch extends { items: unknown[] }> =
  | Iterable<Batch["items"][number]>
  | AsyncIterable<Batch["items"][number]>;

/** Lead intake: company, contact and deal in one call. */
export class Leads extends Resource {
  /**
   * Creates a deal, and creates or reuses its contact and company. A lead sent twice with the same `external_id` is
   * created once. Scope `leads:write`.
   */
  create(lead: T.LeadRequest, options?: CreateOptions): Promise<T.LeadResult> {
    return this.http.call("leads.create", { body: lead, options });
  }
}

/** The people that the workspace deals with. */
export class Contacts extends Resource {
  /** Lists contacts. Scope `contacts:read`. */
  list(query?: Queries.ContactsListQuery, options?: CallOptions): List<T.Contact, T.ContactPage> {
    return new List((at) => this.http.call("contacts.list", { query: { ...query, ...at }, options }), query);
  }

  /** Reads a contact; of one that was merged into another, the other. Scope `contacts:read`. */
  get(id: string, options?: ReadOptions): Promise<T.Contact>;
  /** Reads it again; null if it has not changed. */
  get(id: string, options: ReadAgainOptions): Promise<T.Contact | null>;
  get(id: string, options?: ReadOptions | ReadAgainOptions): Promise<T.Contact | null> {
    return this.http.call("contacts.get", { path: { id }, options });
  }

  /** Creates a contact, and returns its id. Scope `contacts:write`. */
  create(contact: T.NewContact, options?: CreateOptions): Promise<T.CreatedContact> {
    return this.http.call("contacts.create", { body: contact, options });
  }

  /** Changes the fields that are given. Scope `contacts:write`. */
  update(id: string, changes: T.ContactPatch, options?: UpdateOptions): Promise<T.Contact> {
    return this.http.call("contacts.update", { path: { id }, body: changes, options });
  }

  /** Changes the contact that has the same value in a field, or creates it. Scope `contacts:write`. */
  upsert(matchBy: T.ContactMatch, contact: T.ContactUpsert, options?: CreateOptions): Promise<T.Contact> {
    return this.http.call("contacts.upsert", { query: { match_by: matchBy }, body: contact, options });
  }

  /** Writes any number of contacts, 100 a call. An item that fails stops no other. Scope `contacts:write`. */
  batch(items: Items<T.ContactBatch>, options: BatchOptions = {}): Promise<T.BatchResult> {
    return sendBatch(items, options, (body, options) => this.http.call("contacts.batch", { body, options }));
  }

  /**
   * Merges another contact into this one: it fills empty fields, and its deals move; of many, the rest as `operation`.
   * Scope `contacts:write`.
   */
  merge(id: string, otherId: string, options?: CallOptions): Promise<T.MergedContact> {
    return this.http.call("contacts.merge", { path: { id }, body: { merge_id: otherId }, options });
  }

  /** Takes a contact out of the lists. Scope `contacts:write`. */
  archive(id: string, options?: CallOptions): Promise<T.Contact> {
    return this.http.call("contacts.archive", { path: { id }, options });
  }

  /** Puts an archived contact back. Scope `contacts:write`. */
  restore(id: string, options?: CallOptions): Promise<T.Contact> {
    return this.http.call("contacts.restore", { path: { id }, options });
  }

  /** Erases a person's data for good; with `texts` also texts about their deals. Scope `contacts:manage`. */
  erase(id: string, extent?: T.Erasure, options?: CallOptions): Promise<T.ErasedContact> {
    return this.http.call("contacts.erase", { path: { id }, body: extent, options });
  }
}

/** The companies that the workspace deals with. */
export class Companies extends Resource {
  /** Lists companies. Scope `companies:read`. */
  list(query?: Queries.CompaniesListQuery, options?: CallOptions): List<T.Company, T.CompanyPage> {
    return new List((at) => this.http.call("companies.list", { query: { ...query, ...at }, options }), query);
  }

  /** Reads a company; of one that was merged into another, the other. Scope `companies:read`. */
  get(id: string, options?: ReadOptions): Promise<T.Company>;
  /** Reads it again; null if it has not changed. */
  get(id: string, options: ReadAgainOptions): Promise<T.Company | null>;
  get(id: string, options?: ReadOptions | ReadAgainOptions): Promise<T.Company | null> {
    return this.http.call("companies.get", { path: { id }, options });
  }

  /** Creates a company. Scope `companies:write`. */
  create(company: T.NewCompany, options?: CreateOptions): Promise<T.Company> {
    return this.http.call("companies.create", { body: company, options });
  }

  /** Changes the fields that are given. Scope `companies:write`. */
  update(id: string, changes: T.CompanyPatch, options?: UpdateOptions): Promise<T.Company> {
    return this.http.call("companies.update", { path: { id }, body: changes, options });
  }

  /** Changes the company that has the same value in a field, or creates it. Scope `companies:write`. */
  upsert(matchBy: T.CompanyMatch, company: T.CompanyUpsert, options?: CreateOptions): Promise<T.Company> {
    return this.http.call("companies.upsert", { query: { match_by: matchBy }, body: company, options });
  }

  /** Writes any number of companies, 100 a call. An item that fails stops no other. Scope `companies:write`. */
  batch(items: Items<T.CompanyBatch>, options: BatchOptions = {}): Promise<T.BatchResult> {
    return sendBatch(items, options, (body, options) => this.http.call("companies.batch", { body, options }));
  }

  /** Merges another company into this one, with its contacts and deals. Scope `companies:write`. */
  merge(id: string, otherId: string, options?: CallOptions): Promise<T.MergedCompany> {
    return this.http.call("companies.merge", { path: { id }, body: { merge_id: otherId }, options });
  }

  /** Takes a company out of the lists. Scope `companies:write`. */
  archive(id: string, options?: CallOptions): Promise<T.Company> {
    return this.http.call("companies.archive", { path: { id }, options });
  }

  /** Puts an archived company back. Scope `companies:write`. */
  restore(id: string, options?: CallOptions): Promise<T.Company> {
    return this.http.call("companies.restore", { path: { id }, options });
  }
}

/** Tasks, calls, meetings and other activities of a deal. */
export class Activities extends Resource {
  /** Lists activities. Scope `activities:read`. */
  list(query?: Queries.ActivitiesListQuery, options?: CallOptions): List<T.Activity, T.ActivityPage> {
    return new List(
      (at) => this.http.call("activities.list", { query: { ...query, ...at }, options }),
      query,
    );
  }

  /** Reads an activity. Scope `activities:read`. */
  get(id: string, options?: ReadOptions): Promise<T.Activity>;
  /** Reads it again; null if it has not changed. */
  get(id: string, options: ReadAgainOptions): Promise<T.Activity | null>;
  get(id: string, options?: ReadOptions | ReadAgainOptions): Promise<T.Activity | null> {
    return this.http.call("activities.get", { path: { id }, options });
  }

  /** Creates an activity of a deal. Scope `activities:write`. */
  create(activity: T.NewActivity, options?: CreateOptions): Promise<T.Activity> {
    return this.http.call("activities.create", { body: activity, options });
  }

  /** Changes or completes an activity. Scope `activities:write`. */
  update(id: string, changes: T.ActivityPatch, options?: UpdateOptions): Promise<T.Activity> {
    return this.http.call("activities.update", { path: { id }, body: changes, options });
  }

  /** Writes any number of activities, 100 a call. An item that fails stops no other. Scope `activities:write`. */
  batch(items: Items<T.ActivityBatch>, options: BatchOptions = {}): Promise<T.BatchResult> {
    return sendBatch(
      items,
      options,
      (body, options) => this.http.call("activities.batch", { body, options }),
    );
  }
}

/** Notes of a deal; they cannot be changed or removed. */
export class Notes extends Resource {
  /** Lists the notes of a deal. Scope `notes:read`. */
  list(query: Queries.NotesListQuery, options?: CallOptions): List<T.Note, T.NotePage> {
    return new List((at) => this.http.call("notes.list", { query: { ...query, ...at }, options }), query);
  }

  /** Reads a note. Scope `notes:read`. */
  get(id: string, options?: ReadOptions): Promise<T.Note>;
  /** Reads it again; null if it has not changed. */
  get(id: string, options: ReadAgainOptions): Promise<T.Note | null>;
  get(id: string, options?: ReadOptions | ReadAgainOptions): Promise<T.Note | null> {
    return this.http.call("notes.get", { path: { id }, options });
  }

  /** Creates a note of a deal, by the member who made the key. Scope `notes:write`. */
  create(note: T.NewNote, options?: CreateOptions): Promise<T.Note> {
    return this.http.call("notes.create", { body: note, options });
  }

  /** Writes any number of notes, 100 a call. An item that fails stops no other. Scope `notes:write`. */
  batch(items: Items<T.NoteBatch>, options: BatchOptions = {}): Promise<T.BatchResult> {
    return sendBatch(items, options, (body, options) => this.http.call("notes.batch", { body, options }));
  }
}
