import { type Part, rule } from "./rule.ts";

/** Part 4.0: what all lists have in common. */
export const lists: Part = {
  part: "4.0",
  title: "Lists",
  rules: [
    rule(
      "data, and meta with next_cursor and has_more; null on the last page",
      "Replies of pipelines and webhooks are not paginated; those of every other list have data and meta, of events with a cursor on the last page too",
      "GET … lists every record exactly once, newest first, also while others are created",
      "GET /api-v1-activities lists every row exactly once, while others are being inserted",
      "GET /api-v1-notes lists every note exactly once, while others are being written",
    ),
    rule(
      "limit: 50, at most 200; any larger integer is 200",
      "GET … lists 50 records, or as many as limit says, never more than 200",
    ),
    rule(
      "a page may have fewer records than limit, even none, and has_more true: at 500,000 bytes of data, or after the rows that one call looks through",
      "GET /api-v1-…: a page of long records ends before 500,000 bytes, and every record is listed once",
      "GET /api-v1-contacts: a page whose filters match none of the newest rows ends early, and the pages together are the list",
      "the pages of … are together what the filters say, however few rows a page looks through",
    ),
    rule(
      "cursor: next_cursor; a value that is not a UUID is 422 invalid_cursor",
      "GET … accepts any UUID as cursor and refuses anything else",
    ),
    rule(
      "decided here: the feed of events, oldest first, whose next_cursor is never null",
      "GET /api-v1-events lists what happened, oldest first, with the object as it is now",
      "GET /api-v1-events pages by next_cursor, which is never null: each event is listed once, and what happens later follows",
      "GET /api-v1-events lists the events of one transaction in the order in which they happened",
      "GET /api-v1-events: an event whose transaction began first and commits last is not stepped over",
      "GET /api-v1-events filters by event_types, object_id and since, alone and together",
      "GET /api-v1-events looks at 5,000 events at most: a page may be empty, and the next ones have what is asked for",
      "GET /api-v1-events shows no event of another workspace, whoever's cursor or object is sent",
    ),
    rule(
      "decided here: the change log, newest first, 90 days, names of fields and never values",
      "GET /api-v1-changes tells who changed which fields of an object, each change once, without values",
      "GET /api-v1-changes names the customer of a proposal's link, members, jobs and the operator",
      "GET /api-v1-changes lists every event that is a change, in its schema, and no other event",
      "GET /api-v1-changes filters by object, type and time, alone and together",
      "GET /api-v1-changes goes back 90 days",
      "GET /api-v1-changes pages by next_cursor: each change is on one page, newest first",
      "GET /api-v1-changes looks at 5,000 events at most: a page may be empty, and the next ones have what is asked for",
      "GET /api-v1-changes shows nothing of another workspace, whoever's object or cursor is sent",
    ),
    rule(
      "since",
      "GET … with since lists records created then or later, with updated_since those changed",
      "GET /api-v1-activities: since is a bound on created_at, updated_since on updated_at",
      "GET /api-v1-notes lists the notes of that deal, by kind and since",
    ),
    rule(
      "ISO 8601: every common form of it",
      "A datetime of a query is read in whatever form it is sent, or named as invalid",
      "Every common form of ISO 8601 is read as its moment in UTC, and every other text is refused",
      "A moment that is written in any form is read as the same moment",
      "A long text is refused at once, whatever it holds",
    ),
    rule(
      "decided here: until, the end of the period that since begins",
      "GET … with until lists records created before that moment: with since, periods that neither overlap nor leave gaps",
    ),
    rule(
      "decided here: several values of a state or a type, separated by commas",
      "A filter by a state or a type takes several values, separated by commas, and names the unknown one",
      "the pages of … are together what the filters say, however few rows a page looks through",
    ),
    rule(
      "decided here: archived records are in no list but by archived=true or any",
      "GET … leaves archived records out; archived=true lists them alone, any lists both",
      "GET … finds every record in use, also where nearly all are archived",
      "a page of deals costs as much where nearly all of them are archived, and the archived ones are read as any others",
      "An archived deal is in no funnel, is not stale, and none of its activities becomes overdue",
    ),
    rule(
      "decided here: synced_until, the mark for the next run of a synchronisation",
      "Reading updated_since from synced_until to synced_until loses no change made between pages or in open transactions",
      "meta.synced_until is a minute before the call, and only in reply to updated_since without a cursor",
    ),
    rule(
      "pipelines and webhooks are not paginated",
      "Replies of pipelines and webhooks are not paginated; those of every other list have data and meta, of events with a cursor on the last page too",
    ),
  ],
};
