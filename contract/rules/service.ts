import { type Part, rule } from "./rule.ts";

/** Parts 5, 8 and 9: authentication, limits, versions. */
export const service: readonly Part[] = [
  {
    part: "5",
    title: "Authentication",
    rules: [
      rule(
        "1. X-API-Key; a key begins with `svc_`",
        "… answers 401 missing_api_key without X-API-Key",
        "… answers 401 invalid_api_key for a key without svc_ or an unknown one",
        "A key is the prefix, 256 random bits in base62 and their checksum; only its hash is kept",
      ),
      rule(
        "2. a key reaches its workspace alone",
        "A list contains only records of its key's workspace",
        "…: a record of another workspace answers 404 exactly as an unknown id",
      ),
      rule(
        "3. scopes `<resource>:read`, `:write`, `:manage`; one without an endpoint is stored and grants nothing",
        "Every scope has the form <resource>:read, :write or :manage, and some endpoint requires it",
        "key create stores a scope that no endpoint requires, and warns about it on standard error and in its JSON",
        "The warning about a scope names those that it nearly spells, and no other",
      ),
      rule("4. the scopes in use", "The endpoints are those of the contract, each with its scope"),
      rule(
        "5. shown once, kept as a hash; created, listed, revoked",
        "A key is the prefix, 256 random bits in base62 and their checksum; only its hash is kept",
        "key list shows the creator and the last use of each key, and no secret",
        "A new key gives access to its scopes alone, until it is revoked",
      ),
      rule(
        "decided here: revoking a key ends the webhook subscriptions that it made",
        "key revoke ends the active subscriptions that the key made, and names them",
        "key revoke --keep-webhooks leaves them active, and a later revoke without it ends them",
        "A subscription whose creation is not finished when its key is revoked ends with the key",
        "A key that is revoked while it creates a subscription creates none",
      ),
      rule(
        "decided here: a rotation replaces the value of a key, at once or with an overlap, and nothing else of it",
        "key rotate --overlap lets a client go on that keeps calling through it",
        "key rotate without an overlap ends the earlier value at its next call",
        "a rotation keeps id, scopes, limit, subscriptions and counted calls of a key",
        "rotations and a revocation at once leave one newest secret, and none that works",
      ),
      rule(
        "decided here: a key outlives its creator's membership, except for writing notes",
        "member update --active false shows the keys of the member that still work, and how to revoke them",
      ),
      rule(
        "6. verified on every use",
        "A new key gives access to its scopes alone, until it is revoked",
      ),
      rule(
        "7. errors come before any resource logic",
        "… answers 403 insufficient_scope without …, before looking at the body",
        "… answers 403 workspace_suspended, then 403 feature_disabled, before anything else",
        "… answers 429 rate_limited with Retry-After when its calls of the last minute are used up",
        "the key is checked before a body of 2 MB is read",
        "a large body is not awaited when its key is unknown, revoked, suspended or without the API",
        "a large body is not awaited when the token of its link is unknown",
        "a small body that takes over a second is not awaited when its key is unknown",
        "a key that was admitted a moment ago and is revoked now gets 401 for a large body",
      ),
    ],
  },
  {
    part: "8",
    title: "Limits",
    rules: [
      rule(
        "120 calls a minute for each key, then 429 with Retry-After; the window slides",
        "200 simultaneous calls of one key admit exactly 120",
        "a workspace's plan admits 120 calls a minute by default",
        "the window slides: a call is admitted again when the oldest is 60 seconds old, not before",
        "each key is counted separately",
        "the first large body of a key counts as one call of its rate limit",
        "a large body is not awaited when the rate limit of its key is used up, and is not counted",
      ),
      rule(
        "bodies, beyond the contract: 256 KiB, 6,000 values, 32 levels, 15 seconds",
        "a body over 256 KiB is 413 payload_too_large, announced or streamed, and one of 256 KiB is read",
        "POST /api-v1-leads refuses … with validation_error and names the field",
        "POST /api-v1-leads takes 6,000 values, and counts none in a text",
        "POST /api-v1-leads takes 32 levels and text of every plane",
        "a body that takes over 15 seconds is 408 request_timeout, and creates nothing",
      ),
      rule("page size", "GET … lists 50 records, or as many as limit says, never more than 200"),
      rule(
        "custom_fields",
        "… takes … within its limits and names it outside of them",
        "POST /api-v1-leads takes … within its limits and names it outside of them",
      ),
      rule(
        "Idempotency-Key",
        "… refuses an Idempotency-Key outside 1-255 characters",
        "… remembers an Idempotency-Key for 24 hours, and treats it as new afterwards",
      ),
      rule(
        "the fields of a lead",
        "POST /api-v1-leads takes … within its limits and names it outside of them",
      ),
      rule(
        "contact name and notes; note body",
        "… takes … within its limits and names it outside of them",
        "POST /api-v1-notes names each field outside its limits",
      ),
      rule(
        "target_url; event_types",
        "POST /api-v1-webhooks takes a target of 2048 characters and no more",
        "POST /api-v1-webhooks answers validation_error to any other mistake, naming every field",
      ),
      rule(
        "5 attempts",
        "Five failed attempts: the spec's waits, one delivery id, then failed for good and inactive",
      ),
    ],
  },
  {
    part: "9",
    title: "Versioning",
    rules: [
      rule(
        "1, 2. the version is in the function names",
        "Every resource is one function, with the API's version in its name",
      ),
      rule(
        "3. new reply fields are no new version: no schema of a reply is closed",
        "No schema of an OpenAPI document is closed: a reply may gain a field without a new version",
      ),
      rule(
        "4. events of deals, contacts and leads are emitted; 12 events",
        "Every event that the API causes is delivered as the OpenAPI document says",
        "The event catalog has the contract's 12 events",
      ),
      rule(
        "5. notes, Idempotency-Key, any well-formed scope, addresses not live",
        "POST /api-v1-notes answers 201 with the whole note, which GET and the list return again",
        "Idempotency-Key is honoured by the creating POSTs of deals, contacts, companies, activities and notes",
        "key create stores a scope that no endpoint requires, and warns about it on standard error and in its JSON",
        "addresses that are announced but not live answer 404 not_found, any method, with or without a key",
      ),
      rule(
        "6. the unified webhook address is not live",
        "addresses that are announced but not live answer 404 not_found, any method, with or without a key",
      ),
    ],
  },
];
