import type { ErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";

/** The titles of the tests of each error code (spec 7). A code without a test does not compile. */
export const errorTests: Record<ErrorCode, readonly [string, ...string[]]> = {
  missing_api_key: ["… answers 401 missing_api_key without X-API-Key"],
  invalid_api_key: ["… answers 401 invalid_api_key for a key without svc_ or an unknown one"],
  revoked_api_key: ["… answers 401 revoked_api_key for a revoked and for an expired key"],
  insufficient_scope: ["… answers 403 insufficient_scope without …, before looking at the body"],
  workspace_suspended: ["… answers 403 workspace_suspended, then 403 feature_disabled, before anything else"],
  feature_disabled: ["… answers 403 workspace_suspended, then 403 feature_disabled, before anything else"],
  method_not_allowed: ["/…… answers 405 to … and allows …"],
  invalid_body: ["… answers 400 … for a body that is missing or no JSON object"],
  bad_request: ["… answers 400 … for a body that is missing or no JSON object"],
  validation_error: [
    "… takes … within its limits and names it outside of them",
    "POST /api-v1-leads takes … within its limits and names it outside of them",
    "POST /api-v1-leads reports every wrong field at once",
    "One reply names what is unknown, read-only, missing and of a wrong type in a body",
    "One reply names what is unknown, missing, repeated and of a wrong type in a query",
  ],
  invalid_cursor: [
    "GET … accepts any UUID as cursor and refuses anything else",
    "GET /api-v1-events answers invalid_cursor to whatever is not one of its cursors",
  ],
  cursor_expired: [
    "GET /api-v1-events answers 410 cursor_expired to a reader who is behind what is kept, and never to one who polls",
    "GET /api-v1-events answers 410 cursor_expired to a position that the database has not come to",
  ],
  not_found: [
    "…: a record of another workspace answers 404 exactly as an unknown id",
    "A 404 says whether the address or the record is missing; another workspace's record is missing like an unknown one",
    "not_found and invalid_reference say what an id is of, whatever its kind, and how to read that",
  ],
  precondition_failed: [
    "PATCH …/:id with If-Match changes the version that it names, and answers with the next one",
  ],
  invalid_reference: [
    "… answers invalid_reference to a … of another workspace as to an unknown id",
    "… names every reference that is not of the workspace at once",
    "A filter by an owner, stage or pipeline that the workspace never had is an error; by an inactive one it is a filter",
    "The id of another workspace's record is unknown: no error says what it is, and no choice is of another workspace",
    "… refuses a stage or pipeline that is inactive or not of the workspace",
  ],
  merged: [
    "GET of a … that was merged answers 301 with the address of the one that stays, any other call 409 with its id",
  ],
  record_merged: [
    "GET of a … that was merged answers 301 with the address of the one that stays, any other call 409 with its id",
  ],
  record_erased: [
    "An erased contact can be read and archived, and nothing else: it is never changed, restored or merged",
  ],
  pipeline_not_found: [
    "POST /api-v1-leads: pipeline and stage are looked for in the workspace, active ones only",
    "… refuses a stage or pipeline that is inactive or not of the workspace",
  ],
  no_default_pipeline: [
    "POST /api-v1-leads: pipeline and stage are looked for in the workspace, active ones only",
  ],
  stage_not_found: [
    "POST /api-v1-leads: pipeline and stage are looked for in the workspace, active ones only",
    "POST /api-v1-deals puts the deal in the default pipeline's first active stage, or in the given one",
    "… refuses a stage or pipeline that is inactive or not of the workspace",
  ],
  pipeline_has_no_stage: [
    "POST /api-v1-leads: pipeline and stage are looked for in the workspace, active ones only",
  ],
  owner_unresolved: [
    "POST /api-v1-leads: the owner is the one given, else the key's creator, else the oldest admin or gestor",
  ],
  no_owner_available: [
    "A contact's owner is the one given, else the key's creator, else the oldest admin or gestor",
    "A deal that no member can own is refused with no_owner_available",
    "A company without an owner gets one, and is refused with no_owner_available where no member can own it",
    "POST /api-v1-activities: created_by_id is the key's creator, and so is the owner while active",
  ],
  external_id_taken: [
    "POST, PATCH and upsert … answer external_id_taken to the external_id of another record, and name that record",
    "of 20 simultaneous POST … with one external_id one creates, the others are answered external_id_taken",
  ],
  ambiguous_match: [
    "an upsert … that finds several records answers ambiguous_match with the id of each, and changes none",
  ],
  batch_failed: ["POST …/batch with atomic writes all items or none, and names each that failed"],
  no_author_available: [
    "POST /api-v1-notes: the author is the creator of the key, and never another member once that one is inactive",
  ],
  invalid_idempotency_key: ["… refuses an Idempotency-Key outside 1-255 characters"],
  idempotency_conflict: ["… refuses a key that was used with another body or on another resource"],
  idempotency_in_progress: [
    "… answers 409 while the original is being processed, and the original reply afterwards",
  ],
  rate_limited: ["… answers 429 rate_limited with Retry-After when its calls of the last minute are used up"],
  webhook_not_found: [
    "DELETE /api-v1-webhooks/:id answers not_found where there is none, or it is another's",
  ],
  invalid_event_type: ["POST /api-v1-webhooks answers invalid_event_type to an event outside the catalog"],
  invalid_target_url: [
    "POST /api-v1-webhooks answers invalid_target_url to a target that is not https and public",
  ],
  internal_error: ["an internal error is a 500 that reveals only its request id"],
  too_many_records: [
    "GET /api-v1-deals/summary looks through 50,000 deals at most, and says so where they are not enough",
  ],
  payload_too_large: [
    "a body over 256 KiB is 413 payload_too_large, announced or streamed, and one of 256 KiB is read",
  ],
  request_timeout: ["a body that takes over 15 seconds is 408 request_timeout, and creates nothing"],
  service_unavailable: [
    "A statement that is too slow is service_unavailable in time, and the next one is answered",
  ],
  proposal_expired: [
    "A proposal that expired before it was answered is 410 proposal_expired, and emits nothing",
  ],
  proposal_closed: [
    "POST … answers a proposal for good: a repeat is idempotent, the opposite answer is proposal_closed",
  ],
  missing_session: ["… answers 401 missing_session without a token"],
  invalid_session: [
    "… answers 401 invalid_session to a token that is forged, of another audience, expired, or of a session that ended",
  ],
  not_a_member: [
    "… answers 403 not_a_member for a workspace of others, byte for byte as for one that does not exist",
  ],
  workspace_required: [
    "… answers 400 workspace_required to a person who belongs to several workspaces and names none",
  ],
  insufficient_role: ["… answers 403 insufficient_role below its role, before looking at the body"],
  email_taken: ["app-v1-members refuses an e-mail that the workspace has, in any case"],
  too_many_invitations: ["An administrator sends at most 30 invitations an hour, and 3 to one member"],
  already_signed_in: ["app-v1-members invites nobody who has signed in"],
  last_admin: ["app-v1-members keeps the last active admin, even when two are demoted at once"],
  already_expired: ["app-v1-keys refuses a key that would have expired already"],
  key_revoked: ["app-v1-keys gives no new secret to a key that no longer works"],
  subscription_inactive: [
    "POST …/test sends a test event of the given type, signed, and marked as a test",
    "POST …/redeliver sends the same delivery again, and repeating the call adds no attempt while it is under way",
    "After a receiver was off through all five attempts: reactivate, recover, and every event arrives once, in the order in which they occurred",
    "app-v1-webhooks tests and redelivers only what is active",
  ],
  queue_full: [
    "A test, a redelivery and a recovery are refused, and counted, while the queue of a subscription is full",
  ],
};
