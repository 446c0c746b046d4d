import { type Part, rule } from "./rule.ts";

/** Part 4.0.1: creating POSTs that may be repeated. */
export const idempotency: Part = {
  part: "4.0.1",
  title: "Idempotency-Key",
  rules: [
    rule(
      "on the creating POSTs of deals, contacts, companies, activities, notes; decided here: of leads too",
      "Idempotency-Key is honoured by the creating POSTs of deals, contacts, companies, activities, notes and leads",
    ),
    rule(
      "1. outside 1-255 characters: 400, before anything that the body says",
      "… refuses an Idempotency-Key outside 1-255 characters",
    ),
    rule(
      "2. same key and body: 200, the original reply, no event",
      "… answers the same key and body with 200 and the original reply, and creates nothing",
      "… treats bodies as the same whatever the order of their keys and their white space",
    ),
    rule(
      "3. another body or resource: 422",
      "… refuses a key that was used with another body or on another resource",
    ),
    rule(
      "1 to 4 come after the gate's errors and before validation",
      "… compares the body with that of the Idempotency-Key before it validates it",
      "…: scope and rate limit come before the Idempotency-Key",
    ),
    rule(
      "4. still being processed: 409",
      "… answers 409 while the original is being processed, and the original reply afterwards",
      "…: of 64 simultaneous equal calls one creates, the rest are answered 200 or 409",
    ),
    rule(
      "5. remembered 24 hours",
      "… remembers an Idempotency-Key for 24 hours, and treats it as new afterwards",
    ),
    rule(
      "decided here: a key is remembered for its workspace, whichever API key sent it",
      "…: the API keys of one workspace share Idempotency-Keys, those of another do not",
    ),
    rule(
      "6. without the header, a new record every time",
      "… without Idempotency-Key creates a new record every time",
    ),
  ],
};

/** Part 4.0.2: what changes or creates, and many records in one call. */
export const upsertsAndBatches: Part = {
  part: "4.0.2",
  title: "Upserts and batches (decided here)",
  rules: [
    rule(
      "upsert: found by the field in match_by and changed as by PATCH, or created as by POST",
      "Contacts are upserted by external_id, email or phone, companies by external_id, tax_id or domain, deals by external_id",
      "… creates with 201, Location and the whole record, then changes it as PATCH does with 200",
      "… demands of the body only the field, and what POST requires where a record is created",
      "an upsert names match_by where it is absent, unknown, repeated, or not a field of that resource",
      "an upsert refuses references outside the workspace whether it creates or finds, and keeps nothing",
      "an upsert … does not see the records of another workspace",
    ),
    rule(
      "an upsert says what it did, and does not replace a phone number by a shorter one",
      "an upsert keeps a fuller … than it was sent, names it in differences, and writes the rest",
      "an upsert that finds a record by the value of one that was merged into it names the field in differences",
      "PATCH writes the number that it is sent, and null clears a number in an upsert",
    ),
    rule(
      "a creation names up to five records that the new one resembles, and with return=representation shows it whole",
      "POST … names at most five records, each once, and none that is archived",
      "POST … with return=representation answers with the whole record and its possible_duplicates",
      "an upsert of … that creates names what the new record resembles, and a found one names nothing",
    ),
    rule(
      "only records in use are found, by external_id also archived ones; several: 409",
      "POST … finds …",
      "an upsert … that finds several records answers ambiguous_match with the id of each, and changes none",
    ),
    rule(
      "equal calls at once make one record, and so do an upsert and a lead",
      "of … simultaneous calls … one creates, and the others find its record",
      "upserts by … and leads with the same … make one contact, whoever comes first",
    ),
    rule(
      "batch: each item is what the call for one record is; one that fails keeps no other from being written",
      "Contacts, companies and deals are created, updated and upserted in batches, activities created and updated, notes created",
      "… carries out 100 items in one call of the limit, and emits each event once",
      "of 100 items one is wrong: 99 are kept, and that one says what the call for one record would",
      "an error that the database finds is that of the call for one record too, and keeps no other item from being written",
      "an item that is malformed names what is wrong with it, and the others are carried out",
      "… answers an item with a name that cannot be stored, wherever it stands, with that item's error",
      "… answers an item for a record of another workspace as one for a record that does not exist",
      "items are carried out in order: a later one finds what an earlier one made, and both changes of one record are kept",
      "100 items with 99 faults each are answered with 100 faults, the first of each, and no more is stored",
      "what the database refuses is 100 faults at most, too",
      "… repeat no item of a batch more than once, in at most half as many subtransactions as items",
      "POST …/batch names the record that has an external_id, also one that an item before made",
      "an atomic POST …/batch names no record that it has undone",
    ),
    rule(
      "atomic: all items, or none and 422",
      "POST …/batch with atomic writes all items or none, and names each that failed",
    ),
    rule(
      "a batch has 1 to 100 items, 1 MiB and 50,000 values",
      "a body without 1 to 100 items is refused as a whole, and writes nothing",
      "a batch that is wrong beside its items names what is wrong inside them too, in one reply",
      "a batch has 1 MiB and 50,000 values, and X-Ignored-Fields names the unknown fields of its items as errors do",
      "Of 48,000 unknown fields in a batch no more names are collected than X-Ignored-Fields has room for, in order",
    ),
    rule(
      "Idempotency-Key covers the whole call",
      "… with an Idempotency-Key replays its reply, and refuses the key with another match_by or address",
      "… repeated by its Idempotency-Key has a Location only if the first call created the record",
      "an Idempotency-Key covers the whole batch, also one with items that failed, whose texts are repeated",
    ),
    rule(
      "a deadlock or a lock that is waited for too long ends the whole batch, and nothing of it is kept",
      "a batch that waits too long for a record is service_unavailable, and keeps nothing",
      "batches of the same records in any order, and upserts and leads beside them, all succeed",
    ),
  ],
};
