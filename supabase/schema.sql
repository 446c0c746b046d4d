-- The whole schema, as pg_dump prints it after every migration. Written by deno task schema, for reading and review;
-- never run it. The changes, with their reasons, are in supabase/migrations.

--
-- Name: api; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA api;


--
-- Name: SCHEMA api; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA api IS 'The door (api.call) and its verbs: the only way from an HTTP request to the data.';


--
-- Name: app; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA app;


--
-- Name: SCHEMA app; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA app IS 'The operator''s verbs: app.<object>_<verb>(p_args jsonb) returns json. A verb raises its codes with crm.raise_code. No client of the API reaches this schema: crm_api has no rights on it.';


--
-- Name: crm; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA crm;


--
-- Name: SCHEMA crm; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA crm IS 'Tables of the CRM and the functions that belong to them. No client reaches it directly.';


--
-- Name: activity; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.activity AS (
	id uuid,
	workspace_id uuid,
	deal_id uuid,
	contact_id uuid,
	owner_id uuid,
	created_by_id uuid,
	type text,
	title text,
	description text,
	due_at text,
	duration_minutes integer,
	is_online_meeting boolean,
	meeting_url text,
	location text,
	status text,
	completed_at text,
	is_overdue boolean,
	created_at text,
	updated_at text
);


--
-- Name: TYPE activity; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.activity IS 'An activity of a deal: its public fields, in order.';


--
-- Name: company; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.company AS (
	id uuid,
	workspace_id uuid,
	name text,
	legal_name text,
	tax_id text,
	domain text,
	website text,
	email text,
	phone text,
	industry text,
	employee_count integer,
	linkedin text,
	instagram text,
	address jsonb,
	owner_id uuid,
	notes text,
	custom_fields jsonb,
	external_id text,
	archived_at text,
	merged_into_id uuid,
	created_at text,
	updated_at text
);


--
-- Name: TYPE company; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.company IS 'A company: its public fields, in order.';


--
-- Name: contact; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.contact AS (
	id uuid,
	workspace_id uuid,
	name text,
	email text,
	phone text,
	phone2 text,
	whatsapp text,
	job_title text,
	company_id uuid,
	owner_id uuid,
	instagram text,
	linkedin text,
	notes text,
	custom_fields jsonb,
	external_id text,
	archived_at text,
	merged_into_id uuid,
	erased_at text,
	created_at text,
	updated_at text
);


--
-- Name: TYPE contact; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.contact IS 'A contact: its public fields, in order.';


--
-- Name: deal; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.deal AS (
	id uuid,
	workspace_id uuid,
	title text,
	status text,
	value numeric,
	recurring_value numeric,
	pipeline_id uuid,
	stage_id uuid,
	contact_id uuid,
	company_id uuid,
	owner_id uuid,
	expected_close_date date,
	loss_reason_id uuid,
	loss_note text,
	source text,
	utm jsonb,
	custom_fields jsonb,
	external_id text,
	stage_changed_at text,
	last_activity_at text,
	won_at text,
	lost_at text,
	closed_at text,
	archived_at text,
	created_at text,
	updated_at text
);


--
-- Name: TYPE deal; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.deal IS 'A deal: its public fields, in order.';


--
-- Name: note; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.note AS (
	id uuid,
	deal_id uuid,
	author_id uuid,
	body text,
	kind text,
	source text,
	created_at text,
	updated_at text
);


--
-- Name: TYPE note; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.note IS 'A note of a deal: its public fields, in order.';


--
-- Name: page_meta; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.page_meta AS (
	next_cursor uuid,
	has_more boolean
);


--
-- Name: TYPE page_meta; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.page_meta IS 'The cursor of the next page, and whether there is one.';


--
-- Name: page; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.page AS (
	data json[],
	meta api.page_meta
);


--
-- Name: TYPE page; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.page IS 'A page of a list (spec 4.0); `data` is an array of records.';


--
-- Name: pipeline; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.pipeline AS (
	id uuid,
	workspace_id uuid,
	name text,
	is_default boolean,
	is_active boolean,
	created_at text,
	stages json
);


--
-- Name: TYPE pipeline; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.pipeline IS 'A sales funnel with its stages: its public fields, in order.';


--
-- Name: proposal; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.proposal AS (
	id uuid,
	workspace_id uuid,
	deal_id uuid,
	title text,
	value numeric,
	recurring_value numeric,
	status text,
	sent_at text,
	viewed_at text,
	accepted_at text,
	rejected_at text,
	rejection_reason text,
	expires_at text,
	created_at text,
	updated_at text
);


--
-- Name: TYPE proposal; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.proposal IS 'A proposal: its public fields, in order.';


--
-- Name: proposal_view; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.proposal_view AS (
	id uuid,
	title text,
	value numeric,
	recurring_value numeric,
	status text,
	sent_at text,
	expires_at text,
	accepted_at text,
	rejected_at text,
	rejection_reason text
);


--
-- Name: TYPE proposal_view; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.proposal_view IS 'A proposal as its customer sees it: its public fields, in order.';


--
-- Name: reply; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.reply AS (
	error_code text,
	details json,
	body text,
	replayed boolean,
	found boolean,
	events boolean,
	caller_id uuid,
	workspace_id uuid,
	rate_limit integer,
	rate_remaining integer,
	rate_reset integer
);


--
-- Name: TYPE reply; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.reply IS 'The answer to a request: an error code of spec 7 with the fields at fault, or the body as JSON text, which the function returns without parsing it. Also whether the body is an earlier reply, whether the record existed before an upsert, whether webhook deliveries were enqueued, who called, and what is left of the rate limit.';


--
-- Name: stage; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.stage AS (
	id uuid,
	name text,
	"position" integer,
	type text,
	is_active boolean
);


--
-- Name: TYPE stage; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.stage IS 'A step of a pipeline: its public fields, in order.';


--
-- Name: event_type; Type: TYPE; Schema: crm; Owner: -
--

CREATE TYPE crm.event_type AS ENUM (
    'deal.stage_changed',
    'deal.won',
    'deal.lost',
    'deal.stale',
    'activity.created',
    'activity.overdue',
    'proposal.viewed',
    'deal.created',
    'contact.created',
    'lead.received',
    'proposal.accepted',
    'proposal.rejected',
    'contact.updated',
    'company.created',
    'company.updated',
    'deal.updated',
    'deal.reopened',
    'activity.updated',
    'activity.completed',
    'note.created',
    'contact.merged',
    'contact.erased'
);


--
-- Name: TYPE event_type; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TYPE crm.event_type IS 'The event catalog of spec 6.1.';


--
-- Name: subscription; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.subscription AS (
	id uuid,
	event_types crm.event_type[],
	target_url text,
	is_active boolean,
	failure_count integer,
	last_success_at text,
	last_failure_at text,
	created_at text,
	key_id uuid,
	deactivated_at text,
	deactivated_reason text,
	held boolean,
	behind_since text,
	old_secret_until text
);


--
-- Name: TYPE subscription; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.subscription IS 'A webhook subscription: its public fields, in order.';


--
-- Name: synced_page_meta; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.synced_page_meta AS (
	next_cursor uuid,
	has_more boolean,
	synced_until text
);


--
-- Name: TYPE synced_page_meta; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.synced_page_meta IS 'As api.page_meta, with the mark for the next run of a synchronisation.';


--
-- Name: synced_page; Type: TYPE; Schema: api; Owner: -
--

CREATE TYPE api.synced_page AS (
	data json[],
	meta api.synced_page_meta
);


--
-- Name: TYPE synced_page; Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON TYPE api.synced_page IS 'The first page of a list by updated_since.';


--
-- Name: activity_status; Type: DOMAIN; Schema: crm; Owner: -
--

CREATE DOMAIN crm.activity_status AS text
	CONSTRAINT activity_status_check CHECK ((VALUE = ANY (ARRAY['pendente'::text, 'concluida'::text, 'cancelada'::text])));


--
-- Name: DOMAIN activity_status; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON DOMAIN crm.activity_status IS 'Whether an activity is pending, done or cancelled.';


--
-- Name: activity_type; Type: DOMAIN; Schema: crm; Owner: -
--

CREATE DOMAIN crm.activity_type AS text
	CONSTRAINT activity_type_check CHECK (((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 60)));


--
-- Name: DOMAIN activity_type; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON DOMAIN crm.activity_type IS 'What kind of activity it is: 1 to 60 characters.';


--
-- Name: admission; Type: TYPE; Schema: crm; Owner: -
--

CREATE TYPE crm.admission AS (
	admitted boolean,
	remaining integer,
	reset_seconds integer
);


--
-- Name: TYPE admission; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TYPE crm.admission IS 'Whether a call is admitted, how many more are possible now, and after how many seconds the next one is.';


--
-- Name: amount; Type: DOMAIN; Schema: crm; Owner: -
--

CREATE DOMAIN crm.amount AS numeric
	CONSTRAINT amount_check CHECK ((VALUE >= (0)::numeric));


--
-- Name: DOMAIN amount; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON DOMAIN crm.amount IS 'An amount of money: not negative.';


--
-- Name: caller; Type: TYPE; Schema: crm; Owner: -
--

CREATE TYPE crm.caller AS (
	error_code text,
	id uuid,
	workspace_id uuid,
	member_id uuid,
	scopes text[],
	rate_limit integer,
	user_id uuid
);


--
-- Name: TYPE caller; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TYPE crm.caller IS 'Who called: the id of the key, of the proposal that a link opens, or of the member who is signed in; the workspace; the scopes, or the roles that a member''s own role includes. user_id: the person who is signed in, null for a key or a link. error_code: why the caller is not admitted (spec 5.7).';


--
-- Name: caught_up; Type: TYPE; Schema: crm; Owner: -
--

CREATE TYPE crm.caught_up AS (
	workspace_id uuid,
	subscription_id uuid,
	behind_since timestamp with time zone,
	"position" bigint,
	id uuid,
	is_done boolean,
	queued bigint
);


--
-- Name: TYPE caught_up; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TYPE crm.caught_up IS 'How far a subscription was caught up: the place in the feed, whether it is done, and how many deliveries were made.';


--
-- Name: change; Type: TYPE; Schema: crm; Owner: -
--

CREATE TYPE crm.change AS (
	id uuid,
	object_type text,
	object_id uuid,
	action crm.event_type,
	changed_fields jsonb,
	caller_id uuid,
	occurred_at timestamp with time zone
);


--
-- Name: TYPE change; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TYPE crm.change IS 'An event that was looked at for the change log: names of fields, never values. One without object_type is not shown.';


--
-- Name: claim_candidate; Type: TYPE; Schema: crm; Owner: -
--

CREATE TYPE crm.claim_candidate AS (
	workspace_id uuid,
	subscription_id uuid,
	delivery_id uuid,
	host text,
	is_slow boolean,
	workspace_rank integer
);


--
-- Name: TYPE claim_candidate; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TYPE crm.claim_candidate IS 'A ready delivery for which its subscription and workspace have a free place: which place of the workspace it would be, those in flight included.';


--
-- Name: contact_email; Type: DOMAIN; Schema: crm; Owner: -
--

CREATE DOMAIN crm.contact_email AS text
	CONSTRAINT contact_email_check CHECK ((VALUE = lower(VALUE)));


--
-- Name: DOMAIN contact_email; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON DOMAIN crm.contact_email IS 'The e-mail by which a contact is found: in lower case.';


--
-- Name: deal_status; Type: DOMAIN; Schema: crm; Owner: -
--

CREATE DOMAIN crm.deal_status AS text
	CONSTRAINT deal_status_check CHECK ((VALUE = ANY (ARRAY['aberto'::text, 'ganho'::text, 'perdido'::text])));


--
-- Name: DOMAIN deal_status; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON DOMAIN crm.deal_status IS 'Whether a deal is open, won or lost.';


--
-- Name: traces; Type: TYPE; Schema: crm; Owner: -
--

CREATE TYPE crm.traces AS (
	words text[],
	numbers text[]
);


--
-- Name: TYPE traces; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TYPE crm.traces IS 'What a person is recognized by in a text: words (crm.words) of names and addresses, and the ends of phone numbers.';


--
-- Name: deal_traces; Type: TYPE; Schema: crm; Owner: -
--

CREATE TYPE crm.deal_traces AS (
	deal_id uuid,
	traces crm.traces,
	origin_traces crm.traces
);


--
-- Name: TYPE deal_traces; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TYPE crm.deal_traces IS 'What a person is recognized by in what is of one deal, and in where the deal came from: source and utm.';


--
-- Name: external_id; Type: DOMAIN; Schema: crm; Owner: -
--

CREATE DOMAIN crm.external_id AS text
	CONSTRAINT external_id_check CHECK (((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 255)));


--
-- Name: DOMAIN external_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON DOMAIN crm.external_id IS 'The caller''s own id of a record: 1 to 255 characters.';


--
-- Name: failure; Type: TYPE; Schema: crm; Owner: -
--

CREATE TYPE crm.failure AS (
	state text,
	message text,
	detail text,
	constraint_name text,
	context text
);


--
-- Name: TYPE failure; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TYPE crm.failure IS 'What Postgres says of an exception: `get stacked diagnostics`.';


--
-- Name: feed_cursor; Type: TYPE; Schema: crm; Owner: -
--

CREATE TYPE crm.feed_cursor AS (
	"position" bigint,
	id uuid,
	read_until timestamp with time zone
);


--
-- Name: TYPE feed_cursor; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TYPE crm.feed_cursor IS 'Where a reader of the feed has come to: the last event (its position and id) that was looked at, and a moment before which it has nothing left to read, transactions that are still open apart.';


--
-- Name: note_body; Type: DOMAIN; Schema: crm; Owner: -
--

CREATE DOMAIN crm.note_body AS text
	CONSTRAINT note_body_check CHECK (((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 10000)));


--
-- Name: DOMAIN note_body; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON DOMAIN crm.note_body IS 'The text of a note: 1 to 10,000 characters.';


--
-- Name: note_kind; Type: DOMAIN; Schema: crm; Owner: -
--

CREATE DOMAIN crm.note_kind AS text
	CONSTRAINT note_kind_check CHECK ((VALUE = ANY (ARRAY['note'::text, 'observation'::text])));


--
-- Name: DOMAIN note_kind; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON DOMAIN crm.note_kind IS 'Whether a note is one or an observation.';


--
-- Name: note_source; Type: DOMAIN; Schema: crm; Owner: -
--

CREATE DOMAIN crm.note_source AS text
	CONSTRAINT note_source_check CHECK ((VALUE = ANY (ARRAY['user'::text, 'automation'::text, 'agent'::text, 'integration'::text])));


--
-- Name: DOMAIN note_source; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON DOMAIN crm.note_source IS 'What kind of author wrote the note. Its author_id cannot show it, because it is always a member (spec 2.2).';


--
-- Name: quantity; Type: DOMAIN; Schema: crm; Owner: -
--

CREATE DOMAIN crm.quantity AS integer
	CONSTRAINT quantity_check CHECK ((VALUE >= 0));


--
-- Name: DOMAIN quantity; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON DOMAIN crm.quantity IS 'How many there are, or how long it takes: not negative.';


--
-- Name: record_name; Type: DOMAIN; Schema: crm; Owner: -
--

CREATE DOMAIN crm.record_name AS text
	CONSTRAINT record_name_check CHECK (((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 255)));


--
-- Name: DOMAIN record_name; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON DOMAIN crm.record_name IS 'The name or the title of a record: 1 to 255 characters.';


--
-- Name: recorded_attempt; Type: TYPE; Schema: crm; Owner: -
--

CREATE TYPE crm.recorded_attempt AS (
	workspace_id uuid,
	subscription_id uuid,
	delivery_id uuid,
	lease_token bigint,
	series integer,
	attempt integer,
	state text,
	status integer,
	reason text,
	duration_ms integer,
	"position" bigint
);


--
-- Name: TYPE recorded_attempt; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TYPE crm.recorded_attempt IS 'An attempt whose outcome is recorded: its number, the state of its delivery since, and its place among the outcomes.';


--
-- Name: remembered_reply; Type: TYPE; Schema: crm; Owner: -
--

CREATE TYPE crm.remembered_reply AS (
	error_code text,
	body text,
	was_found boolean
);


--
-- Name: TYPE remembered_reply; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TYPE crm.remembered_reply IS 'What is known of an Idempotency-Key: the reply that is stored under it, or why the call is refused.';


--
-- Name: activity_batch(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.activity_batch(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  return crm.run_batch('activity', p_args);
end
$$;


--
-- Name: FUNCTION activity_batch(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.activity_batch(p_args jsonb) IS 'Carries out up to 100 creates and updates of activities in one call; raises batch_failed where it is atomic and an item fails.';


--
-- Name: activity_create(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.activity_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  return crm.activity_json(crm.activity_insert(crm.activity_new(p_args)));
end
$$;


--
-- Name: FUNCTION activity_create(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.activity_create(p_args jsonb) IS 'Creates an activity of a deal and returns it; raises what crm.activity_new raises.';


--
-- Name: activity_get(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.activity_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  return crm.require_record((
    select crm.activity_json(t) from crm.activities t
    where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid
  ));
end
$$;


--
-- Name: FUNCTION activity_get(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.activity_get(p_args jsonb) IS 'Returns one record; raises not_found.';


--
-- Name: activity_list(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.activity_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until}'::text[];
  v_ids uuid[];
  v_next_id uuid;
  v_records json[];
  v_complete boolean;
  -- The records that crm.activity_list_by is asked for.
  v_rest integer;
  v_rest_ids uuid[];
  v_rest_records json[];
begin
  if p_args ? 'since' then
    v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz);
  end if;
  if p_args ? 'until' then
    v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz));
  end if;
  -- Each filter has its own statement with its own cached plan: one statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < v_before
        and t.id >= v_from
      order by t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'deal_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id()
        and (t.deal_id, t.id) < ((p_args ->> 'deal_id')::uuid, v_before)
        and t.deal_id >= (p_args ->> 'deal_id')::uuid
        and t.deal_id = any (array[(p_args ->> 'deal_id')::uuid])
        and t.id < v_before
        and t.id >= v_from
      order by t.deal_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'contact_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id()
        and (t.contact_id, t.id) < ((p_args ->> 'contact_id')::uuid, v_before)
        and t.contact_id >= (p_args ->> 'contact_id')::uuid
        and t.contact_id = any (array[(p_args ->> 'contact_id')::uuid])
        and t.id < v_before
        and t.id >= v_from
      order by t.contact_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < ((p_args ->> 'owner_id')::uuid, v_before)
        and t.owner_id >= (p_args ->> 'owner_id')::uuid
        and t.owner_id = any (array[(p_args ->> 'owner_id')::uuid])
        and t.id < v_before
        and t.id >= v_from
      order by t.owner_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'type' = '{}' and jsonb_array_length(p_args -> 'type') = 1 then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id()
        and (t.type, t.id) < (p_args -> 'type' ->> 0, v_before)
        and t.type >= p_args -> 'type' ->> 0
        and t.type = any (array[p_args -> 'type' ->> 0])
        and t.id < v_before
        and t.id >= v_from
      order by t.type desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'status' = '{}' and jsonb_array_length(p_args -> 'status') = 1 then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id()
        and (t.status, t.id) < (p_args -> 'status' ->> 0, v_before)
        and t.status >= p_args -> 'status' ->> 0
        and t.status = any (array[p_args -> 'status' ->> 0])
        and t.id < v_before
        and t.id >= v_from
      order by t.status desc, t.id desc
      limit v_limit + 1
    ) page;
  else
    v_rest := v_limit;
  end if;
  if v_rest is not null then
    select page.ids, page.next_id into v_rest_ids, v_next_id
    from crm.activity_list_by(p_args || jsonb_build_object('limit', v_rest), v_before, v_from) page;
    select array_agg(page.record), count(page.record) = count(*) and coalesce(v_complete, true)
    into v_rest_records, v_complete
    from (
      select crm.activity_json_if_short(t) as record
      from unnest(v_rest_ids[:v_rest]) with ordinality chosen (id, position)
      join crm.activities t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
      order by chosen.position
    ) page;
    v_ids := v_ids || v_rest_ids;
    v_records := v_records || v_rest_records;
  end if;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_ids := v_ids[:v_limit];
  end if;
  if not v_complete or pg_column_size(v_records) > crm.max_page_bytes() then
    v_records := crm.activity_page(v_ids, v_records);
    if cardinality(v_records) < cardinality(v_ids) then
      v_next_id := v_ids[cardinality(v_records)];
    end if;
  end if;
  if p_args ? 'updated_since' and not p_args ? 'cursor' then
    return crm.synced_page(v_records, v_next_id);
  end if;
  return crm.page(v_records, v_next_id);
end
$$;


--
-- Name: FUNCTION activity_list(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.activity_list(p_args jsonb) IS 'Returns a page of the list, newest first (spec 4.0).';


--
-- Name: activity_update(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.activity_update(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_activity crm.activities := crm.activity_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changes jsonb := crm.changes(to_jsonb(v_activity), p_args);
begin
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes <> '{}' then
    v_activity := jsonb_populate_record(v_activity, crm.require_references(v_changes));
    v_activity := crm.activity_save(crm.with_activity_defaults(v_activity));
  end if;
  return crm.activity_json(v_activity);
end
$$;


--
-- Name: FUNCTION activity_update(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.activity_update(p_args jsonb) IS 'Changes the fields that were sent; null clears a field, and a field that cannot be empty returns to its default (spec 4.6).';


--
-- Name: call(bytea, text, text, jsonb, text, bytea); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.call(p_key_hash bytea, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea) RETURNS api.reply
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return crm.answer_request(crm.identify(p_key_hash), p_scope, p_verb, p_args, p_idempotency_key, p_request_hash);
end
$$;


--
-- Name: FUNCTION call(p_key_hash bytea, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.call(p_key_hash bytea, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea) IS 'The door for API keys: answers one request, given the SHA-256 of its key. p_scope null: the path has none (404, 405). p_verb null: the request is invalid, so only the gate and the idempotency key are checked. p_args null: the key is only identified, and the call is not counted.';


--
-- Name: call_by_link(bytea, text, jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.call_by_link(p_token_hash bytea, p_verb text, p_args jsonb) RETURNS api.reply
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_caller crm.caller := crm.identify_link(p_token_hash);
begin
  -- A token is not a key: even a mistake in the function must not let it reach anything but its own proposal.
  if p_verb not in ('proposal_view', 'proposal_accept', 'proposal_reject') then
    raise exception 'The verb % is not of proposals', p_verb;
  end if;
  return crm.answer_request(v_caller, null, p_verb, p_args || jsonb_build_object('id', v_caller.id), null, null);
end
$$;


--
-- Name: FUNCTION call_by_link(p_token_hash bytea, p_verb text, p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.call_by_link(p_token_hash bytea, p_verb text, p_args jsonb) IS 'The door for public links: answers one request, given the SHA-256 of its token. p_verb null: only the gate is checked. p_args null: the link is only identified, and the call is not counted. The id in p_args is always that of the link''s own proposal.';


--
-- Name: change_list(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.change_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  c_max constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_workspace_id uuid := crm.current_workspace_id();
  v_limit integer := p_args ->> 'limit';
  v_object_id uuid := p_args ->> 'object_id';
  v_object_type text := p_args ->> 'object_type';
  v_cursor uuid := p_args ->> 'cursor';
  v_since timestamptz := greatest((p_args ->> 'since')::timestamptz, now() - interval '90 days');
  v_until timestamptz := coalesce((p_args ->> 'until')::timestamptz, 'infinity');
  -- An id is made when its transaction writes, occurred_at is when that began: a write takes less than a minute.
  v_from uuid := crm.uuid_v7_floor(v_since);
  v_to uuid := case when v_until < 'infinity' then crm.uuid_v7_floor(v_until + interval '1 minute') else c_max end;
  -- The kind of object of each event that is shown.
  v_object_types jsonb := (
    select coalesce(jsonb_object_agg(t.event, t.object_type), '{}') from crm.event_types t
    where t.is_change and (v_object_type is null or t.object_type = v_object_type)
  );
  v_events crm.event_type[] := array(select jsonb_object_keys(v_object_types)::crm.event_type);
  v_position bigint;
  v_changes crm.change[];
  v_looked_at integer;
  v_next_id uuid;
begin
  -- Each has its own index, and so its own statement. Both end with the change that the page has no room for. Where there
  -- are fewer, they end behind the 5,000th event, shown or not, where the next page begins.
  if v_object_id is null then
    select array_agg(s.change), max(s.n) into v_changes, v_looked_at
    from (
      select row(
          e.id, case when t.is_shown then v_object_types ->> e.event::text end, e.object_id, e.event,
          e.facts -> 'changed_fields', e.caller_id, e.occurred_at
        )::crm.change as change,
        e.n
      from (
        select l.*, row_number() over () as n
        from (
          select l.* from crm.events l
          where l.workspace_id = v_workspace_id and l.id >= v_from and l.id < least(v_to, v_cursor)
          order by l.id desc
          limit 5001
        ) l
      ) e
      cross join lateral (
        select e.event = any (v_events) and not e.is_test and e.occurred_at >= v_since and e.occurred_at < v_until
          as is_shown
      ) t
      where t.is_shown or e.n >= 5000
      limit v_limit + 1
    ) s;
  else
    select l.position into v_position from crm.events l where l.workspace_id = v_workspace_id and l.id = v_cursor;
    -- Not in the condition below: coalesce is not leakproof, so row-level security would keep the index from beginning there.
    v_position := coalesce(v_position, 9223372036854775807);
    v_cursor := coalesce(v_cursor, c_max);
    select array_agg(s.change), max(s.n) into v_changes, v_looked_at
    from (
      select row(
          e.id, case when t.is_shown then v_object_types ->> e.event::text end, e.object_id, e.event,
          e.facts -> 'changed_fields', e.caller_id, e.occurred_at
        )::crm.change as change,
        e.n
      from (
        select l.*, row_number() over () as n
        from (
          select l.* from crm.events l
          where l.workspace_id = v_workspace_id and l.object_id = v_object_id and l.id >= v_from and l.id < v_to
            and (l.position, l.id) < (v_position, v_cursor)
          order by l.position desc, l.id desc
          limit 5001
        ) l
      ) e
      cross join lateral (
        select e.event = any (v_events) and not e.is_test and e.occurred_at >= v_since and e.occurred_at < v_until
          as is_shown
      ) t
      where t.is_shown or e.n >= 5000
      limit v_limit + 1
    ) s;
  end if;
  if cardinality(v_changes) > v_limit or v_looked_at > 5000 then
    v_changes := trim_array(v_changes, 1);
    v_next_id := v_changes[cardinality(v_changes)].id;
  end if;
  return crm.page(crm.changes_json(v_changes), v_next_id);
end
$$;


--
-- Name: FUNCTION change_list(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.change_list(p_args jsonb) IS 'A page of the change log, newest first: of the workspace in the order of the events'' ids, of one object in the order of the feed, reversed. Goes back 90 days. Looks at 5,000 events at most, so a page may be short or empty while there is more.';


--
-- Name: company_archive(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.company_archive(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.companies;
begin
  update crm.companies r
  set archived_at = now()
  where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid and r.archived_at is null
  returning r.* into t;
  if not found then
    select r.* into t from crm.companies r
    where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid;
    if not found then
      perform api.fail('not_found');
    end if;
    if t.merged_into_id is not null then
      perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]);
    end if;
  end if;
  return crm.company_json(t);
end
$$;


--
-- Name: FUNCTION company_archive(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.company_archive(p_args jsonb) IS 'Archives the record, so that lists leave it out, and returns it; one that is archived already stays as it is. Raises not_found, record_merged.';


--
-- Name: company_batch(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.company_batch(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  return crm.run_batch('company', p_args);
end
$$;


--
-- Name: FUNCTION company_batch(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.company_batch(p_args jsonb) IS 'Carries out up to 100 creates, updates and upserts of companies in one call; raises batch_failed where it is atomic and an item fails.';


--
-- Name: company_create(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.company_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  return crm.company_json(crm.company_insert(crm.company_new(p_args)));
end
$$;


--
-- Name: FUNCTION company_create(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.company_create(p_args jsonb) IS 'Creates a company and returns it; raises what crm.company_new raises.';


--
-- Name: company_get(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.company_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_record json;
  v_merged_into_id uuid;
begin
  select crm.company_json(t), t.merged_into_id into v_record, v_merged_into_id from crm.companies t
  where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid;
  if v_merged_into_id is not null then
    perform api.fail('merged', array['id'], null, array[v_merged_into_id]);
  end if;
  return crm.require_record(v_record);
end
$$;


--
-- Name: FUNCTION company_get(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.company_get(p_args jsonb) IS 'Returns one record; raises not_found, merged.';


--
-- Name: company_list(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.company_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until}'::text[];
  v_value text;
  v_ids uuid[];
  v_next_id uuid;
  v_records json[];
  v_complete boolean;
  -- The records that crm.company_list_by is asked for.
  v_rest integer;
  v_rest_ids uuid[];
  v_rest_records json[];
begin
  if p_args ? 'since' then
    v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz);
  end if;
  if p_args ? 'until' then
    v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz));
  end if;
  -- Each filter has its own statement with its own cached plan: one statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < v_before
        and t.id >= v_from
      order by t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'name' = '{}' then
    v_value := crm.name_key(p_args ->> 'name');
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.name_key, t.id) < (v_value, v_before)
        and t.name_key >= v_value
        and t.name_key = any (array[v_value])
        and t.id < v_before
        and t.id >= v_from
      order by t.name_key desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'tax_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.tax_id, t.id) < (p_args ->> 'tax_id', v_before)
        and t.tax_id >= p_args ->> 'tax_id'
        and t.tax_id = any (array[p_args ->> 'tax_id'])
        and t.id < v_before
        and t.id >= v_from
        and t.tax_id is not null
      order by t.tax_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'domain' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.domain, t.id) < (p_args ->> 'domain', v_before)
        and t.domain >= p_args ->> 'domain'
        and t.domain = any (array[p_args ->> 'domain'])
        and t.id < v_before
        and t.id >= v_from
        and t.domain is not null
      order by t.domain desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < ((p_args ->> 'owner_id')::uuid, v_before)
        and t.owner_id >= (p_args ->> 'owner_id')::uuid
        and t.owner_id = any (array[(p_args ->> 'owner_id')::uuid])
        and t.id < v_before
        and t.id >= v_from
      order by t.owner_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.external_id = p_args ->> 'external_id'
        and (t.external_id, t.id) < (p_args ->> 'external_id', v_before)
        and (t.external_id, t.id) >= (p_args ->> 'external_id', v_from)
      order by t.external_id desc
      limit v_limit + 1
    ) page;
  else
    v_rest := v_limit;
  end if;
  if not v_complete then
    -- A record without its JSON is long, or is not to be listed.
    v_before := v_ids[v_limit + 1];
    select array_agg(r.id order by r.position), array_agg(r.record order by r.position), count(r.record) = count(*)
    into v_ids, v_records, v_complete
    from unnest(v_ids, v_records) with ordinality r (id, record, position)
    where r.record is not null or exists (
      select from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and t.id = r.id and t.archived_at is null
    );
    if v_before is not null and coalesce(cardinality(v_ids), 0) <= v_limit then
      v_rest := v_limit - coalesce(cardinality(v_ids), 0);
    end if;
  end if;
  if v_rest is not null then
    if p_args ? 'q' then
      select page.ids, page.next_id into v_rest_ids, v_next_id
      from crm.company_search(p_args || jsonb_build_object('limit', v_rest), v_before, v_from) page;
    else
      select page.ids, page.next_id into v_rest_ids, v_next_id
      from crm.company_list_by(p_args || jsonb_build_object('limit', v_rest), v_before, v_from) page;
    end if;
    select array_agg(page.record), count(page.record) = count(*) and coalesce(v_complete, true)
    into v_rest_records, v_complete
    from (
      select crm.company_json_if_short(t) as record
      from unnest(v_rest_ids[:v_rest]) with ordinality chosen (id, position)
      join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
      order by chosen.position
    ) page;
    v_ids := v_ids || v_rest_ids;
    v_records := v_records || v_rest_records;
  end if;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_ids := v_ids[:v_limit];
  end if;
  if not v_complete or pg_column_size(v_records) > crm.max_page_bytes() then
    v_records := crm.company_page(v_ids, v_records);
    if cardinality(v_records) < cardinality(v_ids) then
      v_next_id := v_ids[cardinality(v_records)];
    end if;
  end if;
  if p_args ? 'updated_since' and not p_args ? 'cursor' then
    return crm.synced_page(v_records, v_next_id);
  end if;
  return crm.page(v_records, v_next_id);
end
$$;


--
-- Name: FUNCTION company_list(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.company_list(p_args jsonb) IS 'Returns a page of the list, newest first (spec 4.0).';


--
-- Name: company_merge(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.company_merge(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid := p_args ->> 'id';
  v_merge_id uuid := p_args ->> 'merge_id';
  v_winner crm.companies;
  v_other crm.companies;
  v_filled crm.companies;
  v_next uuid;
begin
  if v_merge_id = v_id then
    perform api.fail('validation_error', array['merge_id'], 'Deve ser outra empresa');
  end if;
  perform crm.lock_company_merges(true);
  perform crm.lock_matches_of_companies(array[v_id, v_merge_id]);
  -- As in api.contact_merge.
  foreach v_next in array array[least(v_id, v_merge_id), greatest(v_id, v_merge_id)] loop
    if v_next = v_id then
      v_winner := crm.company_lock(v_id);
    else
      select c.* into v_other from crm.companies c
      where c.workspace_id = v_workspace_id and c.id = v_merge_id
      for update;
    end if;
  end loop;
  if v_other.id is null then
    perform api.fail('invalid_reference', array['merge_id']);
  elsif v_other.merged_into_id = v_id then
    return crm.company_json(v_winner);
  elsif v_other.merged_into_id is not null then
    perform api.fail(
      'invalid_reference', array['merge_id'], 'Esta empresa já foi unida a outra', array[v_other.merged_into_id]
    );
  end if;

  v_filled := crm.company_filled(v_winner, v_other);
  update crm.companies c
  set
    merged_into_id = v_id,
    archived_at = coalesce(c.archived_at, now()),
    external_id = case when v_winner.external_id is not null then c.external_id end
  where c.workspace_id = v_workspace_id and c.id = v_merge_id;
  if v_filled is distinct from v_winner then
    v_winner := crm.company_save(v_filled);
  end if;
  return crm.company_json(v_winner);
end
$$;


--
-- Name: FUNCTION company_merge(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.company_merge(p_args jsonb) IS 'Merges the company merge_id into the company id, whose empty fields it fills, and returns that; once it is done, only returns it. Raises not_found, record_merged, validation_error, invalid_reference.';


--
-- Name: company_restore(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.company_restore(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.companies := crm.company_lock((p_args ->> 'id')::uuid);
begin
  if t.archived_at is not null then
    update crm.companies r set archived_at = null where r.workspace_id = t.workspace_id and r.id = t.id
    returning r.* into t;
  end if;
  return crm.company_json(t);
end
$$;


--
-- Name: FUNCTION company_restore(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.company_restore(p_args jsonb) IS 'Takes the record out of the archive and returns it; one that is in use stays as it is. Raises not_found, record_merged.';


--
-- Name: company_update(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.company_update(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_company crm.companies := crm.company_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changes jsonb := crm.changes(to_jsonb(v_company), p_args);
begin
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes <> '{}' then
    v_company := jsonb_populate_record(v_company, crm.require_references(v_changes));
    v_company.owner_id := crm.owner_or_default(v_company.owner_id);
    v_company := crm.company_save(v_company);
  end if;
  return crm.company_json(v_company);
end
$$;


--
-- Name: FUNCTION company_update(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.company_update(p_args jsonb) IS 'Changes the fields that were sent; null clears a field, and an owner_id of null sets the default owner (spec 4.6).';


--
-- Name: company_upsert(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.company_upsert(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_match_by text := p_args ->> 'match_by';
  v_sent jsonb := p_args - 'match_by';
  v_ids uuid[];
  v_id uuid;
begin
  if coalesce(p_args ->> v_match_by, '') = '' then
    perform api.fail('validation_error', array[v_match_by], 'Campo obrigatório: match_by procura por ele');
  end if;
  -- Leads and other upserts that look for the same record, or would create it, wait here.
  perform crm.lock_matches(jsonb_build_object(
    'company external_id', p_args ->> 'external_id',
    'company tax_id', p_args ->> 'tax_id',
    'company domain', p_args ->> 'domain',
    'company name', crm.name_key(p_args ->> 'name')
  ));
  v_ids := crm.company_match(p_args);
  if v_ids = '{}' then
    v_ids := array(
      select distinct s.id
      from (select distinct m.merged_into_id from crm.company_merged(p_args) m) m
      cross join lateral crm.company_survivor(m.merged_into_id) s
      where s.archived_at is null or v_match_by = 'external_id'
    );
    if cardinality(v_ids) = 1 then
      -- It keeps its own value: otherwise nobody would have that any more, and who looks for it would make a new record.
      v_sent := v_sent - v_match_by;
    end if;
  end if;
  if cardinality(v_ids) > 1 then
    perform api.fail('ambiguous_match', array_fill(v_match_by, array[cardinality(v_ids)]), null, v_ids);
  elsif cardinality(v_ids) = 1 then
    perform api.mark_found();
    return api.company_update(v_sent || jsonb_build_object('id', v_ids[1]));
  end if;
  if v_sent ->> 'name' is null then
    perform api.fail('validation_error', array['name'], 'Campo obrigatório: não há registro com este ' || v_match_by);
  end if;
  v_id := api.company_create(v_sent) ->> 'id';
  return (
    select crm.company_json(t) from crm.companies t
    where t.workspace_id = crm.current_workspace_id() and t.id = v_id
  );
end
$$;


--
-- Name: FUNCTION company_upsert(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.company_upsert(p_args jsonb) IS 'Changes the record that has the value of the field in match_by, as api.company_update does, or creates it, as api.company_create does, with their codes; returns the whole record. Where only records that were merged have the value, it changes the one into which they were, but for that field. Raises ambiguous_match with every record that has the value, and validation_error for what only a creation requires.';


--
-- Name: contact_archive(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.contact_archive(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.contacts;
begin
  update crm.contacts r
  set archived_at = now()
  where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid and r.archived_at is null
  returning r.* into t;
  if not found then
    select r.* into t from crm.contacts r
    where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid;
    if not found then
      perform api.fail('not_found');
    end if;
    if t.merged_into_id is not null then
      perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]);
    end if;
  end if;
  return crm.contact_json(t);
end
$$;


--
-- Name: FUNCTION contact_archive(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.contact_archive(p_args jsonb) IS 'Archives the record, so that lists leave it out, and returns it; one that is archived already stays as it is. Raises not_found, record_merged.';


--
-- Name: contact_batch(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.contact_batch(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  return crm.run_batch('contact', p_args);
end
$$;


--
-- Name: FUNCTION contact_batch(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.contact_batch(p_args jsonb) IS 'Carries out up to 100 creates, updates and upserts of contacts in one call; raises batch_failed where it is atomic and an item fails.';


--
-- Name: contact_create(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.contact_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  return json_build_object('id', crm.contact_insert(crm.contact_new(p_args)));
end
$$;


--
-- Name: FUNCTION contact_create(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.contact_create(p_args jsonb) IS 'Creates a contact and returns its id; raises what crm.contact_new raises.';


--
-- Name: contact_erase(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.contact_erase(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid := p_args ->> 'id';
  v_contact crm.contacts;
begin
  -- A lead that has found the contact would fill its fields again.
  perform crm.lock_matches_of_contacts(array[v_id]);
  select c.* into v_contact from crm.contacts c
  where c.workspace_id = v_workspace_id and c.id = v_id
  for update;
  if not found then
    perform api.fail('not_found');
  elsif v_contact.merged_into_id is not null then
    perform api.fail('record_merged', array['id'], null, array[v_contact.merged_into_id]);
  end if;
  if v_contact.erased_at is null then
    perform crm.erase_contact(v_id, coalesce((p_args ->> 'texts')::boolean, false));
    v_contact.erased_at := now();
  end if;
  return json_build_object('id', v_id, 'erased_at', crm.iso(v_contact.erased_at));
end
$$;


--
-- Name: FUNCTION contact_erase(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.contact_erase(p_args jsonb) IS 'Erases a contact for good and returns when; one that is erased stays as it is. Raises not_found, record_merged.';


--
-- Name: contact_get(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.contact_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_record json;
  v_merged_into_id uuid;
begin
  select crm.contact_json(t), t.merged_into_id into v_record, v_merged_into_id from crm.contacts t
  where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid;
  if v_merged_into_id is not null then
    perform api.fail('merged', array['id'], null, array[v_merged_into_id]);
  end if;
  return crm.require_record(v_record);
end
$$;


--
-- Name: FUNCTION contact_get(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.contact_get(p_args jsonb) IS 'Returns one record; raises not_found, merged.';


--
-- Name: contact_list(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.contact_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until}'::text[];
  v_value text;
  v_ids uuid[];
  v_next_id uuid;
  v_records json[];
  v_complete boolean;
  -- The records that crm.contact_list_by is asked for.
  v_rest integer;
  v_rest_ids uuid[];
  v_rest_records json[];
begin
  if p_args ? 'since' then
    v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz);
  end if;
  if p_args ? 'until' then
    v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz));
  end if;
  -- Each filter has its own statement with its own cached plan: one statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < v_before
        and t.id >= v_from
      order by t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'email' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and (t.email, t.id) < (p_args ->> 'email', v_before)
        and t.email >= p_args ->> 'email'
        and t.email = any (array[p_args ->> 'email'])
        and t.id < v_before
        and t.id >= v_from
      order by t.email desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'phone' = '{}' then
    v_value := crm.e164(p_args ->> 'phone');
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and (t.phone_e164, t.id) < (v_value, v_before)
        and t.phone_e164 >= v_value
        and t.phone_e164 = any (array[v_value])
        and t.id < v_before
        and t.id >= v_from
      order by t.phone_e164 desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'company_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and (t.company_id, t.id) < ((p_args ->> 'company_id')::uuid, v_before)
        and t.company_id >= (p_args ->> 'company_id')::uuid
        and t.company_id = any (array[(p_args ->> 'company_id')::uuid])
        and t.id < v_before
        and t.id >= v_from
        and t.company_id is not null
      order by t.company_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and t.external_id = p_args ->> 'external_id'
        and (t.external_id, t.id) < (p_args ->> 'external_id', v_before)
        and (t.external_id, t.id) >= (p_args ->> 'external_id', v_from)
      order by t.external_id desc
      limit v_limit + 1
    ) page;
  else
    v_rest := v_limit;
  end if;
  if not v_complete then
    -- A record without its JSON is long, or is not to be listed.
    v_before := v_ids[v_limit + 1];
    select array_agg(r.id order by r.position), array_agg(r.record order by r.position), count(r.record) = count(*)
    into v_ids, v_records, v_complete
    from unnest(v_ids, v_records) with ordinality r (id, record, position)
    where r.record is not null or exists (
      select from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and t.id = r.id and t.archived_at is null
    );
    if v_before is not null and coalesce(cardinality(v_ids), 0) <= v_limit then
      v_rest := v_limit - coalesce(cardinality(v_ids), 0);
    end if;
  end if;
  if v_rest is not null then
    if p_args ? 'q' then
      select page.ids, page.next_id into v_rest_ids, v_next_id
      from crm.contact_search(p_args || jsonb_build_object('limit', v_rest), v_before, v_from) page;
    else
      select page.ids, page.next_id into v_rest_ids, v_next_id
      from crm.contact_list_by(p_args || jsonb_build_object('limit', v_rest), v_before, v_from) page;
    end if;
    select array_agg(page.record), count(page.record) = count(*) and coalesce(v_complete, true)
    into v_rest_records, v_complete
    from (
      select crm.contact_json_if_short(t) as record
      from unnest(v_rest_ids[:v_rest]) with ordinality chosen (id, position)
      join crm.contacts t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
      order by chosen.position
    ) page;
    v_ids := v_ids || v_rest_ids;
    v_records := v_records || v_rest_records;
  end if;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_ids := v_ids[:v_limit];
  end if;
  if not v_complete or pg_column_size(v_records) > crm.max_page_bytes() then
    v_records := crm.contact_page(v_ids, v_records);
    if cardinality(v_records) < cardinality(v_ids) then
      v_next_id := v_ids[cardinality(v_records)];
    end if;
  end if;
  if p_args ? 'updated_since' and not p_args ? 'cursor' then
    return crm.synced_page(v_records, v_next_id);
  end if;
  return crm.page(v_records, v_next_id);
end
$$;


--
-- Name: FUNCTION contact_list(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.contact_list(p_args jsonb) IS 'Returns a page of the list, newest first (spec 4.0).';


--
-- Name: contact_merge(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.contact_merge(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid := p_args ->> 'id';
  v_merge_id uuid := p_args ->> 'merge_id';
  v_winner crm.contacts;
  v_other crm.contacts;
  v_filled crm.contacts;
  v_next uuid;
begin
  if v_merge_id = v_id then
    perform api.fail('validation_error', array['merge_id'], 'Deve ser outro contato');
  end if;
  perform crm.lock_company_merges(false);
  perform crm.lock_matches_of_contacts(array[v_id, v_merge_id]);
  -- In order of id, so that two merges of the same contacts cannot deadlock.
  foreach v_next in array array[least(v_id, v_merge_id), greatest(v_id, v_merge_id)] loop
    if v_next = v_id then
      v_winner := crm.contact_lock(v_id);
    else
      -- Also waits for whoever is creating a deal or an activity of it, and makes those that come later wait.
      select c.* into v_other from crm.contacts c
      where c.workspace_id = v_workspace_id and c.id = v_merge_id
      for update;
    end if;
  end loop;
  if v_other.id is null then
    perform api.fail('invalid_reference', array['merge_id']);
  elsif v_other.merged_into_id = v_id then
    -- A repeated call, whose first reply may have been lost. Nothing is filled in again: the record may have changed since.
    return crm.contact_json(v_winner);
  elsif v_other.merged_into_id is not null then
    perform api.fail(
      'invalid_reference', array['merge_id'], 'Este contato já foi unido a outro', array[v_other.merged_into_id]
    );
  elsif v_other.erased_at is not null then
    perform api.fail('record_erased', array['merge_id']);
  end if;

  v_filled := crm.contact_filled(v_winner, v_other);
  if v_filled.company_id is distinct from v_winner.company_id then
    -- The application may be merging the company, which does not see this contact yet.
    select coalesce(c.merged_into_id, c.id) into v_filled.company_id from crm.companies c
    where c.workspace_id = v_workspace_id and c.id = v_filled.company_id
    for key share;
  end if;
  update crm.contacts c
  set
    merged_into_id = v_id,
    archived_at = coalesce(c.archived_at, now()),
    -- It moves only to a contact that has none: otherwise it stays, so that no other contact gets it.
    external_id = case when v_winner.external_id is not null then c.external_id end
  where c.workspace_id = v_workspace_id and c.id = v_merge_id;
  if v_filled is distinct from v_winner then
    v_winner := crm.contact_save(v_filled);
  end if;
  return crm.contact_json(v_winner);
end
$$;


--
-- Name: FUNCTION contact_merge(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.contact_merge(p_args jsonb) IS 'Merges the contact merge_id into the contact id, whose empty fields it fills, and returns that; once it is done, only returns it. Raises not_found, record_merged, record_erased, validation_error, invalid_reference.';


--
-- Name: contact_restore(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.contact_restore(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.contacts := crm.contact_lock((p_args ->> 'id')::uuid);
begin
  if t.archived_at is not null then
    update crm.contacts r set archived_at = null where r.workspace_id = t.workspace_id and r.id = t.id
    returning r.* into t;
  end if;
  return crm.contact_json(t);
end
$$;


--
-- Name: FUNCTION contact_restore(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.contact_restore(p_args jsonb) IS 'Takes the record out of the archive and returns it; one that is in use stays as it is. Raises not_found, record_merged, record_erased.';


--
-- Name: contact_update(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.contact_update(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_contact crm.contacts := crm.contact_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changes jsonb := crm.changes(to_jsonb(v_contact), p_args);
begin
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes <> '{}' then
    v_contact := jsonb_populate_record(v_contact, crm.require_references(v_changes));
    v_contact.owner_id := crm.owner_or_default(v_contact.owner_id);
    v_contact := crm.contact_save(v_contact);
  end if;
  return crm.contact_json(v_contact);
end
$$;


--
-- Name: FUNCTION contact_update(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.contact_update(p_args jsonb) IS 'Changes the fields that were sent; null clears a field, and an owner_id of null sets the default owner (spec 4.2).';


--
-- Name: contact_upsert(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.contact_upsert(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_match_by text := p_args ->> 'match_by';
  v_sent jsonb := p_args - 'match_by';
  v_ids uuid[];
  v_id uuid;
begin
  if coalesce(p_args ->> v_match_by, '') = '' then
    perform api.fail('validation_error', array[v_match_by], 'Campo obrigatório: match_by procura por ele');
  end if;
  -- Leads and other upserts that look for the same record, or would create it, wait here.
  perform crm.lock_matches(jsonb_build_object(
    'contact external_id', p_args ->> 'external_id',
    'contact email', p_args ->> 'email',
    'contact phone', crm.e164(p_args ->> 'phone')
  ));
  v_ids := crm.contact_match(p_args);
  if v_ids = '{}' then
    v_ids := array(
      select distinct s.id
      from (select distinct m.merged_into_id from crm.contact_merged(p_args) m) m
      cross join lateral crm.contact_survivor(m.merged_into_id) s
      where s.archived_at is null or (v_match_by = 'external_id' and s.erased_at is null)
    );
    if cardinality(v_ids) = 1 then
      -- It keeps its own value: otherwise nobody would have that any more, and who looks for it would make a new record.
      v_sent := v_sent - v_match_by;
    end if;
  end if;
  if cardinality(v_ids) > 1 then
    perform api.fail('ambiguous_match', array_fill(v_match_by, array[cardinality(v_ids)]), null, v_ids);
  elsif cardinality(v_ids) = 1 then
    perform api.mark_found();
    return api.contact_update(v_sent || jsonb_build_object('id', v_ids[1]));
  end if;
  if v_sent ->> 'name' is null then
    perform api.fail('validation_error', array['name'], 'Campo obrigatório: não há registro com este ' || v_match_by);
  end if;
  v_id := api.contact_create(v_sent) ->> 'id';
  return (
    select crm.contact_json(t) from crm.contacts t
    where t.workspace_id = crm.current_workspace_id() and t.id = v_id
  );
end
$$;


--
-- Name: FUNCTION contact_upsert(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.contact_upsert(p_args jsonb) IS 'Changes the record that has the value of the field in match_by, as api.contact_update does, or creates it, as api.contact_create does, with their codes; returns the whole record. Where only records that were merged have the value, it changes the one into which they were, but for that field. Raises ambiguous_match with every record that has the value, and validation_error for what only a creation requires.';


--
-- Name: deal_archive(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.deal_archive(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.deals;
begin
  update crm.deals r
  set archived_at = now()
  where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid and r.archived_at is null
  returning r.* into t;
  if not found then
    select r.* into t from crm.deals r
    where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid;
    if not found then
      perform api.fail('not_found');
    end if;
  end if;
  return crm.deal_json(t);
end
$$;


--
-- Name: FUNCTION deal_archive(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.deal_archive(p_args jsonb) IS 'Archives the record, so that lists leave it out, and returns it; one that is archived already stays as it is. Raises not_found.';


--
-- Name: deal_batch(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.deal_batch(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  return crm.run_batch('deal', p_args);
end
$$;


--
-- Name: FUNCTION deal_batch(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.deal_batch(p_args jsonb) IS 'Carries out up to 100 creates, updates and upserts of deals in one call; raises batch_failed where it is atomic and an item fails.';


--
-- Name: deal_create(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.deal_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  return crm.deal_json(crm.deal_insert(crm.deal_new(p_args)));
end
$$;


--
-- Name: FUNCTION deal_create(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.deal_create(p_args jsonb) IS 'Creates a deal and returns it; raises what crm.deal_new raises.';


--
-- Name: deal_get(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.deal_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_deal crm.deals;
begin
  select * into v_deal from crm.deals d
  where d.workspace_id = v_workspace_id and d.id = (p_args ->> 'id')::uuid;
  if not found then
    perform api.fail('not_found');
  end if;
  return crm.with_fields(crm.deal_json(v_deal), json_build_object(
    'contact', (
      select crm.contact_json(c) from crm.contacts c
      where c.workspace_id = v_workspace_id and c.id = v_deal.contact_id
    ),
    'company', (
      select crm.company_json(c) from crm.companies c
      where c.workspace_id = v_workspace_id and c.id = v_deal.company_id
    ),
    'last_activity', (
      select crm.activity_json(a) from crm.activities a
      where a.workspace_id = v_workspace_id and a.deal_id = v_deal.id
      order by a.id desc
      limit 1
    ),
    'lead', v_deal.lead
  ));
end
$$;


--
-- Name: FUNCTION deal_get(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.deal_get(p_args jsonb) IS 'Returns one deal with its contact, its company, the activity that was created last, and what was sent where POST leads created it; raises not_found (spec 4.6).';


--
-- Name: deal_list(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.deal_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until}'::text[];
  v_ids uuid[];
  v_next_id uuid;
  v_records json[];
  v_complete boolean;
  -- The records that crm.deal_list_by is asked for.
  v_rest integer;
  v_rest_ids uuid[];
  v_rest_records json[];
begin
  if p_args ? 'since' then
    v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz);
  end if;
  if p_args ? 'until' then
    v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz));
  end if;
  -- Each filter has its own statement with its own cached plan: one statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < v_before
        and t.id >= v_from
      order by t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'status' = '{}' and jsonb_array_length(p_args -> 'status') = 1 then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.status, t.id) < (p_args -> 'status' ->> 0, v_before)
        and t.status >= p_args -> 'status' ->> 0
        and t.status = any (array[p_args -> 'status' ->> 0])
        and t.id < v_before
        and t.id >= v_from
      order by t.status desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'pipeline_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.pipeline_id, t.id) < ((p_args ->> 'pipeline_id')::uuid, v_before)
        and t.pipeline_id >= (p_args ->> 'pipeline_id')::uuid
        and t.pipeline_id = any (array[(p_args ->> 'pipeline_id')::uuid])
        and t.id < v_before
        and t.id >= v_from
      order by t.pipeline_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'stage_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.stage_id, t.id) < ((p_args ->> 'stage_id')::uuid, v_before)
        and t.stage_id >= (p_args ->> 'stage_id')::uuid
        and t.stage_id = any (array[(p_args ->> 'stage_id')::uuid])
        and t.id < v_before
        and t.id >= v_from
      order by t.stage_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'contact_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.contact_id, t.id) < ((p_args ->> 'contact_id')::uuid, v_before)
        and t.contact_id >= (p_args ->> 'contact_id')::uuid
        and t.contact_id = any (array[(p_args ->> 'contact_id')::uuid])
        and t.id < v_before
        and t.id >= v_from
      order by t.contact_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'company_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.company_id, t.id) < ((p_args ->> 'company_id')::uuid, v_before)
        and t.company_id >= (p_args ->> 'company_id')::uuid
        and t.company_id = any (array[(p_args ->> 'company_id')::uuid])
        and t.id < v_before
        and t.id >= v_from
      order by t.company_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < ((p_args ->> 'owner_id')::uuid, v_before)
        and t.owner_id >= (p_args ->> 'owner_id')::uuid
        and t.owner_id = any (array[(p_args ->> 'owner_id')::uuid])
        and t.id < v_before
        and t.id >= v_from
      order by t.owner_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.external_id, t.id) < (p_args ->> 'external_id', v_before)
        and t.external_id >= p_args ->> 'external_id'
        and t.external_id = any (array[p_args ->> 'external_id'])
        and t.id < v_before
        and t.id >= v_from
        and t.external_id is not null
      order by t.external_id desc, t.id desc
      limit v_limit + 1
    ) page;
  else
    v_rest := v_limit;
  end if;
  if not v_complete then
    -- A record without its JSON is long, or is not to be listed.
    v_before := v_ids[v_limit + 1];
    select array_agg(r.id order by r.position), array_agg(r.record order by r.position), count(r.record) = count(*)
    into v_ids, v_records, v_complete
    from unnest(v_ids, v_records) with ordinality r (id, record, position)
    where r.record is not null or exists (
      select from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and t.id = r.id and t.archived_at is null
    );
    if v_before is not null and coalesce(cardinality(v_ids), 0) <= v_limit then
      v_rest := v_limit - coalesce(cardinality(v_ids), 0);
    end if;
  end if;
  if v_rest is not null then
    if p_args ? 'q' then
      select page.ids, page.next_id into v_rest_ids, v_next_id
      from crm.deal_search(p_args || jsonb_build_object('limit', v_rest), v_before, v_from) page;
    else
      select page.ids, page.next_id into v_rest_ids, v_next_id
      from crm.deal_list_by(p_args || jsonb_build_object('limit', v_rest), v_before, v_from) page;
    end if;
    select array_agg(page.record), count(page.record) = count(*) and coalesce(v_complete, true)
    into v_rest_records, v_complete
    from (
      select crm.deal_json_if_short(t) as record
      from unnest(v_rest_ids[:v_rest]) with ordinality chosen (id, position)
      join crm.deals t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
      order by chosen.position
    ) page;
    v_ids := v_ids || v_rest_ids;
    v_records := v_records || v_rest_records;
  end if;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_ids := v_ids[:v_limit];
  end if;
  if not v_complete or pg_column_size(v_records) > crm.max_page_bytes() then
    v_records := crm.deal_page(v_ids, v_records);
    if cardinality(v_records) < cardinality(v_ids) then
      v_next_id := v_ids[cardinality(v_records)];
    end if;
  end if;
  if p_args ? 'updated_since' and not p_args ? 'cursor' then
    return crm.synced_page(v_records, v_next_id);
  end if;
  return crm.page(v_records, v_next_id);
end
$$;


--
-- Name: FUNCTION deal_list(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.deal_list(p_args jsonb) IS 'Returns a page of the list, newest first (spec 4.0).';


--
-- Name: deal_lose(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.deal_lose(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
begin
  if v_deal.status <> 'aberto' then
    return crm.deal_action_json(v_deal, true);
  end if;
  v_deal := jsonb_populate_record(v_deal, crm.require_references(p_args));
  v_deal.status := 'perdido';
  return crm.deal_action_json(crm.deal_save(v_deal), false);
end
$$;


--
-- Name: FUNCTION deal_lose(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.deal_lose(p_args jsonb) IS 'Marks an open deal as lost, with a reason and a note if they are sent; raises invalid_reference (spec 3).';


--
-- Name: deal_move_stage(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.deal_move_stage(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
  v_target record;
begin
  p_args := crm.require_references(p_args);
  v_target := crm.choose_stage_for_move(v_deal, (p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid);
  if v_target.stage_id = v_deal.stage_id then
    return crm.deal_action_json(v_deal, true);
  end if;
  v_deal.pipeline_id := v_target.pipeline_id;
  v_deal.stage_id := v_target.stage_id;
  v_deal := crm.deal_save(v_deal);
  return crm.deal_action_json(v_deal, false);
end
$$;


--
-- Name: FUNCTION deal_move_stage(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.deal_move_stage(p_args jsonb) IS 'Moves a deal, open or closed, to another stage; its status stays. Raises invalid_reference for a stage outside the workspace, otherwise the codes of crm.choose_stage_for_move (spec 3).';


--
-- Name: deal_restore(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.deal_restore(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
begin
  if t.archived_at is not null then
    update crm.deals r set archived_at = null where r.workspace_id = t.workspace_id and r.id = t.id
    returning r.* into t;
  end if;
  return crm.deal_json(t);
end
$$;


--
-- Name: FUNCTION deal_restore(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.deal_restore(p_args jsonb) IS 'Takes the record out of the archive and returns it; one that is in use stays as it is. Raises not_found.';


--
-- Name: deal_summary(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.deal_summary(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  c_most constant integer := 50000;
  v_status text[] := case when p_args ? 'status' then array(select jsonb_array_elements_text(p_args -> 'status')) end;
  v_pipeline_id uuid := (p_args ->> 'pipeline_id')::uuid;
  v_stage_id uuid := (p_args ->> 'stage_id')::uuid;
  v_contact_id uuid := (p_args ->> 'contact_id')::uuid;
  v_company_id uuid := (p_args ->> 'company_id')::uuid;
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_closed_since timestamptz := coalesce((p_args ->> 'closed_since')::timestamptz, '-infinity');
  v_closed_until timestamptz := coalesce((p_args ->> 'closed_until')::timestamptz, 'infinity');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_ranges text[] := array_remove(array[
    case when p_args ?| array['closed_since', 'closed_until'] then 'closed_at' end,
    case when p_args ?| array['updated_since'] then 'updated_at' end
  ], null);
  v_before uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_by text;
  v_looked bigint;
  v_summary json;
begin
  if p_args ? 'since' then
    v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz);
  end if;
  if p_args ? 'until' then
    v_before := crm.uuid_v7_floor((p_args ->> 'until')::timestamptz);
  end if;
  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'archived' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < v_before
        and t.id >= v_from
        and t.archived_at is not null
      order by t.id desc
      offset 250 limit 1
    ) as reach
    where v_archived = 'true'
    union all
    select 'status' as name, (
      select t.* from unnest(v_status) s (value)
      cross join lateral (
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id()
          and (t.status, t.id) < (s.value, v_before)
          and t.status >= s.value
          and t.status = any (array[s.value])
          and t.id < v_before
          and t.id >= v_from
        order by t.status desc, t.id desc
        limit 250 + 1
      ) t
      order by t.id desc
      offset 250 limit 1
    ) as reach
    where v_status is not null
    union all
    select 'pipeline_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.pipeline_id, t.id) < (v_pipeline_id, v_before)
        and t.pipeline_id >= v_pipeline_id
        and t.pipeline_id = any (array[v_pipeline_id])
        and t.id < v_before
        and t.id >= v_from
      order by t.pipeline_id desc, t.id desc
      offset 250 limit 1
    ) as reach
    where v_pipeline_id is not null
    union all
    select 'stage_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.stage_id, t.id) < (v_stage_id, v_before)
        and t.stage_id >= v_stage_id
        and t.stage_id = any (array[v_stage_id])
        and t.id < v_before
        and t.id >= v_from
      order by t.stage_id desc, t.id desc
      offset 250 limit 1
    ) as reach
    where v_stage_id is not null
    union all
    select 'contact_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.contact_id, t.id) < (v_contact_id, v_before)
        and t.contact_id >= v_contact_id
        and t.contact_id = any (array[v_contact_id])
        and t.id < v_before
        and t.id >= v_from
      order by t.contact_id desc, t.id desc
      offset 250 limit 1
    ) as reach
    where v_contact_id is not null
    union all
    select 'company_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.company_id, t.id) < (v_company_id, v_before)
        and t.company_id >= v_company_id
        and t.company_id = any (array[v_company_id])
        and t.id < v_before
        and t.id >= v_from
      order by t.company_id desc, t.id desc
      offset 250 limit 1
    ) as reach
    where v_company_id is not null
    union all
    select 'owner_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < (v_owner_id, v_before)
        and t.owner_id >= v_owner_id
        and t.owner_id = any (array[v_owner_id])
        and t.id < v_before
        and t.id >= v_from
      order by t.owner_id desc, t.id desc
      offset 250 limit 1
    ) as reach
    where v_owner_id is not null
    union all
    select 'external_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.external_id, t.id) < (v_external_id, v_before)
        and t.external_id >= v_external_id
        and t.external_id = any (array[v_external_id])
        and t.id < v_before
        and t.id >= v_from
        and t.external_id is not null
      order by t.external_id desc, t.id desc
      offset 250 limit 1
    ) as reach
    where v_external_id is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  -- By a range that was sent, if it has few enough rows.
  foreach v_by in array v_ranges || v_by loop
    select sum(g.looked), json_build_object(
      'data', coalesce(
        json_agg(
          json_build_object('pipeline_id', g.pipeline_id, 'stage_id', g.stage_id, 'status', g.status, 'count', g.count, 'value', g.value, 'recurring_value', g.recurring_value)
          order by g.pipeline_id, g.stage_id, g.status
        ) filter (where g.count > 0),
        '[]'
      ),
      'totals', json_build_object(
        'count', coalesce(sum(g.count), 0),
        'value', coalesce(sum(g.value), 0),
        'recurring_value', coalesce(sum(g.recurring_value), 0)
      )
    )
    into v_looked, v_summary
    from (
      select
        t.pipeline_id, t.stage_id, t.status,
        count(*) as looked,
        count(*) filter (where t.is_match) as count,
        coalesce(sum(t.value) filter (where t.is_match), 0) as value,
        coalesce(sum(t.recurring_value) filter (where t.is_match), 0) as recurring_value
      from (
        select
          t.pipeline_id, t.stage_id, t.status, t.value, t.recurring_value,
          (t.id < v_before and t.id >= v_from
            and (v_status is null or t.status = any (v_status))
            and (v_pipeline_id is null or t.pipeline_id = v_pipeline_id)
            and (v_stage_id is null or t.stage_id = v_stage_id)
            and (v_contact_id is null or t.contact_id = v_contact_id)
            and (v_company_id is null or t.company_id = v_company_id)
            and (v_owner_id is null or t.owner_id = v_owner_id)
            and (v_external_id is null or t.external_id = v_external_id)
            and (v_archived is distinct from 'false' or t.archived_at is null)
            and (v_archived is distinct from 'true' or t.archived_at is not null)
            and (v_closed_since = '-infinity' or t.closed_at >= v_closed_since)
            and (v_closed_until = 'infinity' or t.closed_at < v_closed_until)
            and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)) as is_match
        from (
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'all'
              and t.workspace_id = crm.current_workspace_id()
              and t.id < v_before
              and t.id >= v_from
            order by t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'archived'
              and t.workspace_id = crm.current_workspace_id()
              and t.id < v_before
              and t.id >= v_from
              and t.archived_at is not null
            order by t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.* from unnest(v_status) s (value)
            cross join lateral (
              select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
              where t.workspace_id = crm.current_workspace_id()
                and (t.status, t.id) < (s.value, v_before)
                and t.status >= s.value
                and t.status = any (array[s.value])
                and t.id < v_before
                and t.id >= v_from
              order by t.status desc, t.id desc
              limit c_most + 1
            ) t
            where v_by = 'status'
            order by t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'pipeline_id'
              and t.workspace_id = crm.current_workspace_id()
              and (t.pipeline_id, t.id) < (v_pipeline_id, v_before)
              and t.pipeline_id >= v_pipeline_id
              and t.pipeline_id = any (array[v_pipeline_id])
              and t.id < v_before
              and t.id >= v_from
            order by t.pipeline_id desc, t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'stage_id'
              and t.workspace_id = crm.current_workspace_id()
              and (t.stage_id, t.id) < (v_stage_id, v_before)
              and t.stage_id >= v_stage_id
              and t.stage_id = any (array[v_stage_id])
              and t.id < v_before
              and t.id >= v_from
            order by t.stage_id desc, t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'contact_id'
              and t.workspace_id = crm.current_workspace_id()
              and (t.contact_id, t.id) < (v_contact_id, v_before)
              and t.contact_id >= v_contact_id
              and t.contact_id = any (array[v_contact_id])
              and t.id < v_before
              and t.id >= v_from
            order by t.contact_id desc, t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'company_id'
              and t.workspace_id = crm.current_workspace_id()
              and (t.company_id, t.id) < (v_company_id, v_before)
              and t.company_id >= v_company_id
              and t.company_id = any (array[v_company_id])
              and t.id < v_before
              and t.id >= v_from
            order by t.company_id desc, t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'owner_id'
              and t.workspace_id = crm.current_workspace_id()
              and (t.owner_id, t.id) < (v_owner_id, v_before)
              and t.owner_id >= v_owner_id
              and t.owner_id = any (array[v_owner_id])
              and t.id < v_before
              and t.id >= v_from
            order by t.owner_id desc, t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'external_id'
              and t.workspace_id = crm.current_workspace_id()
              and (t.external_id, t.id) < (v_external_id, v_before)
              and t.external_id >= v_external_id
              and t.external_id = any (array[v_external_id])
              and t.id < v_before
              and t.id >= v_from
              and t.external_id is not null
            order by t.external_id desc, t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'closed_at'
              and t.workspace_id = crm.current_workspace_id()
              and t.closed_at >= v_closed_since
              and t.closed_at < v_closed_until
            order by t.closed_at desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'updated_at'
              and t.workspace_id = crm.current_workspace_id()
              and t.updated_at >= v_updated_since
            order by t.updated_at desc
            limit c_most + 1
          )
        ) t
      ) t
      group by t.pipeline_id, t.stage_id, t.status
    ) g;
    if coalesce(v_looked, 0) <= c_most then
      return v_summary;
    end if;
  end loop;
  perform api.fail('too_many_records');
end
$$;


--
-- Name: FUNCTION deal_summary(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.deal_summary(p_args jsonb) IS 'Counts and adds up the records that the list with the same filters has, by pipeline_id, stage_id, status. It looks through 50,000 records at most, so that a call costs as much whatever the workspace has; raises too_many_records where that is not enough.';


--
-- Name: deal_update(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.deal_update(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changes jsonb := crm.changes(to_jsonb(v_deal), p_args);
  v_target record;
begin
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes = '{}' then
    return crm.deal_json(v_deal);
  end if;
  -- A client may send back the status that it read. Closing a deal takes more than a status, so it has its own actions.
  if v_changes ->> 'status' <> 'aberto' then
    perform api.fail('validation_error', array['status'], format(
      'Use POST /api-v1-deals/%s/%s', v_deal.id, case v_changes ->> 'status' when 'ganho' then 'win' else 'lose' end
    ));
  end if;
  v_changes := crm.require_references(v_changes);
  v_target := crm.choose_stage_for_update(v_deal, (p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid);
  v_deal := jsonb_populate_record(v_deal, v_changes);
  v_deal.pipeline_id := v_target.pipeline_id;
  v_deal.stage_id := v_target.stage_id;
  v_deal.owner_id := crm.owner_or_default(v_deal.owner_id);
  v_deal := crm.deal_save(v_deal);
  return crm.deal_json(v_deal);
end
$$;


--
-- Name: FUNCTION deal_update(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.deal_update(p_args jsonb) IS 'Changes the fields that were sent; null clears a field. A stage is checked as in deal_move_stage. The status `aberto` reopens the deal; any other new status is a validation_error that names the action to use (spec 4.6).';


--
-- Name: deal_upsert(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.deal_upsert(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_match_by text := p_args ->> 'match_by';
  v_sent jsonb := p_args - 'match_by';
  v_ids uuid[];
  v_id uuid;
begin
  if coalesce(p_args ->> v_match_by, '') = '' then
    perform api.fail('validation_error', array[v_match_by], 'Campo obrigatório: match_by procura por ele');
  end if;
  -- Leads and other upserts that look for the same record, or would create it, wait here.
  perform crm.lock_matches(jsonb_build_object(
    'deal external_id', p_args ->> 'external_id'
  ));
  v_ids := crm.deal_match(p_args);
  if cardinality(v_ids) > 1 then
    perform api.fail('ambiguous_match', array_fill(v_match_by, array[cardinality(v_ids)]), null, v_ids);
  elsif cardinality(v_ids) = 1 then
    perform api.mark_found();
    return api.deal_update(v_sent || jsonb_build_object('id', v_ids[1]));
  end if;
  if coalesce(v_sent ->> 'title', v_sent ->> 'contact_id', v_sent ->> 'company_id') is null then
    perform api.fail('validation_error', array['title'], 'Informe ao menos um de title, contact_id e company_id');
  end if;
  v_id := api.deal_create(v_sent) ->> 'id';
  return (
    select crm.deal_json(t) from crm.deals t
    where t.workspace_id = crm.current_workspace_id() and t.id = v_id
  );
end
$$;


--
-- Name: FUNCTION deal_upsert(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.deal_upsert(p_args jsonb) IS 'Changes the record that has the value of the field in match_by, as api.deal_update does, or creates it, as api.deal_create does, with their codes; returns the whole record. Raises ambiguous_match with every record that has the value, and validation_error for what only a creation requires.';


--
-- Name: deal_win(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.deal_win(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
begin
  -- A closed deal does not change, whether it was won or lost.
  if v_deal.status <> 'aberto' then
    return crm.deal_action_json(v_deal, true);
  end if;
  v_deal := jsonb_populate_record(v_deal, p_args);
  v_deal.status := 'ganho';
  return crm.deal_action_json(crm.deal_save(v_deal), false);
end
$$;


--
-- Name: FUNCTION deal_win(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.deal_win(p_args jsonb) IS 'Marks an open deal as won, with its final amounts if they are sent (spec 3).';


--
-- Name: event_list(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.event_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  v_start crm.feed_cursor := crm.feed_start(p_args);
  v_last crm.feed_cursor := v_start;
  -- Whatever has a position below this is committed or undone for good, and below it nothing more will appear.
  v_horizon bigint := crm.feed_horizon();
  -- Nothing that is left to read was written earlier, unless its transaction was open for longer than two days.
  v_from uuid := crm.uuid_v7_floor(v_start.read_until - interval '2 days');
  v_limit integer := p_args ->> 'limit';
  v_since timestamptz := p_args ->> 'since';
  v_types crm.event_type[];
  v_object_id uuid := p_args ->> 'object_id';
  v_rows refcursor;
  e crm.events;
  v_looked integer := 0;
  v_bytes integer := 0;
  v_item json;
  v_items json[] := '{}';
  v_has_more boolean := true;
begin
  if p_args ? 'event_types' then
    v_types := array(select jsonb_array_elements_text(p_args -> 'event_types')::crm.event_type);
  end if;
  -- Each has its own index, and so its own statement.
  if v_object_id is null then
    open v_rows for
      select l.* from crm.events l
      where l.workspace_id = crm.current_workspace_id()
        and (l.position, l.id) > (v_start.position, v_start.id) and l.position < v_horizon and l.id >= v_from
      order by l.position, l.id
      limit 5001;
  else
    open v_rows for
      select l.* from crm.events l
      where l.workspace_id = crm.current_workspace_id() and l.object_id = v_object_id
        and (l.position, l.id) > (v_start.position, v_start.id) and l.position < v_horizon and l.id >= v_from
      order by l.position, l.id
      limit 5001;
  end if;
  loop
    fetch v_rows into e;
    if not found then
      v_has_more := false;
      exit;
    end if;
    exit when v_looked = 5000 or cardinality(v_items) = v_limit;
    if (v_types is null or e.event = any (v_types)) and (v_since is null or e.occurred_at >= v_since) and not e.is_test then
      v_item := crm.feed_item(e);
      v_bytes := v_bytes + octet_length(v_item::text);
      exit when v_bytes > crm.max_page_bytes() and cardinality(v_items) > 0;
      v_items := array_append(v_items, v_item);
    end if;
    v_looked := v_looked + 1;
    -- The event's transaction began at occurred_at, so whatever has a higher position was written later than that.
    v_last := row(e.position, e.id, greatest(e.occurred_at, v_start.read_until))::crm.feed_cursor;
  end loop;
  close v_rows;
  if not v_has_more then
    -- To the hour, so that a cursor that is not moved by an event stays the same text for an hour.
    v_last.read_until := date_trunc('hour', now(), 'UTC');
  end if;
  return json_build_object(
    'data', array_to_json(v_items),
    'meta', json_build_object('next_cursor', crm.feed_cursor_text(v_last), 'has_more', v_has_more)
  );
end
$$;


--
-- Name: FUNCTION event_list(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.event_list(p_args jsonb) IS 'A page of the feed: events in the order of (position, id), from a cursor on. Looks at 5,000 events at most, and ends at crm.max_page_bytes, so a page may be short or empty while there is more. Test events are left out.';


--
-- Name: fail(text, text[], text, uuid[]); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.fail(p_code text, p_fields text[] DEFAULT '{}'::text[], p_message text DEFAULT NULL::text, p_ids uuid[] DEFAULT '{}'::uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  raise exception using
    errcode = 'CRM00',
    message = p_code,
    detail = coalesce(
      (
        select json_agg(json_build_object('field', f.field, 'message', p_message, 'id', f.id))
        from unnest(p_fields, p_ids) f (field, id)
      )::text,
      ''
    );
end
$$;


--
-- Name: FUNCTION fail(p_code text, p_fields text[], p_message text, p_ids uuid[]); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.fail(p_code text, p_fields text[], p_message text, p_ids uuid[]) IS 'Raises an error code of spec 7, with the fields at fault. p_message is the Portuguese message for those fields; null means the message that belongs to the code. p_ids has the record that each field is about, if the error names one.';


--
-- Name: lead_create(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.lead_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_external_id text := p_args ->> 'external_id';
  v_email text := p_args ->> 'email';
  v_phone text := crm.e164(p_args ->> 'phone');
  v_name_key text := crm.name_key(p_args ->> 'company_name');
  v_known record;
  v_owner_id uuid;
  v_company_id uuid;
  v_found record;
  v_contact crm.contacts;
  v_matched_by text;
  v_differences text[] := '{}';
  v_deal crm.deals;
begin
  -- Leads that could create the same record wait for each other.
  perform crm.lock_matches(jsonb_build_object(
    'deal external_id', v_external_id, 'contact email', v_email, 'contact phone', v_phone, 'company name', v_name_key
  ));

  -- Most leads are of somebody new. One statement finds that out, where to look for who is known are several.
  select r.deal_id, r.contact_id, r.company_id, s.pipeline_id, s.stage_id,
    exists (
      select from crm.companies c where c.workspace_id = v_workspace_id and c.name_key = v_name_key
    ) as has_company,
    exists (select from crm.contacts c where c.workspace_id = v_workspace_id and c.email = v_email)
      or exists (select from crm.contacts c where c.workspace_id = v_workspace_id and c.phone_e164 = v_phone)
      as has_contact
  into v_known
  from (select) lead
  left join crm.lead_receipts r on r.workspace_id = v_workspace_id and r.external_id = v_external_id
  left join crm.stage_of_new_deal((p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid) s on true;
  if v_known.deal_id is not null then
    perform api.mark_replayed();
    select * into v_deal from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_known.deal_id;
    return crm.lead_result(v_deal, v_known.contact_id, v_known.company_id, true);
  end if;

  if v_known.stage_id is null then
    -- Raises why there is none.
    select s.pipeline_id, s.stage_id into v_known.pipeline_id, v_known.stage_id
    from crm.choose_stage((p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid) s;
  end if;
  v_owner_id := coalesce(
    case when p_args ? 'owner_id' then crm.active_member((p_args ->> 'owner_id')::uuid) end,
    crm.default_owner()
  );
  if v_owner_id is null then
    perform api.fail('owner_unresolved');
  end if;
  if v_known.has_company then
    v_company_id := crm.lead_company(v_name_key);
  end if;
  if v_known.has_contact then
    v_found := crm.lead_contact(p_args);
    v_contact := v_found.contact;
    v_matched_by := v_found.matched_by;
  end if;

  -- One statement, because each begins and ends at a cost.
  with company as (
    insert into crm.companies (workspace_id, name, owner_id)
    select v_workspace_id, p_args ->> 'company_name', v_owner_id
    where v_name_key is not null and v_company_id is null
    returning id
  ),
  contact as (
    insert into crm.contacts (workspace_id, name, email, phone, company_id, owner_id)
    select v_workspace_id, crm.lead_name(p_args), v_email, p_args ->> 'phone',
      coalesce(v_company_id, (select id from company)), v_owner_id
    where v_contact.id is null
    returning id
  ),
  deal as (
    insert into crm.deals (
      workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
      source, utm, custom_fields, external_id, lead
    )
    select v_workspace_id, crm.lead_name(p_args), (p_args ->> 'value')::numeric, (p_args ->> 'recurring_value')::numeric,
      v_known.pipeline_id, v_known.stage_id, coalesce(v_contact.id, (select id from contact)),
      coalesce(v_company_id, (select id from company)), v_owner_id,
      p_args ->> 'source', p_args -> 'utm', p_args -> 'custom_fields', v_external_id, p_args
    returning *
  ),
  receipt as (
    insert into crm.lead_receipts (workspace_id, external_id, deal_id, contact_id, company_id)
    select d.workspace_id, d.external_id, d.id, d.contact_id, d.company_id from deal d
    where d.external_id is not null
  )
  select * into v_deal from deal;

  if v_contact.id is not null then
    v_contact := crm.fill_in_contact(v_contact, p_args ->> 'phone', v_deal.company_id);
    v_differences := crm.lead_differences(p_args, v_contact, v_deal.company_id);
  end if;
  return crm.lead_result(
    v_deal, v_deal.contact_id, v_deal.company_id, false, v_company_id is null and v_name_key is not null,
    v_contact.id is null, v_matched_by, v_differences
  );
end
$$;


--
-- Name: FUNCTION lead_create(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.lead_create(p_args jsonb) IS 'Creates a lead, or returns the result of an earlier call with the same external_id (spec 2.3, 2.4, 4.1). p_args has what was sent, without nulls; the deal keeps it.';


--
-- Name: mark_found(); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.mark_found() RETURNS void
    LANGUAGE sql
    AS $$ select set_config('app.found', 'true', true) $$;


--
-- Name: FUNCTION mark_found(); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.mark_found() IS 'Marks the reply as that of a record which existed: its status is 200, not the 201 of a creation.';


--
-- Name: mark_replayed(); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.mark_replayed() RETURNS void
    LANGUAGE sql
    AS $$ select set_config('app.replayed', 'true', true) $$;


--
-- Name: FUNCTION mark_replayed(); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.mark_replayed() IS 'Marks the reply as an earlier one that is returned again: its status is 200, not 201.';


--
-- Name: me_get(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.me_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  return crm.own_key();
end
$$;


--
-- Name: FUNCTION me_get(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.me_get(p_args jsonb) IS 'Returns the key of the call, its workspace, its member and its limit.';


--
-- Name: note_batch(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.note_batch(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  return crm.run_batch('note', p_args);
end
$$;


--
-- Name: FUNCTION note_batch(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.note_batch(p_args jsonb) IS 'Carries out up to 100 creates of notes in one call; raises batch_failed where it is atomic and an item fails.';


--
-- Name: note_create(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.note_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  return crm.note_json(crm.note_insert(crm.note_new(p_args)));
end
$$;


--
-- Name: FUNCTION note_create(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.note_create(p_args jsonb) IS 'Creates a note and returns it; raises what crm.note_new raises.';


--
-- Name: note_get(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.note_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  return crm.require_record((
    select crm.note_json(t) from crm.notes t
    where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid
  ));
end
$$;


--
-- Name: FUNCTION note_get(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.note_get(p_args jsonb) IS 'Returns one record; raises not_found.';


--
-- Name: note_list(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.note_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until,deal_id}'::text[];
  v_ids uuid[];
  v_next_id uuid;
  v_records json[];
  v_complete boolean;
  -- The records that crm.note_list_by is asked for.
  v_rest integer;
  v_rest_ids uuid[];
  v_rest_records json[];
begin
  if p_args ? 'since' then
    v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz);
  end if;
  if p_args ? 'until' then
    v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz));
  end if;
  -- Each filter has its own statement with its own cached plan: one statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, crm.note_json_if_short(t) as record from crm.notes t
      where t.workspace_id = crm.current_workspace_id()
        and (t.deal_id, t.id) < ((p_args ->> 'deal_id')::uuid, v_before)
        and t.deal_id >= (p_args ->> 'deal_id')::uuid
        and t.deal_id = any (array[(p_args ->> 'deal_id')::uuid])
        and t.id < v_before
        and t.id >= v_from
      order by t.deal_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'kind' = '{}' and jsonb_array_length(p_args -> 'kind') = 1 then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, crm.note_json_if_short(t) as record from crm.notes t
      where t.workspace_id = crm.current_workspace_id()
        and t.deal_id = (p_args ->> 'deal_id')::uuid
        and (t.kind, t.id) < (p_args -> 'kind' ->> 0, v_before)
        and t.kind >= p_args -> 'kind' ->> 0
        and t.kind = any (array[p_args -> 'kind' ->> 0])
        and t.id < v_before
        and t.id >= v_from
      order by t.kind desc, t.id desc
      limit v_limit + 1
    ) page;
  else
    v_rest := v_limit;
  end if;
  if v_rest is not null then
    select page.ids, page.next_id into v_rest_ids, v_next_id
    from crm.note_list_by(p_args || jsonb_build_object('limit', v_rest), v_before, v_from) page;
    select array_agg(page.record), count(page.record) = count(*) and coalesce(v_complete, true)
    into v_rest_records, v_complete
    from (
      select crm.note_json_if_short(t) as record
      from unnest(v_rest_ids[:v_rest]) with ordinality chosen (id, position)
      join crm.notes t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
      order by chosen.position
    ) page;
    v_ids := v_ids || v_rest_ids;
    v_records := v_records || v_rest_records;
  end if;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_ids := v_ids[:v_limit];
  end if;
  if not v_complete or pg_column_size(v_records) > crm.max_page_bytes() then
    v_records := crm.note_page(v_ids, v_records);
    if cardinality(v_records) < cardinality(v_ids) then
      v_next_id := v_ids[cardinality(v_records)];
    end if;
  end if;
  if p_args ? 'updated_since' and not p_args ? 'cursor' then
    return crm.synced_page(v_records, v_next_id);
  end if;
  return crm.page(v_records, v_next_id);
end
$$;


--
-- Name: FUNCTION note_list(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.note_list(p_args jsonb) IS 'Returns a page of the list, newest first (spec 4.0).';


--
-- Name: pipeline_list(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.pipeline_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  return (
    select json_build_object(
      'data', coalesce(json_agg(crm.pipeline_json(p) order by p.created_at, p.id), '[]'::json)
    )
    from crm.pipelines p
    where p.workspace_id = crm.current_workspace_id() and p.is_active
  );
end
$$;


--
-- Name: FUNCTION pipeline_list(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.pipeline_list(p_args jsonb) IS 'Lists the active pipelines, oldest first (spec 4.4).';


--
-- Name: proposal_accept(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.proposal_accept(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$ begin return crm.proposal_answer((p_args ->> 'id')::uuid, 'aceita', null); end $$;


--
-- Name: FUNCTION proposal_accept(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.proposal_accept(p_args jsonb) IS 'Accepts a proposal; raises proposal_closed, proposal_expired.';


--
-- Name: proposal_reject(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.proposal_reject(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$ begin return crm.proposal_answer((p_args ->> 'id')::uuid, 'recusada', p_args ->> 'reason'); end $$;


--
-- Name: FUNCTION proposal_reject(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.proposal_reject(p_args jsonb) IS 'Rejects a proposal; the reason may be null. Raises proposal_closed, proposal_expired.';


--
-- Name: proposal_view(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.proposal_view(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_proposal crm.proposals := crm.proposal_lock((p_args ->> 'id')::uuid);
begin
  -- An answered proposal can be read even after it expired. A proposal that was viewed before is not written again.
  if v_proposal.status in ('aceita', 'recusada') or crm.proposal_status(v_proposal) = 'visualizada' then
    return crm.proposal_for_customer(v_proposal);
  end if;
  return crm.proposal_for_customer(crm.proposal_set_status(v_proposal, 'visualizada'));
end
$$;


--
-- Name: FUNCTION proposal_view(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.proposal_view(p_args jsonb) IS 'Returns a proposal to its customer; the first call marks it as viewed. Raises proposal_expired.';


--
-- Name: webhook_create(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.webhook_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_subscription crm.webhook_subscriptions := jsonb_populate_record(null::crm.webhook_subscriptions, p_args);
begin
  -- Otherwise a call that began before its key was revoked would leave a subscription that outlives the key.
  if not crm.lock_key(crm.current_caller_id()) then
    perform api.fail('revoked_api_key');
  end if;

  perform crm.check_new_subscription(crm.current_workspace_id(), 'target_url');
  v_subscription.key_id := crm.current_caller_id();
  v_subscription := crm.subscription_insert(v_subscription);

  insert into crm.webhook_secrets (workspace_id, subscription_id, secret)
  values (v_subscription.workspace_id, v_subscription.id, decode(p_args ->> 'encrypted_secret', 'base64'));

  return json_build_object(
    'id', v_subscription.id,
    'event_types', v_subscription.event_types,
    'target_url', v_subscription.target_url,
    'is_active', v_subscription.is_active,
    'created_at', crm.iso(v_subscription.created_at)
  );
end
$$;


--
-- Name: FUNCTION webhook_create(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.webhook_create(p_args jsonb) IS 'Creates a subscription of the calling key (spec 4.5); a workspace has at most 50 active ones. The function makes its id, for which encrypted_secret (base64) is sealed, and adds the plain secret to the reply, once. Raises revoked_api_key if the key was revoked meanwhile.';


--
-- Name: webhook_delete(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.webhook_delete(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  update crm.webhook_subscriptions s
  set is_active = false, deactivated_reason = 'deleted'
  where s.workspace_id = crm.current_workspace_id() and s.id = (p_args ->> 'id')::uuid;
  if not found then
    perform api.fail('not_found');
  end if;
  return null;
end
$$;


--
-- Name: FUNCTION webhook_delete(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.webhook_delete(p_args jsonb) IS 'Deactivates a subscription and keeps its history (spec 4.5); what waits for it is cancelled. Deactivating an inactive one gets the same answer.';


--
-- Name: webhook_deliveries(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.webhook_deliveries(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  return crm.delivery_page(s.workspace_id, s.id, p_args);
end
$$;


--
-- Name: FUNCTION webhook_deliveries(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.webhook_deliveries(p_args jsonb) IS 'Returns a page of the deliveries of a subscription, the newest event first, by state, event and since.';


--
-- Name: webhook_delivery(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.webhook_delivery(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  perform crm.require_own_delivery(s, (p_args ->> 'delivery_id')::uuid);
  return crm.require_record(crm.delivery_detail(s.workspace_id, (p_args ->> 'delivery_id')::uuid));
end
$$;


--
-- Name: FUNCTION webhook_delivery(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.webhook_delivery(p_args jsonb) IS 'Returns a delivery of a subscription with its attempts, and the request that an attempt would send now.';


--
-- Name: webhook_get(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.webhook_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  return crm.subscription_overview(s.workspace_id, s.id);
end
$$;


--
-- Name: FUNCTION webhook_get(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.webhook_get(p_args jsonb) IS 'Returns a subscription with the key that made it and the outcomes of 7 days: see crm.subscription_overviews.';


--
-- Name: webhook_list(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.webhook_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  return (
    select json_build_object(
      'data', coalesce(json_agg(s.record order by s.created_at desc, s.id desc), '[]')
    )
    from (
      -- All that are active, at most 50. Inactive ones are kept for ever, and each call may make one more.
      select crm.subscription_json(l) as record, l.created_at, l.id from crm.webhook_subscriptions l
      where l.workspace_id = crm.current_workspace_id()
      order by l.is_active desc, l.created_at desc, l.id desc
      limit 500
    ) s
  );
end
$$;


--
-- Name: FUNCTION webhook_list(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.webhook_list(p_args jsonb) IS 'Lists the active subscriptions and the newest inactive ones, 500 at most, newest first (spec 4.5).';


--
-- Name: webhook_reactivate(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.webhook_reactivate(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
  v_outcome record;
begin
  -- Otherwise a call that began before its key was revoked would revive a subscription that the key had ended itself.
  if not crm.lock_key(crm.current_caller_id()) then
    perform api.fail('revoked_api_key');
  end if;
  select * into v_outcome from crm.resume_subscription(s.workspace_id, s.id);
  perform crm.wake_dispatcher();
  return crm.with_fields(
    crm.subscription_json(crm.own_subscription(s.id)),
    json_build_object('resumed', v_outcome.resumed, 'revoked_key', v_outcome.revoked_key)
  );
end
$$;


--
-- Name: FUNCTION webhook_reactivate(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.webhook_reactivate(p_args jsonb) IS 'Activates a subscription again and sends what waited; an active one does not change. Returns it with resumed and revoked_key: see crm.resume_subscription. Raises revoked_api_key if the calling key was revoked meanwhile.';


--
-- Name: webhook_recover(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.webhook_recover(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  s crm.webhook_subscriptions := crm.own_active_subscription((p_args ->> 'id')::uuid);
  v_since timestamptz := p_args ->> 'since';
  v_until timestamptz := p_args ->> 'until';
  v_recovered record;
begin
  perform crm.check_window(v_since, v_until);
  select * into v_recovered from crm.recover_deliveries(s.workspace_id, s.id, v_since, v_until);
  perform crm.wake_dispatcher();
  return crm.recovery_json(v_recovered.count, v_recovered.next_since);
end
$$;


--
-- Name: FUNCTION webhook_recover(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.webhook_recover(p_args jsonb) IS 'Queues the events between since and until (now where absent) that a subscription never got: crm.recover_deliveries.';


--
-- Name: webhook_redeliver(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.webhook_redeliver(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
  v_delivery_id uuid := p_args ->> 'delivery_id';
begin
  perform crm.require_own_delivery(s, v_delivery_id);
  perform crm.own_active_subscription(s.id);
  perform crm.redeliver(s.workspace_id, v_delivery_id);
  perform crm.wake_dispatcher();
  return crm.with_fields(
    crm.require_record(crm.delivery_summary(s.workspace_id, v_delivery_id)),
    json_build_object('held', crm.holds_webhooks(s.workspace_id))
  );
end
$$;


--
-- Name: FUNCTION webhook_redeliver(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.webhook_redeliver(p_args jsonb) IS 'Sends a delivery of a subscription now, under the same id (crm.redeliver), and returns it. Repeating the call while it waits or is under way adds no attempt.';


--
-- Name: webhook_rotate_secret(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.webhook_rotate_secret(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  perform crm.rotate_secret(
    s.workspace_id, s.id, decode(p_args ->> 'encrypted_secret', 'base64'), (p_args ->> 'overlap_seconds')::integer
  );
  return crm.subscription_json(s);
end
$$;


--
-- Name: FUNCTION webhook_rotate_secret(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.webhook_rotate_secret(p_args jsonb) IS 'Replaces the secret of a subscription (crm.rotate_secret) and returns it; the function adds the plain secret to the reply, once.';


--
-- Name: webhook_test(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.webhook_test(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  s crm.webhook_subscriptions := crm.own_active_subscription((p_args ->> 'id')::uuid);
  v_event crm.event_type := p_args ->> 'event_type';
  v_delivery_id uuid;
begin
  perform crm.check_subscribed(s, v_event);
  v_delivery_id := crm.send_test_event(s.workspace_id, s.id, v_event);
  perform crm.wake_dispatcher();
  return json_build_object('delivery_id', v_delivery_id, 'held', crm.holds_webhooks(s.workspace_id));
end
$$;


--
-- Name: FUNCTION webhook_test(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.webhook_test(p_args jsonb) IS 'Sends a test event to a subscription. Each call sends another one: nothing has happened, so one too many does no harm, and no Idempotency-Key is needed.';


--
-- Name: workspace_get(jsonb); Type: FUNCTION; Schema: api; Owner: -
--

CREATE FUNCTION api.workspace_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
begin
  return json_build_object(
    'id', v_workspace_id,
    'name', crm.own_workspace_name(),
    'members', (
      select coalesce(
        json_agg(json_build_object('id', m.id, 'name', m.name, 'email', m.email, 'role', m.role) order by m.id), '[]'
      )
      from crm.members m
      where m.workspace_id = v_workspace_id and m.is_active
    ),
    'loss_reasons', (
      select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name) order by l.id), '[]')
      from crm.loss_reasons l
      where l.workspace_id = v_workspace_id and l.is_active
    ),
    'pipelines', (
      select coalesce(
        json_agg(
          json_build_object(
            'id', p.id,
            'name', p.name,
            'is_default', p.is_default,
            'stages', (
              select coalesce(
                json_agg(json_build_object('id', s.id, 'name', s.name, 'type', s.type) order by s.position), '[]'
              )
              from crm.stages s
              where s.workspace_id = v_workspace_id and s.pipeline_id = p.id and s.is_active
            )
          )
          order by p.created_at, p.id
        ),
        '[]'
      )
      from crm.pipelines p
      where p.workspace_id = v_workspace_id and p.is_active
    ),
    'event_types', (select json_agg(e.event order by e.event) from crm.event_types e)
  );
end
$$;


--
-- Name: FUNCTION workspace_get(p_args jsonb); Type: COMMENT; Schema: api; Owner: -
--

COMMENT ON FUNCTION api.workspace_get(p_args jsonb) IS 'Returns what a call may name in the caller''s workspace: its active members, loss reasons, pipelines with their active stages, and the event types.';


--
-- Name: action_list(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.action_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}', '{cursor, limit}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_cursor uuid := coalesce((v_args ->> 'cursor')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_limit integer := coalesce((v_args ->> 'limit')::numeric::integer, 50);
  v_ids uuid[];
begin
  perform crm.require_workspace(v_workspace_id);
  v_ids := array(
    select l.id from crm.audit_log l
    where l.workspace_id = v_workspace_id and l.id < v_cursor
    order by l.id desc
    limit v_limit + 1
  );
  return json_build_object(
    'data', (
      select coalesce(
        json_agg(
          json_build_object(
            'id', l.id,
            'at', crm.iso(l.created_at),
            'actor', case when m.id is not null then json_build_object('id', m.id, 'name', m.name) end,
            'action', l.action,
            'object', json_build_object('type', l.object_type, 'id', l.object_id, 'name', l.object_name),
            'details', l.details
          )
          order by l.id desc
        ),
        '[]'
      )
      from crm.audit_log l
      left join crm.members m on m.workspace_id = l.workspace_id and m.id = l.member_id
      where l.workspace_id = v_workspace_id and l.id = any (v_ids[: v_limit])
    ),
    'meta', json_build_object(
      'next_cursor', case when cardinality(v_ids) > v_limit then v_ids[v_limit] end,
      'has_more', cardinality(v_ids) > v_limit
    )
  );
end
$$;


--
-- Name: FUNCTION action_list(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.action_list(p_args jsonb) IS 'Lists what was changed in a workspace: data (id, at, actor, action, object, details), newest first, and meta (next_cursor, has_more). The actor is null for the operator. Arguments: workspace_id, cursor (meta.next_cursor of the page before), limit (50 if absent, 200 at most). Codes: validation_error, not_found.';


--
-- Name: call(uuid, uuid, uuid, text, text, jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.call(p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_role text, p_verb text, p_args jsonb) RETURNS api.reply
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_caller crm.caller := crm.identify_session(p_user_id, p_session_id, p_workspace_id, p_role is null);
begin
  return crm.answer_request(
    v_caller,
    p_role,
    p_verb,
    -- A verb lists the arguments that it takes, and this one takes none.
    case when p_verb = 'workspace_choices' then p_args
      else p_args || jsonb_build_object('workspace_id', v_caller.workspace_id) end,
    null,
    null
  );
end
$$;


--
-- Name: FUNCTION call(p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_role text, p_verb text, p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.call(p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_role text, p_verb text, p_args jsonb) IS 'The door for people who are signed in: answers one request, given the ids of the person and of the session, which the function read from a verified token. p_workspace_id null: the person''s only one. p_role: the least role that may call; null: every member of any workspace. The workspace_id in p_args is always the member''s own. p_verb null, p_args null: as in api.call.';


--
-- Name: delivery_get(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.delivery_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_detail json := crm.delivery_detail((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  if v_detail is null then
    perform crm.raise_code('not_found', 'id');
  end if;
  return v_detail;
end
$$;


--
-- Name: FUNCTION delivery_get(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.delivery_get(p_args jsonb) IS 'Returns a delivery with its attempts, and the body and headers of an attempt that would be made now: see crm.delivery_detail. A delivery of an event that was dropped is not_found. Arguments: workspace_id, id. Codes: validation_error, not_found.';


--
-- Name: delivery_list(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.delivery_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}', '{subscription_id, state, event, since, until, cursor, limit}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_subscription_id uuid := (v_args ->> 'subscription_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  if v_subscription_id is not null and not exists (
    select from crm.webhook_subscriptions s where s.workspace_id = v_workspace_id and s.id = v_subscription_id
  ) then
    perform crm.raise_code('not_found', 'subscription_id');
  end if;
  return crm.delivery_page(v_workspace_id, v_subscription_id, v_args);
end
$$;


--
-- Name: FUNCTION delivery_list(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.delivery_list(p_args jsonb) IS 'Lists deliveries of a workspace, or of one subscription, the newest event first (spec 6.5): data, and meta with next_cursor and has_more. last_status, last_reason and last_duration_ms are those of the last attempt; next_attempt_at is null if there is no next one. Arguments: workspace_id, subscription_id, state, event, since, until, cursor, limit (50 where absent). Codes: validation_error, not_found.';


--
-- Name: delivery_redeliver(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.delivery_redeliver(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_delivery crm.webhook_deliveries;
  v_event crm.event_type;
begin
  select d.* into v_delivery from crm.webhook_deliveries d
  where d.workspace_id = v_workspace_id and d.id = (v_args ->> 'id')::uuid;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  select e.event into v_event from crm.events e
  where e.workspace_id = v_workspace_id and e.id = v_delivery.event_id;
  -- Events are dropped with their day, a moment before their deliveries.
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  perform crm.require_active_subscription(v_workspace_id, v_delivery.subscription_id);
  perform crm.redeliver(v_workspace_id, v_delivery.id);
  perform crm.record_action(
    v_workspace_id, 'delivery_redelivered', 'delivery', v_delivery.id, v_event::text,
    jsonb_build_object('subscription_id', v_delivery.subscription_id)
  );
  perform crm.poke_dispatcher();
  return crm.with_fields(
    crm.delivery_summary(v_workspace_id, v_delivery.id),
    json_build_object('held', crm.holds_webhooks(v_workspace_id))
  );
end
$$;


--
-- Name: FUNCTION delivery_redeliver(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.delivery_redeliver(p_args jsonb) IS 'Sends a delivery now, under the same id. A delivery that had ended gets five new attempts; one that waits for its next attempt gets no additional ones. Returns the delivery as delivery_list does, with held: whether it waits, because the workspace is suspended or has no public API. Arguments: workspace_id, id. Codes: validation_error, not_found, subscription_inactive, queue_full.';


--
-- Name: delivery_retry(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.delivery_retry(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_retried bigint;
begin
  perform crm.require_workspace(v_workspace_id);
  v_retried := crm.retry_deliveries(v_workspace_id);
  perform crm.poke_dispatcher();
  return json_build_object('retried', v_retried);
end
$$;


--
-- Name: FUNCTION delivery_retry(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.delivery_retry(p_args jsonb) IS 'Makes the waiting deliveries of a workspace due now and pokes the dispatcher; those of an inactive subscription wait until it is reactivated. Returns retried, the number of deliveries that were waiting. Arguments: workspace_id. Codes: validation_error, not_found.';


--
-- Name: funnel_get(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.funnel_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}', '{pipeline_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_pipeline crm.pipelines;
begin
  perform crm.require_workspace(v_workspace_id);
  select p.* into v_pipeline from crm.pipelines p
  where p.workspace_id = v_workspace_id and p.is_active
    and (v_args ->> 'pipeline_id' is null or p.id = (v_args ->> 'pipeline_id')::uuid)
  order by p.is_default desc, p.id
  limit 1;
  if not found and v_args ? 'pipeline_id' then
    perform crm.raise_code('not_found', 'pipeline_id');
  end if;
  return json_build_object(
    'as_of', crm.iso(statement_timestamp()),
    'pipelines', (
      select coalesce(
        json_agg(
          json_build_object('id', p.id, 'name', p.name, 'is_default', p.is_default) order by p.created_at, p.id
        ),
        '[]'
      )
      from (
        select p.* from crm.pipelines p
        where p.workspace_id = v_workspace_id and p.is_active
        order by p.created_at, p.id
        limit 100
      ) p
    ),
    'pipeline', case when v_pipeline.id is not null then
      json_build_object('id', v_pipeline.id, 'name', v_pipeline.name)
    end,
    'stages', crm.funnel_stages(v_workspace_id, v_pipeline.id)
  );
end
$$;


--
-- Name: FUNCTION funnel_get(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.funnel_get(p_args jsonb) IS 'Returns the funnel of an active pipeline, the default one if none is named, otherwise the oldest: as_of, pipelines (the active ones, 100 at most), pipeline (null if none is active), stages (crm.funnel_stages). Arguments: workspace_id, pipeline_id. Codes: validation_error, not_found.';


--
-- Name: job_list(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.job_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  perform crm.check_args(p_args, '{}');
  return (
    select coalesce(
      json_agg(
        json_build_object('name', j.name, 'every', j.every::text, 'description', j.description) order by j.name
      ),
      '[]'
    )
    from crm.jobs j
  );
end
$$;


--
-- Name: FUNCTION job_list(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.job_list(p_args jsonb) IS 'Lists the jobs by name; `every` is an interval in the format of Postgres. Arguments: none. Codes: validation_error.';


--
-- Name: job_run(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.job_run(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{name}');
  v_name text := v_args ->> 'name';
  v_command text;
  v_started_at timestamptz := clock_timestamp();
begin
  select j.command into v_command from crm.jobs j where j.name = v_name;
  if not found then
    perform crm.raise_code(
      'not_found', 'name', null, (select string_agg(format('"%s"', j.name), ', ' order by j.name) from crm.jobs j)
    );
  end if;
  begin
    execute v_command;
  exception when others then
    perform crm.raise_code('job_failed', 'name', 'A tarefa falhou', sqlerrm);
  end;
  return json_build_object(
    'name', v_name,
    'duration_ms', round(extract(epoch from clock_timestamp() - v_started_at) * 1000)
  );
end
$$;


--
-- Name: FUNCTION job_run(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.job_run(p_args jsonb) IS 'Runs a job now, independently of its schedule. Returns name, duration_ms. Arguments: name. Codes: validation_error, not_found (its value lists the names), job_failed (its value is the reason).';


--
-- Name: key_create(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.key_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(
    p_args, '{workspace_id, name, scopes, prefix, hash}', '{member_id, expires_at}'
  );
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_member_id uuid := coalesce((v_args ->> 'member_id')::uuid, crm.current_member_id());
  v_key crm.api_keys;
begin
  perform crm.require_workspace(v_workspace_id);
  perform crm.require_room_for_key(v_workspace_id);
  if (v_args ->> 'expires_at')::timestamptz <= now() then
    perform crm.raise_code('already_expired', 'expires_at', 'Deve estar no futuro');
  end if;
  if v_member_id is null then
    select m.id into v_member_id from crm.members m
    where m.workspace_id = v_workspace_id and m.is_active and m.role = 'admin'
    order by m.id
    limit 1;
    if not found then
      perform crm.raise_code('no_active_admin', 'member_id', 'O workspace não tem um admin ativo; informe um membro');
    end if;
  elsif not exists (select from crm.members m where m.workspace_id = v_workspace_id and m.id = v_member_id) then
    perform crm.raise_code('invalid_reference', 'member_id');
  end if;

  insert into crm.api_keys (workspace_id, member_id, name, prefix, scopes, expires_at)
  values (
    v_workspace_id,
    v_member_id,
    v_args ->> 'name',
    v_args ->> 'prefix',
    array(select jsonb_array_elements_text(v_args -> 'scopes')),
    (v_args ->> 'expires_at')::timestamptz
  )
  returning * into v_key;
  insert into crm.key_secrets (workspace_id, key_id, prefix, hash)
  values (v_workspace_id, v_key.id, v_key.prefix, decode(v_args ->> 'hash', 'hex'));
  perform crm.record_action(
    v_workspace_id, 'key_created', 'key', v_key.id, v_key.name,
    jsonb_build_object('scopes', v_key.scopes, 'expires_at', crm.iso(v_key.expires_at))
  );
  return crm.key_record(v_workspace_id, v_key.id);
end
$$;


--
-- Name: FUNCTION key_create(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.key_create(p_args jsonb) IS 'Stores a new key with its secret by its hash. Its creator is the member named, otherwise the member who calls, otherwise the oldest active admin: the default owner of the records that the key creates, and the author of its notes, which it cannot write while that member is inactive. A member adds none to 100 working ones. A well-formed scope that no endpoint requires is stored and grants nothing (spec 5.3). Returns the key. Arguments: workspace_id, name, scopes, prefix (the visible 12 characters), hash (SHA-256, hexadecimal), member_id, expires_at (never if absent). Codes: validation_error, not_found, already_expired (the key could never be used), invalid_reference, no_active_admin.';


--
-- Name: key_get(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.key_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_hour timestamptz := date_bin('1 hour', now(), 'epoch');
  v_today date := (now() at time zone 'UTC')::date;
  v_record json := crm.key_record(v_workspace_id, v_id);
begin
  if v_record is null then
    perform crm.raise_code('not_found', 'id');
  end if;
  return (
    with counted as materialized (
      select c.hour, sum(c.calls)::bigint as calls
      from crm.count_calls(v_workspace_id, array[v_id], (v_today - 29)::timestamp at time zone 'UTC') c
      group by 1
    )
    select crm.with_fields(v_record, json_build_object(
      'hours', (
        select json_agg(json_build_object('hour', crm.iso(h.hour), 'calls', coalesce(c.calls, 0)) order by h.hour)
        from generate_series(v_hour - interval '47 hours', v_hour, interval '1 hour') h (hour)
        left join counted c on c.hour = h.hour
      ),
      'days_30', (
        select crm.calls_by_day(array_agg(d.day), array_agg(d.calls), v_today, 30)
        from (
          select (c.hour at time zone 'UTC')::date as day, sum(c.calls)::bigint as calls from counted c group by 1
        ) d
      ),
      'subscriptions', (
        select coalesce(
          json_agg(
            json_build_object(
              'id', s.id, 'target_url', s.target_url, 'is_active', s.is_active, 'event_types', s.event_types
            )
            order by s.is_active desc, s.created_at desc, s.id desc
          ),
          '[]'
        )
        from (
          select * from crm.webhook_subscriptions w
          where w.workspace_id = v_workspace_id and w.key_id = v_id
          order by w.is_active desc, w.created_at desc, w.id desc
          limit 200
        ) s
      )
    ))
  );
end
$$;


--
-- Name: FUNCTION key_get(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.key_get(p_args jsonb) IS 'Returns a key with its calls in the last 48 hours and 30 days, oldest first, and the subscriptions that it made, active ones first, 200 at most. Arguments: workspace_id, id. Codes: validation_error, not_found.';


--
-- Name: key_list(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.key_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_ids uuid[];
begin
  perform crm.require_workspace(v_workspace_id);
  v_ids := array(
    select k.id from crm.api_keys k
    where k.workspace_id = v_workspace_id
    order by crm.is_working(k) desc, k.id desc
    limit 500
  );
  return json_build_object('data', (
    select coalesce(json_agg(r.record order by array_position(v_ids, r.id)), '[]')
    from crm.key_records(v_workspace_id, v_ids) r
  ));
end
$$;


--
-- Name: FUNCTION key_list(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.key_list(p_args jsonb) IS 'Lists the keys of a workspace, 500 at most: those that work first, then revoked and expired ones, newest first. Returns data. Arguments: workspace_id. Codes: validation_error, not_found.';


--
-- Name: key_revoke(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.key_revoke(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{keep_webhooks}');
  v_key crm.api_keys := crm.key_for_update((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
  v_was_revoked boolean := v_key.revoked_at is not null;
  v_ended jsonb;
  v_kept jsonb;
begin
  if not v_was_revoked then
    update crm.api_keys k
    set revoked_at = now()
    where k.workspace_id = v_key.workspace_id and k.id = v_key.id;
  end if;

  -- In a statement of its own, so that it also sees those whose calls the lock above has waited for (crm.lock_key).
  with ended as (
    update crm.webhook_subscriptions s
    set is_active = false, deactivated_reason = 'key_revoked'
    where s.workspace_id = v_key.workspace_id and s.key_id = v_key.id and s.is_active
      and not coalesce((v_args ->> 'keep_webhooks')::boolean, false)
    returning s.id, s.target_url
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'target_url', e.target_url) order by e.id), '[]')
  into v_ended
  from ended e;
  select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'target_url', s.target_url) order by s.id), '[]')
  into v_kept
  from crm.webhook_subscriptions s
  where s.workspace_id = v_key.workspace_id and s.key_id = v_key.id and s.is_active;
  if not v_was_revoked or v_ended <> '[]' then
    perform crm.record_action(
      v_key.workspace_id, 'key_revoked', 'key', v_key.id, v_key.name,
      jsonb_build_object('ended_subscriptions', v_ended, 'kept_subscriptions', v_kept)
    );
  end if;
  return crm.with_fields(
    crm.key_record(v_key.workspace_id, v_key.id),
    json_build_object('was_revoked', v_was_revoked, 'ended_subscriptions', v_ended, 'kept_subscriptions', v_kept)
  );
end
$$;


--
-- Name: FUNCTION key_revoke(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.key_revoke(p_args jsonb) IS 'Revokes a key for good, from its next call on, and ends the active subscriptions that it made, unless keep_webhooks; their history is kept. A key that is revoked already stays as it is, and those of its subscriptions that are still active end now. Returns the key with was_revoked (already, before this call), ended_subscriptions and kept_subscriptions, those still active (id, target_url of each, oldest first). Arguments: workspace_id, id, keep_webhooks (false if absent). Codes: validation_error, not_found.';


--
-- Name: key_rotate(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.key_rotate(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, prefix, hash, overlap_seconds}');
  v_overlap_seconds integer := (v_args ->> 'overlap_seconds')::numeric::integer;
  v_key crm.api_keys := crm.key_for_update((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  if v_overlap_seconds not in (0, 3600, 86400, 604800) then
    perform crm.raise_code('validation_error', 'overlap_seconds', 'Deve ser um de 0, 3600, 86400, 604800');
  end if;
  if not crm.is_working(v_key) then
    perform crm.raise_code('key_revoked', 'id', 'A chave foi revogada ou expirou; crie outra');
  end if;
  -- The newest secret goes on for the overlap. One that an earlier rotation left ends now.
  update crm.key_secrets s
  set expires_at = now() + case when s.expires_at is null then make_interval(secs => v_overlap_seconds) else '0' end
  where s.workspace_id = v_key.workspace_id and s.key_id = v_key.id
    and (s.expires_at is null or s.expires_at > now());
  insert into crm.key_secrets (workspace_id, key_id, prefix, hash)
  values (v_key.workspace_id, v_key.id, v_args ->> 'prefix', decode(v_args ->> 'hash', 'hex'));
  update crm.api_keys k
  set prefix = v_args ->> 'prefix', rotated_at = now()
  where k.workspace_id = v_key.workspace_id and k.id = v_key.id;
  perform crm.record_action(
    v_key.workspace_id, 'key_rotated', 'key', v_key.id, v_key.name,
    jsonb_build_object('overlap_seconds', v_overlap_seconds)
  );
  return crm.key_record(v_key.workspace_id, v_key.id);
end
$$;


--
-- Name: FUNCTION key_rotate(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.key_rotate(p_args jsonb) IS 'Gives a working key a new secret, by its hash. The present one works for overlap_seconds more, any earlier one ends at once; id, scopes, limit, subscriptions and counted calls stay. Returns the key. Arguments: workspace_id, id, prefix (the visible 12 characters), hash (SHA-256, hexadecimal), overlap_seconds (0, 3600, 86400 or 604800). Codes: validation_error, not_found, key_revoked (the key is revoked or expired).';


--
-- Name: key_update(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.key_update(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, name}');
  v_name text := v_args ->> 'name';
  v_key crm.api_keys := crm.key_for_update((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  if v_name <> v_key.name then
    update crm.api_keys k set name = v_name where k.workspace_id = v_key.workspace_id and k.id = v_key.id;
    perform crm.record_action(
      v_key.workspace_id, 'key_renamed', 'key', v_key.id, v_name, jsonb_build_object('previous_name', v_key.name)
    );
  end if;
  return crm.key_record(v_key.workspace_id, v_key.id);
end
$$;


--
-- Name: FUNCTION key_update(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.key_update(p_args jsonb) IS 'Renames a key, also one that no longer works. Returns the key. Arguments: workspace_id, id, name. Codes: validation_error, not_found.';


--
-- Name: loss_reason_create(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.loss_reason_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, name}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  insert into crm.loss_reasons (workspace_id, name)
  values (v_workspace_id, v_args ->> 'name')
  returning id into v_id;
  return json_build_object('id', v_id);
end
$$;


--
-- Name: FUNCTION loss_reason_create(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.loss_reason_create(p_args jsonb) IS 'Adds an active loss reason. Returns id. Arguments: workspace_id, name. Codes: validation_error, not_found.';


--
-- Name: loss_reason_list(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.loss_reason_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  return (
    select coalesce(json_agg(crm.loss_reason_json(r) order by r.id), '[]')
    from crm.loss_reasons r
    where r.workspace_id = v_workspace_id
  );
end
$$;


--
-- Name: FUNCTION loss_reason_list(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.loss_reason_list(p_args jsonb) IS 'Lists the loss reasons of a workspace, oldest first, inactive ones included. Arguments: workspace_id. Codes: validation_error, not_found.';


--
-- Name: loss_reason_update(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.loss_reason_update(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, is_active}');
  v_reason crm.loss_reasons;
begin
  update crm.loss_reasons r
  set is_active = (v_args ->> 'is_active')::boolean
  where r.workspace_id = (v_args ->> 'workspace_id')::uuid and r.id = (v_args ->> 'id')::uuid
  returning r.* into v_reason;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  return crm.loss_reason_json(v_reason);
end
$$;


--
-- Name: FUNCTION loss_reason_update(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.loss_reason_update(p_args jsonb) IS 'Deactivates a loss reason, or activates it again. No deal can be lost for an inactive reason; deals that were lost for it keep it. Returns the loss reason. Arguments: workspace_id, id, is_active. Codes: validation_error, not_found.';


--
-- Name: member_invite(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.member_invite(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, name, email, role}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_member crm.members;
begin
  perform crm.require_workspace(v_workspace_id);
  perform crm.require_invitations_left(v_workspace_id);
  insert into crm.members (workspace_id, name, email, role)
  values (v_workspace_id, v_args ->> 'name', v_args ->> 'email', v_args ->> 'role')
  on conflict (workspace_id, lower(email)) do nothing
  returning * into v_member;
  if not found then
    perform crm.raise_code('email_taken', 'email', 'O workspace já tem um membro com este e-mail');
  end if;
  perform crm.record_action(
    v_workspace_id, 'member_invited', 'member', v_member.id, v_member.name,
    jsonb_build_object('email', v_member.email, 'role', v_member.role)
  );
  return crm.member_json(v_member, 0);
end
$$;


--
-- Name: FUNCTION member_invite(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.member_invite(p_args jsonb) IS 'Adds an active member, who signs in by a confirmed e-mail; it is unique in the workspace, in any case. Whoever calls this sends the invitation. Returns the member. Arguments: workspace_id, name, email, role (admin, gestor, vendedor). Codes: validation_error, not_found, email_taken, insufficient_role, too_many_invitations (the last two for members alone).';


--
-- Name: member_list(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.member_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  return json_build_object('data', (
    select coalesce(json_agg(crm.member_json(m, coalesce(k.working, 0)) order by m.id), '[]')
    from (
      select m.* from crm.members m where m.workspace_id = v_workspace_id order by m.id limit 1000
    ) m
    left join (
      select w.member_id, count(*) as working
      from (
        select k.member_id from crm.api_keys k
        where k.workspace_id = v_workspace_id and k.revoked_at is null and crm.is_working(k)
        limit 5000
      ) w
      group by w.member_id
    ) k on k.member_id = m.id
  ));
end
$$;


--
-- Name: FUNCTION member_list(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.member_list(p_args jsonb) IS 'Lists the members of a workspace: data, oldest first, inactive ones included, 1,000 at most. working_keys counts the first 5,000 keys of the workspace. Arguments: workspace_id. Codes: validation_error, not_found.';


--
-- Name: member_reinvite(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.member_reinvite(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_member crm.members;
begin
  select m.* into v_member from crm.members m
  where m.workspace_id = (v_args ->> 'workspace_id')::uuid and m.id = (v_args ->> 'id')::uuid;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  if v_member.user_id is not null then
    perform crm.raise_code('already_signed_in');
  end if;
  perform crm.require_invitations_left(v_member.workspace_id, v_member.id);
  perform crm.record_action(
    v_member.workspace_id, 'member_invited', 'member', v_member.id, v_member.name,
    jsonb_build_object('email', v_member.email, 'role', v_member.role, 'again', true)
  );
  return crm.member_json(v_member, crm.working_keys_of(v_member.workspace_id, v_member.id));
end
$$;


--
-- Name: FUNCTION member_reinvite(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.member_reinvite(p_args jsonb) IS 'Returns a member who has not signed in yet, for another invitation, and adds it to the audit log. Arguments: workspace_id, id. Codes: validation_error, not_found, already_signed_in, insufficient_role, too_many_invitations.';


--
-- Name: member_update(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.member_update(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{name, role, is_active}');
  v_before crm.members;
  v_after crm.members;
  v_changes jsonb;
  v_keys json;
  v_managers integer;
begin
  -- One change of members at a time: of two admins who demote each other, the second finds that no other is left.
  perform from crm.workspaces w where w.id = (v_args ->> 'workspace_id')::uuid for no key update;
  perform crm.require_admin_still((v_args ->> 'workspace_id')::uuid);
  select m.* into v_before from crm.members m
  where m.workspace_id = (v_args ->> 'workspace_id')::uuid and m.id = (v_args ->> 'id')::uuid
  for no key update;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  v_after := v_before;
  v_changes := crm.describe_changes(to_jsonb(v_before), v_args - 'workspace_id' - 'id');
  if v_changes <> '{}' then
    v_after := jsonb_populate_record(v_before, v_args - 'workspace_id' - 'id');
    -- The operator may do it, for whom no sign-in is needed.
    if crm.current_member_id() is not null and v_before.role = 'admin' and v_before.is_active
      and (v_after.role <> 'admin' or not v_after.is_active) then
      perform crm.require_other_admin(v_before.workspace_id, v_before.id);
    end if;
    update crm.members m
    set name = v_after.name, role = v_after.role, is_active = v_after.is_active
    where m.workspace_id = v_before.workspace_id and m.id = v_before.id;
    perform crm.record_action(
      v_after.workspace_id, 'member_updated', 'member', v_after.id, v_after.name, v_changes
    );
  end if;

  select coalesce(
    json_agg(
      json_build_object(
        'id', k.id, 'name', k.name, 'prefix', k.prefix, 'scopes', k.scopes, 'expires_at', crm.iso(k.expires_at)
      )
      order by k.id
    ),
    '[]'
  )
  into v_keys
  from (
    select k.* from crm.api_keys k
    where k.workspace_id = v_after.workspace_id and k.member_id = v_after.id
      and k.revoked_at is null and crm.is_working(k)
    order by k.id
    limit 1000
  ) k;
  select count(*) into v_managers from (
    select from crm.members m
    where m.workspace_id = v_after.workspace_id and m.is_active and m.role in ('admin', 'gestor')
    limit 1000
  ) m;
  return crm.with_fields(
    crm.member_json(v_after, json_array_length(v_keys)),
    json_build_object('keys', v_keys, 'active_managers', v_managers)
  );
end
$$;


--
-- Name: FUNCTION member_update(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.member_update(p_args jsonb) IS 'Changes the name or role of a member, deactivates a member, or activates it again; an absent argument changes nothing. An inactive member cannot sign in, owns no new records and authors no notes. Keys that the member created go on working (spec 5), and writing a note with them is no_author_available (spec 2.2). Returns the member, with keys (those neither revoked nor expired, oldest first, 1,000 at most) and active_managers, the number of active admins and gestores (1,000 at most): without one, a lead that names no owner is owner_unresolved (spec 4.1) unless the creator of its key is active. Arguments: workspace_id, id, name, role, is_active. Codes: validation_error, not_found, last_admin (a member may not leave the workspace without an active admin who can sign in; the operator may), insufficient_role.';


--
-- Name: pipeline_create(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.pipeline_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, name, stages}', '{is_default}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_is_default boolean := coalesce((v_args ->> 'is_default')::boolean, false);
  v_id uuid;
  v_stages json;
begin
  perform crm.require_workspace(v_workspace_id);
  if v_is_default then
    perform crm.unset_default_pipeline(v_workspace_id);
  end if;
  insert into crm.pipelines (workspace_id, name, is_default)
  values (v_workspace_id, v_args ->> 'name', v_is_default)
  returning id into v_id;

  with stage as (
    insert into crm.stages (workspace_id, pipeline_id, name, type, position)
    select v_workspace_id, v_id, s.value ->> 'name', s.value ->> 'type', s.position
    from jsonb_array_elements(v_args -> 'stages') with ordinality s (value, position)
    returning id, name, type, position
  )
  select coalesce(json_agg(stage order by stage.position), '[]') into v_stages from stage;
  return json_build_object('id', v_id, 'stages', v_stages);
end
$$;


--
-- Name: FUNCTION pipeline_create(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.pipeline_create(p_args jsonb) IS 'Creates a pipeline with its stages, the first of them at position 1. With is_default it replaces the present default. Returns id, stages (id, name, type, position). Arguments: workspace_id, name, stages (each name, type), is_default. Codes: validation_error, not_found.';


--
-- Name: pipeline_list(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.pipeline_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  return (
    select coalesce(
      json_agg(
        crm.with_fields(
          crm.pipeline_row_json(p),
          json_build_object('stages', (
            select coalesce(json_agg(crm.stage_row_json(s) order by s.position), '[]')
            from crm.stages s
            where s.workspace_id = p.workspace_id and s.pipeline_id = p.id
          ))
        )
        order by p.id
      ),
      '[]'
    )
    from crm.pipelines p
    where p.workspace_id = v_workspace_id
  );
end
$$;


--
-- Name: FUNCTION pipeline_list(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.pipeline_list(p_args jsonb) IS 'Lists every pipeline of a workspace with every stage, oldest pipeline first. It includes the inactive ones, which the API does not show, so that the operator can find and activate them again. Arguments: workspace_id. Codes: validation_error, not_found.';


--
-- Name: pipeline_update(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.pipeline_update(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{is_active, is_default}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_is_default boolean := (v_args ->> 'is_default')::boolean;
  v_pipeline crm.pipelines;
begin
  if not v_is_default then
    perform crm.raise_code('validation_error', 'is_default', 'Torne outro pipeline o padrão');
  end if;
  if v_is_default then
    perform crm.unset_default_pipeline(v_workspace_id);
  end if;
  update crm.pipelines p
  set
    is_active = coalesce((v_args ->> 'is_active')::boolean, p.is_active),
    is_default = coalesce(v_is_default, p.is_default)
  where p.workspace_id = v_workspace_id and p.id = (v_args ->> 'id')::uuid
  returning p.* into v_pipeline;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  return crm.pipeline_row_json(v_pipeline);
end
$$;


--
-- Name: FUNCTION pipeline_update(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.pipeline_update(p_args jsonb) IS 'Deactivates a pipeline, activates it again, or makes it the default instead of the present one. No deal enters an inactive pipeline, even if it is the default. Returns the pipeline without its stages. Arguments: workspace_id, id, is_active, is_default (true alone). Codes: validation_error, not_found.';


--
-- Name: proposal_create(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.proposal_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(
    p_args, '{workspace_id, deal_id, title}', '{value, recurring_value, expires_at}'
  );
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_deal_id uuid := (v_args ->> 'deal_id')::uuid;
  v_id uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  if not exists (select from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_deal_id) then
    perform crm.raise_code('invalid_reference', 'deal_id');
  end if;
  insert into crm.proposals (workspace_id, deal_id, title, value, recurring_value, expires_at)
  values (
    v_workspace_id,
    v_deal_id,
    v_args ->> 'title',
    (v_args ->> 'value')::numeric,
    (v_args ->> 'recurring_value')::numeric,
    (v_args ->> 'expires_at')::timestamptz
  )
  returning id into v_id;
  return json_build_object('id', v_id);
end
$$;


--
-- Name: FUNCTION proposal_create(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.proposal_create(p_args jsonb) IS 'Creates a draft, which only its workspace can see until it is sent. Returns id. Arguments: workspace_id, deal_id, title, value, recurring_value (each month), expires_at (never if absent). Codes: validation_error, not_found, invalid_reference.';


--
-- Name: proposal_list(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.proposal_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  return (
    select coalesce(json_agg(crm.proposal_json(p) order by p.id desc), '[]')
    from crm.proposals p
    where p.workspace_id = v_workspace_id
  );
end
$$;


--
-- Name: FUNCTION proposal_list(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.proposal_list(p_args jsonb) IS 'Lists the proposals of a workspace, newest first, without their links. Arguments: workspace_id. Codes: validation_error, not_found.';


--
-- Name: proposal_send(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.proposal_send(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, token_hash}');
  v_proposal crm.proposals;
  v_status text;
begin
  select * into v_proposal from crm.proposals p
  where p.workspace_id = (v_args ->> 'workspace_id')::uuid and p.id = (v_args ->> 'id')::uuid
  for no key update;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  v_status := crm.proposal_status(v_proposal);
  if v_status = 'expirada' then
    perform crm.raise_code('proposal_expired');
  elsif v_status in ('aceita', 'recusada') then
    perform crm.raise_code('proposal_closed', 'status', 'A proposta já foi respondida', v_status);
  end if;

  update crm.proposals p
  set status = 'enviada'
  where p.workspace_id = v_proposal.workspace_id and p.id = v_proposal.id and p.status = 'rascunho';
  insert into crm.proposal_links (workspace_id, proposal_id, token_hash)
  values (v_proposal.workspace_id, v_proposal.id, decode(v_args ->> 'token_hash', 'hex'))
  on conflict (workspace_id, proposal_id) do update
    set token_hash = excluded.token_hash, created_at = excluded.created_at;
  return json_build_object('id', v_proposal.id);
end
$$;


--
-- Name: FUNCTION proposal_send(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.proposal_send(p_args jsonb) IS 'Gives a proposal its public link, by the hash of the token; an earlier link stops working. Returns id. Arguments: workspace_id, id, token_hash (SHA-256, hexadecimal). Codes: validation_error, not_found, proposal_expired, proposal_closed.';


--
-- Name: stage_update(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.stage_update(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, is_active}');
  v_stage crm.stages;
begin
  update crm.stages s
  set is_active = (v_args ->> 'is_active')::boolean
  where s.workspace_id = (v_args ->> 'workspace_id')::uuid and s.id = (v_args ->> 'id')::uuid
  returning s.* into v_stage;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  return crm.stage_row_json(v_stage);
end
$$;


--
-- Name: FUNCTION stage_update(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.stage_update(p_args jsonb) IS 'Deactivates a stage, or activates it again: no deal enters an inactive stage. Returns the stage. Arguments: workspace_id, id, is_active. Codes: validation_error, not_found.';


--
-- Name: subscription_create(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.subscription_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, new_id, event_types, target_url, secret}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'new_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  perform crm.check_new_subscription(v_workspace_id, 'target_url');
  insert into crm.webhook_subscriptions (workspace_id, id, event_types, target_url)
  values (
    v_workspace_id,
    v_id,
    array(select jsonb_array_elements_text(v_args -> 'event_types'))::crm.event_type[],
    v_args ->> 'target_url'
  );
  insert into crm.webhook_secrets (workspace_id, subscription_id, secret)
  values (v_workspace_id, v_id, decode(v_args ->> 'secret', 'base64'));
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'webhook_created', jsonb_build_object('event_types', v_args -> 'event_types')
  );
  return crm.subscription_overview(v_workspace_id, v_id);
end
$$;


--
-- Name: FUNCTION subscription_create(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.subscription_create(p_args jsonb) IS 'Creates a subscription that no key made, so that it outlives every key; a workspace has at most 50 active ones. Returns it as subscription_get does. Arguments: workspace_id, new_id (made by the caller, because the secret is sealed for it), event_types, target_url (whether it is public is for the caller to check), secret (encrypted, in base64). Codes: validation_error, not_found.';


--
-- Name: subscription_delete(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.subscription_delete(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
begin
  if not exists (select from crm.webhook_subscriptions s where s.workspace_id = v_workspace_id and s.id = v_id) then
    perform crm.raise_code('not_found', 'id');
  end if;
  update crm.webhook_subscriptions s
  set is_active = false, deactivated_reason = 'deleted'
  where s.workspace_id = v_workspace_id and s.id = v_id and s.deactivated_reason is distinct from 'deleted';
  if found then
    perform crm.record_webhook_action(v_workspace_id, v_id, 'webhook_deactivated');
  end if;
  return null;
end
$$;


--
-- Name: FUNCTION subscription_delete(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.subscription_delete(p_args jsonb) IS 'Deactivates a subscription and keeps its history; what waits for it is cancelled. Returns null. Arguments: workspace_id, id. Codes: validation_error, not_found.';


--
-- Name: subscription_get(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.subscription_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
begin
  return crm.subscription_overview((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
end
$$;


--
-- Name: FUNCTION subscription_get(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.subscription_get(p_args jsonb) IS 'Returns one subscription. Arguments: workspace_id, id. Codes: validation_error, not_found.';


--
-- Name: subscription_list(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.subscription_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_ids uuid[] := array(
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = v_workspace_id
    order by s.is_active desc, s.created_at desc, s.id desc
    limit 200
  );
begin
  perform crm.require_workspace(v_workspace_id);
  return json_build_object('data', (
    select coalesce(json_agg(o.overview order by array_position(v_ids, o.id)), '[]')
    from crm.subscription_overviews(v_workspace_id, v_ids) o
  ));
end
$$;


--
-- Name: FUNCTION subscription_list(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.subscription_list(p_args jsonb) IS 'Lists the subscriptions of a workspace without their secrets: data, active ones first, then newest first, 200 at most. Arguments: workspace_id. Codes: validation_error, not_found.';


--
-- Name: subscription_reactivate(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.subscription_reactivate(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_outcome record;
begin
  select * into v_outcome from crm.resume_subscription(v_workspace_id, v_id);
  if v_outcome.was_inactive is null then
    perform crm.raise_code('not_found', 'id');
  elsif v_outcome.was_inactive then
    perform crm.record_webhook_action(
      v_workspace_id, v_id, 'webhook_reactivated', jsonb_build_object('resumed', v_outcome.resumed)
    );
    perform crm.poke_dispatcher();
  end if;
  return crm.with_fields(
    crm.subscription_overview(v_workspace_id, v_id),
    json_build_object('resumed', v_outcome.resumed, 'revoked_key', v_outcome.revoked_key)
  );
end
$$;


--
-- Name: FUNCTION subscription_reactivate(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.subscription_reactivate(p_args jsonb) IS 'Activates a subscription again with a failure_count of 0, and makes its waiting deliveries due now; an active one does not change. Returns the subscription with resumed, the number of deliveries that were waiting, and revoked_key (id, name, prefix), the key that made it if that is revoked, otherwise null. A workspace has at most 50 active subscriptions. Arguments: workspace_id, id. Codes: validation_error, not_found.';


--
-- Name: subscription_read_secret(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.subscription_read_secret(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_secret bytea;
begin
  select k.secret into v_secret from crm.webhook_secrets k
  where k.workspace_id = (v_args ->> 'workspace_id')::uuid and k.subscription_id = (v_args ->> 'id')::uuid
  for update;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  -- encode() inserts a line break after every 76 characters.
  return json_build_object('secret', replace(encode(v_secret, 'base64'), e'\n', ''));
end
$$;


--
-- Name: FUNCTION subscription_read_secret(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.subscription_read_secret(p_args jsonb) IS 'Returns the encrypted secret of a subscription in base64, locked until the transaction ends, so that the operator can test an encryption key on it before a rotation. For the operator alone. Arguments: workspace_id, id. Codes: validation_error, not_found.';


--
-- Name: subscription_recover(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.subscription_recover(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, since}', '{until}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_since timestamptz := v_args ->> 'since';
  v_until timestamptz := v_args ->> 'until';
  v_recovered record;
begin
  perform crm.require_active_subscription(v_workspace_id, v_id);
  perform crm.check_window(v_since, v_until);
  select * into v_recovered from crm.recover_deliveries(v_workspace_id, v_id, v_since, v_until);
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'webhook_recovered',
    jsonb_build_object('since', crm.iso(v_since), 'until', crm.iso(v_until), 'count', v_recovered.count)
  );
  perform crm.poke_dispatcher();
  return crm.recovery_json(v_recovered.count, v_recovered.next_since);
end
$$;


--
-- Name: FUNCTION subscription_recover(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.subscription_recover(p_args jsonb) IS 'Queues the events between since and until (now where absent) that a subscription never got, oldest first, as many as there is room for (crm.recover_deliveries). Returns count, has_more, and next_since: where to go on. Arguments: workspace_id, id, since, until. Codes: validation_error, not_found, subscription_inactive, queue_full.';


--
-- Name: subscription_rotate(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.subscription_rotate(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, secret}', '{overlap_seconds}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_overlap_seconds integer := coalesce((v_args ->> 'overlap_seconds')::numeric::integer, 0);
begin
  if not exists (
    select from crm.webhook_secrets k where k.workspace_id = v_workspace_id and k.subscription_id = v_id
  ) then
    perform crm.raise_code('not_found', 'id');
  end if;
  perform crm.rotate_secret(v_workspace_id, v_id, decode(v_args ->> 'secret', 'base64'), v_overlap_seconds);
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'webhook_rotated', jsonb_build_object('overlap_seconds', v_overlap_seconds)
  );
  return crm.subscription_overview(v_workspace_id, v_id);
end
$$;


--
-- Name: FUNCTION subscription_rotate(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.subscription_rotate(p_args jsonb) IS 'Replaces the signing secret of a subscription. For overlap_seconds (0 where absent, 604800 at most) the present one goes on signing, and the new one makes a second signature; then the new one alone signs. Returns the subscription as subscription_get does. Arguments: workspace_id, id, secret (encrypted, in base64), overlap_seconds. Codes: validation_error, not_found.';


--
-- Name: subscription_test(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.subscription_test(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{event_type}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_event crm.event_type := v_args ->> 'event_type';
  v_delivery_id uuid;
begin
  perform crm.require_active_subscription(v_workspace_id, v_id);
  perform crm.check_subscribed(s, v_event) from crm.webhook_subscriptions s
  where s.workspace_id = v_workspace_id and s.id = v_id;
  v_delivery_id := crm.send_test_event(v_workspace_id, v_id, v_event);
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'webhook_tested', jsonb_build_object('delivery_id', v_delivery_id)
  );
  perform crm.poke_dispatcher();
  return json_build_object('delivery_id', v_delivery_id, 'held', crm.holds_webhooks(v_workspace_id));
end
$$;


--
-- Name: FUNCTION subscription_test(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.subscription_test(p_args jsonb) IS 'Sends a test event to a subscription: a delivery like any other, signed, and retried if it fails. Returns delivery_id, and held: whether it waits, because the workspace is suspended or has no public API. Arguments: workspace_id, id, event_type (one of the subscription''s; its first where absent). Codes: validation_error, not_found, subscription_inactive, queue_full.';


--
-- Name: workspace_choices(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.workspace_choices(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  perform crm.check_args(p_args, '{}');
  return json_build_object('data', crm.workspaces_of_current_user());
end
$$;


--
-- Name: FUNCTION workspace_choices(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.workspace_choices(p_args jsonb) IS 'Lists the workspaces of the person who is signed in, of which each call chooses one; none for the operator. Arguments: none. Codes: validation_error.';


--
-- Name: workspace_create(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.workspace_create(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{name}', '{member_name, member_email}');
  v_workspace_id uuid;
begin
  insert into crm.workspaces (name) values (v_args ->> 'name') returning id into v_workspace_id;
  return json_build_object(
    'id', v_workspace_id,
    'member_id', app.member_invite(jsonb_build_object(
      'workspace_id', v_workspace_id,
      'name', coalesce(v_args ->> 'member_name', 'Administrador'),
      -- An address that cannot exist (RFC 2606): nobody can sign in as this member.
      'email', coalesce(v_args ->> 'member_email', 'admin@workspace.invalid'),
      'role', 'admin'
    )) -> 'id',
    'pipeline_id', app.pipeline_create(jsonb_build_object(
      'workspace_id', v_workspace_id,
      'name', 'Vendas',
      'is_default', true,
      'stages', '[
        {"name": "Prospecção", "type": "pre-venda"},
        {"name": "Proposta", "type": "venda"},
        {"name": "Ganho", "type": "won"},
        {"name": "Perdido", "type": "lost"}
      ]'::jsonb
    )) -> 'id'
  );
end
$$;


--
-- Name: FUNCTION workspace_create(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.workspace_create(p_args jsonb) IS 'Creates a workspace that is ready for its first lead: with an admin, and a default pipeline of four stages. The admin signs in with member_email; without one nobody can. Returns id, member_id, pipeline_id. Arguments: name, member_name, member_email. Codes: validation_error.';


--
-- Name: workspace_find(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.workspace_find(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{object, id}');
  v_id uuid := (v_args ->> 'id')::uuid;
  v_workspace_id uuid;
begin
  case v_args ->> 'object'
    when 'member' then select t.workspace_id into v_workspace_id from crm.members t where t.id = v_id;
    when 'key' then select t.workspace_id into v_workspace_id from crm.api_keys t where t.id = v_id;
    when 'pipeline' then select t.workspace_id into v_workspace_id from crm.pipelines t where t.id = v_id;
    when 'stage' then select t.workspace_id into v_workspace_id from crm.stages t where t.id = v_id;
    when 'loss_reason' then select t.workspace_id into v_workspace_id from crm.loss_reasons t where t.id = v_id;
    when 'deal' then select t.workspace_id into v_workspace_id from crm.deals t where t.id = v_id;
    when 'proposal' then select t.workspace_id into v_workspace_id from crm.proposals t where t.id = v_id;
    when 'subscription' then
      select t.workspace_id into v_workspace_id from crm.webhook_subscriptions t where t.id = v_id;
    when 'delivery' then select t.workspace_id into v_workspace_id from crm.webhook_deliveries t where t.id = v_id;
  end case;
  if v_workspace_id is null then
    perform crm.raise_code('not_found', 'id');
  end if;
  return json_build_object('workspace_id', v_workspace_id);
end
$$;


--
-- Name: FUNCTION workspace_find(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.workspace_find(p_args jsonb) IS 'Finds the workspace that a record belongs to, so that the operator can name a record by its id alone. For the operator alone, because it reaches every workspace. No index serves it. Arguments: object (member, key, pipeline, stage, loss_reason, deal, proposal, subscription, delivery), id. Codes: validation_error, not_found.';


--
-- Name: workspace_get(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.workspace_get(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace crm.workspaces;
begin
  select w.* into v_workspace from crm.workspaces w where w.id = (v_args ->> 'workspace_id')::uuid;
  if not found then
    perform crm.raise_code('not_found', 'workspace_id');
  end if;
  return crm.workspace_overview(v_workspace);
end
$$;


--
-- Name: FUNCTION workspace_get(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.workspace_get(p_args jsonb) IS 'Returns a workspace with its plan, its usage (calls_today, calls_7_days, active_keys, active_webhooks, active_members, waiting_deliveries), the member who asks and the workspaces of that person. Arguments: workspace_id. Codes: validation_error, not_found.';


--
-- Name: workspace_list(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.workspace_list(p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  perform crm.check_args(p_args, '{}');
  return (select coalesce(json_agg(crm.workspace_json(w) order by w.id), '[]') from crm.workspaces w);
end
$$;


--
-- Name: FUNCTION workspace_list(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.workspace_list(p_args jsonb) IS 'Lists every workspace, oldest first. For the operator alone, because it reaches all of them. Arguments: none. Codes: validation_error.';


--
-- Name: workspace_update(jsonb); Type: FUNCTION; Schema: app; Owner: -
--

CREATE FUNCTION app.workspace_update(p_args jsonb) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_args jsonb := crm.check_args(
    p_args, '{workspace_id}', '{name, suspended, public_api, rate_limit_per_minute, stale_after_days}'
  );
  v_before crm.workspaces;
  v_after crm.workspaces;
  v_changes jsonb;
begin
  -- A member who could change the plan could lift a suspension.
  if crm.current_member_id() is not null and v_args ?| array['suspended', 'public_api', 'rate_limit_per_minute'] then
    perform crm.raise_code('validation_error', f, 'Só o operador do serviço muda o plano')
    from unnest(array['suspended', 'public_api', 'rate_limit_per_minute']) f
    where v_args ? f;
  end if;
  select w.* into v_before from crm.workspaces w where w.id = (v_args ->> 'workspace_id')::uuid for no key update;
  if not found then
    perform crm.raise_code('not_found', 'workspace_id');
  end if;
  -- A change of members holds the same lock, and may have been that of the caller's own role.
  perform crm.require_admin_still(v_before.id);
  v_changes := crm.describe_changes(to_jsonb(v_before), v_args - 'workspace_id');
  if v_changes = '{}' then
    return crm.workspace_overview(v_before);
  end if;
  -- The names of the columns, because a member has no right to write those of the plan.
  if crm.current_member_id() is not null then
    update crm.workspaces w
    set
      name = coalesce(v_args ->> 'name', w.name),
      stale_after_days = coalesce((v_args ->> 'stale_after_days')::numeric::integer, w.stale_after_days)
    where w.id = v_before.id
    returning w.* into v_after;
  else
    update crm.workspaces w
    set
      name = coalesce(v_args ->> 'name', w.name),
      suspended = coalesce((v_args ->> 'suspended')::boolean, w.suspended),
      public_api = coalesce((v_args ->> 'public_api')::boolean, w.public_api),
      rate_limit_per_minute = coalesce((v_args ->> 'rate_limit_per_minute')::numeric::integer, w.rate_limit_per_minute),
      stale_after_days = coalesce((v_args ->> 'stale_after_days')::numeric::integer, w.stale_after_days)
    where w.id = v_before.id
    returning w.* into v_after;
  end if;
  perform crm.record_action(
    v_after.id, 'workspace_updated', 'workspace', v_after.id, v_after.name, v_changes
  );
  return crm.workspace_overview(v_after);
end
$$;


--
-- Name: FUNCTION workspace_update(p_args jsonb); Type: COMMENT; Schema: app; Owner: -
--

COMMENT ON FUNCTION app.workspace_update(p_args jsonb) IS 'Renames a workspace, suspends it or changes its plan; an absent argument changes nothing. A member may change name and stale_after_days alone. Returns the workspace as workspace_get does. Arguments: workspace_id, name, suspended, public_api, rate_limit_per_minute, stale_after_days. Codes: validation_error, not_found, insufficient_role (for a member who is no admin any more).';


--
-- Name: active_member(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.active_member(p_id uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  return (
    select m.id from crm.members m
    where m.workspace_id = crm.current_workspace_id() and m.id = p_id and m.is_active
  );
end
$$;


--
-- Name: FUNCTION active_member(p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.active_member(p_id uuid) IS 'Returns the same id if it is an active member of the caller''s workspace, otherwise null.';


--
-- Name: uuid_v7(timestamp with time zone); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.uuid_v7(p_at timestamp with time zone DEFAULT now()) RETURNS uuid
    LANGUAGE sql PARALLEL SAFE
    AS $$
  select encode(
    set_bit(
      set_bit(
        overlay(
          uuid_send(gen_random_uuid())
          placing substring(int8send(floor(extract(epoch from p_at) * 1000)::bigint) from 3)
          from 1 for 6
        ),
        52, 1
      ),
      53, 1
    ),
    'hex'
  )::uuid
$$;


--
-- Name: FUNCTION uuid_v7(p_at timestamp with time zone); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.uuid_v7(p_at timestamp with time zone) IS 'A UUIDv7 (RFC 9562) for the given time, in milliseconds. The default is now(), which also fills created_at, so that the order of ids is the order of creation and the filter `since` is a range of ids.';


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: activities; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.activities (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    deal_id uuid NOT NULL,
    contact_id uuid,
    owner_id uuid NOT NULL,
    created_by_id uuid NOT NULL,
    type crm.activity_type DEFAULT 'tarefa'::text NOT NULL,
    title crm.record_name NOT NULL,
    description text,
    due_at timestamp with time zone,
    overdue_reported_for timestamp with time zone,
    overdue_unreported_at timestamp with time zone GENERATED ALWAYS AS (
CASE
    WHEN (((status)::text = 'pendente'::text) AND (overdue_reported_for IS DISTINCT FROM due_at)) THEN due_at
    ELSE NULL::timestamp with time zone
END) STORED,
    duration_minutes crm.quantity,
    is_online_meeting boolean DEFAULT false NOT NULL,
    meeting_url text,
    location text,
    status crm.activity_status DEFAULT 'pendente'::text NOT NULL,
    completed_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT activities_check CHECK ((((status)::text = 'concluida'::text) = (completed_at IS NOT NULL)))
);

ALTER TABLE ONLY crm.activities FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE activities; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.activities IS 'What is to be done, or was done, to move a deal. An activity always stays with its deal.';


--
-- Name: COLUMN activities.type; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.activities.type IS 'Free text, because a workspace may have its own types. An activity without a title gets the label of its type.';


--
-- Name: COLUMN activities.overdue_reported_for; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.activities.overdue_reported_for IS 'The due_at for which activity.overdue was last emitted. A new due_at differs from it, so the event can be emitted again.';


--
-- Name: COLUMN activities.overdue_unreported_at; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.activities.overdue_unreported_at IS 'due_at of a pending activity for which activity.overdue has not been emitted yet; otherwise null. A column for the same reason as crm.deals.stale_unreported_since.';


--
-- Name: activity_insert(crm.activities[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.activity_insert(p_rows crm.activities[]) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_ids uuid[];
begin
  with made as (
    insert into crm.activities as new (
      workspace_id, deal_id, contact_id, owner_id, created_by_id, type, title, description, due_at,
      duration_minutes, is_online_meeting, meeting_url, location, status
    )
    select
      crm.current_workspace_id(), t.deal_id, t.contact_id, t.owner_id, t.created_by_id, t.type, t.title,
      t.description, t.due_at, t.duration_minutes, t.is_online_meeting, t.meeting_url, t.location, t.status
    from unnest(p_rows) t
    returning new.id
  )
  select array_agg(m.id) into v_ids from made m;
  return v_ids;
end
$$;


--
-- Name: FUNCTION activity_insert(p_rows crm.activities[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.activity_insert(p_rows crm.activities[]) IS 'Creates records in the caller''s workspace; returns their ids, in the order of the rows.';


--
-- Name: activity_insert(crm.activities); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.activity_insert(t crm.activities) RETURNS crm.activities
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  insert into crm.activities as new (
    workspace_id, deal_id, contact_id, owner_id, created_by_id, type, title, description, due_at,
    duration_minutes, is_online_meeting, meeting_url, location, status
  )
  values (
    crm.current_workspace_id(), t.deal_id, t.contact_id, t.owner_id, t.created_by_id, t.type, t.title,
    t.description, t.due_at, t.duration_minutes, t.is_online_meeting, t.meeting_url, t.location, t.status
  )
  returning new.* into t;
  return t;
end
$$;


--
-- Name: FUNCTION activity_insert(t crm.activities); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.activity_insert(t crm.activities) IS 'Creates the record in the caller''s workspace and returns it.';


--
-- Name: activity_json(crm.activities); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.activity_json(t crm.activities) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select to_json(row(
    t.id, t.workspace_id, t.deal_id, t.contact_id, t.owner_id, t.created_by_id, t.type, t.title,
    t.description, crm.iso(t.due_at), t.duration_minutes, t.is_online_meeting, t.meeting_url, t.location,
    t.status, crm.iso(t.completed_at), t.status = 'pendente' and coalesce(t.due_at < now(), false),
    crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.activity)
$$;


--
-- Name: FUNCTION activity_json(t crm.activities); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.activity_json(t crm.activities) IS 'A row as public JSON, with the fields of api.activity.';


--
-- Name: activity_json_if_short(crm.activities); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.activity_json_if_short(t crm.activities) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select case when coalesce(octet_length(t.description), 0) <= 4000
    then crm.activity_json(t)
  end
$$;


--
-- Name: FUNCTION activity_json_if_short(t crm.activities); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.activity_json_if_short(t crm.activities) IS 'crm.activity_json, or null if the row may be long: crm.activity_page makes those, so that a page can end before them.';


--
-- Name: activity_label(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.activity_label(p_type text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select case p_type
    when 'tarefa' then 'Tarefa'
    when 'ligacao' then 'Ligação'
    when 'reuniao' then 'Reunião'
    when 'email' then 'E-mail'
    when 'whatsapp' then 'WhatsApp'
    when 'visita' then 'Visita'
    else p_type
  end
$$;


--
-- Name: FUNCTION activity_label(p_type text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.activity_label(p_type text) IS 'The title of an activity that was sent without one: the label of its type.';


--
-- Name: activity_list_by(jsonb, uuid, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.activity_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer DEFAULT 250, OUT ids uuid[], OUT next_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_deal_id uuid := (p_args ->> 'deal_id')::uuid;
  v_contact_id uuid := (p_args ->> 'contact_id')::uuid;
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_type text[] := case when p_args ? 'type' then array(select jsonb_array_elements_text(p_args -> 'type')) end;
  v_status text[] := case when p_args ? 'status' then array(select jsonb_array_elements_text(p_args -> 'status')) end;
  v_is_overdue text := p_args ->> 'is_overdue';
  v_due_before timestamptz := coalesce((p_args ->> 'due_before')::timestamptz, 'infinity');
  v_due_after timestamptz := coalesce((p_args ->> 'due_after')::timestamptz, '-infinity');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_ranges text[] := array_remove(array[
    case when v_is_overdue = 'true' then 'is_overdue' end,
    case when p_args ?| array['due_before', 'due_after'] then 'due_at' end,
    case when p_args ?| array['updated_since'] then 'updated_at' end
  ], null);
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_range text;
  v_in_range uuid[];
  -- Whether no other filter was sent, so that all rows in the range match.
  v_alone boolean;
  v_newer integer;
begin
  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'deal_id' as name, (
      select t.id from crm.activities t
      where t.workspace_id = crm.current_workspace_id()
        and (t.deal_id, t.id) < (v_deal_id, p_before)
        and t.deal_id >= v_deal_id
        and t.deal_id = any (array[v_deal_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.deal_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_deal_id is not null
    union all
    select 'contact_id' as name, (
      select t.id from crm.activities t
      where t.workspace_id = crm.current_workspace_id()
        and (t.contact_id, t.id) < (v_contact_id, p_before)
        and t.contact_id >= v_contact_id
        and t.contact_id = any (array[v_contact_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.contact_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_contact_id is not null
    union all
    select 'owner_id' as name, (
      select t.id from crm.activities t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < (v_owner_id, p_before)
        and t.owner_id >= v_owner_id
        and t.owner_id = any (array[v_owner_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.owner_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_owner_id is not null
    union all
    select 'type' as name, (
      select t.* from unnest(v_type) s (value)
      cross join lateral (
        select t.id from crm.activities t
        where t.workspace_id = crm.current_workspace_id()
          and (t.type, t.id) < (s.value, p_before)
          and t.type >= s.value
          and t.type = any (array[s.value])
          and t.id < p_before
          and t.id >= p_from
        order by t.type desc, t.id desc
        limit p_step + 1
      ) t
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_type is not null
    union all
    select 'status' as name, (
      select t.* from unnest(v_status) s (value)
      cross join lateral (
        select t.id from crm.activities t
        where t.workspace_id = crm.current_workspace_id()
          and (t.status, t.id) < (s.value, p_before)
          and t.status >= s.value
          and t.status = any (array[s.value])
          and t.id < p_before
          and t.id >= p_from
        order by t.status desc, t.id desc
        limit p_step + 1
      ) t
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_status is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  ids := '{}';
  for v_round in 1 .. 2 loop
    select array_agg(t.id), array_agg(t.id) filter (
      where (v_deal_id is null or t.deal_id = v_deal_id)
        and (v_contact_id is null or t.contact_id = v_contact_id)
        and (v_owner_id is null or t.owner_id = v_owner_id)
        and (v_type is null or t.type = any (v_type))
        and (v_status is null or t.status = any (v_status))
        and (v_is_overdue is distinct from 'true' or t.status = 'pendente' and t.due_at < now())
        and (v_is_overdue is distinct from 'false' or (t.status <> 'pendente' or t.due_at is null or t.due_at >= now()))
        and (v_due_before = 'infinity' or t.due_at < v_due_before)
        and (v_due_after = '-infinity' or t.due_at >= v_due_after)
        and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
    )
    into v_walked, v_matches
    from (
      (
        select t.id, t.deal_id, t.contact_id, t.owner_id, t.type, t.status, t.due_at, t.updated_at from crm.activities t
        where v_by = 'all'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.deal_id, t.contact_id, t.owner_id, t.type, t.status, t.due_at, t.updated_at from crm.activities t
        where v_by = 'deal_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.deal_id, t.id) < (v_deal_id, v_before)
          and t.deal_id >= v_deal_id
          and t.deal_id = any (array[v_deal_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.deal_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.deal_id, t.contact_id, t.owner_id, t.type, t.status, t.due_at, t.updated_at from crm.activities t
        where v_by = 'contact_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.contact_id, t.id) < (v_contact_id, v_before)
          and t.contact_id >= v_contact_id
          and t.contact_id = any (array[v_contact_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.contact_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.deal_id, t.contact_id, t.owner_id, t.type, t.status, t.due_at, t.updated_at from crm.activities t
        where v_by = 'owner_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, v_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.* from unnest(v_type) s (value)
        cross join lateral (
          select t.id, t.deal_id, t.contact_id, t.owner_id, t.type, t.status, t.due_at, t.updated_at from crm.activities t
          where t.workspace_id = crm.current_workspace_id()
            and (t.type, t.id) < (s.value, v_before)
            and t.type >= s.value
            and t.type = any (array[s.value])
            and t.id < v_before
            and t.id >= p_from
          order by t.type desc, t.id desc
          limit v_rows
        ) t
        where v_by = 'type'
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.* from unnest(v_status) s (value)
        cross join lateral (
          select t.id, t.deal_id, t.contact_id, t.owner_id, t.type, t.status, t.due_at, t.updated_at from crm.activities t
          where t.workspace_id = crm.current_workspace_id()
            and (t.status, t.id) < (s.value, v_before)
            and t.status >= s.value
            and t.status = any (array[s.value])
            and t.id < v_before
            and t.id >= p_from
          order by t.status desc, t.id desc
          limit v_rows
        ) t
        where v_by = 'status'
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.deal_id, t.contact_id, t.owner_id, t.type, t.status, t.due_at, t.updated_at
        from unnest(v_in_range[:v_rows]) with ordinality chosen (id, position)
        join crm.activities t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        where v_by = 'range'
        order by chosen.position
      )
    ) t;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    v_rows := 4 * p_step;
    -- Few rows of the first round match. A range of few rows is walked instead, if it has no more rows where the first
    -- round was.
    foreach v_range in array v_ranges loop
      case v_range
        when 'is_overdue' then
          v_alone := p_args - '{limit,cursor,since,until,is_overdue,due_before,due_after}'::text[] = '{}';
          v_in_range := array(
            select t.id from crm.activities t
            where t.workspace_id = crm.current_workspace_id()
              and t.status = 'pendente' and t.due_at < now()
              and t.due_at < v_due_before
              and t.due_at >= v_due_after
            order by t.due_at desc
            limit 10 * p_step + 1
          );
        when 'due_at' then
          v_alone := p_args - '{limit,cursor,since,until,due_before,due_after}'::text[] = '{}';
          v_in_range := array(
            select t.id from crm.activities t
            where t.workspace_id = crm.current_workspace_id()
              and t.due_at < v_due_before
              and t.due_at >= v_due_after
            order by t.due_at desc
            limit 10 * p_step + 1
          );
        when 'updated_at' then
          v_alone := p_args - '{limit,cursor,since,until,updated_since}'::text[] = '{}';
          v_in_range := array(
            select t.id from crm.activities t
            where t.workspace_id = crm.current_workspace_id()
              and t.updated_at >= v_updated_since
            order by t.updated_at desc
            limit 10 * p_step + 1
          );
      end case;
      continue when cardinality(v_in_range) > 10 * p_step;
      select array_agg(r.id order by r.id desc) filter (where r.id < v_before),
        count(*) filter (where r.id >= v_before and r.id < p_before)
      into v_in_range, v_newer
      from unnest(v_in_range) r (id)
      where r.id >= p_from;
      if v_newer <= p_step then
        if v_alone then
          ids := ids || v_in_range[:v_limit + 1];
          next_id := null;
          return;
        end if;
        v_by := 'range';
        exit;
      end if;
    end loop;
  end loop;
end
$$;


--
-- Name: FUNCTION activity_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.activity_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) IS 'The ids of a page of api.activity_list, more than its limit if there are as many, for any combination of its filters. It looks through at most 5 * p_step rows; next_id is the last of them if there may be others.';


--
-- Name: activity_lock(uuid, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.activity_lock(p_id uuid, p_if_match jsonb DEFAULT NULL::jsonb) RETURNS crm.activities
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.activities;
begin
  select * into t from crm.activities r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then
    perform api.fail('not_found');
  end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.activity_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;


--
-- Name: FUNCTION activity_lock(p_id uuid, p_if_match jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.activity_lock(p_id uuid, p_if_match jsonb) IS 'Locks the record until the transaction ends, so that concurrent changes of different fields are all kept, and returns it. Raises not_found; precondition_failed if p_if_match, a list of versions, has not the record''s.';


--
-- Name: activity_new(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.activity_new(p_args jsonb) RETURNS crm.activities
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_activity crm.activities := jsonb_populate_record(null::crm.activities, crm.require_references(p_args));
begin
  if v_activity.contact_id is null then
    -- Locked, as by the foreign key, before a merge of the contact can move what refers to it; or it has moved already.
    select coalesce(c.merged_into_id, c.id) into v_activity.contact_id
    from crm.deals d join crm.contacts c on c.workspace_id = d.workspace_id and c.id = d.contact_id
    where d.workspace_id = crm.current_workspace_id() and d.id = v_activity.deal_id
    for key share of c;
  end if;
  v_activity.created_by_id := crm.current_member_id();
  return crm.with_activity_defaults(v_activity);
end
$$;


--
-- Name: FUNCTION activity_new(p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.activity_new(p_args jsonb) IS 'The activity to insert for the arguments of a creation, with the deal''s contact if none is sent; raises invalid_reference, no_owner_available (spec 4.6).';


--
-- Name: activity_page(uuid[], json[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.activity_page(p_ids uuid[], p_records json[]) RETURNS json[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_record json;
  v_records json[];
  v_bytes integer := 0;
begin
  for v_position in 1 .. cardinality(p_ids) loop
    v_record := p_records[v_position];
    if v_record is null then
      select crm.activity_json(t) into v_record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
    end if;
    v_bytes := v_bytes + pg_column_size(v_record);
    -- One record is shown however long it is, because the next page would begin with it again.
    exit when v_bytes > crm.max_page_bytes() and v_position > 1;
    v_records := v_records || v_record;
  end loop;
  return v_records;
end
$$;


--
-- Name: FUNCTION activity_page(p_ids uuid[], p_records json[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.activity_page(p_ids uuid[], p_records json[]) IS 'The records of a page that may be too long: those that are null are made one by one, until the page has its maximum of bytes.';


--
-- Name: activity_save(crm.activities); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.activity_save(t crm.activities) RETURNS crm.activities
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  update crm.activities as saved
  set (
    contact_id, owner_id, type, title, description, due_at, duration_minutes, is_online_meeting, meeting_url,
    location, status
  ) = (
    t.contact_id, t.owner_id, t.type, t.title, t.description, t.due_at, t.duration_minutes,
    t.is_online_meeting, t.meeting_url, t.location, t.status
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;


--
-- Name: FUNCTION activity_save(t crm.activities); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.activity_save(t crm.activities) IS 'Writes the fields of the record that can change, and returns the row as it is then.';


--
-- Name: actor_json(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.actor_json(p_caller_id uuid) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_name text;
begin
  select k.name into v_name from crm.api_keys k where k.workspace_id = v_workspace_id and k.id = p_caller_id;
  if found then
    return json_build_object('type', 'key', 'id', p_caller_id, 'name', v_name);
  end if;
  select m.name into v_name from crm.members m where m.workspace_id = v_workspace_id and m.id = p_caller_id;
  if found then
    return json_build_object('type', 'member', 'id', p_caller_id, 'name', v_name);
  end if;
  select p.title into v_name from crm.proposals p where p.workspace_id = v_workspace_id and p.id = p_caller_id;
  if found then
    return json_build_object('type', 'link', 'id', p_caller_id, 'name', v_name);
  end if;
  return json_build_object('type', 'system', 'id', null, 'name', null);
end
$$;


--
-- Name: FUNCTION actor_json(p_caller_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.actor_json(p_caller_id uuid) IS 'Who a caller of the current workspace is, with the present name: an API key, a member, or the link of a proposal with its title; system for null. Security definer, because verbs may not read keys.';


--
-- Name: admit(uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.admit(p_key_id uuid, p_limit integer) RETURNS crm.admission
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_admission crm.admission;
begin
  insert into crm.rate_limits as r (key_id, hits, calls)
  values (p_key_id, array[clock_timestamp()], 1)
  on conflict (key_id) do update
    -- greatest() keeps the times sorted even if the clock was set back.
    set
      hits = crm.live_hits(r.hits) || greatest(clock_timestamp(), r.hits[cardinality(r.hits)]),
      calls = r.calls + 1
    where cardinality(crm.live_hits(r.hits)) < p_limit
  returning true, p_limit - cardinality(r.hits), crm.rate_reset_seconds(r.hits, p_limit) into v_admission;
  if not found then
    v_admission.admitted := false;
    v_admission.remaining := 0;
    select crm.rate_reset_seconds(crm.live_hits(r.hits), p_limit) into v_admission.reset_seconds
    from crm.rate_limits r where r.key_id = p_key_id;
  end if;
  return v_admission;
end
$$;


--
-- Name: FUNCTION admit(p_key_id uuid, p_limit integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.admit(p_key_id uuid, p_limit integer) IS 'Counts a call against its key, unless the last 60 seconds are full. A call over the limit is not counted (spec 8).';


--
-- Name: all_create(text, jsonb[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.all_create(p_record text, p_items jsonb[]) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_external_ids text[];
begin
  if exists (
    select from unnest(p_items) i
    where i ->> 'op' is distinct from 'create'
      and (i ->> 'op' is distinct from 'upsert' or i #>> '{args,match_by}' <> 'external_id')
  ) then
    return false;
  end if;
  v_external_ids := array(select i #>> '{args,external_id}' from unnest(p_items) i where i ->> 'op' = 'upsert');
  if v_external_ids = '{}' then
    return true;
  end if;
  if array_position(v_external_ids, null) is not null or '' = any (v_external_ids) then
    return false;
  end if;
  -- Where two items have the same, the unique index refuses them.
  case p_record
    when 'contact' then
      return not exists (
        select from crm.contacts t where t.workspace_id = v_workspace_id and t.external_id = any (v_external_ids)
      );
    when 'company' then
      return not exists (
        select from crm.companies t where t.workspace_id = v_workspace_id and t.external_id = any (v_external_ids)
      );
    else
      return false;
  end case;
end
$$;


--
-- Name: FUNCTION all_create(p_record text, p_items jsonb[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.all_create(p_record text, p_items jsonb[]) IS 'Whether each item is a creation, or an upsert by an external_id that no record has yet, as those of a first import are. Where no unique index is (deals), an upsert is none.';


--
-- Name: answer_request(crm.caller, text, text, jsonb, text, bytea); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.answer_request(p_caller crm.caller, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea) RETURNS api.reply
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_remembered crm.remembered_reply;
  v_admission crm.admission;
  v_settings text[];
  v_body text;
  v_failure crm.failure;
  v_error record;
begin
  if p_caller.error_code is not null then
    return crm.refusal(p_caller.error_code, p_caller);
  end if;
  -- Without arguments only the caller is identified: the function asks before it reads a large body, which it need not
  -- read if the limit is used up.
  if p_args is null then
    v_admission := crm.used_up(p_caller.id, p_caller.rate_limit);
    return crm.refusal(case when v_admission.admitted is false then 'rate_limited' end, p_caller, v_admission);
  end if;

  if p_idempotency_key is not null then
    v_remembered := crm.idempotency_begin(p_caller.workspace_id, p_idempotency_key, p_request_hash);
  end if;

  -- idempotency_in_progress is not counted while another call of the key runs: counting would block on that call, which
  -- may be the one that holds the idempotency key.
  if v_remembered.error_code is distinct from 'idempotency_in_progress'
    or not crm.is_call_in_progress(p_caller.id) then
    v_admission := crm.admit(p_caller.id, p_caller.rate_limit);
    if not v_admission.admitted then
      return crm.refusal('rate_limited', p_caller, v_admission);
    end if;
  end if;

  if not p_scope = any (p_caller.scopes) then
    return crm.refusal(
      case when p_caller.user_id is null then 'insufficient_scope' else 'insufficient_role' end, p_caller, v_admission
    );
  end if;

  if v_remembered.body is not null then
    return row(
      null, null, v_remembered.body, true, v_remembered.was_found, false, p_caller.id, p_caller.workspace_id,
      p_caller.rate_limit, v_admission.remaining, v_admission.reset_seconds
    )::api.reply;
  end if;
  -- Without a verb nothing runs: the function already has a 4xx, and all of the above comes before it.
  if v_remembered.error_code is not null or p_verb is null then
    return crm.refusal(v_remembered.error_code, p_caller, v_admission);
  end if;

  -- Assigned, because `perform` is a statement, which costs several times what an expression does. A setting costs as much
  -- as ten expressions, so the caller is one.
  v_settings := array[
    set_config('app.workspace_id', p_caller.workspace_id::text, true),
    set_config('app.caller', format('%s %s %s', p_caller.id, p_caller.member_id, p_caller.user_id), true)
  ];
  begin
    if p_caller.user_id is null then
      v_body := crm.run_verb(p_verb, p_args);
    else
      v_body := crm.run_app_verb(p_verb, p_args);
    end if;
    if p_idempotency_key is not null then
      perform crm.idempotency_remember(
        p_caller.workspace_id,
        p_idempotency_key,
        p_request_hash,
        v_body,
        crm.is_marked('app.found')
      );
    end if;
  exception
    -- This block is a subtransaction: an error undoes what the verb wrote, and the call stays counted.
    when others then
      get stacked diagnostics
        v_failure.state = returned_sqlstate,
        v_failure.message = message_text,
        v_failure.detail = pg_exception_detail,
        v_failure.constraint_name = constraint_name,
        v_failure.context = pg_exception_context;
      select e.error_code, e.details into v_error from crm.error_of(v_failure, p_verb, p_args) e;
      return crm.refusal(v_error.error_code, p_caller, v_admission, v_error.details);
  end;
  -- Put together once: a field that is assigned costs as much as the rest of the row.
  return row(
    null, null, v_body, crm.is_marked('app.replayed'), crm.is_marked('app.found'), crm.is_marked('app.events_enqueued'),
    p_caller.id, p_caller.workspace_id, p_caller.rate_limit,
    v_admission.remaining, v_admission.reset_seconds
  )::api.reply;
end
$$;


--
-- Name: FUNCTION answer_request(p_caller crm.caller, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.answer_request(p_caller crm.caller, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea) IS 'Answers one request of a caller whom a door has identified: rate limit, scope, idempotency key, verb, stored reply. p_scope is a scope or a role; null: none is required. p_verb null: nothing runs after the idempotency key. p_args null: the caller is only identified, and the call is not counted. Only the doors call it.';


--
-- Name: batch_json(jsonb[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.batch_json(p_results jsonb[]) RETURNS json
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  return (
    select json_build_object(
      'results', json_agg(jsonb_build_object('index', r.position - 1) || r.result order by r.position),
      'summary', json_build_object(
        'created', count(*) filter (where r.result ->> 'status' = '201'),
        'updated', count(*) filter (where r.result ->> 'status' = '200'),
        'failed', count(*) filter (where r.result ? 'error')
      )
    )
    from unnest(p_results) with ordinality r (result, position)
  );
end
$$;


--
-- Name: FUNCTION batch_json(p_results jsonb[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.batch_json(p_results jsonb[]) IS 'The reply of a batch. The function adds the status and the texts of errors, which are in TypeScript.';


--
-- Name: batch_without_mentions(json, crm.traces); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.batch_without_mentions(p_reply json, p_traces crm.traces) RETURNS json
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  return json_build_object(
    'results', (
      select json_agg(
        case
          -- What the function found wrong with an item is named as it was sent, down to the keys of custom_fields.
          when r.result #> '{error,message}' is null then r.result
          else jsonb_set(r.result, '{error,details}', (
            select coalesce(jsonb_agg(
              case
                when crm.mentions(d.detail ->> 'field', p_traces)
                  then d.detail || jsonb_build_object('field', format('items[%s]', r.result ->> 'index'))
                else d.detail
              end
              order by d.n
            ), '[]')
            from jsonb_array_elements(r.result #> '{error,details}') with ordinality d (detail, n)
          ))
        end
        order by r.n
      )
      from jsonb_array_elements((p_reply -> 'results')::jsonb) with ordinality r (result, n)
    ),
    'summary', p_reply -> 'summary'
  );
end
$$;


--
-- Name: FUNCTION batch_without_mentions(p_reply json, p_traces crm.traces); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.batch_without_mentions(p_reply json, p_traces crm.traces) IS 'The reply of a batch, in which an error of a field whose name mentions the person names only the item. The messages of errors quote nothing that was sent.';


--
-- Name: calls_by_day(date[], bigint[], date, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.calls_by_day(p_days date[], p_calls bigint[], p_last date, p_count integer) RETURNS json
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select json_agg(
    json_build_object('day', to_char(d.day, 'YYYY-MM-DD'), 'calls', coalesce(c.calls, 0)) order by d.day
  )
  from (select p_last - n as day from generate_series(0, p_count - 1) n) d
  left join unnest(p_days, p_calls) c (day, calls) on c.day = d.day
$$;


--
-- Name: FUNCTION calls_by_day(p_days date[], p_calls bigint[], p_last date, p_count integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.calls_by_day(p_days date[], p_calls bigint[], p_last date, p_count integer) IS 'JSON of the calls of p_count days up to p_last, oldest first, given the days that had calls.';


--
-- Name: calls_by_hour(timestamp with time zone[], bigint); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.calls_by_hour(p_hits timestamp with time zone[], p_calls bigint, OUT hour timestamp with time zone, OUT calls bigint) RETURNS SETOF record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select
    date_bin('1 hour', h.at, 'epoch'),
    -- More calls than times: the times of the first ones are forgotten, and they came before the oldest that is known.
    count(*) + case when min(h.n) = 1 then greatest(p_calls - cardinality(p_hits), 0) else 0 end
  from unnest(p_hits[cardinality(p_hits) - least(p_calls, cardinality(p_hits))::integer + 1 :])
    with ordinality as h (at, n)
  group by 1
$$;


--
-- Name: FUNCTION calls_by_hour(p_hits timestamp with time zone[], p_calls bigint, OUT hour timestamp with time zone, OUT calls bigint); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.calls_by_hour(p_hits timestamp with time zone[], p_calls bigint, OUT hour timestamp with time zone, OUT calls bigint) IS 'Divides the newest p_calls calls of a row of crm.rate_limits into hours, given its times. Of calls whose time is no longer known, because more than a minute has passed, the hour is that of the oldest known one.';


--
-- Name: webhook_subscriptions; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.webhook_subscriptions (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    key_id uuid,
    event_types crm.event_type[] NOT NULL,
    target_url text NOT NULL,
    target_host text GENERATED ALWAYS AS (lower("substring"(target_url, '^https?://([^/?#:]+|\[[^]]*\])'::text))) STORED,
    is_active boolean DEFAULT true NOT NULL,
    deactivated_at timestamp with time zone,
    deactivated_reason text,
    failure_count integer DEFAULT 0 NOT NULL,
    slow_since timestamp with time zone,
    last_success_at timestamp with time zone,
    last_failure_at timestamp with time zone,
    behind_since timestamp with time zone,
    behind_position bigint,
    behind_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT webhook_subscriptions_check CHECK ((is_active = (deactivated_at IS NULL))),
    CONSTRAINT webhook_subscriptions_check1 CHECK ((((behind_since IS NULL) = (behind_position IS NULL)) AND ((behind_since IS NULL) = (behind_id IS NULL)))),
    CONSTRAINT webhook_subscriptions_deactivated_reason_check CHECK ((deactivated_reason = ANY (ARRAY['deleted'::text, 'failures'::text, 'key_revoked'::text]))),
    CONSTRAINT webhook_subscriptions_event_types_check CHECK ((cardinality(event_types) >= 1)),
    CONSTRAINT webhook_subscriptions_target_url_check CHECK (((char_length(target_url) >= 1) AND (char_length(target_url) <= 2048)))
);

ALTER TABLE ONLY crm.webhook_subscriptions FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE webhook_subscriptions; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.webhook_subscriptions IS 'Which event types go to which URL. A subscription is never deleted: an inactive one keeps its history (spec 3).';


--
-- Name: COLUMN webhook_subscriptions.key_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_subscriptions.key_id IS 'The key that made the subscription, which ends when the key is revoked; null for one that a person made in the console: the audit log says who.';


--
-- Name: COLUMN webhook_subscriptions.target_host; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_subscriptions.target_host IS 'The host name of the target, without the port: attempts to one host are limited over all workspaces.';


--
-- Name: COLUMN webhook_subscriptions.deactivated_reason; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_subscriptions.deactivated_reason IS 'Why it is inactive: deleted, failures (a fifth attempt failed) or key_revoked. What waits for a deleted one is cancelled, for the others it is held.';


--
-- Name: COLUMN webhook_subscriptions.failure_count; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_subscriptions.failure_count IS 'Failed attempts since the last success.';


--
-- Name: COLUMN webhook_subscriptions.slow_since; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_subscriptions.slow_since IS 'Since when its attempts time out: until it answers again, one attempt is made at a time.';


--
-- Name: COLUMN webhook_subscriptions.behind_since; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_subscriptions.behind_since IS 'Since when its events get no delivery, because too many wait (crm.fan_out_within_bound). The job webhook-catch-up makes those deliveries later, from the events.';


--
-- Name: COLUMN webhook_subscriptions.behind_position; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_subscriptions.behind_position IS 'While it is behind: the place in the feed, with behind_id, up to which every event has its delivery.';


--
-- Name: COLUMN webhook_subscriptions.behind_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_subscriptions.behind_id IS 'While it is behind: the id that belongs to behind_position.';


--
-- Name: catch_up(crm.webhook_subscriptions, timestamp with time zone); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.catch_up(s crm.webhook_subscriptions, p_deadline timestamp with time zone) RETURNS crm.caught_up
    LANGUAGE plpgsql
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET lock_timeout TO '500ms'
    AS $$
declare
  r crm.caught_up := row(s.workspace_id, s.id, s.behind_since, s.behind_position, s.behind_id, false, 0);
  v_room integer := crm.queue_room(s.workspace_id, s.id);
  -- Deliveries are kept for 30 days. Two days, as in the feed, for clocks that were set back.
  v_from uuid := crm.uuid_v7_floor(
    greatest(s.created_at, s.behind_since - interval '2 days', now() - interval '30 days')
  );
  v_step integer;
  v_seen integer;
  v_added integer;
  v_last_position bigint;
  v_last_id uuid;
begin
  while v_room > 0 and clock_timestamp() < p_deadline loop
    v_step := least(v_room, 5000);
    with next as materialized (
      select e.position, e.id, e.event = any (s.event_types) and not e.is_test as is_owed from crm.events e
      where e.workspace_id = s.workspace_id
        and (e.position, e.id) > (r.position, r.id) and e.position < crm.feed_horizon() and e.id >= v_from
      order by e.position, e.id
      limit v_step
    ),
    added as (
      insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
      select s.workspace_id, crm.delivery_id(n.id, s.id), n.id, s.id from next n where n.is_owed
      on conflict (workspace_id, id) do nothing
      returning 1
    )
    select
      (select count(*) from next), (select count(*) from added), l.position, l.id
    into v_seen, v_added, v_last_position, v_last_id
    from (select) one
    left join lateral (select n.position, n.id from next n order by n.position desc, n.id desc limit 1) l on true;

    r.position := coalesce(v_last_position, r.position);
    r.id := coalesce(v_last_id, r.id);
    r.queued := r.queued + v_added;
    v_room := v_room - v_added;
    if v_seen < v_step then
      exit when v_room = 0;
      -- Transactions that left out what is left end before this lock is given; those that come now find it taken.
      begin
        perform pg_advisory_xact_lock(crm.catch_up_lock(s.id));
      exception
        -- One of them is long. The next run tries again.
        when lock_not_available then
          exit;
      end;
      with rest as materialized (
        select e.id from crm.events e
        where e.workspace_id = s.workspace_id and (e.position, e.id) > (r.position, r.id) and e.id >= v_from
          and e.event = any (s.event_types) and not e.is_test
          and not exists (
            select from crm.webhook_deliveries d
            where d.workspace_id = s.workspace_id and d.id = crm.delivery_id(e.id, s.id)
          )
        order by e.position, e.id
        limit v_room + 1
      ),
      added as (
        insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
        select s.workspace_id, crm.delivery_id(n.id, s.id), n.id, s.id from rest n
        on conflict (workspace_id, id) do nothing
      )
      select count(*) into v_added from rest;
      r.queued := r.queued + v_added;
      r.is_done := v_added <= v_room;
      exit;
    end if;
  end loop;
  return r;
end
$$;


--
-- Name: FUNCTION catch_up(s crm.webhook_subscriptions, p_deadline timestamp with time zone); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.catch_up(s crm.webhook_subscriptions, p_deadline timestamp with time zone) IS 'Makes deliveries of the events that a subscription has not got, in the order of the feed, as many as may wait, until p_deadline. The caller records how far it came, when all are read. No row of the subscription is locked meanwhile: the record of an outcome would wait.';


--
-- Name: catch_up_lock(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.catch_up_lock(p_subscription_id uuid) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$ select crm.lock_number('catch-up of ' || p_subscription_id) $$;


--
-- Name: FUNCTION catch_up_lock(p_subscription_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.catch_up_lock(p_subscription_id uuid) IS 'The advisory lock of a subscription that is behind: shared by transactions that leave a delivery to the catch-up, until they end; exclusive for the end of the catch-up, which so sees every event that has no delivery.';


--
-- Name: catch_up_subscriptions(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.catch_up_subscriptions() RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  s crm.webhook_subscriptions;
  r crm.caught_up;
  v_all crm.caught_up[] := '{}';
  v_queued bigint := 0;
begin
  for s in
    select b.* from crm.webhook_subscriptions b where b.behind_since is not null and b.is_active order by random()
  loop
    exit when clock_timestamp() > statement_timestamp() + interval '2 s';
    -- One at a time in a workspace, as recoveries, and not beside one: two that insert the same rows could deadlock.
    continue when not pg_try_advisory_xact_lock(crm.lock_number('recovery of ' || s.workspace_id));
    r := crm.catch_up(s, statement_timestamp() + interval '2 s');
    v_all := v_all || r;
    v_queued := v_queued + r.queued;
  end loop;

  with reached as (
    select b.workspace_id, b.id, c.position as reached_position, c.id as reached_id, c.is_done
    from unnest(v_all) c
    join crm.webhook_subscriptions b on b.workspace_id = c.workspace_id and b.id = c.subscription_id
    -- Not one that was deleted meanwhile, and is active again.
    where b.behind_since = c.behind_since
    -- What is skipped is read again by the next run.
    for no key update of b skip locked
  )
  update crm.webhook_subscriptions b
  set
    behind_since = case when not c.is_done then b.behind_since end,
    behind_position = case when not c.is_done then c.reached_position end,
    behind_id = case when not c.is_done then c.reached_id end
  from reached c
  where b.workspace_id = c.workspace_id and b.id = c.id;

  if v_queued > 0 then
    perform crm.poke_dispatcher();
  end if;
  return v_queued;
end
$$;


--
-- Name: FUNCTION catch_up_subscriptions(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.catch_up_subscriptions() IS 'Catches up the subscriptions that are behind, for about 2 seconds, and returns how many deliveries it made. A run that is killed has changed nothing.';


--
-- Name: changed_fields(crm.activities, crm.activities); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.changed_fields(a crm.activities, b crm.activities) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    AS $$
  select array_remove(array[
    case when a.completed_at is distinct from b.completed_at then 'completed_at' end,
    case when a.contact_id is distinct from b.contact_id then 'contact_id' end,
    case when a.created_at is distinct from b.created_at then 'created_at' end,
    case when a.created_by_id is distinct from b.created_by_id then 'created_by_id' end,
    case when a.deal_id is distinct from b.deal_id then 'deal_id' end,
    case when a.description is distinct from b.description then 'description' end,
    case when a.due_at is distinct from b.due_at then 'due_at' end,
    case when a.duration_minutes is distinct from b.duration_minutes then 'duration_minutes' end,
    case when a.is_online_meeting is distinct from b.is_online_meeting then 'is_online_meeting' end,
    case when a.location is distinct from b.location then 'location' end,
    case when a.meeting_url is distinct from b.meeting_url then 'meeting_url' end,
    case when a.owner_id is distinct from b.owner_id then 'owner_id' end,
    case when a.status is distinct from b.status then 'status' end,
    case when a.title is distinct from b.title then 'title' end,
    case when a.type is distinct from b.type then 'type' end
  ], null)
$$;


--
-- Name: FUNCTION changed_fields(a crm.activities, b crm.activities); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.changed_fields(a crm.activities, b crm.activities) IS 'The public fields in which two versions of a row differ, in alphabetical order, without updated_at and without those that are computed.';


--
-- Name: name_key(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.name_key(p_name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
begin
  -- The ICU collation is explicit, because lower() in the database's own locale may change ASCII only (not "AÇÃO").
  return lower(normalize(btrim(p_name), nfc) collate "und-x-icu");
end
$$;


--
-- Name: FUNCTION name_key(p_name text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.name_key(p_name text) IS 'The form in which two spellings of one name are equal: trimmed, Unicode NFC, lower case.';


--
-- Name: companies; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.companies (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    name crm.record_name NOT NULL,
    name_key text GENERATED ALWAYS AS (crm.name_key((name)::text)) STORED NOT NULL,
    legal_name text,
    tax_id text,
    domain text,
    website text,
    email text,
    phone text,
    industry text,
    employee_count crm.quantity,
    linkedin text,
    instagram text,
    address jsonb,
    owner_id uuid NOT NULL,
    notes text,
    custom_fields jsonb,
    external_id crm.external_id,
    archived_at timestamp with time zone,
    merged_into_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT companies_check CHECK (((archived_at IS NOT NULL) OR (merged_into_id IS NULL)))
);

ALTER TABLE ONLY crm.companies FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE companies; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.companies IS 'Organisations that a workspace sells to.';


--
-- Name: COLUMN companies.name_key; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.companies.name_key IS 'The name in the form of crm.name_key. Searches by name compare this column.';


--
-- Name: COLUMN companies.tax_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.companies.tax_id IS 'CNPJ (alphanumeric since 2026) or another tax id, in upper case and without punctuation.';


--
-- Name: COLUMN companies.external_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.companies.external_id IS 'The caller''s own id of the company, unique in the workspace.';


--
-- Name: COLUMN companies.archived_at; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.companies.archived_at IS 'Since when lists leave the company out; also of a merged one.';


--
-- Name: COLUMN companies.merged_into_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.companies.merged_into_id IS 'The company that this one was merged into, which answers in its place.';


--
-- Name: changed_fields(crm.companies, crm.companies); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.changed_fields(a crm.companies, b crm.companies) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    AS $$
  select array_remove(array[
    case when a.address is distinct from b.address then 'address' end,
    case when a.archived_at is distinct from b.archived_at then 'archived_at' end,
    case when a.created_at is distinct from b.created_at then 'created_at' end,
    case when a.custom_fields is distinct from b.custom_fields then 'custom_fields' end,
    case when a.domain is distinct from b.domain then 'domain' end,
    case when a.email is distinct from b.email then 'email' end,
    case when a.employee_count is distinct from b.employee_count then 'employee_count' end,
    case when a.external_id is distinct from b.external_id then 'external_id' end,
    case when a.industry is distinct from b.industry then 'industry' end,
    case when a.instagram is distinct from b.instagram then 'instagram' end,
    case when a.legal_name is distinct from b.legal_name then 'legal_name' end,
    case when a.linkedin is distinct from b.linkedin then 'linkedin' end,
    case when a.merged_into_id is distinct from b.merged_into_id then 'merged_into_id' end,
    case when a.name is distinct from b.name then 'name' end,
    case when a.notes is distinct from b.notes then 'notes' end,
    case when a.owner_id is distinct from b.owner_id then 'owner_id' end,
    case when a.phone is distinct from b.phone then 'phone' end,
    case when a.tax_id is distinct from b.tax_id then 'tax_id' end,
    case when a.website is distinct from b.website then 'website' end
  ], null)
$$;


--
-- Name: FUNCTION changed_fields(a crm.companies, b crm.companies); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.changed_fields(a crm.companies, b crm.companies) IS 'The public fields in which two versions of a row differ, in alphabetical order, without updated_at and without those that are computed.';


--
-- Name: e164(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.e164(p_phone text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $_$
declare
  v_digits text := translate(p_phone, ' ()-.+', '');
  v_abroad text;
  v_brazilian text;
begin
  -- In full, as most are: each of the steps below costs as much as this one.
  if v_digits ~ '^55[1-9][1-9](?:9[0-9]{8}|[2-9][0-9]{7})$' and p_phone not like '%(0)%' then
    return '+' || v_digits;
  end if;
  v_digits := crm.digits(p_phone);
  -- What follows a + or 00. No country's code begins with 0. "+44 (0)20" shows a 0 that is dialled within the country.
  v_abroad := case
    when p_phone ~ '^[^0-9]*\+[^0-9]*[1-9]' then crm.digits(replace(p_phone, '(0)', ''))
    else substring(v_digits from '^00+([1-9]\d+)$')
  end;
  -- Area code and number: nine digits of a mobile phone, or eight. Before them, or not, the country's code, and the 0 of a
  -- long distance call, which may name a carrier.
  v_brazilian := substring(
    coalesce(v_abroad, v_digits) from '^(?:(?:55)?0?|(?:55)?0\d\d)([1-9][1-9](?:9\d{8}|[2-9]\d{7}))$'
  );
  case
    when v_abroad is null or v_abroad like '55%' then
      -- Numbers of no area, such as 0800, keep their 0 where they are dialled only.
      v_brazilian := coalesce(v_brazilian, substring(v_digits from '^(?:0*55)?0([3589]00\d{6,7})$'));
      return coalesce('+55' || v_brazilian, '+' || v_abroad, v_digits);
    else
      return '+' || v_abroad;
  end case;
end
$_$;


--
-- Name: FUNCTION e164(p_phone text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.e164(p_phone text) IS 'A phone number in E.164, so that two spellings of it are equal: a number without a country is Brazilian, and "(11) 97777-1234" is +5511977771234. A number that is neither has its digits alone; null if there are none.';


--
-- Name: contacts; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.contacts (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    name crm.record_name NOT NULL,
    email crm.contact_email,
    phone text,
    phone_e164 text GENERATED ALWAYS AS (crm.e164(phone)) STORED,
    phone2 text,
    whatsapp text,
    job_title text,
    company_id uuid,
    owner_id uuid NOT NULL,
    instagram text,
    linkedin text,
    notes text,
    custom_fields jsonb,
    external_id crm.external_id,
    archived_at timestamp with time zone,
    merged_into_id uuid,
    erased_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT contacts_check CHECK (((archived_at IS NOT NULL) OR ((merged_into_id IS NULL) AND (erased_at IS NULL))))
);

ALTER TABLE ONLY crm.contacts FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE contacts; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.contacts IS 'People that a workspace sells to.';


--
-- Name: COLUMN contacts.phone_e164; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.contacts.phone_e164 IS 'The phone in the form of crm.e164, by which contacts are found.';


--
-- Name: COLUMN contacts.external_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.contacts.external_id IS 'The caller''s own id of the contact, unique in the workspace.';


--
-- Name: COLUMN contacts.archived_at; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.contacts.archived_at IS 'Since when lists leave the contact out; also of a merged or erased one.';


--
-- Name: COLUMN contacts.merged_into_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.contacts.merged_into_id IS 'The contact that this one was merged into, which answers in its place.';


--
-- Name: COLUMN contacts.erased_at; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.contacts.erased_at IS 'When its personal fields were erased for good; the row stays for what refers to it.';


--
-- Name: changed_fields(crm.contacts, crm.contacts); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.changed_fields(a crm.contacts, b crm.contacts) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    AS $$
  select array_remove(array[
    case when a.archived_at is distinct from b.archived_at then 'archived_at' end,
    case when a.company_id is distinct from b.company_id then 'company_id' end,
    case when a.created_at is distinct from b.created_at then 'created_at' end,
    case when a.custom_fields is distinct from b.custom_fields then 'custom_fields' end,
    case when a.email is distinct from b.email then 'email' end,
    case when a.erased_at is distinct from b.erased_at then 'erased_at' end,
    case when a.external_id is distinct from b.external_id then 'external_id' end,
    case when a.instagram is distinct from b.instagram then 'instagram' end,
    case when a.job_title is distinct from b.job_title then 'job_title' end,
    case when a.linkedin is distinct from b.linkedin then 'linkedin' end,
    case when a.merged_into_id is distinct from b.merged_into_id then 'merged_into_id' end,
    case when a.name is distinct from b.name then 'name' end,
    case when a.notes is distinct from b.notes then 'notes' end,
    case when a.owner_id is distinct from b.owner_id then 'owner_id' end,
    case when a.phone is distinct from b.phone then 'phone' end,
    case when a.phone2 is distinct from b.phone2 then 'phone2' end,
    case when a.whatsapp is distinct from b.whatsapp then 'whatsapp' end
  ], null)
$$;


--
-- Name: FUNCTION changed_fields(a crm.contacts, b crm.contacts); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.changed_fields(a crm.contacts, b crm.contacts) IS 'The public fields in which two versions of a row differ, in alphabetical order, without updated_at and without those that are computed.';


--
-- Name: deals; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.deals (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    title crm.record_name NOT NULL,
    status crm.deal_status DEFAULT 'aberto'::text NOT NULL,
    value crm.amount,
    recurring_value crm.amount,
    pipeline_id uuid NOT NULL,
    stage_id uuid NOT NULL,
    contact_id uuid,
    company_id uuid,
    owner_id uuid NOT NULL,
    expected_close_date date,
    loss_reason_id uuid,
    loss_note text,
    source text,
    utm jsonb,
    custom_fields jsonb,
    external_id crm.external_id,
    lead jsonb,
    stage_changed_at timestamp with time zone DEFAULT now() NOT NULL,
    moved_at timestamp with time zone DEFAULT now() NOT NULL,
    stale_reported_for timestamp with time zone,
    stale_unreported_since timestamp with time zone GENERATED ALWAYS AS (
CASE
    WHEN (((status)::text = 'aberto'::text) AND (archived_at IS NULL) AND (stale_reported_for IS DISTINCT FROM moved_at)) THEN moved_at
    ELSE NULL::timestamp with time zone
END) STORED,
    last_activity_at timestamp with time zone,
    won_at timestamp with time zone,
    lost_at timestamp with time zone,
    closed_at timestamp with time zone,
    archived_at timestamp with time zone,
    lead_contact_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY crm.deals FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE deals; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.deals IS 'Sales in progress or closed.';


--
-- Name: COLUMN deals.external_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.deals.external_id IS 'The caller''s own id of the deal, by which the caller finds it again. Not unique: crm.lead_receipts makes leads idempotent.';


--
-- Name: COLUMN deals.lead; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.deals.lead IS 'What POST leads was sent, kept as it was while contact and deal change; null of any other deal. An insert with it emits lead.received.';


--
-- Name: COLUMN deals.moved_at; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.deals.moved_at IS 'When the deal last moved: it was changed, an activity of it was created or changed, or a note was added. updated_at cannot show that, because a note changes no field of the deal.';


--
-- Name: COLUMN deals.stale_reported_for; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.deals.stale_reported_for IS 'The moved_at for which deal.stale was last emitted. A later movement differs from it, so the event can be emitted again.';


--
-- Name: COLUMN deals.stale_unreported_since; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.deals.stale_unreported_since IS 'moved_at of an open deal in use for which deal.stale has not been emitted since; otherwise null.';


--
-- Name: COLUMN deals.archived_at; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.deals.archived_at IS 'Since when lists leave the deal out.';


--
-- Name: COLUMN deals.lead_contact_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.deals.lead_contact_id IS 'The contact that the deal had when it was given another one, if a lead made it: who sent the lead is erased from it too. It keeps the id of a contact that was merged.';


--
-- Name: changed_fields(crm.deals, crm.deals); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.changed_fields(a crm.deals, b crm.deals) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    AS $$
  select array_remove(array[
    case when a.archived_at is distinct from b.archived_at then 'archived_at' end,
    case when a.closed_at is distinct from b.closed_at then 'closed_at' end,
    case when a.company_id is distinct from b.company_id then 'company_id' end,
    case when a.contact_id is distinct from b.contact_id then 'contact_id' end,
    case when a.created_at is distinct from b.created_at then 'created_at' end,
    case when a.custom_fields is distinct from b.custom_fields then 'custom_fields' end,
    case when a.expected_close_date is distinct from b.expected_close_date then 'expected_close_date' end,
    case when a.external_id is distinct from b.external_id then 'external_id' end,
    case when a.last_activity_at is distinct from b.last_activity_at then 'last_activity_at' end,
    case when a.loss_note is distinct from b.loss_note then 'loss_note' end,
    case when a.loss_reason_id is distinct from b.loss_reason_id then 'loss_reason_id' end,
    case when a.lost_at is distinct from b.lost_at then 'lost_at' end,
    case when a.owner_id is distinct from b.owner_id then 'owner_id' end,
    case when a.pipeline_id is distinct from b.pipeline_id then 'pipeline_id' end,
    case when a.recurring_value is distinct from b.recurring_value then 'recurring_value' end,
    case when a.source is distinct from b.source then 'source' end,
    case when a.stage_changed_at is distinct from b.stage_changed_at then 'stage_changed_at' end,
    case when a.stage_id is distinct from b.stage_id then 'stage_id' end,
    case when a.status is distinct from b.status then 'status' end,
    case when a.title is distinct from b.title then 'title' end,
    case when a.utm is distinct from b.utm then 'utm' end,
    case when a.value is distinct from b.value then 'value' end,
    case when a.won_at is distinct from b.won_at then 'won_at' end
  ], null)
$$;


--
-- Name: FUNCTION changed_fields(a crm.deals, b crm.deals); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.changed_fields(a crm.deals, b crm.deals) IS 'The public fields in which two versions of a row differ, in alphabetical order, without updated_at and without those that are computed.';


--
-- Name: changes(jsonb, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.changes(p_current jsonb, p_args jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  return (
    select coalesce(jsonb_object_agg(a.key, a.value), '{}')
    from jsonb_each(p_args) a
    where a.key not in ('id', 'if_match') and p_current -> a.key is distinct from a.value
  );
end
$$;


--
-- Name: FUNCTION changes(p_current jsonb, p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.changes(p_current jsonb, p_args jsonb) IS 'The arguments of a PATCH that differ from the record. A client may send back what it read: a reference that does not change is not checked again.';


--
-- Name: changes_json(crm.change[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.changes_json(p_changes crm.change[]) RETURNS json[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  -- Each caller once: a page has few.
  v_actors jsonb := (
    select jsonb_object_agg(coalesce(k.caller_id::text, ''), crm.actor_json(k.caller_id))
    from (select distinct c.caller_id from unnest(p_changes) c) k
  );
begin
  return (
    select array_agg(json_build_object(
      'id', c.id,
      'object_type', c.object_type,
      'object_id', c.object_id,
      'action', c.action,
      'changed_fields', coalesce(c.changed_fields, '[]'),
      'actor', v_actors -> coalesce(c.caller_id::text, ''),
      'occurred_at', crm.iso(c.occurred_at)
    ))
    from unnest(p_changes) c
    where c.object_type is not null
  );
end
$$;


--
-- Name: FUNCTION changes_json(p_changes crm.change[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.changes_json(p_changes crm.change[]) IS 'Those of the changes that are shown, as the change log shows them, in their order; null if there are none.';


--
-- Name: check_active_subscriptions(uuid, text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.check_active_subscriptions(p_workspace_id uuid, p_field text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  -- Of calls at the same moment, each would count what is there without the others.
  perform pg_advisory_xact_lock(crm.lock_number('subscriptions of ' || p_workspace_id));
  -- A cap, because every write of the workspace fans out to all active subscriptions, and every claim reads them all.
  if (
    select count(*) from crm.webhook_subscriptions s where s.workspace_id = p_workspace_id and s.is_active
  ) >= 50 then
    perform api.fail('validation_error', array[p_field], 'O workspace já tem 50 assinaturas ativas, o máximo');
  end if;
end
$$;


--
-- Name: FUNCTION check_active_subscriptions(p_workspace_id uuid, p_field text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.check_active_subscriptions(p_workspace_id uuid, p_field text) IS 'Raises validation_error of that field if a workspace has 50 active subscriptions, so that there is no place for one more. Until the transaction ends, no other one of the workspace is checked.';


--
-- Name: check_args(jsonb, text[], text[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.check_args(p_args jsonb, p_required text[], p_optional text[] DEFAULT '{}'::text[]) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_field text;
  v_value jsonb;
  v_parsed record;
  v_args jsonb := '{}';
  v_errors jsonb := '[]';
begin
  for v_field, v_value in select * from jsonb_each(p_args) loop
    if v_field <> all (p_required || p_optional) then
      -- If it were ignored, a misspelt name would be reported as a change that was made.
      v_errors := v_errors || jsonb_build_object('field', v_field, 'message', 'Campo desconhecido');
    elsif v_value <> 'null' then
      v_parsed := crm.parse_argument(v_field, v_field, v_value);
      v_args := jsonb_set(v_args, array[v_field], v_parsed.value);
      v_errors := v_errors || v_parsed.errors;
    end if;
  end loop;
  foreach v_field in array p_required loop
    if not v_args ? v_field then
      v_errors := v_errors || jsonb_build_object('field', v_field, 'message', 'Campo obrigatório');
    end if;
  end loop;
  if v_errors <> '[]' then
    raise exception using errcode = 'CRM00', message = 'validation_error', detail = v_errors::text;
  end if;
  return v_args;
end
$$;


--
-- Name: FUNCTION check_args(p_args jsonb, p_required text[], p_optional text[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.check_args(p_args jsonb, p_required text[], p_optional text[]) IS 'Validates and normalizes the arguments of a verb of schema app; null is the same as absent. Raises validation_error with every field that is missing, unknown or invalid.';


--
-- Name: check_atomic_batch(jsonb[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.check_atomic_batch(p_results jsonb[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_details json := (
    select json_agg(f.detail)
    from (
      select json_build_object(
        'field', concat_ws('.', format('items[%s]', r.position - 1), d.field),
        'message', d.message,
        'id', d.id,
        'code', r.result -> 'error' ->> 'code'
      ) as detail
      from unnest(p_results) with ordinality r (result, position)
      left join lateral jsonb_to_recordset(nullif(r.result -> 'error' -> 'details', 'null'))
        d (field text, message text, id uuid) on true
      where r.result ? 'error'
      order by r.position
      limit 100
    ) f
  );
begin
  if v_details is not null then
    raise exception using errcode = 'CRM00', message = 'batch_failed', detail = v_details::text;
  end if;
end
$$;


--
-- Name: FUNCTION check_atomic_batch(p_results jsonb[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.check_atomic_batch(p_results jsonb[]) IS 'Raises batch_failed with the fields of every item that failed; an item whose error names none is named itself. The messages belong to the codes of the items.';


--
-- Name: check_health(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.check_health() RETURNS text
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  -- Bounded, because anybody may ask for the health.
  select case when exists (select from crm.stuck_deliveries(1000)) then 'degraded' else 'ok' end
$$;


--
-- Name: FUNCTION check_health(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.check_health() IS 'The state of the webhooks, for the health check: degraded if a delivery of an active subscription has been due for over a minute and the dispatcher does nothing for its workspace, because nobody wakes it or it cannot run; else ok.';


--
-- Name: check_new_subscription(uuid, text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.check_new_subscription(p_workspace_id uuid, p_field text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  perform crm.check_active_subscriptions(p_workspace_id, p_field);
  -- An inactive subscription is kept for ever, so making and deleting them without end is refused too.
  if (
    select count(*) from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id >= crm.uuid_v7_floor(now() - interval '30 days')
  ) >= 500 then
    perform api.fail('validation_error', array[p_field], 'O workspace já criou 500 assinaturas em 30 dias, o máximo');
  end if;
end
$$;


--
-- Name: FUNCTION check_new_subscription(p_workspace_id uuid, p_field text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.check_new_subscription(p_workspace_id uuid, p_field text) IS 'Raises validation_error of that field if a workspace has 50 active subscriptions, or has made 500 in 30 days.';


--
-- Name: check_subscribed(crm.webhook_subscriptions, crm.event_type); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.check_subscribed(s crm.webhook_subscriptions, p_event crm.event_type) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  if p_event <> all (s.event_types) then
    perform api.fail('validation_error', array['event_type'], 'A assinatura não tem este evento');
  end if;
end
$$;


--
-- Name: FUNCTION check_subscribed(s crm.webhook_subscriptions, p_event crm.event_type); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.check_subscribed(s crm.webhook_subscriptions, p_event crm.event_type) IS 'Raises validation_error if a subscription does not have an event, which its receiver does not expect then.';


--
-- Name: check_window(timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.check_window(p_since timestamp with time zone, p_until timestamp with time zone) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  -- Nothing has happened since: a moment that was meant in another time zone, or another year.
  if p_since > now() then
    perform api.fail('validation_error', array['since'], 'Não pode estar no futuro');
  end if;
  if p_until <= p_since then
    perform api.fail('validation_error', array['until'], 'Deve ser depois de since');
  end if;
end
$$;


--
-- Name: FUNCTION check_window(p_since timestamp with time zone, p_until timestamp with time zone); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.check_window(p_since timestamp with time zone, p_until timestamp with time zone) IS 'Raises validation_error if a window of past time begins in the future, or ends before it begins.';


--
-- Name: checks_queue(boolean, bigint, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.checks_queue(p_is_behind boolean, p_deliveries bigint, p_max_waiting integer) RETURNS boolean
    LANGUAGE sql
    AS $$ select p_is_behind or random() * p_max_waiting < p_deliveries * 10 $$;


--
-- Name: FUNCTION checks_queue(p_is_behind boolean, p_deliveries bigint, p_max_waiting integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.checks_queue(p_is_behind boolean, p_deliveries bigint, p_max_waiting integer) IS 'Whether so many deliveries must go through crm.fan_out_within_bound. Null if there is no subscription.';


--
-- Name: choose_stage(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.choose_stage(p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  select s.pipeline_id, s.stage_id into choose_stage.pipeline_id, choose_stage.stage_id
  from crm.stage_of_new_deal(p_pipeline_id, p_stage_id) s;
  -- What is null was looked for in vain: the functions that are called raise why.
  if pipeline_id is null then
    if p_pipeline_id is null then
      perform api.fail('no_default_pipeline');
    end if;
    perform crm.require_active_pipeline(p_pipeline_id);
  end if;
  if stage_id is null then
    if p_stage_id is null then
      perform crm.first_stage(pipeline_id);
    end if;
    perform crm.require_active_stage(pipeline_id, p_stage_id);
  end if;
end
$$;


--
-- Name: FUNCTION choose_stage(p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.choose_stage(p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid) IS 'The pipeline and stage of a new deal. If the call names none, they are the default pipeline and its first active stage. Raises pipeline_not_found, no_default_pipeline, stage_not_found, pipeline_has_no_stage (spec 4.1).';


--
-- Name: choose_stage_for_move(crm.deals, uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.choose_stage_for_move(p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  pipeline_id := coalesce(p_pipeline_id, p_deal.pipeline_id);
  stage_id := p_stage_id;
  -- A stage that does not change is not checked again, because it may have been deactivated since.
  if pipeline_id = p_deal.pipeline_id and stage_id = p_deal.stage_id then
    return;
  end if;
  if pipeline_id <> p_deal.pipeline_id then
    perform crm.require_active_pipeline(pipeline_id);
  end if;
  perform crm.require_active_stage(pipeline_id, stage_id);
end
$$;


--
-- Name: FUNCTION choose_stage_for_move(p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.choose_stage_for_move(p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid) IS 'The pipeline and stage for a call that names a stage of the workspace, and optionally its pipeline. Raises pipeline_not_found or stage_not_found.';


--
-- Name: choose_stage_for_update(crm.deals, uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.choose_stage_for_update(p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  if p_stage_id is null and p_pipeline_id <> p_deal.pipeline_id then
    pipeline_id := crm.require_active_pipeline(p_pipeline_id);
    stage_id := crm.first_stage(p_pipeline_id);
  else
    select s.pipeline_id, s.stage_id into choose_stage_for_update.pipeline_id, choose_stage_for_update.stage_id
    from crm.choose_stage_for_move(p_deal, p_pipeline_id, coalesce(p_stage_id, p_deal.stage_id)) s;
  end if;
end
$$;


--
-- Name: FUNCTION choose_stage_for_update(p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.choose_stage_for_update(p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid) IS 'The pipeline and stage for a PATCH: another pipeline without a stage means its first active stage. Raises the codes of crm.choose_stage_for_move, and pipeline_has_no_stage.';


--
-- Name: claim_candidates(smallint, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.claim_candidates(p_shard smallint, p_limit integer) RETURNS crm.claim_candidate[]
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
declare
  -- Each takes some steps through indexes, some 20 microseconds. More than the active subscriptions of one workspace.
  c_max_subscriptions constant integer := greatest(p_limit, 60);
  v_after uuid := (select s.last_workspace_id from crm.webhook_shards s where s.shard = p_shard);
  v_seen integer;
  v_last uuid;
  v_candidates crm.claim_candidate[];
begin
  loop
    with recursive waiting as (
      (
        select q.workspace_id, q.subscription_id, 1 as n from crm.webhook_queue q
        where q.state = 'ready' and (q.shard, q.workspace_id) > (p_shard, v_after) and q.shard <= p_shard
        order by q.shard, q.workspace_id, q.subscription_id
        limit 1
      )
      union all
      select next.workspace_id, next.subscription_id, w.n + 1
      from waiting w
      cross join lateral (
        select q.workspace_id, q.subscription_id from crm.webhook_queue q
        where q.state = 'ready'
          and (q.shard, q.workspace_id, q.subscription_id) > (p_shard, w.workspace_id, w.subscription_id)
          and q.shard <= p_shard
        order by q.shard, q.workspace_id, q.subscription_id
        limit 1
      ) next
      where w.n < c_max_subscriptions
    ),
    -- Counted for each target through an index, because the planner does not know how much is in flight.
    target as (
      select
        w.workspace_id, w.subscription_id, s.target_host, s.slow_since is not null as is_slow,
        s.is_active and not p.suspended and p.public_api as may_send,
        f.taken, f.workspace_taken,
        (
          select count(*) from crm.webhook_queue q where q.lease_until is not null and q.host = s.target_host
        ) as host_taken
      from waiting w
      join crm.webhook_subscriptions s on s.workspace_id = w.workspace_id and s.id = w.subscription_id
      join crm.workspaces p on p.id = w.workspace_id
      cross join lateral (
        select
          count(*) filter (where q.subscription_id = w.subscription_id)::integer as taken,
          count(*)::integer as workspace_taken
        from crm.webhook_queue q
        where q.state = 'leased'
          and (q.shard, q.workspace_id) >= (p_shard, w.workspace_id)
          and (q.shard, q.workspace_id) <= (p_shard, w.workspace_id)
      ) f
    ),
    -- An event can enqueue for a subscription that became inactive at the same moment.
    stray as (
      insert into crm.webhook_unsettled (workspace_id, subscription_id)
      select t.workspace_id, t.subscription_id from target t where not t.may_send
      on conflict do nothing
    ),
    candidate as (
      select
        t.workspace_id, t.subscription_id, d.delivery_id, t.target_host, t.is_slow, t.workspace_taken,
        t.taken + d.rank as subscription_rank
      from target t
      cross join lateral (
        select q.delivery_id, row_number() over (order by q.delivery_id) as rank
        from crm.webhook_queue q
        where q.state = 'ready'
          and (q.shard, q.workspace_id, q.subscription_id) >= (p_shard, t.workspace_id, t.subscription_id)
          and (q.shard, q.workspace_id, q.subscription_id) <= (p_shard, t.workspace_id, t.subscription_id)
        order by q.shard, q.workspace_id, q.subscription_id, q.delivery_id
        limit greatest(case when t.is_slow then 1 else 4 end - t.taken, 0)
      ) d
      where t.may_send and t.workspace_taken < 8 and t.host_taken < case when t.is_slow then 32 else 64 end
    ),
    ranked as (
      select
        c.*,
        c.workspace_taken
          + row_number() over (partition by c.workspace_id order by c.subscription_rank, c.delivery_id)
          as workspace_rank
      from candidate c
    ),
    chosen as (
      -- Among workspaces by chance: by age, whoever recovers old events in many workspaces would always be first.
      select r.* from ranked r where r.workspace_rank <= 8 order by r.workspace_rank, random() limit p_limit
    )
    select
      array(
        select row(
          c.workspace_id, c.subscription_id, c.delivery_id, c.target_host, c.is_slow, c.workspace_rank
        )::crm.claim_candidate
        from chosen c
      ),
      (select count(*) from waiting),
      -- Of the last workspace, perhaps not all subscriptions were seen: the next call begins with it.
      (
        select w.workspace_id from waiting w
        where w.workspace_id <> (select last.workspace_id from waiting last order by last.n desc limit 1)
        order by w.n desc
        limit 1
      )
    into v_candidates, v_seen, v_last;
    exit when v_seen > 0 or v_after = '00000000-0000-0000-0000-000000000000';
    v_after := '00000000-0000-0000-0000-000000000000';
  end loop;

  v_last := case when v_seen < c_max_subscriptions then '00000000-0000-0000-0000-000000000000' else v_last end;
  update crm.webhook_shards s set last_workspace_id = v_last where s.shard = p_shard and s.last_workspace_id <> v_last;
  return v_candidates;
end
$$;


--
-- Name: FUNCTION claim_candidates(p_shard smallint, p_limit integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.claim_candidates(p_shard smallint, p_limit integer) IS 'Ready deliveries of a shard that may be claimed, p_limit at most: 4 in flight for a subscription (1 while it is slow), 8 for a workspace; workspaces take turns, in no order, and each gets its oldest events first. Looks at p_limit subscriptions, at least 60; the next call begins behind them. The caller has locked the shard.';


--
-- Name: company_filled(crm.companies, crm.companies); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_filled(t crm.companies, other crm.companies) RETURNS crm.companies
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  t.legal_name := coalesce(t.legal_name, other.legal_name);
  t.tax_id := coalesce(t.tax_id, other.tax_id);
  t.domain := coalesce(t.domain, other.domain);
  t.website := coalesce(t.website, other.website);
  t.email := coalesce(t.email, other.email);
  t.phone := coalesce(t.phone, other.phone);
  t.industry := coalesce(t.industry, other.industry);
  t.employee_count := coalesce(t.employee_count, other.employee_count);
  t.linkedin := coalesce(t.linkedin, other.linkedin);
  t.instagram := coalesce(t.instagram, other.instagram);
  t.address := coalesce(t.address, other.address);
  t.notes := coalesce(t.notes, other.notes);
  t.custom_fields := crm.filled_custom_fields(t.custom_fields, other.custom_fields);
  t.external_id := coalesce(t.external_id, other.external_id);
  return t;
end
$$;


--
-- Name: FUNCTION company_filled(t crm.companies, other crm.companies); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_filled(t crm.companies, other crm.companies) IS 'The first record, with the values of the second one in the fields that are empty.';


--
-- Name: company_insert(crm.companies[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_insert(p_rows crm.companies[]) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_ids uuid[];
begin
  with made as (
    insert into crm.companies as new (
      workspace_id, name, legal_name, tax_id, domain, website, email, phone, industry, employee_count,
      linkedin, instagram, address, owner_id, notes, custom_fields, external_id
    )
    select
      crm.current_workspace_id(), t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone,
      t.industry, t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields,
      t.external_id
    from unnest(p_rows) t
    returning new.id
  )
  select array_agg(m.id) into v_ids from made m;
  return v_ids;
end
$$;


--
-- Name: FUNCTION company_insert(p_rows crm.companies[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_insert(p_rows crm.companies[]) IS 'Creates records in the caller''s workspace; returns their ids, in the order of the rows.';


--
-- Name: company_insert(crm.companies); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_insert(t crm.companies) RETURNS crm.companies
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  insert into crm.companies as new (
    workspace_id, name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin,
    instagram, address, owner_id, notes, custom_fields, external_id
  )
  values (
    crm.current_workspace_id(), t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone,
    t.industry, t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields,
    t.external_id
  )
  returning new.* into t;
  return t;
end
$$;


--
-- Name: FUNCTION company_insert(t crm.companies); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_insert(t crm.companies) IS 'Creates the record in the caller''s workspace and returns it.';


--
-- Name: company_json(crm.companies); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_json(t crm.companies) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry,
    t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.external_id,
    crm.iso(t.archived_at), t.merged_into_id, crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.company)
$$;


--
-- Name: FUNCTION company_json(t crm.companies); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_json(t crm.companies) IS 'A row as public JSON, with the fields of api.company.';


--
-- Name: company_json_if_short(crm.companies); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_json_if_short(t crm.companies) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select case when coalesce(pg_column_size(t.address), 0) + coalesce(octet_length(t.notes), 0) + coalesce(pg_column_size(t.custom_fields), 0) <= 4000
    and pg_column_compression(t.address) is null
    and pg_column_compression(t.custom_fields) is null
    then crm.company_json(t)
  end
$$;


--
-- Name: FUNCTION company_json_if_short(t crm.companies); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_json_if_short(t crm.companies) IS 'crm.company_json, or null if the row may be long: crm.company_page makes those, so that a page can end before them.';


--
-- Name: company_kept_search(jsonb, uuid, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer DEFAULT 250, OUT ids uuid[], OUT next_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_words text[] := crm.search_words(p_args ->> 'q');
  v_name text := case when p_args ? 'name' then coalesce(crm.name_key(p_args ->> 'name'), '') end;
  v_tax_id text := p_args ->> 'tax_id';
  v_domain text := p_args ->> 'domain';
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_found record;
begin
  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'archived' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < p_before
        and t.id >= p_from
        and t.archived_at is not null
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_archived = 'true'
    union all
    select 'name' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.name_key, t.id) < (v_name, p_before)
        and t.name_key >= v_name
        and t.name_key = any (array[v_name])
        and t.id < p_before
        and t.id >= p_from
      order by t.name_key desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_name is not null
    union all
    select 'tax_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.tax_id, t.id) < (v_tax_id, p_before)
        and t.tax_id >= v_tax_id
        and t.tax_id = any (array[v_tax_id])
        and t.id < p_before
        and t.id >= p_from
        and t.tax_id is not null
      order by t.tax_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_tax_id is not null
    union all
    select 'domain' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.domain, t.id) < (v_domain, p_before)
        and t.domain >= v_domain
        and t.domain = any (array[v_domain])
        and t.id < p_before
        and t.id >= p_from
        and t.domain is not null
      order by t.domain desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_domain is not null
    union all
    select 'owner_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < (v_owner_id, p_before)
        and t.owner_id >= v_owner_id
        and t.owner_id = any (array[v_owner_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.owner_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_owner_id is not null
    union all
    select 'external_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.external_id = v_external_id
        and (t.external_id, t.id) < (v_external_id, p_before)
        and (t.external_id, t.id) >= (v_external_id, p_from)
      order by t.external_id desc
      offset p_step limit 1
    ) as reach
    where v_external_id is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  ids := '{}';
  for v_round in 1 .. 2 loop
    if v_by = 'all' then
      -- The texts are read first, because few records have the words.
      select array_agg(w.id order by w.id desc), array_agg(w.id order by w.id desc) filter (
        where t.id is not null
          and (v_name is null or t.name_key = v_name)
          and (v_tax_id is null or t.tax_id = v_tax_id)
          and (v_domain is null or t.domain = v_domain)
          and (v_owner_id is null or t.owner_id = v_owner_id)
          and (v_external_id is null or t.external_id = v_external_id)
          and (v_archived is distinct from 'false' or t.archived_at is null)
          and (v_archived is distinct from 'true' or t.archived_at is not null)
          and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
      )
      into v_walked, v_matches
      from (
        select x.id, case when not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0) then x.id end as found
        from crm.search_texts x
        where x.workspace_id = crm.current_workspace_id() and x.record = 'company'
          and x.id < v_before
          and x.id >= p_from
        order by x.id desc
        limit v_rows
      ) w
      left join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = w.found;
    else
      select array_agg(t.id), array_agg(t.id) filter (
        where (v_name is null or t.name_key = v_name)
          and (v_tax_id is null or t.tax_id = v_tax_id)
          and (v_domain is null or t.domain = v_domain)
          and (v_owner_id is null or t.owner_id = v_owner_id)
          and (v_external_id is null or t.external_id = v_external_id)
          and (v_archived is distinct from 'false' or t.archived_at is null)
          and (v_archived is distinct from 'true' or t.archived_at is not null)
          and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
          and exists (
            select from crm.search_texts x
            where x.workspace_id = crm.current_workspace_id() and x.record = 'company' and x.id = t.id
              and not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0)
          )
      )
      into v_walked, v_matches
      from (
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'archived'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'name'
          and t.workspace_id = crm.current_workspace_id()
          and (t.name_key, t.id) < (v_name, v_before)
          and t.name_key >= v_name
          and t.name_key = any (array[v_name])
          and t.id < v_before
          and t.id >= p_from
        order by t.name_key desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'tax_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.tax_id, t.id) < (v_tax_id, v_before)
          and t.tax_id >= v_tax_id
          and t.tax_id = any (array[v_tax_id])
          and t.id < v_before
          and t.id >= p_from
          and t.tax_id is not null
        order by t.tax_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'domain'
          and t.workspace_id = crm.current_workspace_id()
          and (t.domain, t.id) < (v_domain, v_before)
          and t.domain >= v_domain
          and t.domain = any (array[v_domain])
          and t.id < v_before
          and t.id >= p_from
          and t.domain is not null
        order by t.domain desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'owner_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, v_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'external_id'
          and t.workspace_id = crm.current_workspace_id()
          and t.external_id = v_external_id
          and (t.external_id, t.id) < (v_external_id, v_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc
        limit v_rows
      )
      ) t;
    end if;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    -- Twice as many as fill the page, if the words are as frequent there. Fewer for a long search: comparing takes as long as
    -- the words are long.
    v_rows := least(
      4 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')),
      2 * p_step * (v_limit + 1 - cardinality(ids)) / greatest(cardinality(ids), 1)
    );
    -- Few of the newest records have the words. The index has the others, as far as they are few.
    select * into v_found from crm.search(
      'company', v_words, v_before, p_from, p_step,
      -- Without another filter nearly all of them match.
      case when p_args - '{q,limit,cursor,since,until}'::text[] = '{}'
        then greatest(v_limit + 51 - cardinality(ids), 1) else 2 * p_step
      end
    );
    -- In the order of the ids that were found: by the records' own, the planner would read them all in that order.
    v_matches := array(
      select t.id
      from unnest(v_found.ids) with ordinality f (id, position)
      join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = f.id
      where (v_name is null or t.name_key = v_name)
          and (v_tax_id is null or t.tax_id = v_tax_id)
          and (v_domain is null or t.domain = v_domain)
          and (v_owner_id is null or t.owner_id = v_owner_id)
          and (v_external_id is null or t.external_id = v_external_id)
          and (v_archived is distinct from 'false' or t.archived_at is null)
          and (v_archived is distinct from 'true' or t.archived_at is not null)
          and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
      order by f.position
    );
    ids := ids || v_matches;
    next_id := v_found.next_id;
    exit when next_id is null or cardinality(ids) > v_limit or not v_found.is_common;
    v_before := next_id;
  end loop;
end
$$;


--
-- Name: FUNCTION company_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) IS 'The ids of a page of api.company_list with `q` by the texts that are kept, more than its limit if there are as many. It looks through at most 5 * p_step rows, and finds others by crm.search; next_id is where the next page continues if there may be others.';


--
-- Name: company_list_by(jsonb, uuid, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer DEFAULT 250, OUT ids uuid[], OUT next_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_name text := case when p_args ? 'name' then coalesce(crm.name_key(p_args ->> 'name'), '') end;
  v_tax_id text := p_args ->> 'tax_id';
  v_domain text := p_args ->> 'domain';
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_ranges text[] := array_remove(array[
    case when p_args ?| array['updated_since'] then 'updated_at' end
  ], null);
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_range text;
  v_in_range uuid[];
  -- Whether no other filter was sent, so that nearly all rows in the range match.
  v_alone boolean;
  v_newer integer;
begin
  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'archived' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < p_before
        and t.id >= p_from
        and t.archived_at is not null
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_archived = 'true'
    union all
    select 'name' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.name_key, t.id) < (v_name, p_before)
        and t.name_key >= v_name
        and t.name_key = any (array[v_name])
        and t.id < p_before
        and t.id >= p_from
      order by t.name_key desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_name is not null
    union all
    select 'tax_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.tax_id, t.id) < (v_tax_id, p_before)
        and t.tax_id >= v_tax_id
        and t.tax_id = any (array[v_tax_id])
        and t.id < p_before
        and t.id >= p_from
        and t.tax_id is not null
      order by t.tax_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_tax_id is not null
    union all
    select 'domain' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.domain, t.id) < (v_domain, p_before)
        and t.domain >= v_domain
        and t.domain = any (array[v_domain])
        and t.id < p_before
        and t.id >= p_from
        and t.domain is not null
      order by t.domain desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_domain is not null
    union all
    select 'owner_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < (v_owner_id, p_before)
        and t.owner_id >= v_owner_id
        and t.owner_id = any (array[v_owner_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.owner_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_owner_id is not null
    union all
    select 'external_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.external_id = v_external_id
        and (t.external_id, t.id) < (v_external_id, p_before)
        and (t.external_id, t.id) >= (v_external_id, p_from)
      order by t.external_id desc
      offset p_step limit 1
    ) as reach
    where v_external_id is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  ids := '{}';
  for v_round in 1 .. 2 loop
    select array_agg(t.id), array_agg(t.id) filter (
      where (v_name is null or t.name_key = v_name)
        and (v_tax_id is null or t.tax_id = v_tax_id)
        and (v_domain is null or t.domain = v_domain)
        and (v_owner_id is null or t.owner_id = v_owner_id)
        and (v_external_id is null or t.external_id = v_external_id)
        and (v_archived is distinct from 'false' or t.archived_at is null)
        and (v_archived is distinct from 'true' or t.archived_at is not null)
        and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
    )
    into v_walked, v_matches
    from (
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'all'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'archived'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'name'
          and t.workspace_id = crm.current_workspace_id()
          and (t.name_key, t.id) < (v_name, v_before)
          and t.name_key >= v_name
          and t.name_key = any (array[v_name])
          and t.id < v_before
          and t.id >= p_from
        order by t.name_key desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'tax_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.tax_id, t.id) < (v_tax_id, v_before)
          and t.tax_id >= v_tax_id
          and t.tax_id = any (array[v_tax_id])
          and t.id < v_before
          and t.id >= p_from
          and t.tax_id is not null
        order by t.tax_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'domain'
          and t.workspace_id = crm.current_workspace_id()
          and (t.domain, t.id) < (v_domain, v_before)
          and t.domain >= v_domain
          and t.domain = any (array[v_domain])
          and t.id < v_before
          and t.id >= p_from
          and t.domain is not null
        order by t.domain desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'owner_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, v_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'external_id'
          and t.workspace_id = crm.current_workspace_id()
          and t.external_id = v_external_id
          and (t.external_id, t.id) < (v_external_id, v_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at
        from unnest(v_in_range[:v_rows]) with ordinality chosen (id, position)
        join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        where v_by = 'range'
        order by chosen.position
      )
    ) t;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    v_rows := 4 * p_step;
    -- Few rows of the first round match. A range of few rows is walked instead, if it has no more rows where the first
    -- round was.
    foreach v_range in array v_ranges loop
      case v_range
        when 'updated_at' then
          v_alone := p_args - '{limit,cursor,since,until,updated_since,archived}'::text[] = '{}' and v_archived <> 'true';
          v_in_range := array(
            select t.id from crm.companies t
            where t.workspace_id = crm.current_workspace_id()
              and t.updated_at >= v_updated_since
            order by t.updated_at desc
            limit 10 * p_step + 1
          );
      end case;
      continue when cardinality(v_in_range) > 10 * p_step;
      select array_agg(r.id order by r.id desc) filter (where r.id < v_before),
        count(*) filter (where r.id >= v_before and r.id < p_before)
      into v_in_range, v_newer
      from unnest(v_in_range) r (id)
      where r.id >= p_from;
      if v_newer <= p_step then
        if v_alone and v_archived = 'any' then
          ids := ids || v_in_range[:v_limit + 1];
          next_id := null;
          return;
        elsif v_alone then
          v_rows := least(v_rows, v_limit + 51);
        end if;
        v_by := 'range';
        exit;
      end if;
    end loop;
  end loop;
end
$$;


--
-- Name: FUNCTION company_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) IS 'The ids of a page of api.company_list, more than its limit if there are as many, for any combination of its filters. It looks through at most 5 * p_step rows; next_id is the last of them if there may be others.';


--
-- Name: company_lock(uuid, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_lock(p_id uuid, p_if_match jsonb DEFAULT NULL::jsonb) RETURNS crm.companies
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.companies;
begin
  select * into t from crm.companies r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then
    perform api.fail('not_found');
  end if;
  if t.merged_into_id is not null then
    perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]);
  end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.company_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;


--
-- Name: FUNCTION company_lock(p_id uuid, p_if_match jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_lock(p_id uuid, p_if_match jsonb) IS 'Locks the record until the transaction ends, so that concurrent changes of different fields are all kept, and returns it. Raises not_found, record_merged; precondition_failed if p_if_match, a list of versions, has not the record''s.';


--
-- Name: company_match(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_match(p_args jsonb) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
    when 'external_id' then
      return array(
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and t.external_id = p_args ->> 'external_id'
          and (t.external_id, t.id) < (p_args ->> 'external_id', v_beyond)
          and (t.external_id, t.id) >= (p_args ->> 'external_id', v_first)
          and t.merged_into_id is null
        order by t.external_id
        limit 100
      );
    when 'tax_id' then
      return array(
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and (t.tax_id, t.id) < (p_args ->> 'tax_id', v_beyond)
          and t.tax_id >= p_args ->> 'tax_id'
          and t.tax_id = any (array[p_args ->> 'tax_id'])
          and t.id < v_beyond
          and t.id >= v_first
          and t.tax_id is not null
          and t.archived_at is null
        order by t.tax_id, t.id
        limit 100
      );
    when 'domain' then
      return array(
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and (t.domain, t.id) < (p_args ->> 'domain', v_beyond)
          and t.domain >= p_args ->> 'domain'
          and t.domain = any (array[p_args ->> 'domain'])
          and t.id < v_beyond
          and t.id >= v_first
          and t.domain is not null
          and t.archived_at is null
        order by t.domain, t.id
        limit 100
      );
  end case;
end
$$;


--
-- Name: FUNCTION company_match(p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_match(p_args jsonb) IS 'The records with the value of the field in match_by, oldest first, 100 at most: those in use; by external_id also archived ones. Never one that was merged.';


--
-- Name: company_merged(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_merged(p_args jsonb) RETURNS SETOF crm.companies
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
    when 'external_id' then
      return query
      select t.* from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.external_id = p_args ->> 'external_id'
        and (t.external_id, t.id) < (p_args ->> 'external_id', v_beyond)
        and (t.external_id, t.id) >= (p_args ->> 'external_id', v_first)
        and t.merged_into_id is not null
      order by t.external_id
      limit 100;
    when 'tax_id' then
      return query
      select t.* from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.tax_id, t.id) < (p_args ->> 'tax_id', v_beyond)
        and t.tax_id >= p_args ->> 'tax_id'
        and t.tax_id = any (array[p_args ->> 'tax_id'])
        and t.id < v_beyond
        and t.id >= v_first
        and t.tax_id is not null
        and t.merged_into_id is not null
      order by t.tax_id, t.id
      limit 100;
    when 'domain' then
      return query
      select t.* from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.domain, t.id) < (p_args ->> 'domain', v_beyond)
        and t.domain >= p_args ->> 'domain'
        and t.domain = any (array[p_args ->> 'domain'])
        and t.id < v_beyond
        and t.id >= v_first
        and t.domain is not null
        and t.merged_into_id is not null
      order by t.domain, t.id
      limit 100;
  end case;
end
$$;


--
-- Name: FUNCTION company_merged(p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_merged(p_args jsonb) IS 'The records that were merged into another one and have the value of the field in match_by, oldest first, 100 at most. Asked where no record in use has it.';


--
-- Name: company_new(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_new(p_args jsonb) RETURNS crm.companies
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_company crm.companies := jsonb_populate_record(null::crm.companies, crm.require_references(p_args));
begin
  v_company.owner_id := crm.owner_or_default(v_company.owner_id);
  return v_company;
end
$$;


--
-- Name: FUNCTION company_new(p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_new(p_args jsonb) IS 'The company to insert for the arguments of a creation; raises invalid_reference, no_owner_available (spec 4.6).';


--
-- Name: company_page(uuid[], json[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_page(p_ids uuid[], p_records json[]) RETURNS json[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_record json;
  v_records json[];
  v_bytes integer := 0;
begin
  for v_position in 1 .. cardinality(p_ids) loop
    v_record := p_records[v_position];
    if v_record is null then
      select crm.company_json(t) into v_record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
    end if;
    v_bytes := v_bytes + pg_column_size(v_record);
    -- One record is shown however long it is, because the next page would begin with it again.
    exit when v_bytes > crm.max_page_bytes() and v_position > 1;
    v_records := v_records || v_record;
  end loop;
  return v_records;
end
$$;


--
-- Name: FUNCTION company_page(p_ids uuid[], p_records json[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_page(p_ids uuid[], p_records json[]) IS 'The records of a page that may be too long: those that are null are made one by one, until the page has its maximum of bytes.';


--
-- Name: company_save(crm.companies); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_save(t crm.companies) RETURNS crm.companies
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  update crm.companies as saved
  set (
    name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin, instagram,
    address, owner_id, notes, custom_fields, external_id
  ) = (
    t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry, t.employee_count,
    t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.external_id
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;


--
-- Name: FUNCTION company_save(t crm.companies); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_save(t crm.companies) IS 'Writes the fields of the record that can change, and returns the row as it is then.';


--
-- Name: company_search(jsonb, uuid, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer DEFAULT 250, OUT ids uuid[], OUT next_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_name text := case when p_args ? 'name' then coalesce(crm.name_key(p_args ->> 'name'), '') end;
  v_tax_id text := p_args ->> 'tax_id';
  v_domain text := p_args ->> 'domain';
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_by text;
  v_before uuid := p_before;
  -- The texts that are made and compared one by one. Fewer for a long search, as in crm.company_kept_search.
  v_rows integer := greatest(2 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')), 1);
  -- The records whose text is not kept yet, or not as it is now.
  v_pending uuid[] := crm.pending_texts('company', 16 * p_step);
  v_words text[];
begin
  if v_pending is null then
    -- Too many to tell which they are: all that is walked counts as one of them.
    -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
    select w.name into v_by
    from (
      select 'archived' as name, (
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and t.id < p_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        offset p_step limit 1
      ) as reach
      where v_archived = 'true'
      union all
      select 'name' as name, (
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and (t.name_key, t.id) < (v_name, p_before)
          and t.name_key >= v_name
          and t.name_key = any (array[v_name])
          and t.id < p_before
          and t.id >= p_from
        order by t.name_key desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_name is not null
      union all
      select 'tax_id' as name, (
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and (t.tax_id, t.id) < (v_tax_id, p_before)
          and t.tax_id >= v_tax_id
          and t.tax_id = any (array[v_tax_id])
          and t.id < p_before
          and t.id >= p_from
          and t.tax_id is not null
        order by t.tax_id desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_tax_id is not null
      union all
      select 'domain' as name, (
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and (t.domain, t.id) < (v_domain, p_before)
          and t.domain >= v_domain
          and t.domain = any (array[v_domain])
          and t.id < p_before
          and t.id >= p_from
          and t.domain is not null
        order by t.domain desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_domain is not null
      union all
      select 'owner_id' as name, (
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, p_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < p_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_owner_id is not null
      union all
      select 'external_id' as name, (
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and t.external_id = v_external_id
          and (t.external_id, t.id) < (v_external_id, p_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc
        offset p_step limit 1
      ) as reach
      where v_external_id is not null
    ) w
    order by w.reach nulls first
    limit 1;
    v_by := coalesce(v_by, 'all');
    select array_agg(t.id) into v_pending
    from (
      (
        select t.id from crm.companies t
        where v_by = 'all'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.companies t
        where v_by = 'archived'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.companies t
        where v_by = 'name'
          and t.workspace_id = crm.current_workspace_id()
          and (t.name_key, t.id) < (v_name, v_before)
          and t.name_key >= v_name
          and t.name_key = any (array[v_name])
          and t.id < v_before
          and t.id >= p_from
        order by t.name_key desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.companies t
        where v_by = 'tax_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.tax_id, t.id) < (v_tax_id, v_before)
          and t.tax_id >= v_tax_id
          and t.tax_id = any (array[v_tax_id])
          and t.id < v_before
          and t.id >= p_from
          and t.tax_id is not null
        order by t.tax_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.companies t
        where v_by = 'domain'
          and t.workspace_id = crm.current_workspace_id()
          and (t.domain, t.id) < (v_domain, v_before)
          and t.domain >= v_domain
          and t.domain = any (array[v_domain])
          and t.id < v_before
          and t.id >= p_from
          and t.domain is not null
        order by t.domain desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.companies t
        where v_by = 'owner_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, v_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.companies t
        where v_by = 'external_id'
          and t.workspace_id = crm.current_workspace_id()
          and t.external_id = v_external_id
          and (t.external_id, t.id) < (v_external_id, v_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc
        limit v_rows
      )
    ) t;
  else
    select s.ids, s.next_id into ids, next_id
    from crm.company_kept_search(p_args, p_before, p_from, p_step) s;
    if v_pending = '{}' then
      return;
    end if;
  end if;
  v_words := crm.search_words(p_args ->> 'q');
  v_pending := array(
    select p.id from unnest(v_pending) p (id)
    where p.id < p_before and p.id >= coalesce(next_id, p_from)
    order by p.id desc
    limit v_rows
  );
  next_id := coalesce(v_pending[v_rows], next_id);
  ids := array(
    select m.id
    from (
      (
        select k.id from unnest(ids) k (id) where k.id >= coalesce(next_id, p_from)
        except
        select p.id from unnest(v_pending) p (id)
      )
      union all
      select t.id
      from unnest(v_pending) p (id)
      join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = p.id
      cross join lateral (select crm.company_text(t) as text offset 0) x
      where (v_name is null or t.name_key = v_name)
        and (v_tax_id is null or t.tax_id = v_tax_id)
        and (v_domain is null or t.domain = v_domain)
        and (v_owner_id is null or t.owner_id = v_owner_id)
        and (v_external_id is null or t.external_id = v_external_id)
        and (v_archived is distinct from 'false' or t.archived_at is null)
        and (v_archived is distinct from 'true' or t.archived_at is not null)
        and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
        and not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0)
    ) m
    order by m.id desc
  );
end
$$;


--
-- Name: FUNCTION company_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) IS 'The ids of a page of api.company_list with `q`, more than its limit if there are as many: those of crm.company_kept_search, and of what changed since its text was kept those that have the words now. Of these it compares at most 2 * p_step; where there are too many to be known, it walks as many rows instead. next_id is where the next page continues if there may be others.';


--
-- Name: company_survivor(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_survivor(p_id uuid) RETURNS crm.companies
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.companies;
begin
  loop
    -- Waits for a merge of this record, and then sees into which one.
    select r.* into t from crm.companies r
    where r.workspace_id = crm.current_workspace_id() and r.id = p_id
    for key share;
    exit when t.merged_into_id is null;
    p_id := t.merged_into_id;
  end loop;
  return t;
end
$$;


--
-- Name: FUNCTION company_survivor(p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_survivor(p_id uuid) IS 'The record that stays of those that were merged with this one, locked until the transaction ends, so that it is neither merged meanwhile. It may be archived.';


--
-- Name: company_text(crm.companies); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.company_text(t crm.companies) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$ select crm.search_text(array[t.name, t.legal_name, t.tax_id, t.domain, t.email, t.external_id, crm.spelled_tax_id(t.tax_id)], array[t.phone]::text[]) $$;


--
-- Name: FUNCTION company_text(t crm.companies); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.company_text(t crm.companies) IS 'What is searched of the record.';


--
-- Name: contact_erase(uuid, uuid[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_erase(p_workspace_id uuid, p_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  update crm.contacts r
  set (
    name, email, phone, phone2, whatsapp, job_title, company_id, instagram, linkedin, notes, custom_fields,
    external_id, archived_at, erased_at
  ) = (
    'Contato apagado', null, null, null, null, null, null, null, null, null, null, null,
    coalesce(r.archived_at, now()), now()
  )
  where r.workspace_id = p_workspace_id and r.id = any (p_ids) and r.erased_at is null;
end
$$;


--
-- Name: FUNCTION contact_erase(p_workspace_id uuid, p_ids uuid[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_erase(p_workspace_id uuid, p_ids uuid[]) IS 'Clears every field of the records that a client can write, but for the owner. The rows stay, for what refers to them.';


--
-- Name: contact_filled(crm.contacts, crm.contacts); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_filled(t crm.contacts, other crm.contacts) RETURNS crm.contacts
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  t.email := coalesce(t.email, other.email);
  t.phone := coalesce(t.phone, other.phone);
  t.phone2 := coalesce(t.phone2, other.phone2);
  t.whatsapp := coalesce(t.whatsapp, other.whatsapp);
  t.job_title := coalesce(t.job_title, other.job_title);
  t.company_id := coalesce(t.company_id, other.company_id);
  t.instagram := coalesce(t.instagram, other.instagram);
  t.linkedin := coalesce(t.linkedin, other.linkedin);
  t.notes := coalesce(t.notes, other.notes);
  t.custom_fields := crm.filled_custom_fields(t.custom_fields, other.custom_fields);
  t.external_id := coalesce(t.external_id, other.external_id);
  return t;
end
$$;


--
-- Name: FUNCTION contact_filled(t crm.contacts, other crm.contacts); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_filled(t crm.contacts, other crm.contacts) IS 'The first record, with the values of the second one in the fields that are empty.';


--
-- Name: contact_insert(crm.contacts[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_insert(p_rows crm.contacts[]) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_ids uuid[];
begin
  with made as (
    insert into crm.contacts as new (
      workspace_id, name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram,
      linkedin, notes, custom_fields, external_id
    )
    select
      crm.current_workspace_id(), t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id,
      t.owner_id, t.instagram, t.linkedin, t.notes, t.custom_fields, t.external_id
    from unnest(p_rows) t
    returning new.id
  )
  select array_agg(m.id) into v_ids from made m;
  return v_ids;
end
$$;


--
-- Name: FUNCTION contact_insert(p_rows crm.contacts[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_insert(p_rows crm.contacts[]) IS 'Creates records in the caller''s workspace; returns their ids, in the order of the rows.';


--
-- Name: contact_insert(crm.contacts); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_insert(t crm.contacts) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_id uuid;
begin
  insert into crm.contacts as new (
    workspace_id, name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin,
    notes, custom_fields, external_id
  )
  values (
    crm.current_workspace_id(), t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id,
    t.owner_id, t.instagram, t.linkedin, t.notes, t.custom_fields, t.external_id
  )
  returning new.id into v_id;
  return v_id;
end
$$;


--
-- Name: FUNCTION contact_insert(t crm.contacts); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_insert(t crm.contacts) IS 'Creates the record in the caller''s workspace and returns its id.';


--
-- Name: contact_json(crm.contacts); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_json(t crm.contacts) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id,
    t.owner_id, t.instagram, t.linkedin, t.notes, t.custom_fields, t.external_id, crm.iso(t.archived_at),
    t.merged_into_id, crm.iso(t.erased_at), crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.contact)
$$;


--
-- Name: FUNCTION contact_json(t crm.contacts); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_json(t crm.contacts) IS 'A row as public JSON, with the fields of api.contact.';


--
-- Name: contact_json_if_short(crm.contacts); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_json_if_short(t crm.contacts) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select case when coalesce(octet_length(t.notes), 0) + coalesce(pg_column_size(t.custom_fields), 0) <= 4000
    and pg_column_compression(t.custom_fields) is null
    then crm.contact_json(t)
  end
$$;


--
-- Name: FUNCTION contact_json_if_short(t crm.contacts); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_json_if_short(t crm.contacts) IS 'crm.contact_json, or null if the row may be long: crm.contact_page makes those, so that a page can end before them.';


--
-- Name: contact_kept_search(jsonb, uuid, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer DEFAULT 250, OUT ids uuid[], OUT next_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_words text[] := crm.search_words(p_args ->> 'q');
  v_email text := p_args ->> 'email';
  v_phone text := case when p_args ? 'phone' then coalesce(crm.e164(p_args ->> 'phone'), '') end;
  v_company_id uuid := (p_args ->> 'company_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_found record;
begin
  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'archived' as name, (
      select t.id from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < p_before
        and t.id >= p_from
        and t.archived_at is not null
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_archived = 'true'
    union all
    select 'email' as name, (
      select t.id from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and (t.email, t.id) < (v_email, p_before)
        and t.email >= v_email
        and t.email = any (array[v_email])
        and t.id < p_before
        and t.id >= p_from
      order by t.email desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_email is not null
    union all
    select 'phone' as name, (
      select t.id from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and (t.phone_e164, t.id) < (v_phone, p_before)
        and t.phone_e164 >= v_phone
        and t.phone_e164 = any (array[v_phone])
        and t.id < p_before
        and t.id >= p_from
      order by t.phone_e164 desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_phone is not null
    union all
    select 'company_id' as name, (
      select t.id from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and (t.company_id, t.id) < (v_company_id, p_before)
        and t.company_id >= v_company_id
        and t.company_id = any (array[v_company_id])
        and t.id < p_before
        and t.id >= p_from
        and t.company_id is not null
      order by t.company_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_company_id is not null
    union all
    select 'external_id' as name, (
      select t.id from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and t.external_id = v_external_id
        and (t.external_id, t.id) < (v_external_id, p_before)
        and (t.external_id, t.id) >= (v_external_id, p_from)
      order by t.external_id desc
      offset p_step limit 1
    ) as reach
    where v_external_id is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  ids := '{}';
  for v_round in 1 .. 2 loop
    if v_by = 'all' then
      -- The texts are read first, because few records have the words.
      select array_agg(w.id order by w.id desc), array_agg(w.id order by w.id desc) filter (
        where t.id is not null
          and (v_email is null or t.email = v_email)
          and (v_phone is null or t.phone_e164 = v_phone)
          and (v_company_id is null or t.company_id = v_company_id)
          and (v_external_id is null or t.external_id = v_external_id)
          and (v_archived is distinct from 'false' or t.archived_at is null)
          and (v_archived is distinct from 'true' or t.archived_at is not null)
          and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
      )
      into v_walked, v_matches
      from (
        select x.id, case when not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0) then x.id end as found
        from crm.search_texts x
        where x.workspace_id = crm.current_workspace_id() and x.record = 'contact'
          and x.id < v_before
          and x.id >= p_from
        order by x.id desc
        limit v_rows
      ) w
      left join crm.contacts t on t.workspace_id = crm.current_workspace_id() and t.id = w.found;
    else
      select array_agg(t.id), array_agg(t.id) filter (
        where (v_email is null or t.email = v_email)
          and (v_phone is null or t.phone_e164 = v_phone)
          and (v_company_id is null or t.company_id = v_company_id)
          and (v_external_id is null or t.external_id = v_external_id)
          and (v_archived is distinct from 'false' or t.archived_at is null)
          and (v_archived is distinct from 'true' or t.archived_at is not null)
          and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
          and exists (
            select from crm.search_texts x
            where x.workspace_id = crm.current_workspace_id() and x.record = 'contact' and x.id = t.id
              and not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0)
          )
      )
      into v_walked, v_matches
      from (
      (
        select t.id, t.email, t.phone_e164, t.company_id, t.external_id, t.updated_at, t.archived_at from crm.contacts t
        where v_by = 'archived'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.email, t.phone_e164, t.company_id, t.external_id, t.updated_at, t.archived_at from crm.contacts t
        where v_by = 'email'
          and t.workspace_id = crm.current_workspace_id()
          and (t.email, t.id) < (v_email, v_before)
          and t.email >= v_email
          and t.email = any (array[v_email])
          and t.id < v_before
          and t.id >= p_from
        order by t.email desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.email, t.phone_e164, t.company_id, t.external_id, t.updated_at, t.archived_at from crm.contacts t
        where v_by = 'phone'
          and t.workspace_id = crm.current_workspace_id()
          and (t.phone_e164, t.id) < (v_phone, v_before)
          and t.phone_e164 >= v_phone
          and t.phone_e164 = any (array[v_phone])
          and t.id < v_before
          and t.id >= p_from
        order by t.phone_e164 desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.email, t.phone_e164, t.company_id, t.external_id, t.updated_at, t.archived_at from crm.contacts t
        where v_by = 'company_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.company_id, t.id) < (v_company_id, v_before)
          and t.company_id >= v_company_id
          and t.company_id = any (array[v_company_id])
          and t.id < v_before
          and t.id >= p_from
          and t.company_id is not null
        order by t.company_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.email, t.phone_e164, t.company_id, t.external_id, t.updated_at, t.archived_at from crm.contacts t
        where v_by = 'external_id'
          and t.workspace_id = crm.current_workspace_id()
          and t.external_id = v_external_id
          and (t.external_id, t.id) < (v_external_id, v_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc
        limit v_rows
      )
      ) t;
    end if;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    -- Twice as many as fill the page, if the words are as frequent there. Fewer for a long search: comparing takes as long as
    -- the words are long.
    v_rows := least(
      4 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')),
      2 * p_step * (v_limit + 1 - cardinality(ids)) / greatest(cardinality(ids), 1)
    );
    -- Few of the newest records have the words. The index has the others, as far as they are few.
    select * into v_found from crm.search(
      'contact', v_words, v_before, p_from, p_step,
      -- Without another filter nearly all of them match.
      case when p_args - '{q,limit,cursor,since,until}'::text[] = '{}'
        then greatest(v_limit + 51 - cardinality(ids), 1) else 2 * p_step
      end
    );
    -- In the order of the ids that were found: by the records' own, the planner would read them all in that order.
    v_matches := array(
      select t.id
      from unnest(v_found.ids) with ordinality f (id, position)
      join crm.contacts t on t.workspace_id = crm.current_workspace_id() and t.id = f.id
      where (v_email is null or t.email = v_email)
          and (v_phone is null or t.phone_e164 = v_phone)
          and (v_company_id is null or t.company_id = v_company_id)
          and (v_external_id is null or t.external_id = v_external_id)
          and (v_archived is distinct from 'false' or t.archived_at is null)
          and (v_archived is distinct from 'true' or t.archived_at is not null)
          and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
      order by f.position
    );
    ids := ids || v_matches;
    next_id := v_found.next_id;
    exit when next_id is null or cardinality(ids) > v_limit or not v_found.is_common;
    v_before := next_id;
  end loop;
end
$$;


--
-- Name: FUNCTION contact_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) IS 'The ids of a page of api.contact_list with `q` by the texts that are kept, more than its limit if there are as many. It looks through at most 5 * p_step rows, and finds others by crm.search; next_id is where the next page continues if there may be others.';


--
-- Name: contact_list_by(jsonb, uuid, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer DEFAULT 250, OUT ids uuid[], OUT next_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_email text := p_args ->> 'email';
  v_phone text := case when p_args ? 'phone' then coalesce(crm.e164(p_args ->> 'phone'), '') end;
  v_company_id uuid := (p_args ->> 'company_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_ranges text[] := array_remove(array[
    case when p_args ?| array['updated_since'] then 'updated_at' end
  ], null);
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_range text;
  v_in_range uuid[];
  -- Whether no other filter was sent, so that nearly all rows in the range match.
  v_alone boolean;
  v_newer integer;
begin
  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'archived' as name, (
      select t.id from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < p_before
        and t.id >= p_from
        and t.archived_at is not null
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_archived = 'true'
    union all
    select 'email' as name, (
      select t.id from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and (t.email, t.id) < (v_email, p_before)
        and t.email >= v_email
        and t.email = any (array[v_email])
        and t.id < p_before
        and t.id >= p_from
      order by t.email desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_email is not null
    union all
    select 'phone' as name, (
      select t.id from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and (t.phone_e164, t.id) < (v_phone, p_before)
        and t.phone_e164 >= v_phone
        and t.phone_e164 = any (array[v_phone])
        and t.id < p_before
        and t.id >= p_from
      order by t.phone_e164 desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_phone is not null
    union all
    select 'company_id' as name, (
      select t.id from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and (t.company_id, t.id) < (v_company_id, p_before)
        and t.company_id >= v_company_id
        and t.company_id = any (array[v_company_id])
        and t.id < p_before
        and t.id >= p_from
        and t.company_id is not null
      order by t.company_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_company_id is not null
    union all
    select 'external_id' as name, (
      select t.id from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and t.external_id = v_external_id
        and (t.external_id, t.id) < (v_external_id, p_before)
        and (t.external_id, t.id) >= (v_external_id, p_from)
      order by t.external_id desc
      offset p_step limit 1
    ) as reach
    where v_external_id is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  ids := '{}';
  for v_round in 1 .. 2 loop
    select array_agg(t.id), array_agg(t.id) filter (
      where (v_email is null or t.email = v_email)
        and (v_phone is null or t.phone_e164 = v_phone)
        and (v_company_id is null or t.company_id = v_company_id)
        and (v_external_id is null or t.external_id = v_external_id)
        and (v_archived is distinct from 'false' or t.archived_at is null)
        and (v_archived is distinct from 'true' or t.archived_at is not null)
        and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
    )
    into v_walked, v_matches
    from (
      (
        select t.id, t.email, t.phone_e164, t.company_id, t.external_id, t.updated_at, t.archived_at from crm.contacts t
        where v_by = 'all'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.email, t.phone_e164, t.company_id, t.external_id, t.updated_at, t.archived_at from crm.contacts t
        where v_by = 'archived'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.email, t.phone_e164, t.company_id, t.external_id, t.updated_at, t.archived_at from crm.contacts t
        where v_by = 'email'
          and t.workspace_id = crm.current_workspace_id()
          and (t.email, t.id) < (v_email, v_before)
          and t.email >= v_email
          and t.email = any (array[v_email])
          and t.id < v_before
          and t.id >= p_from
        order by t.email desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.email, t.phone_e164, t.company_id, t.external_id, t.updated_at, t.archived_at from crm.contacts t
        where v_by = 'phone'
          and t.workspace_id = crm.current_workspace_id()
          and (t.phone_e164, t.id) < (v_phone, v_before)
          and t.phone_e164 >= v_phone
          and t.phone_e164 = any (array[v_phone])
          and t.id < v_before
          and t.id >= p_from
        order by t.phone_e164 desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.email, t.phone_e164, t.company_id, t.external_id, t.updated_at, t.archived_at from crm.contacts t
        where v_by = 'company_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.company_id, t.id) < (v_company_id, v_before)
          and t.company_id >= v_company_id
          and t.company_id = any (array[v_company_id])
          and t.id < v_before
          and t.id >= p_from
          and t.company_id is not null
        order by t.company_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.email, t.phone_e164, t.company_id, t.external_id, t.updated_at, t.archived_at from crm.contacts t
        where v_by = 'external_id'
          and t.workspace_id = crm.current_workspace_id()
          and t.external_id = v_external_id
          and (t.external_id, t.id) < (v_external_id, v_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.email, t.phone_e164, t.company_id, t.external_id, t.updated_at, t.archived_at
        from unnest(v_in_range[:v_rows]) with ordinality chosen (id, position)
        join crm.contacts t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        where v_by = 'range'
        order by chosen.position
      )
    ) t;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    v_rows := 4 * p_step;
    -- Few rows of the first round match. A range of few rows is walked instead, if it has no more rows where the first
    -- round was.
    foreach v_range in array v_ranges loop
      case v_range
        when 'updated_at' then
          v_alone := p_args - '{limit,cursor,since,until,updated_since,archived}'::text[] = '{}' and v_archived <> 'true';
          v_in_range := array(
            select t.id from crm.contacts t
            where t.workspace_id = crm.current_workspace_id()
              and t.updated_at >= v_updated_since
            order by t.updated_at desc
            limit 10 * p_step + 1
          );
      end case;
      continue when cardinality(v_in_range) > 10 * p_step;
      select array_agg(r.id order by r.id desc) filter (where r.id < v_before),
        count(*) filter (where r.id >= v_before and r.id < p_before)
      into v_in_range, v_newer
      from unnest(v_in_range) r (id)
      where r.id >= p_from;
      if v_newer <= p_step then
        if v_alone and v_archived = 'any' then
          ids := ids || v_in_range[:v_limit + 1];
          next_id := null;
          return;
        elsif v_alone then
          v_rows := least(v_rows, v_limit + 51);
        end if;
        v_by := 'range';
        exit;
      end if;
    end loop;
  end loop;
end
$$;


--
-- Name: FUNCTION contact_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) IS 'The ids of a page of api.contact_list, more than its limit if there are as many, for any combination of its filters. It looks through at most 5 * p_step rows; next_id is the last of them if there may be others.';


--
-- Name: contact_lock(uuid, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_lock(p_id uuid, p_if_match jsonb DEFAULT NULL::jsonb) RETURNS crm.contacts
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.contacts;
begin
  select * into t from crm.contacts r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then
    perform api.fail('not_found');
  end if;
  if t.merged_into_id is not null then
    perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]);
  end if;
  if t.erased_at is not null then
    perform api.fail('record_erased');
  end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.contact_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;


--
-- Name: FUNCTION contact_lock(p_id uuid, p_if_match jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_lock(p_id uuid, p_if_match jsonb) IS 'Locks the record until the transaction ends, so that concurrent changes of different fields are all kept, and returns it. Raises not_found, record_merged, record_erased; precondition_failed if p_if_match, a list of versions, has not the record''s.';


--
-- Name: contact_match(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_match(p_args jsonb) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
    when 'external_id' then
      return array(
        select t.id from crm.contacts t
        where t.workspace_id = crm.current_workspace_id()
          and t.external_id = p_args ->> 'external_id'
          and (t.external_id, t.id) < (p_args ->> 'external_id', v_beyond)
          and (t.external_id, t.id) >= (p_args ->> 'external_id', v_first)
          and t.merged_into_id is null
          and t.erased_at is null
        order by t.external_id
        limit 100
      );
    when 'email' then
      return array(
        select t.id from crm.contacts t
        where t.workspace_id = crm.current_workspace_id()
          and (t.email, t.id) < (p_args ->> 'email', v_beyond)
          and t.email >= p_args ->> 'email'
          and t.email = any (array[p_args ->> 'email'])
          and t.id < v_beyond
          and t.id >= v_first
          and t.archived_at is null
        order by t.email, t.id
        limit 100
      );
    when 'phone' then
      if crm.e164(p_args ->> 'phone') is null then
        perform api.fail('validation_error', array['phone']);
      end if;
      return array(
        select t.id from crm.contacts t
        where t.workspace_id = crm.current_workspace_id()
          and (t.phone_e164, t.id) < (crm.e164(p_args ->> 'phone'), v_beyond)
          and t.phone_e164 >= crm.e164(p_args ->> 'phone')
          and t.phone_e164 = any (array[crm.e164(p_args ->> 'phone')])
          and t.id < v_beyond
          and t.id >= v_first
          and t.archived_at is null
        order by t.phone_e164, t.id
        limit 100
      );
  end case;
end
$$;


--
-- Name: FUNCTION contact_match(p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_match(p_args jsonb) IS 'The records with the value of the field in match_by, oldest first, 100 at most: those in use; by external_id also archived ones. Never one that was merged.';


--
-- Name: contact_merged(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_merged(p_args jsonb) RETURNS SETOF crm.contacts
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
    when 'external_id' then
      return query
      select t.* from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and t.external_id = p_args ->> 'external_id'
        and (t.external_id, t.id) < (p_args ->> 'external_id', v_beyond)
        and (t.external_id, t.id) >= (p_args ->> 'external_id', v_first)
        and t.merged_into_id is not null
      order by t.external_id
      limit 100;
    when 'email' then
      return query
      select t.* from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and (t.email, t.id) < (p_args ->> 'email', v_beyond)
        and t.email >= p_args ->> 'email'
        and t.email = any (array[p_args ->> 'email'])
        and t.id < v_beyond
        and t.id >= v_first
        and t.merged_into_id is not null
      order by t.email, t.id
      limit 100;
    when 'phone' then
      return query
      select t.* from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and (t.phone_e164, t.id) < (crm.e164(p_args ->> 'phone'), v_beyond)
        and t.phone_e164 >= crm.e164(p_args ->> 'phone')
        and t.phone_e164 = any (array[crm.e164(p_args ->> 'phone')])
        and t.id < v_beyond
        and t.id >= v_first
        and t.merged_into_id is not null
      order by t.phone_e164, t.id
      limit 100;
  end case;
end
$$;


--
-- Name: FUNCTION contact_merged(p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_merged(p_args jsonb) IS 'The records that were merged into another one and have the value of the field in match_by, oldest first, 100 at most. Asked where no record in use has it.';


--
-- Name: contact_new(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_new(p_args jsonb) RETURNS crm.contacts
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_contact crm.contacts := jsonb_populate_record(null::crm.contacts, crm.require_references(p_args));
begin
  v_contact.owner_id := crm.owner_or_default(v_contact.owner_id);
  return v_contact;
end
$$;


--
-- Name: FUNCTION contact_new(p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_new(p_args jsonb) IS 'The contact to insert for the arguments of a creation; raises invalid_reference, no_owner_available (spec 4.2).';


--
-- Name: contact_page(uuid[], json[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_page(p_ids uuid[], p_records json[]) RETURNS json[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_record json;
  v_records json[];
  v_bytes integer := 0;
begin
  for v_position in 1 .. cardinality(p_ids) loop
    v_record := p_records[v_position];
    if v_record is null then
      select crm.contact_json(t) into v_record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
    end if;
    v_bytes := v_bytes + pg_column_size(v_record);
    -- One record is shown however long it is, because the next page would begin with it again.
    exit when v_bytes > crm.max_page_bytes() and v_position > 1;
    v_records := v_records || v_record;
  end loop;
  return v_records;
end
$$;


--
-- Name: FUNCTION contact_page(p_ids uuid[], p_records json[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_page(p_ids uuid[], p_records json[]) IS 'The records of a page that may be too long: those that are null are made one by one, until the page has its maximum of bytes.';


--
-- Name: contact_save(crm.contacts); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_save(t crm.contacts) RETURNS crm.contacts
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  update crm.contacts as saved
  set (
    name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin, notes,
    custom_fields, external_id
  ) = (
    t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id, t.owner_id, t.instagram,
    t.linkedin, t.notes, t.custom_fields, t.external_id
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;


--
-- Name: FUNCTION contact_save(t crm.contacts); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_save(t crm.contacts) IS 'Writes the fields of the record that can change, and returns the row as it is then.';


--
-- Name: contact_search(jsonb, uuid, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer DEFAULT 250, OUT ids uuid[], OUT next_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_email text := p_args ->> 'email';
  v_phone text := case when p_args ? 'phone' then coalesce(crm.e164(p_args ->> 'phone'), '') end;
  v_company_id uuid := (p_args ->> 'company_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_by text;
  v_before uuid := p_before;
  -- The texts that are made and compared one by one. Fewer for a long search, as in crm.contact_kept_search.
  v_rows integer := greatest(2 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')), 1);
  -- The records whose text is not kept yet, or not as it is now.
  v_pending uuid[] := crm.pending_texts('contact', 16 * p_step);
  v_words text[];
begin
  if v_pending is null then
    -- Too many to tell which they are: all that is walked counts as one of them.
    -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
    select w.name into v_by
    from (
      select 'archived' as name, (
        select t.id from crm.contacts t
        where t.workspace_id = crm.current_workspace_id()
          and t.id < p_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        offset p_step limit 1
      ) as reach
      where v_archived = 'true'
      union all
      select 'email' as name, (
        select t.id from crm.contacts t
        where t.workspace_id = crm.current_workspace_id()
          and (t.email, t.id) < (v_email, p_before)
          and t.email >= v_email
          and t.email = any (array[v_email])
          and t.id < p_before
          and t.id >= p_from
        order by t.email desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_email is not null
      union all
      select 'phone' as name, (
        select t.id from crm.contacts t
        where t.workspace_id = crm.current_workspace_id()
          and (t.phone_e164, t.id) < (v_phone, p_before)
          and t.phone_e164 >= v_phone
          and t.phone_e164 = any (array[v_phone])
          and t.id < p_before
          and t.id >= p_from
        order by t.phone_e164 desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_phone is not null
      union all
      select 'company_id' as name, (
        select t.id from crm.contacts t
        where t.workspace_id = crm.current_workspace_id()
          and (t.company_id, t.id) < (v_company_id, p_before)
          and t.company_id >= v_company_id
          and t.company_id = any (array[v_company_id])
          and t.id < p_before
          and t.id >= p_from
          and t.company_id is not null
        order by t.company_id desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_company_id is not null
      union all
      select 'external_id' as name, (
        select t.id from crm.contacts t
        where t.workspace_id = crm.current_workspace_id()
          and t.external_id = v_external_id
          and (t.external_id, t.id) < (v_external_id, p_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc
        offset p_step limit 1
      ) as reach
      where v_external_id is not null
    ) w
    order by w.reach nulls first
    limit 1;
    v_by := coalesce(v_by, 'all');
    select array_agg(t.id) into v_pending
    from (
      (
        select t.id from crm.contacts t
        where v_by = 'all'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.contacts t
        where v_by = 'archived'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.contacts t
        where v_by = 'email'
          and t.workspace_id = crm.current_workspace_id()
          and (t.email, t.id) < (v_email, v_before)
          and t.email >= v_email
          and t.email = any (array[v_email])
          and t.id < v_before
          and t.id >= p_from
        order by t.email desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.contacts t
        where v_by = 'phone'
          and t.workspace_id = crm.current_workspace_id()
          and (t.phone_e164, t.id) < (v_phone, v_before)
          and t.phone_e164 >= v_phone
          and t.phone_e164 = any (array[v_phone])
          and t.id < v_before
          and t.id >= p_from
        order by t.phone_e164 desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.contacts t
        where v_by = 'company_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.company_id, t.id) < (v_company_id, v_before)
          and t.company_id >= v_company_id
          and t.company_id = any (array[v_company_id])
          and t.id < v_before
          and t.id >= p_from
          and t.company_id is not null
        order by t.company_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.contacts t
        where v_by = 'external_id'
          and t.workspace_id = crm.current_workspace_id()
          and t.external_id = v_external_id
          and (t.external_id, t.id) < (v_external_id, v_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc
        limit v_rows
      )
    ) t;
  else
    select s.ids, s.next_id into ids, next_id
    from crm.contact_kept_search(p_args, p_before, p_from, p_step) s;
    if v_pending = '{}' then
      return;
    end if;
  end if;
  v_words := crm.search_words(p_args ->> 'q');
  v_pending := array(
    select p.id from unnest(v_pending) p (id)
    where p.id < p_before and p.id >= coalesce(next_id, p_from)
    order by p.id desc
    limit v_rows
  );
  next_id := coalesce(v_pending[v_rows], next_id);
  ids := array(
    select m.id
    from (
      (
        select k.id from unnest(ids) k (id) where k.id >= coalesce(next_id, p_from)
        except
        select p.id from unnest(v_pending) p (id)
      )
      union all
      select t.id
      from unnest(v_pending) p (id)
      join crm.contacts t on t.workspace_id = crm.current_workspace_id() and t.id = p.id
      cross join lateral (select crm.contact_text(t) as text offset 0) x
      where (v_email is null or t.email = v_email)
        and (v_phone is null or t.phone_e164 = v_phone)
        and (v_company_id is null or t.company_id = v_company_id)
        and (v_external_id is null or t.external_id = v_external_id)
        and (v_archived is distinct from 'false' or t.archived_at is null)
        and (v_archived is distinct from 'true' or t.archived_at is not null)
        and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
        and not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0)
    ) m
    order by m.id desc
  );
end
$$;


--
-- Name: FUNCTION contact_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) IS 'The ids of a page of api.contact_list with `q`, more than its limit if there are as many: those of crm.contact_kept_search, and of what changed since its text was kept those that have the words now. Of these it compares at most 2 * p_step; where there are too many to be known, it walks as many rows instead. next_id is where the next page continues if there may be others.';


--
-- Name: contact_survivor(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_survivor(p_id uuid) RETURNS crm.contacts
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.contacts;
begin
  loop
    -- Waits for a merge of this record, and then sees into which one.
    select r.* into t from crm.contacts r
    where r.workspace_id = crm.current_workspace_id() and r.id = p_id
    for key share;
    exit when t.merged_into_id is null;
    p_id := t.merged_into_id;
  end loop;
  return t;
end
$$;


--
-- Name: FUNCTION contact_survivor(p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_survivor(p_id uuid) IS 'The record that stays of those that were merged with this one, locked until the transaction ends, so that it is neither merged nor erased meanwhile. It may be archived, or erased.';


--
-- Name: contact_text(crm.contacts); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.contact_text(t crm.contacts) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$ select crm.search_text(array[t.name, t.email, t.job_title, t.external_id], array[t.phone, t.phone2, t.whatsapp]::text[]) $$;


--
-- Name: FUNCTION contact_text(t crm.contacts); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.contact_text(t crm.contacts) IS 'What is searched of the record.';


--
-- Name: continue_feed(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.continue_feed() RETURNS bigint
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  update crm.feed_offset o
  set added = greatest(
    o.added,
    coalesce((select max(e.position) from crm.events e), 0) + 1000000000000 - pg_current_xact_id()::text::bigint
  )
  returning o.added
$$;


--
-- Name: FUNCTION continue_feed(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.continue_feed() IS 'Call it once after a dump was restored into another cluster, before the first call: positions go on above the greatest that is stored, so that readers miss nothing. A trillion above it, because the database that was lost had given out more after the backup: to a cursor from that time new events must not seem old. Reads all events. Returns what is added from now on.';


--
-- Name: count_calls(uuid, uuid[], timestamp with time zone); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.count_calls(p_workspace_id uuid, p_key_ids uuid[], p_since timestamp with time zone) RETURNS TABLE(key_id uuid, hour timestamp with time zone, calls bigint)
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  return query
    select c.key_id, c.hour, c.calls from crm.key_calls c
    where c.workspace_id = p_workspace_id and c.key_id = any (p_key_ids) and c.hour >= p_since
    union all
    select k.id, h.hour, h.calls
    from crm.api_keys k
    join crm.rate_limits r on r.key_id = k.id
    left join crm.key_counters c
      on c.workspace_id = k.workspace_id and c.key_id = k.id and c.counted_since = r.counted_since
    cross join lateral crm.calls_by_hour(r.hits, r.calls - coalesce(c.calls, 0)) h
    where k.workspace_id = p_workspace_id and k.id = any (p_key_ids) and r.calls > coalesce(c.calls, 0)
      and h.hour >= p_since;
end
$$;


--
-- Name: FUNCTION count_calls(p_workspace_id uuid, p_key_ids uuid[], p_since timestamp with time zone); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.count_calls(p_workspace_id uuid, p_key_ids uuid[], p_since timestamp with time zone) IS 'The calls of keys of a workspace by hour, from the hour p_since on, up to this moment: an hour can have two rows, whose calls add up. It reads a row for each hour in which a key was called.';


--
-- Name: create_together(text, jsonb[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.create_together(p_record text, p_items jsonb[]) RETURNS jsonb[]
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_ids uuid[];
begin
  if not crm.all_create(p_record, p_items) then
    return null;
  end if;
  case p_record
    when 'activity' then
      v_ids := crm.activity_insert(array(select crm.activity_new(i -> 'args') from unnest(p_items) i));
    when 'company' then
      v_ids := crm.company_insert(array(select crm.company_new(i -> 'args') from unnest(p_items) i));
    when 'contact' then
      v_ids := crm.contact_insert(array(select crm.contact_new(i -> 'args') from unnest(p_items) i));
    when 'deal' then
      v_ids := crm.deal_insert(array(select crm.deal_new(i -> 'args') from unnest(p_items) i));
    when 'note' then
      v_ids := crm.note_insert(array(select crm.note_new(i -> 'args') from unnest(p_items) i));
  end case;
  return array(select jsonb_build_object('status', 201, 'id', v_id) from unnest(v_ids) v_id);
exception
  when lock_not_available or deadlock_detected then
    raise;
  when others then
    return null;
end
$$;


--
-- Name: FUNCTION create_together(p_record text, p_items jsonb[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.create_together(p_record text, p_items jsonb[]) IS 'Carries out items that all create a record by one insert, half the work of an insert for each; their results. Null, and nothing is written, if an item does something else or fails: crm.run_group says which.';


--
-- Name: cron_schedule(interval); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.cron_schedule(p_every interval) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select case
    -- pg_cron accepts seconds since version 1.5; before that, the shortest interval is a minute.
    when p_every < interval '1 minute' and regexp_match(e.extversion, '^(\d+)\.(\d+)')::integer[] >= array[1, 5]
      then extract(epoch from p_every)::integer || ' seconds'
    when p_every < interval '1 hour' then '*/' || greatest(1, extract(epoch from p_every)::integer / 60) || ' * * * *'
    when p_every < interval '1 day' then '7 */' || extract(epoch from p_every)::integer / 3600 || ' * * *'
    else '17 3 * * *'
  end
  from pg_catalog.pg_extension e
  where e.extname = 'pg_cron'
$$;


--
-- Name: FUNCTION cron_schedule(p_every interval); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.cron_schedule(p_every interval) IS 'Converts an interval of crm.jobs into a schedule of pg_cron; null without pg_cron.';


--
-- Name: current_caller_id(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.current_caller_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ select nullif(split_part(current_setting('app.caller', true), ' ', 1), '')::uuid $$;


--
-- Name: FUNCTION current_caller_id(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.current_caller_id() IS 'The id of the key of the request, of the proposal whose link was opened, or of the member who is signed in; null outside a request.';


--
-- Name: current_member_id(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.current_member_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ select nullif(split_part(current_setting('app.caller', true), ' ', 2), '')::uuid $$;


--
-- Name: FUNCTION current_member_id(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.current_member_id() IS 'The member who created the key of the request, or is signed in; null for a proposal''s link, for the operator, and outside a request.';


--
-- Name: current_user_id(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.current_user_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ select nullif(split_part(current_setting('app.caller', true), ' ', 3), '')::uuid $$;


--
-- Name: FUNCTION current_user_id(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.current_user_id() IS 'The person who is signed in (auth.users), who may be a member of several workspaces; null outside such a request.';


--
-- Name: current_workspace_id(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.current_workspace_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ select nullif(current_setting('app.workspace_id', true), '')::uuid $$;


--
-- Name: FUNCTION current_workspace_id(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.current_workspace_id() IS 'The workspace of the caller whose request is being handled; null outside a request.';


--
-- Name: deal_action_json(crm.deals, boolean); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_action_json(p_deal crm.deals, p_idempotent boolean) RETURNS json
    LANGUAGE sql STABLE
    AS $$ select crm.with_fields(crm.deal_json(p_deal), json_build_object('idempotent', p_idempotent)) $$;


--
-- Name: FUNCTION deal_action_json(p_deal crm.deals, p_idempotent boolean); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_action_json(p_deal crm.deals, p_idempotent boolean) IS 'The reply of an action: the deal, and whether it was in the requested state already.';


--
-- Name: deal_default_title(crm.deals); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_default_title(p_deal crm.deals) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
begin
  return coalesce(
    (select c.name from crm.contacts c where c.workspace_id = v_workspace_id and c.id = p_deal.contact_id),
    (select c.name from crm.companies c where c.workspace_id = v_workspace_id and c.id = p_deal.company_id)
  );
end
$$;


--
-- Name: FUNCTION deal_default_title(p_deal crm.deals); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_default_title(p_deal crm.deals) IS 'The name of the deal''s contact, otherwise of its company.';


--
-- Name: deal_insert(crm.deals[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_insert(p_rows crm.deals[]) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_ids uuid[];
begin
  with made as (
    insert into crm.deals as new (
      workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
      expected_close_date, source, utm, custom_fields, external_id
    )
    select
      crm.current_workspace_id(), t.title, t.value, t.recurring_value, t.pipeline_id, t.stage_id,
      t.contact_id, t.company_id, t.owner_id, t.expected_close_date, t.source, t.utm, t.custom_fields,
      t.external_id
    from unnest(p_rows) t
    returning new.id
  )
  select array_agg(m.id) into v_ids from made m;
  return v_ids;
end
$$;


--
-- Name: FUNCTION deal_insert(p_rows crm.deals[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_insert(p_rows crm.deals[]) IS 'Creates records in the caller''s workspace; returns their ids, in the order of the rows.';


--
-- Name: deal_insert(crm.deals); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_insert(t crm.deals) RETURNS crm.deals
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  insert into crm.deals as new (
    workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
    expected_close_date, source, utm, custom_fields, external_id
  )
  values (
    crm.current_workspace_id(), t.title, t.value, t.recurring_value, t.pipeline_id, t.stage_id, t.contact_id,
    t.company_id, t.owner_id, t.expected_close_date, t.source, t.utm, t.custom_fields, t.external_id
  )
  returning new.* into t;
  return t;
end
$$;


--
-- Name: FUNCTION deal_insert(t crm.deals); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_insert(t crm.deals) IS 'Creates the record in the caller''s workspace and returns it.';


--
-- Name: deal_json(crm.deals); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_json(t crm.deals) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select to_json(row(
    t.id, t.workspace_id, t.title, t.status, t.value, t.recurring_value, t.pipeline_id, t.stage_id,
    t.contact_id, t.company_id, t.owner_id, t.expected_close_date, t.loss_reason_id, t.loss_note, t.source,
    t.utm, t.custom_fields, t.external_id, crm.iso(t.stage_changed_at), crm.iso(t.last_activity_at),
    crm.iso(t.won_at), crm.iso(t.lost_at), crm.iso(t.closed_at), crm.iso(t.archived_at),
    crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.deal)
$$;


--
-- Name: FUNCTION deal_json(t crm.deals); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_json(t crm.deals) IS 'A row as public JSON, with the fields of api.deal.';


--
-- Name: deal_json_if_short(crm.deals); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_json_if_short(t crm.deals) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select case when coalesce(pg_column_size(t.utm), 0) + coalesce(pg_column_size(t.custom_fields), 0) <= 4000
    and pg_column_compression(t.utm) is null
    and pg_column_compression(t.custom_fields) is null
    then crm.deal_json(t)
  end
$$;


--
-- Name: FUNCTION deal_json_if_short(t crm.deals); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_json_if_short(t crm.deals) IS 'crm.deal_json, or null if the row may be long: crm.deal_page makes those, so that a page can end before them.';


--
-- Name: deal_kept_search(jsonb, uuid, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer DEFAULT 250, OUT ids uuid[], OUT next_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_words text[] := crm.search_words(p_args ->> 'q');
  v_status text[] := case when p_args ? 'status' then array(select jsonb_array_elements_text(p_args -> 'status')) end;
  v_pipeline_id uuid := (p_args ->> 'pipeline_id')::uuid;
  v_stage_id uuid := (p_args ->> 'stage_id')::uuid;
  v_contact_id uuid := (p_args ->> 'contact_id')::uuid;
  v_company_id uuid := (p_args ->> 'company_id')::uuid;
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_closed_since timestamptz := coalesce((p_args ->> 'closed_since')::timestamptz, '-infinity');
  v_closed_until timestamptz := coalesce((p_args ->> 'closed_until')::timestamptz, 'infinity');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_found record;
begin
  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'archived' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < p_before
        and t.id >= p_from
        and t.archived_at is not null
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_archived = 'true'
    union all
    select 'status' as name, (
      select t.* from unnest(v_status) s (value)
      cross join lateral (
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id()
          and (t.status, t.id) < (s.value, p_before)
          and t.status >= s.value
          and t.status = any (array[s.value])
          and t.id < p_before
          and t.id >= p_from
        order by t.status desc, t.id desc
        limit p_step + 1
      ) t
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_status is not null
    union all
    select 'pipeline_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.pipeline_id, t.id) < (v_pipeline_id, p_before)
        and t.pipeline_id >= v_pipeline_id
        and t.pipeline_id = any (array[v_pipeline_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.pipeline_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_pipeline_id is not null
    union all
    select 'stage_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.stage_id, t.id) < (v_stage_id, p_before)
        and t.stage_id >= v_stage_id
        and t.stage_id = any (array[v_stage_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.stage_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_stage_id is not null
    union all
    select 'contact_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.contact_id, t.id) < (v_contact_id, p_before)
        and t.contact_id >= v_contact_id
        and t.contact_id = any (array[v_contact_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.contact_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_contact_id is not null
    union all
    select 'company_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.company_id, t.id) < (v_company_id, p_before)
        and t.company_id >= v_company_id
        and t.company_id = any (array[v_company_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.company_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_company_id is not null
    union all
    select 'owner_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < (v_owner_id, p_before)
        and t.owner_id >= v_owner_id
        and t.owner_id = any (array[v_owner_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.owner_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_owner_id is not null
    union all
    select 'external_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.external_id, t.id) < (v_external_id, p_before)
        and t.external_id >= v_external_id
        and t.external_id = any (array[v_external_id])
        and t.id < p_before
        and t.id >= p_from
        and t.external_id is not null
      order by t.external_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_external_id is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  ids := '{}';
  for v_round in 1 .. 2 loop
    if v_by = 'all' then
      -- The texts are read first, because few records have the words.
      select array_agg(w.id order by w.id desc), array_agg(w.id order by w.id desc) filter (
        where t.id is not null
          and (v_status is null or t.status = any (v_status))
          and (v_pipeline_id is null or t.pipeline_id = v_pipeline_id)
          and (v_stage_id is null or t.stage_id = v_stage_id)
          and (v_contact_id is null or t.contact_id = v_contact_id)
          and (v_company_id is null or t.company_id = v_company_id)
          and (v_owner_id is null or t.owner_id = v_owner_id)
          and (v_external_id is null or t.external_id = v_external_id)
          and (v_archived is distinct from 'false' or t.archived_at is null)
          and (v_archived is distinct from 'true' or t.archived_at is not null)
          and (v_closed_since = '-infinity' or t.closed_at >= v_closed_since)
          and (v_closed_until = 'infinity' or t.closed_at < v_closed_until)
          and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
      )
      into v_walked, v_matches
      from (
        select x.id, case when not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0) then x.id end as found
        from crm.search_texts x
        where x.workspace_id = crm.current_workspace_id() and x.record = 'deal'
          and x.id < v_before
          and x.id >= p_from
        order by x.id desc
        limit v_rows
      ) w
      left join crm.deals t on t.workspace_id = crm.current_workspace_id() and t.id = w.found;
    else
      select array_agg(t.id), array_agg(t.id) filter (
        where (v_status is null or t.status = any (v_status))
          and (v_pipeline_id is null or t.pipeline_id = v_pipeline_id)
          and (v_stage_id is null or t.stage_id = v_stage_id)
          and (v_contact_id is null or t.contact_id = v_contact_id)
          and (v_company_id is null or t.company_id = v_company_id)
          and (v_owner_id is null or t.owner_id = v_owner_id)
          and (v_external_id is null or t.external_id = v_external_id)
          and (v_archived is distinct from 'false' or t.archived_at is null)
          and (v_archived is distinct from 'true' or t.archived_at is not null)
          and (v_closed_since = '-infinity' or t.closed_at >= v_closed_since)
          and (v_closed_until = 'infinity' or t.closed_at < v_closed_until)
          and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
          and exists (
            select from crm.search_texts x
            where x.workspace_id = crm.current_workspace_id() and x.record = 'deal' and x.id = t.id
              and not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0)
          )
      )
      into v_walked, v_matches
      from (
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'archived'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.* from unnest(v_status) s (value)
        cross join lateral (
          select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
          where t.workspace_id = crm.current_workspace_id()
            and (t.status, t.id) < (s.value, v_before)
            and t.status >= s.value
            and t.status = any (array[s.value])
            and t.id < v_before
            and t.id >= p_from
          order by t.status desc, t.id desc
          limit v_rows
        ) t
        where v_by = 'status'
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'pipeline_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.pipeline_id, t.id) < (v_pipeline_id, v_before)
          and t.pipeline_id >= v_pipeline_id
          and t.pipeline_id = any (array[v_pipeline_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.pipeline_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'stage_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.stage_id, t.id) < (v_stage_id, v_before)
          and t.stage_id >= v_stage_id
          and t.stage_id = any (array[v_stage_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.stage_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'contact_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.contact_id, t.id) < (v_contact_id, v_before)
          and t.contact_id >= v_contact_id
          and t.contact_id = any (array[v_contact_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.contact_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'company_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.company_id, t.id) < (v_company_id, v_before)
          and t.company_id >= v_company_id
          and t.company_id = any (array[v_company_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.company_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'owner_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, v_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'external_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.external_id, t.id) < (v_external_id, v_before)
          and t.external_id >= v_external_id
          and t.external_id = any (array[v_external_id])
          and t.id < v_before
          and t.id >= p_from
          and t.external_id is not null
        order by t.external_id desc, t.id desc
        limit v_rows
      )
      ) t;
    end if;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    -- Twice as many as fill the page, if the words are as frequent there. Fewer for a long search: comparing takes as long as
    -- the words are long.
    v_rows := least(
      4 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')),
      2 * p_step * (v_limit + 1 - cardinality(ids)) / greatest(cardinality(ids), 1)
    );
    -- Few of the newest records have the words. The index has the others, as far as they are few.
    select * into v_found from crm.search(
      'deal', v_words, v_before, p_from, p_step,
      -- Without another filter nearly all of them match.
      case when p_args - '{q,limit,cursor,since,until}'::text[] = '{}'
        then greatest(v_limit + 51 - cardinality(ids), 1) else 2 * p_step
      end
    );
    -- In the order of the ids that were found: by the records' own, the planner would read them all in that order.
    v_matches := array(
      select t.id
      from unnest(v_found.ids) with ordinality f (id, position)
      join crm.deals t on t.workspace_id = crm.current_workspace_id() and t.id = f.id
      where (v_status is null or t.status = any (v_status))
          and (v_pipeline_id is null or t.pipeline_id = v_pipeline_id)
          and (v_stage_id is null or t.stage_id = v_stage_id)
          and (v_contact_id is null or t.contact_id = v_contact_id)
          and (v_company_id is null or t.company_id = v_company_id)
          and (v_owner_id is null or t.owner_id = v_owner_id)
          and (v_external_id is null or t.external_id = v_external_id)
          and (v_archived is distinct from 'false' or t.archived_at is null)
          and (v_archived is distinct from 'true' or t.archived_at is not null)
          and (v_closed_since = '-infinity' or t.closed_at >= v_closed_since)
          and (v_closed_until = 'infinity' or t.closed_at < v_closed_until)
          and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
      order by f.position
    );
    ids := ids || v_matches;
    next_id := v_found.next_id;
    exit when next_id is null or cardinality(ids) > v_limit or not v_found.is_common;
    v_before := next_id;
  end loop;
end
$$;


--
-- Name: FUNCTION deal_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) IS 'The ids of a page of api.deal_list with `q` by the texts that are kept, more than its limit if there are as many. It looks through at most 5 * p_step rows, and finds others by crm.search; next_id is where the next page continues if there may be others.';


--
-- Name: deal_list_by(jsonb, uuid, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer DEFAULT 250, OUT ids uuid[], OUT next_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_status text[] := case when p_args ? 'status' then array(select jsonb_array_elements_text(p_args -> 'status')) end;
  v_pipeline_id uuid := (p_args ->> 'pipeline_id')::uuid;
  v_stage_id uuid := (p_args ->> 'stage_id')::uuid;
  v_contact_id uuid := (p_args ->> 'contact_id')::uuid;
  v_company_id uuid := (p_args ->> 'company_id')::uuid;
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_closed_since timestamptz := coalesce((p_args ->> 'closed_since')::timestamptz, '-infinity');
  v_closed_until timestamptz := coalesce((p_args ->> 'closed_until')::timestamptz, 'infinity');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_ranges text[] := array_remove(array[
    case when p_args ?| array['closed_since', 'closed_until'] then 'closed_at' end,
    case when p_args ?| array['updated_since'] then 'updated_at' end
  ], null);
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_range text;
  v_in_range uuid[];
  -- Whether no other filter was sent, so that nearly all rows in the range match.
  v_alone boolean;
  v_newer integer;
begin
  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'archived' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < p_before
        and t.id >= p_from
        and t.archived_at is not null
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_archived = 'true'
    union all
    select 'status' as name, (
      select t.* from unnest(v_status) s (value)
      cross join lateral (
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id()
          and (t.status, t.id) < (s.value, p_before)
          and t.status >= s.value
          and t.status = any (array[s.value])
          and t.id < p_before
          and t.id >= p_from
        order by t.status desc, t.id desc
        limit p_step + 1
      ) t
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_status is not null
    union all
    select 'pipeline_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.pipeline_id, t.id) < (v_pipeline_id, p_before)
        and t.pipeline_id >= v_pipeline_id
        and t.pipeline_id = any (array[v_pipeline_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.pipeline_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_pipeline_id is not null
    union all
    select 'stage_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.stage_id, t.id) < (v_stage_id, p_before)
        and t.stage_id >= v_stage_id
        and t.stage_id = any (array[v_stage_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.stage_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_stage_id is not null
    union all
    select 'contact_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.contact_id, t.id) < (v_contact_id, p_before)
        and t.contact_id >= v_contact_id
        and t.contact_id = any (array[v_contact_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.contact_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_contact_id is not null
    union all
    select 'company_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.company_id, t.id) < (v_company_id, p_before)
        and t.company_id >= v_company_id
        and t.company_id = any (array[v_company_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.company_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_company_id is not null
    union all
    select 'owner_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < (v_owner_id, p_before)
        and t.owner_id >= v_owner_id
        and t.owner_id = any (array[v_owner_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.owner_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_owner_id is not null
    union all
    select 'external_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.external_id, t.id) < (v_external_id, p_before)
        and t.external_id >= v_external_id
        and t.external_id = any (array[v_external_id])
        and t.id < p_before
        and t.id >= p_from
        and t.external_id is not null
      order by t.external_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_external_id is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  ids := '{}';
  for v_round in 1 .. 2 loop
    select array_agg(t.id), array_agg(t.id) filter (
      where (v_status is null or t.status = any (v_status))
        and (v_pipeline_id is null or t.pipeline_id = v_pipeline_id)
        and (v_stage_id is null or t.stage_id = v_stage_id)
        and (v_contact_id is null or t.contact_id = v_contact_id)
        and (v_company_id is null or t.company_id = v_company_id)
        and (v_owner_id is null or t.owner_id = v_owner_id)
        and (v_external_id is null or t.external_id = v_external_id)
        and (v_archived is distinct from 'false' or t.archived_at is null)
        and (v_archived is distinct from 'true' or t.archived_at is not null)
        and (v_closed_since = '-infinity' or t.closed_at >= v_closed_since)
        and (v_closed_until = 'infinity' or t.closed_at < v_closed_until)
        and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
    )
    into v_walked, v_matches
    from (
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'all'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'archived'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.* from unnest(v_status) s (value)
        cross join lateral (
          select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
          where t.workspace_id = crm.current_workspace_id()
            and (t.status, t.id) < (s.value, v_before)
            and t.status >= s.value
            and t.status = any (array[s.value])
            and t.id < v_before
            and t.id >= p_from
          order by t.status desc, t.id desc
          limit v_rows
        ) t
        where v_by = 'status'
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'pipeline_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.pipeline_id, t.id) < (v_pipeline_id, v_before)
          and t.pipeline_id >= v_pipeline_id
          and t.pipeline_id = any (array[v_pipeline_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.pipeline_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'stage_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.stage_id, t.id) < (v_stage_id, v_before)
          and t.stage_id >= v_stage_id
          and t.stage_id = any (array[v_stage_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.stage_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'contact_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.contact_id, t.id) < (v_contact_id, v_before)
          and t.contact_id >= v_contact_id
          and t.contact_id = any (array[v_contact_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.contact_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'company_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.company_id, t.id) < (v_company_id, v_before)
          and t.company_id >= v_company_id
          and t.company_id = any (array[v_company_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.company_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'owner_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, v_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at from crm.deals t
        where v_by = 'external_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.external_id, t.id) < (v_external_id, v_before)
          and t.external_id >= v_external_id
          and t.external_id = any (array[v_external_id])
          and t.id < v_before
          and t.id >= p_from
          and t.external_id is not null
        order by t.external_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at
        from unnest(v_in_range[:v_rows]) with ordinality chosen (id, position)
        join crm.deals t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        where v_by = 'range'
        order by chosen.position
      )
    ) t;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    v_rows := 4 * p_step;
    -- Few rows of the first round match. A range of few rows is walked instead, if it has no more rows where the first
    -- round was.
    foreach v_range in array v_ranges loop
      case v_range
        when 'closed_at' then
          v_alone := p_args - '{limit,cursor,since,until,closed_since,closed_until,archived}'::text[] = '{}' and v_archived <> 'true';
          v_in_range := array(
            select t.id from crm.deals t
            where t.workspace_id = crm.current_workspace_id()
              and t.closed_at >= v_closed_since
              and t.closed_at < v_closed_until
            order by t.closed_at desc
            limit 10 * p_step + 1
          );
        when 'updated_at' then
          v_alone := p_args - '{limit,cursor,since,until,updated_since,archived}'::text[] = '{}' and v_archived <> 'true';
          v_in_range := array(
            select t.id from crm.deals t
            where t.workspace_id = crm.current_workspace_id()
              and t.updated_at >= v_updated_since
            order by t.updated_at desc
            limit 10 * p_step + 1
          );
      end case;
      continue when cardinality(v_in_range) > 10 * p_step;
      select array_agg(r.id order by r.id desc) filter (where r.id < v_before),
        count(*) filter (where r.id >= v_before and r.id < p_before)
      into v_in_range, v_newer
      from unnest(v_in_range) r (id)
      where r.id >= p_from;
      if v_newer <= p_step then
        if v_alone and v_archived = 'any' then
          ids := ids || v_in_range[:v_limit + 1];
          next_id := null;
          return;
        elsif v_alone then
          v_rows := least(v_rows, v_limit + 51);
        end if;
        v_by := 'range';
        exit;
      end if;
    end loop;
  end loop;
end
$$;


--
-- Name: FUNCTION deal_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) IS 'The ids of a page of api.deal_list, more than its limit if there are as many, for any combination of its filters. It looks through at most 5 * p_step rows; next_id is the last of them if there may be others.';


--
-- Name: deal_lock(uuid, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_lock(p_id uuid, p_if_match jsonb DEFAULT NULL::jsonb) RETURNS crm.deals
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.deals;
begin
  select * into t from crm.deals r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then
    perform api.fail('not_found');
  end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.deal_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;


--
-- Name: FUNCTION deal_lock(p_id uuid, p_if_match jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_lock(p_id uuid, p_if_match jsonb) IS 'Locks the record until the transaction ends, so that concurrent changes of different fields are all kept, and returns it. Raises not_found; precondition_failed if p_if_match, a list of versions, has not the record''s.';


--
-- Name: deal_match(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_match(p_args jsonb) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
    when 'external_id' then
      return array(
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id()
          and (t.external_id, t.id) < (p_args ->> 'external_id', v_beyond)
          and t.external_id >= p_args ->> 'external_id'
          and t.external_id = any (array[p_args ->> 'external_id'])
          and t.id < v_beyond
          and t.id >= v_first
          and t.external_id is not null
        order by t.external_id, t.id
        limit 100
      );
  end case;
end
$$;


--
-- Name: FUNCTION deal_match(p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_match(p_args jsonb) IS 'The records with the value of the field in match_by, oldest first, 100 at most: those in use; by external_id also archived ones.';


--
-- Name: deal_new(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_new(p_args jsonb) RETURNS crm.deals
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_deal crm.deals := jsonb_populate_record(null::crm.deals, crm.require_references(p_args));
begin
  select p.pipeline_id, p.stage_id into v_deal.pipeline_id, v_deal.stage_id
  from crm.choose_stage(v_deal.pipeline_id, v_deal.stage_id) p;
  v_deal.owner_id := crm.owner_or_default(v_deal.owner_id);
  v_deal.title := coalesce(v_deal.title, crm.deal_default_title(v_deal));
  return v_deal;
end
$$;


--
-- Name: FUNCTION deal_new(p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_new(p_args jsonb) IS 'The deal to insert for the arguments of a creation. Raises invalid_reference, no_owner_available, and the codes of crm.choose_stage (spec 4.6).';


--
-- Name: deal_page(uuid[], json[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_page(p_ids uuid[], p_records json[]) RETURNS json[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_record json;
  v_records json[];
  v_bytes integer := 0;
begin
  for v_position in 1 .. cardinality(p_ids) loop
    v_record := p_records[v_position];
    if v_record is null then
      select crm.deal_json(t) into v_record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
    end if;
    v_bytes := v_bytes + pg_column_size(v_record);
    -- One record is shown however long it is, because the next page would begin with it again.
    exit when v_bytes > crm.max_page_bytes() and v_position > 1;
    v_records := v_records || v_record;
  end loop;
  return v_records;
end
$$;


--
-- Name: FUNCTION deal_page(p_ids uuid[], p_records json[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_page(p_ids uuid[], p_records json[]) IS 'The records of a page that may be too long: those that are null are made one by one, until the page has its maximum of bytes.';


--
-- Name: deal_save(crm.deals); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_save(t crm.deals) RETURNS crm.deals
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  update crm.deals as saved
  set (
    title, status, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
    expected_close_date, loss_reason_id, loss_note, source, utm, custom_fields
  ) = (
    t.title, t.status, t.value, t.recurring_value, t.pipeline_id, t.stage_id, t.contact_id, t.company_id,
    t.owner_id, t.expected_close_date, t.loss_reason_id, t.loss_note, t.source, t.utm, t.custom_fields
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;


--
-- Name: FUNCTION deal_save(t crm.deals); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_save(t crm.deals) IS 'Writes the fields of the record that can change, and returns the row as it is then.';


--
-- Name: deal_search(jsonb, uuid, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer DEFAULT 250, OUT ids uuid[], OUT next_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_status text[] := case when p_args ? 'status' then array(select jsonb_array_elements_text(p_args -> 'status')) end;
  v_pipeline_id uuid := (p_args ->> 'pipeline_id')::uuid;
  v_stage_id uuid := (p_args ->> 'stage_id')::uuid;
  v_contact_id uuid := (p_args ->> 'contact_id')::uuid;
  v_company_id uuid := (p_args ->> 'company_id')::uuid;
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_closed_since timestamptz := coalesce((p_args ->> 'closed_since')::timestamptz, '-infinity');
  v_closed_until timestamptz := coalesce((p_args ->> 'closed_until')::timestamptz, 'infinity');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_by text;
  v_before uuid := p_before;
  -- The texts that are made and compared one by one. Fewer for a long search, as in crm.deal_kept_search.
  v_rows integer := greatest(2 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')), 1);
  -- The records whose text is not kept yet, or not as it is now.
  v_pending uuid[] := crm.pending_texts('deal', 16 * p_step);
  v_words text[];
begin
  if v_pending is null then
    -- Too many to tell which they are: all that is walked counts as one of them.
    -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
    select w.name into v_by
    from (
      select 'archived' as name, (
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id()
          and t.id < p_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        offset p_step limit 1
      ) as reach
      where v_archived = 'true'
      union all
      select 'status' as name, (
        select t.* from unnest(v_status) s (value)
        cross join lateral (
          select t.id from crm.deals t
          where t.workspace_id = crm.current_workspace_id()
            and (t.status, t.id) < (s.value, p_before)
            and t.status >= s.value
            and t.status = any (array[s.value])
            and t.id < p_before
            and t.id >= p_from
          order by t.status desc, t.id desc
          limit p_step + 1
        ) t
        order by t.id desc
        offset p_step limit 1
      ) as reach
      where v_status is not null
      union all
      select 'pipeline_id' as name, (
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id()
          and (t.pipeline_id, t.id) < (v_pipeline_id, p_before)
          and t.pipeline_id >= v_pipeline_id
          and t.pipeline_id = any (array[v_pipeline_id])
          and t.id < p_before
          and t.id >= p_from
        order by t.pipeline_id desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_pipeline_id is not null
      union all
      select 'stage_id' as name, (
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id()
          and (t.stage_id, t.id) < (v_stage_id, p_before)
          and t.stage_id >= v_stage_id
          and t.stage_id = any (array[v_stage_id])
          and t.id < p_before
          and t.id >= p_from
        order by t.stage_id desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_stage_id is not null
      union all
      select 'contact_id' as name, (
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id()
          and (t.contact_id, t.id) < (v_contact_id, p_before)
          and t.contact_id >= v_contact_id
          and t.contact_id = any (array[v_contact_id])
          and t.id < p_before
          and t.id >= p_from
        order by t.contact_id desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_contact_id is not null
      union all
      select 'company_id' as name, (
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id()
          and (t.company_id, t.id) < (v_company_id, p_before)
          and t.company_id >= v_company_id
          and t.company_id = any (array[v_company_id])
          and t.id < p_before
          and t.id >= p_from
        order by t.company_id desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_company_id is not null
      union all
      select 'owner_id' as name, (
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, p_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < p_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_owner_id is not null
      union all
      select 'external_id' as name, (
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id()
          and (t.external_id, t.id) < (v_external_id, p_before)
          and t.external_id >= v_external_id
          and t.external_id = any (array[v_external_id])
          and t.id < p_before
          and t.id >= p_from
          and t.external_id is not null
        order by t.external_id desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_external_id is not null
    ) w
    order by w.reach nulls first
    limit 1;
    v_by := coalesce(v_by, 'all');
    select array_agg(t.id) into v_pending
    from (
      (
        select t.id from crm.deals t
        where v_by = 'all'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.deals t
        where v_by = 'archived'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.* from unnest(v_status) s (value)
        cross join lateral (
          select t.id from crm.deals t
          where t.workspace_id = crm.current_workspace_id()
            and (t.status, t.id) < (s.value, v_before)
            and t.status >= s.value
            and t.status = any (array[s.value])
            and t.id < v_before
            and t.id >= p_from
          order by t.status desc, t.id desc
          limit v_rows
        ) t
        where v_by = 'status'
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.deals t
        where v_by = 'pipeline_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.pipeline_id, t.id) < (v_pipeline_id, v_before)
          and t.pipeline_id >= v_pipeline_id
          and t.pipeline_id = any (array[v_pipeline_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.pipeline_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.deals t
        where v_by = 'stage_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.stage_id, t.id) < (v_stage_id, v_before)
          and t.stage_id >= v_stage_id
          and t.stage_id = any (array[v_stage_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.stage_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.deals t
        where v_by = 'contact_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.contact_id, t.id) < (v_contact_id, v_before)
          and t.contact_id >= v_contact_id
          and t.contact_id = any (array[v_contact_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.contact_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.deals t
        where v_by = 'company_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.company_id, t.id) < (v_company_id, v_before)
          and t.company_id >= v_company_id
          and t.company_id = any (array[v_company_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.company_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.deals t
        where v_by = 'owner_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, v_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.deals t
        where v_by = 'external_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.external_id, t.id) < (v_external_id, v_before)
          and t.external_id >= v_external_id
          and t.external_id = any (array[v_external_id])
          and t.id < v_before
          and t.id >= p_from
          and t.external_id is not null
        order by t.external_id desc, t.id desc
        limit v_rows
      )
    ) t;
  else
    select s.ids, s.next_id into ids, next_id
    from crm.deal_kept_search(p_args, p_before, p_from, p_step) s;
    if v_pending = '{}' then
      return;
    end if;
  end if;
  v_words := crm.search_words(p_args ->> 'q');
  v_pending := array(
    select p.id from unnest(v_pending) p (id)
    where p.id < p_before and p.id >= coalesce(next_id, p_from)
    order by p.id desc
    limit v_rows
  );
  next_id := coalesce(v_pending[v_rows], next_id);
  ids := array(
    select m.id
    from (
      (
        select k.id from unnest(ids) k (id) where k.id >= coalesce(next_id, p_from)
        except
        select p.id from unnest(v_pending) p (id)
      )
      union all
      select t.id
      from unnest(v_pending) p (id)
      join crm.deals t on t.workspace_id = crm.current_workspace_id() and t.id = p.id
      cross join lateral (select crm.deal_text(t) as text offset 0) x
      where (v_status is null or t.status = any (v_status))
        and (v_pipeline_id is null or t.pipeline_id = v_pipeline_id)
        and (v_stage_id is null or t.stage_id = v_stage_id)
        and (v_contact_id is null or t.contact_id = v_contact_id)
        and (v_company_id is null or t.company_id = v_company_id)
        and (v_owner_id is null or t.owner_id = v_owner_id)
        and (v_external_id is null or t.external_id = v_external_id)
        and (v_archived is distinct from 'false' or t.archived_at is null)
        and (v_archived is distinct from 'true' or t.archived_at is not null)
        and (v_closed_since = '-infinity' or t.closed_at >= v_closed_since)
        and (v_closed_until = 'infinity' or t.closed_at < v_closed_until)
        and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
        and not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0)
    ) m
    order by m.id desc
  );
end
$$;


--
-- Name: FUNCTION deal_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) IS 'The ids of a page of api.deal_list with `q`, more than its limit if there are as many: those of crm.deal_kept_search, and of what changed since its text was kept those that have the words now. Of these it compares at most 2 * p_step; where there are too many to be known, it walks as many rows instead. next_id is where the next page continues if there may be others.';


--
-- Name: deal_text(crm.deals); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_text(t crm.deals) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$ select crm.search_text(array[t.title, t.external_id], array[]::text[]) $$;


--
-- Name: FUNCTION deal_text(t crm.deals); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_text(t crm.deals) IS 'What is searched of the record.';


--
-- Name: deal_traces_of(crm.deals, crm.traces, text[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deal_traces_of(d crm.deals, p_traces crm.traces, p_names text[]) RETURNS crm.deal_traces
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
declare
  v_traces crm.traces := crm.with_lead(p_traces, d.lead);
begin
  return (
    d.id,
    v_traces,
    case
      when p_names is null then v_traces
      else (
        v_traces.words || crm.single_names(p_names || crm.lead_name(d.lead)), v_traces.numbers
      )::crm.traces
    end
  );
end
$$;


--
-- Name: FUNCTION deal_traces_of(d crm.deals, p_traces crm.traces, p_names text[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deal_traces_of(d crm.deals, p_traces crm.traces, p_names text[]) IS 'What a person is recognized by in a deal. p_names, the names of the person: one word of them is enough in source and utm, because "indicação de Genoveva" in her own deal names her. Null: as everywhere else.';


--
-- Name: default_owner(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.default_owner() RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  -- As crm.active_member, whose call would take half as long again for every record that is created.
  v_owner_id uuid := (
    select m.id from crm.members m
    where m.workspace_id = crm.current_workspace_id() and m.id = crm.current_member_id() and m.is_active
  );
begin
  -- In a statement of its own, so that it is prepared only where it is needed.
  if v_owner_id is null then
    v_owner_id := (
      select m.id from crm.members m
      where m.workspace_id = crm.current_workspace_id() and m.is_active and m.role in ('admin', 'gestor')
      order by m.id
      limit 1
    );
  end if;
  return v_owner_id;
end
$$;


--
-- Name: FUNCTION default_owner(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.default_owner() IS 'The owner of a record whose call names none: the creator of the key, otherwise the oldest active admin or gestor (spec 4.1).';


--
-- Name: deliveries_due(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.deliveries_due() RETURNS boolean
    LANGUAGE sql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
  select exists (select from crm.webhook_queue q where q.state = 'ready')
    or exists (select from crm.webhook_unsettled)
    or exists (select from crm.webhook_queue q where q.state = 'leased' and q.lease_until <= statement_timestamp())
    or exists (
      select from crm.webhook_shards s
      where exists (
        select from crm.webhook_queue q
        where q.shard = s.shard and q.state = 'waiting' and q.due_at <= statement_timestamp() + interval '15 s'
        offset 0
      )
    )
$$;


--
-- Name: FUNCTION deliveries_due(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.deliveries_due() IS 'Whether a claim would find work now or within 15 seconds. The job webhook-dispatch asks every 10 seconds, so the dispatcher is awake at least 5 seconds before a delivery is due, and can send it on time.';


--
-- Name: feed_position(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.feed_position() RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  return pg_current_xact_id()::text::bigint + (select o.added from crm.feed_offset o);
end
$$;


--
-- Name: FUNCTION feed_position(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.feed_position() IS 'The position in the feed of what this transaction writes.';


--
-- Name: uuid_v7_clock(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.uuid_v7_clock() RETURNS uuid
    LANGUAGE sql
    AS $$
  -- 4,096 units a millisecond: the last three digits of the time are those behind the version.
  select (
    overlay(
      lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 4096000)::bigint), 15, '0') placing '7' from 13 for 0
    )
    || substr(gen_random_uuid()::text, 19)
  )::uuid
$$;


--
-- Name: FUNCTION uuid_v7_clock(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.uuid_v7_clock() IS 'A UUIDv7 of this moment with microseconds (RFC 9562, 6.2, method 3), so that the ids that one transaction makes rise in the order in which it makes them.';


--
-- Name: events; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.events (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7_clock() NOT NULL,
    event crm.event_type NOT NULL,
    object_id uuid NOT NULL,
    facts jsonb NOT NULL,
    is_test boolean DEFAULT false NOT NULL,
    caller_id uuid DEFAULT crm.current_caller_id(),
    occurred_at timestamp with time zone DEFAULT now() NOT NULL,
    "position" bigint DEFAULT crm.feed_position() NOT NULL
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY crm.events FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE events; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.events IS 'One row for each event, whether or not there is a subscription. Only crm.emit writes it, in the transaction of the change, and crm.send_test_event. Kept for 90 days, a partition for each day. It has no foreign key: each event would lock the workspace''s row.';


--
-- Name: COLUMN events.facts; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.events.facts IS 'What the object itself does not show, such as the previous stage. Added to the object''s JSON in the delivery.';


--
-- Name: COLUMN events.is_test; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.events.is_test IS 'Whether it was sent to try a receiver: nothing has happened (crm.send_test_event).';


--
-- Name: COLUMN events.caller_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.events.caller_id IS 'Whose request brought it about (crm.current_caller_id); null: the operator, a job, or another writer of the database.';


--
-- Name: COLUMN events."position"; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.events."position" IS 'The place in the feed, by the transaction that wrote it (crm.feed_position); events of one transaction follow each other by id.';


--
-- Name: delivery_body(uuid, crm.events); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.delivery_body(p_delivery_id uuid, e crm.events) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_object_type text := (select t.object_type from crm.event_types t where t.event = e.event);
  v_body json;
begin
  v_body := json_build_object(
    'event', e.event,
    'event_id', e.id,
    'workspace_id', e.workspace_id,
    'object_type', v_object_type,
    'object_id', e.object_id,
    'data', case when e.is_test then crm.sample_data(e.event) else crm.event_data(e, v_object_type) end,
    'occurred_at', crm.iso(e.occurred_at),
    'delivery_id', p_delivery_id
  );
  return case when e.is_test then crm.with_fields(v_body, '{"test": true}') else v_body end;
exception when others then
  -- One body that cannot be built must not prevent the claim of a whole batch.
  raise log 'crm.delivery_body of event %: % (%)', e.id, sqlerrm, sqlstate;
  return null;
end
$$;


--
-- Name: FUNCTION delivery_body(p_delivery_id uuid, e crm.events); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.delivery_body(p_delivery_id uuid, e crm.events) IS 'The JSON text to send (spec 6.2), with the object as it is now, or as a sample with "test": true; null if it cannot be built.';


--
-- Name: delivery_claim(integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.delivery_claim(p_batch integer) RETURNS TABLE(claimed_at double precision, workspace_id uuid, subscription_id uuid, delivery_id uuid, event_id uuid, lease_token bigint, event crm.event_type, target_url text, secret bytea, next_secret bytea, body text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_now timestamptz;
  -- Events are kept for longer than deliveries. With a bound that the plan knows, it leaves out their older days.
  v_oldest uuid := crm.uuid_v7_floor(now() - interval '32 days');
  v_shard smallint;
  v_candidates crm.claim_candidate[] := '{}';
begin
  for v_shard in select s.shard from crm.webhook_shards s order by random() loop
    -- Asked shard by shard, because mostly the first has enough, and what was claimed is walked again until a vacuum.
    continue when not (
      exists (select from crm.webhook_queue q where q.shard = v_shard and q.state = 'ready')
      or exists (
        select from crm.webhook_queue q
        where q.shard = v_shard and q.state = 'waiting' and q.due_at <= statement_timestamp()
      )
      or exists (
        select from crm.webhook_queue q
        where q.shard = v_shard and q.state = 'leased' and q.lease_until <= statement_timestamp()
      )
      or exists (select from crm.webhook_unsettled u where u.shard = v_shard)
    );
    -- Another dispatcher that has the shard claims what is there.
    perform from crm.webhook_shards s where s.shard = v_shard for update skip locked;
    continue when not found;
    perform crm.wake_deliveries(v_shard);
    perform crm.settle_shard(v_shard);
    v_candidates := v_candidates || crm.claim_candidates(v_shard, p_batch);
    -- Enough workspaces, so that none takes its second place before others have their first.
    exit when (select count(distinct c.workspace_id) from unnest(v_candidates) c) >= p_batch;
  end loop;
  if v_candidates = '{}' then
    return;
  end if;

  -- Claims of other shards may choose the same hosts. In order of number, so that two claims cannot deadlock.
  perform pg_advisory_xact_lock(k.number)
  from (
    select crm.lock_number('webhook host ' || h.host) as number
    from (select distinct c.host from unnest(v_candidates) c) h
    order by number
  ) k;
  v_now := clock_timestamp();

  return query
  -- Materialized, or what is in flight at a host would be counted for each of its candidates.
  with host as materialized (
    select h.host, (
      select count(*) from crm.webhook_queue q where q.lease_until is not null and q.host = h.host
    ) as taken
    from (select distinct c.host from unnest(v_candidates) c) h
  ),
  ranked as (
    select
      c.*,
      h.taken
        + row_number() over (partition by c.host order by c.is_slow, c.workspace_rank, random())
        as host_rank
    from unnest(v_candidates) c
    join host h on h.host = c.host
  ),
  chosen as (
    select r.* from ranked r
    where r.host_rank <= case when r.is_slow then 32 else 64 end
    order by r.workspace_rank, random()
    limit p_batch
  ),
  claimed as (
    update crm.webhook_queue q
    set state = 'leased', lease_until = v_now + interval '60 s', lease_token = nextval('crm.webhook_leases'),
      host = (select c.host from chosen c where c.workspace_id = q.workspace_id and c.delivery_id = q.delivery_id)
    where q.ctid = any (array(
        select r.ctid from chosen c
        cross join lateral (
          select q.ctid from crm.webhook_queue q
          where q.workspace_id = c.workspace_id and q.delivery_id = c.delivery_id
          offset 0
        ) r
      ))
      -- Written so that the index of what is ready does not serve it, or a plan might read all of that.
      and q.state is not distinct from 'ready'
    returning q.workspace_id, q.subscription_id, q.delivery_id, q.event_id, q.lease_token
  )
  select
    extract(epoch from v_now)::double precision,
    c.workspace_id, c.subscription_id, c.delivery_id, c.event_id, c.lease_token, (e.event).event, s.target_url,
    case when k.next_from <= v_now then k.next_secret else k.secret end,
    case when k.next_from > v_now then k.next_secret end,
    crm.delivery_body(c.delivery_id, e.event)
  from claimed c
  -- The conditions leave no index that would read more than one row: a plan that believes that a workspace has few rows
  -- takes any index, also for a workspace that has a million.
  cross join lateral (
    select e as event from crm.events e
    where e.workspace_id = c.workspace_id and e.id >= c.event_id and e.id <= c.event_id and e.id >= v_oldest
    order by e.id
    limit 1
  ) e
  join crm.webhook_subscriptions s on s.workspace_id = c.workspace_id and s.id = c.subscription_id
  join crm.webhook_secrets k on k.workspace_id = c.workspace_id and k.subscription_id = c.subscription_id;
end
$$;


--
-- Name: FUNCTION delivery_claim(p_batch integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.delivery_claim(p_batch integer) IS 'Leases up to p_batch due deliveries for 60 seconds, and returns what the dispatcher needs to send them. claimed_at is the database''s time, in seconds since 1970; next_secret is null unless a rotation overlaps. At most 64 are in flight to a host, 32 of them to slow subscriptions; for the other limits see crm.claim_candidates. Several dispatchers claim at the same time, each from shards of its own.';


--
-- Name: delivery_detail(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.delivery_detail(p_workspace_id uuid, p_id uuid) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_delivery crm.webhook_deliveries;
  v_event crm.events;
  v_target_url text;
  v_body text;
begin
  select d.* into v_delivery from crm.webhook_deliveries d
  where d.workspace_id = p_workspace_id and d.id = p_id;
  select e.* into v_event from crm.events e
  where e.workspace_id = p_workspace_id and e.id = v_delivery.event_id;
  if not found then
    return null;
  end if;
  select s.target_url into v_target_url from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = v_delivery.subscription_id;
  v_body := crm.delivery_body(p_id, v_event);
  return crm.with_fields(crm.delivery_summary(p_workspace_id, p_id), json_build_object(
    'attempts_made', (
      select coalesce(
        json_agg(
          json_build_object(
            'series', a.series,
            'number', a.number,
            'status', a.status,
            'reason', a.reason,
            'duration_ms', a.duration_ms,
            'finished_at', crm.iso(a.finished_at)
          )
          order by a.series, a.number
        ),
        '[]'
      )
      from (
        select a.* from crm.webhook_attempts a
        where a.workspace_id = p_workspace_id and a.delivery_id = p_id
        order by a.series desc, a.number desc
        limit 100
      ) a
    ),
    'body', v_body,
    'headers', crm.delivery_headers(v_delivery, v_event, v_target_url, v_body)
  ));
end
$$;


--
-- Name: FUNCTION delivery_detail(p_workspace_id uuid, p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.delivery_detail(p_workspace_id uuid, p_id uuid) IS 'JSON of a delivery with its attempts (the newest 100, oldest first), and the body and headers of an attempt that would be made now; body is null if it cannot be built. Null if there is no such delivery.';


--
-- Name: webhook_deliveries; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.webhook_deliveries (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    event_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    series integer DEFAULT 1 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_badly boolean GENERATED ALWAYS AS ((state = ANY (ARRAY['failed'::text, 'cancelled'::text]))) STORED,
    CONSTRAINT webhook_deliveries_attempts_check CHECK (((attempts >= 0) AND (attempts <= 5))),
    CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY crm.webhook_deliveries FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE webhook_deliveries; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.webhook_deliveries IS 'One event for one subscription. The id is the delivery_id that the receiver gets on every attempt, made by crm.delivery_id. Kept for 30 days, a partition for each day of events. It has no foreign keys: events go with their partition, and each delivery would lock the subscription''s row.';


--
-- Name: COLUMN webhook_deliveries.state; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_deliveries.state IS 'pending: an attempt will follow, or will once the subscription is active and the workspace may send; delivered; failed: after five attempts; cancelled: the subscription was deleted first.';


--
-- Name: COLUMN webhook_deliveries.series; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_deliveries.series IS 'Counts the series of up to five attempts: grows when a delivery that had ended is sent again.';


--
-- Name: COLUMN webhook_deliveries.attempts; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_deliveries.attempts IS 'Attempts of this series whose outcome was recorded. If a dispatcher dies during an attempt, the next one has the same number, because the fault is not the receiver''s.';


--
-- Name: COLUMN webhook_deliveries.next_attempt_at; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_deliveries.next_attempt_at IS 'When the next attempt of a pending delivery is due. Whoever changes it changes the queue (trigger enqueue_changed).';


--
-- Name: COLUMN webhook_deliveries.ended_badly; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_deliveries.ended_badly IS 'Whether it failed or was cancelled, for the index of those; what ends well changes no column of an index.';


--
-- Name: delivery_headers(crm.webhook_deliveries, crm.events, text, text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.delivery_headers(d crm.webhook_deliveries, e crm.events, p_target_url text, p_body text) RETURNS json
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $_$
  select json_agg(json_build_object('name', h.name, 'value', h.value) order by h.n)
  from unnest(
    array[
      'Host', 'User-Agent', 'Accept', 'Content-Type', 'Content-Length', 'X-Service-Event', 'X-Service-Event-Id',
      'X-Service-Delivery-Id', 'X-Service-Timestamp', 'X-Service-Signature', 'X-Service-Signature-Next'
    ],
    array[
      regexp_replace(lower(substring(p_target_url from '://([^/?#]+)')), ':443$', ''),
      'crm-webhooks/1',
      '*/*',
      'application/json',
      octet_length(convert_to(p_body, 'UTF8'))::text,
      e.event::text,
      e.id::text,
      d.id::text,
      floor(extract(epoch from now()))::text,
      'sha256=<HMAC-SHA256 em hexadecimal de X-Service-Timestamp, um ponto e o corpo, com o segredo da assinatura>',
      'sha256=<o mesmo, com o segredo novo>'
    ]
  ) with ordinality h (name, value, n)
  where h.name <> 'X-Service-Signature-Next'
    or crm.old_secret_until(d.workspace_id, d.subscription_id) is not null
$_$;


--
-- Name: FUNCTION delivery_headers(d crm.webhook_deliveries, e crm.events, p_target_url text, p_body text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.delivery_headers(d crm.webhook_deliveries, e crm.events, p_target_url text, p_body text) IS 'The headers of an attempt that would be made now (spec 6.3), as send_post.ts and sign.ts of the dispatcher write them. The signatures are described, because the database has no secret to sign with; the second one is sent while a rotation overlaps.';


--
-- Name: delivery_id(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.delivery_id(p_event_id uuid, p_subscription_id uuid) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
declare
  v_id bytea := substring(uuid_send(p_event_id) for 8)
    || substring(sha256(uuid_send(p_event_id) || uuid_send(p_subscription_id)) for 8);
begin
  -- The two bits that mark a UUID of RFC 9562.
  return encode(set_byte(v_id, 8, get_byte(v_id, 8) & 63 | 128), 'hex');
end
$$;


--
-- Name: FUNCTION delivery_id(p_event_id uuid, p_subscription_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.delivery_id(p_event_id uuid, p_subscription_id uuid) IS 'The id of the delivery of an event to a subscription: the time of the event, then a hash of both. So an event never makes two deliveries for a subscription, deliveries sort as their events, and an id alone names its partition.';


--
-- Name: delivery_ids(uuid, uuid, text, crm.event_type, timestamp with time zone, timestamp with time zone, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.delivery_ids(p_workspace_id uuid, p_subscription_id uuid, p_state text, p_event crm.event_type, p_since timestamp with time zone, p_until timestamp with time zone, p_cursor uuid, p_limit integer, OUT ids uuid[], OUT next_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    AS $$
declare
  v_before uuid := coalesce(
    least(p_cursor, case when p_until is not null then crm.uuid_v7_floor(p_until) end),
    'ffffffff-ffff-ffff-ffff-ffffffffffff'
  );
  v_from uuid := crm.uuid_v7_floor(coalesce(p_since, 'epoch'));
  v_is_filtered boolean := p_state is not null or p_event is not null;
  -- What one call looks through, in place of all 30 days for a filter that nothing matches.
  -- To know the type of an event, its row is read too.
  v_look integer := case when p_event is not null then 2500 when v_is_filtered then 5000 else p_limit + 1 end;
  v_may_send boolean := not crm.holds_webhooks(p_workspace_id);
  v_last uuid;
begin
  -- A statement for each index: one for all of them could use none. Of a subscription as a walk of a list is: by the order
  -- of both columns, which only one index has; of an equality the planner may think that it matches every row, and walk the
  -- workspace's. The range of the ids alone names the partitions, and ends the walk at `since`.
  if p_subscription_id is null then
    ids := array(
      select w.id
      from (
        select d.id, d.event_id, d.subscription_id, d.state from crm.webhook_deliveries d
        where d.workspace_id = p_workspace_id and d.id < v_before and d.id >= v_from
        order by d.id desc
        limit v_look
      ) w
      where crm.is_in_state(p_state, w.state, v_may_send and (
          select s.is_active from crm.webhook_subscriptions s
          where s.workspace_id = p_workspace_id and s.id = w.subscription_id
        ))
        and (p_event is null or p_event = (
          select e.event from crm.events e where e.workspace_id = p_workspace_id and e.id = w.event_id
        ))
      limit p_limit + 1
    );
    if v_is_filtered and cardinality(ids) <= p_limit then
      select d.id into v_last from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id and d.id < v_before and d.id >= v_from
      order by d.id desc
      offset v_look - 1 limit 1;
    end if;
  elsif p_state in ('failed', 'cancelled') then
    ids := array(
      select w.id
      from (
        select d.id, d.event_id, d.state from crm.webhook_deliveries d
        where d.workspace_id = p_workspace_id
          and (d.subscription_id, d.id) < (p_subscription_id, v_before)
          and d.subscription_id >= p_subscription_id and d.subscription_id = any (array[p_subscription_id])
          and d.id < v_before and d.id >= v_from
          -- As the partial index says it.
          and d.ended_badly
        order by d.subscription_id desc, d.id desc
        limit v_look
      ) w
      where w.state = p_state
        and (p_event is null or p_event = (
          select e.event from crm.events e where e.workspace_id = p_workspace_id and e.id = w.event_id
        ))
      limit p_limit + 1
    );
    if cardinality(ids) <= p_limit then
      select d.id into v_last from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id
        and (d.subscription_id, d.id) < (p_subscription_id, v_before)
        and d.subscription_id >= p_subscription_id and d.subscription_id = any (array[p_subscription_id])
        and d.id < v_before and d.id >= v_from and d.ended_badly
      order by d.subscription_id desc, d.id desc
      offset v_look - 1 limit 1;
    end if;
  else
    v_may_send := crm.may_send(p_workspace_id, p_subscription_id);
    ids := array(
      select w.id
      from (
        select d.id, d.event_id, d.state from crm.webhook_deliveries d
        where d.workspace_id = p_workspace_id
          and (d.subscription_id, d.id) < (p_subscription_id, v_before)
          and d.subscription_id >= p_subscription_id and d.subscription_id = any (array[p_subscription_id])
          and d.id < v_before and d.id >= v_from
        order by d.subscription_id desc, d.id desc
        limit v_look
      ) w
      where crm.is_in_state(p_state, w.state, v_may_send)
        and (p_event is null or p_event = (
          select e.event from crm.events e where e.workspace_id = p_workspace_id and e.id = w.event_id
        ))
      limit p_limit + 1
    );
    if v_is_filtered and cardinality(ids) <= p_limit then
      select d.id into v_last from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id
        and (d.subscription_id, d.id) < (p_subscription_id, v_before)
        and d.subscription_id >= p_subscription_id and d.subscription_id = any (array[p_subscription_id])
        and d.id < v_before and d.id >= v_from
      order by d.subscription_id desc, d.id desc
      offset v_look - 1 limit 1;
    end if;
  end if;

  next_id := v_last;
  if cardinality(ids) > p_limit then
    ids := ids[:p_limit];
    next_id := ids[p_limit];
  end if;
end
$$;


--
-- Name: FUNCTION delivery_ids(p_workspace_id uuid, p_subscription_id uuid, p_state text, p_event crm.event_type, p_since timestamp with time zone, p_until timestamp with time zone, p_cursor uuid, p_limit integer, OUT ids uuid[], OUT next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.delivery_ids(p_workspace_id uuid, p_subscription_id uuid, p_state text, p_event crm.event_type, p_since timestamp with time zone, p_until timestamp with time zone, p_cursor uuid, p_limit integer, OUT ids uuid[], OUT next_id uuid) IS 'The ids of a page of deliveries, newest event first, of a subscription or (null) of the workspace, and the id behind which the next page begins; null if there is none. With a filter by state it looks at 5,000 deliveries, by event at 2,500, so a page may be short, or empty, though there is a next one.';


--
-- Name: delivery_page(uuid, uuid, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.delivery_page(p_workspace_id uuid, p_subscription_id uuid, p_args jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_page record;
begin
  select * into v_page from crm.delivery_ids(
    p_workspace_id,
    p_subscription_id,
    p_args ->> 'state',
    (p_args ->> 'event')::crm.event_type,
    (p_args ->> 'since')::timestamptz,
    (p_args ->> 'until')::timestamptz,
    (p_args ->> 'cursor')::uuid,
    coalesce((p_args ->> 'limit')::integer, 50)
  );
  return crm.page(
    array(
      select s.summary from crm.delivery_summaries(p_workspace_id, v_page.ids) s order by s.id desc
    ),
    v_page.next_id
  );
end
$$;


--
-- Name: FUNCTION delivery_page(p_workspace_id uuid, p_subscription_id uuid, p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.delivery_page(p_workspace_id uuid, p_subscription_id uuid, p_args jsonb) IS 'A page of deliveries by the arguments state, event, since and until (of the event), cursor and limit: see crm.delivery_ids.';


--
-- Name: delivery_record(json); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.delivery_record(p_outcomes json) RETURNS TABLE(lease_token bigint, attempt integer, state text, deactivated boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_hashjoin TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_recorded crm.recorded_attempt[];
  v_attempt crm.recorded_attempt;
  v_deactivating bigint[] := '{}';
begin
  -- Locked in order of their ids, so that two groups cannot deadlock.
  with held as materialized (
    select o.*, q.subscription_id
    from (
      select o.* from rows from (
        json_to_recordset(p_outcomes) as (
          workspace_id uuid, delivery_id uuid, lease_token bigint, status integer, reason text, duration_ms integer
        )
      ) with ordinality as o (workspace_id, delivery_id, lease_token, status, reason, duration_ms, position)
      -- Always true, but Postgres then expects one outcome, not a hundred. For a hundred it would read the partition of a
      -- day whole, because it does not know that an id is in one partition only.
      where o.lease_token between 0 and 9223372036854775807
      order by o.workspace_id, o.delivery_id
    ) o
    cross join lateral (
      select q.subscription_id from crm.webhook_queue q
      where q.workspace_id = o.workspace_id and q.delivery_id = o.delivery_id and q.lease_token = o.lease_token
      for update
    ) q
  ),
  -- The trigger enqueue_changed puts them into the queue again, or removes them.
  recorded as (
    update crm.webhook_deliveries d
    set
      attempts = d.attempts + 1,
      state = case when h.reason is null then 'delivered' when d.attempts + 1 >= 5 then 'failed' else 'pending' end,
      next_attempt_at = coalesce(
        case when h.reason is not null then v_now + crm.retry_delay(d.attempts + 1) end,
        d.next_attempt_at
      )
    from held h
    where d.workspace_id = h.workspace_id and d.id = h.delivery_id and d.state = 'pending'
      -- For plans that take the other index: they too read one row.
      and d.subscription_id = h.subscription_id
    returning d.workspace_id, d.subscription_id, d.id, h.lease_token, d.series, d.attempts, d.state, h.status, h.reason,
      h.duration_ms, h.position
  ),
  stored as (
    insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, reason, duration_ms)
    select r.workspace_id, r.id, r.series, r.attempts, r.status, r.reason, r.duration_ms from recorded r
  )
  select array_agg(r::crm.recorded_attempt) into v_recorded from recorded r;

  -- In the order of subscriptions, for the same reason as above, and in that of the outcomes within one.
  for v_attempt in
    select r.*
    from (
      select a as attempt, bool_or(a.reason is not null) over (partition by a.workspace_id, a.subscription_id) as has_failed
      from unnest(v_recorded) a
    ) g
    cross join lateral (select (g.attempt).*) r
    cross join lateral (
      select s.failure_count, s.slow_since, s.last_success_at from crm.webhook_subscriptions s
      where s.workspace_id = r.workspace_id and s.id = r.subscription_id
      offset 0
    ) s
    -- Not at every success: hundreds a second would all write the same row.
    where g.has_failed or s.failure_count > 0 or s.slow_since is not null or s.last_success_at is null
      or s.last_success_at < v_now - interval '10 s'
    order by r.workspace_id, r.subscription_id, r.position
  loop
    if v_attempt.reason is null then
      update crm.webhook_subscriptions s
      set failure_count = 0, last_success_at = v_now, slow_since = null
      where s.workspace_id = v_attempt.workspace_id and s.id = v_attempt.subscription_id
        -- Not for each success of the group.
        and (s.failure_count > 0 or s.slow_since is not null or s.last_success_at is distinct from v_now);
      continue;
    end if;
    update crm.webhook_subscriptions s
    set
      failure_count = s.failure_count + 1,
      last_failure_at = v_now,
      slow_since = case
        when v_attempt.reason like 'timeout\_%' then coalesce(s.slow_since, v_now)
        when v_attempt.status is null then s.slow_since
      end
    where s.workspace_id = v_attempt.workspace_id and s.id = v_attempt.subscription_id;
    if v_attempt.state = 'failed' then
      update crm.webhook_subscriptions s
      set is_active = false, deactivated_reason = 'failures'
      where s.workspace_id = v_attempt.workspace_id and s.id = v_attempt.subscription_id and s.is_active;
      if found then
        v_deactivating := v_deactivating || v_attempt.lease_token;
      end if;
    end if;
  end loop;

  return query
  select a.lease_token, a.attempt, a.state, a.lease_token = any (v_deactivating) from unnest(v_recorded) a;
end
$$;


--
-- Name: FUNCTION delivery_record(p_outcomes json); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.delivery_record(p_outcomes json) IS 'Records the outcomes of attempts, in the order in which they ended, and schedules the next ones. An outcome is an object with workspace_id, delivery_id, lease_token, status, reason (absent after a success) and duration_ms. The fifth failure ends a delivery and deactivates the subscription (spec 6.5). An outcome whose delivery another dispatcher has claimed meanwhile changes nothing, and is not among the rows that are returned. last_success_at is up to 10 s late.';


--
-- Name: delivery_summaries(uuid, uuid[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.delivery_summaries(p_workspace_id uuid, p_ids uuid[]) RETURNS TABLE(id uuid, summary json)
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
  v_may_send boolean := not crm.holds_webhooks(p_workspace_id);
begin
  return query
  select d.id, json_build_object(
    'id', d.id,
    'event_id', d.event_id,
    'subscription_id', d.subscription_id,
    'target_url', s.target_url,
    'event', e.event,
    'object_type', t.object_type,
    'object_id', e.object_id,
    'is_test', e.is_test,
    'state', case when d.state = 'pending' and not m.may_send then 'held' else d.state end,
    'attempts', d.attempts,
    'last_status', a.status,
    'last_reason', a.reason,
    'last_duration_ms', a.duration_ms,
    'last_attempt_at', crm.iso(a.finished_at),
    'next_attempt_at', case when d.state = 'pending' and m.may_send then crm.iso(d.next_attempt_at) end,
    'occurred_at', crm.iso(e.occurred_at),
    'created_at', crm.iso(d.created_at)
  )
  from unnest(p_ids) wanted (id)
  -- Each id names its partition, which the planner does not count: `offset 0` keeps it from reading whatever the workspace or
  -- the subscription has instead of looking each id up.
  cross join lateral (
    select * from crm.webhook_deliveries d where d.workspace_id = p_workspace_id and d.id = wanted.id offset 0
  ) d
  cross join lateral (
    select * from crm.events e where e.workspace_id = p_workspace_id and e.id = d.event_id offset 0
  ) e
  cross join lateral (
    select * from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = d.subscription_id offset 0
  ) s
  join crm.event_types t on t.event = e.event
  cross join lateral (select v_may_send and s.is_active as may_send) m
  left join lateral (
    -- A delivery that is sent again shows its previous attempt until the new series has one.
    select * from crm.webhook_attempts a
    where a.workspace_id = p_workspace_id and a.delivery_id = d.id
    order by a.series desc, a.number desc
    limit 1
  ) a on true;
end
$$;


--
-- Name: FUNCTION delivery_summaries(p_workspace_id uuid, p_ids uuid[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.delivery_summaries(p_workspace_id uuid, p_ids uuid[]) IS 'JSON of deliveries: event, state, the receiver''s last response, times (spec 6.5). The state is held if it is pending and nothing is sent, because the subscription is inactive or the workspace may not send. next_attempt_at is null if there is no next attempt. In no order.';


--
-- Name: delivery_summary(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.delivery_summary(p_workspace_id uuid, p_id uuid) RETURNS json
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select s.summary from crm.delivery_summaries(p_workspace_id, array[p_id]) s $$;


--
-- Name: FUNCTION delivery_summary(p_workspace_id uuid, p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.delivery_summary(p_workspace_id uuid, p_id uuid) IS 'JSON of one delivery, as of crm.delivery_summaries; null if there is none.';


--
-- Name: describe_changes(jsonb, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.describe_changes(p_before jsonb, p_after jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select coalesce(
    jsonb_object_agg(a.key, jsonb_build_object('from', p_before -> a.key, 'to', a.value)), '{}'
  )
  from jsonb_each(p_after) a
  where a.value is distinct from p_before -> a.key
$$;


--
-- Name: FUNCTION describe_changes(p_before jsonb, p_after jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.describe_changes(p_before jsonb, p_after jsonb) IS 'The details of an update for the audit log: {field: {from, to}} of each field that differs; {} if none does.';


--
-- Name: digits(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.digits(p_phone text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select nullif(regexp_replace(p_phone, '[^0-9]+', '', 'g'), '') $$;


--
-- Name: FUNCTION digits(p_phone text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.digits(p_phone text) IS 'The digits of a phone number, so that two spellings of it are equal; null if it has none.';


--
-- Name: drain_calls(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.drain_calls() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_keys integer;
begin
  -- One run at a time, because two would add the same calls. A run that finds another leaves the work to it.
  if not pg_try_advisory_xact_lock(crm.lock_number('drain calls')) then
    return 0;
  end if;
  with counted as materialized (
    select k.workspace_id, k.id as key_id, r.hits, r.counted_since, r.calls, r.calls - coalesce(c.calls, 0) as new_calls
    from crm.rate_limits r
    join crm.api_keys k on k.id = r.key_id
    left join crm.key_counters c
      on c.workspace_id = k.workspace_id and c.key_id = k.id and c.counted_since = r.counted_since
    where r.calls > coalesce(c.calls, 0)
  ),
  moved as (
    insert into crm.key_calls as stored (workspace_id, key_id, hour, calls)
    select w.workspace_id, w.key_id, h.hour, h.calls
    from counted w
    cross join lateral crm.calls_by_hour(w.hits, w.new_calls) h
    on conflict (workspace_id, key_id, hour) do update set calls = stored.calls + excluded.calls
  )
  insert into crm.key_counters as stored (workspace_id, key_id, counted_since, calls, last_call_at)
  select w.workspace_id, w.key_id, w.counted_since, w.calls, w.hits[cardinality(w.hits)] from counted w
  on conflict (workspace_id, key_id) do update set
    counted_since = excluded.counted_since,
    calls = excluded.calls,
    last_call_at = greatest(stored.last_call_at, excluded.last_call_at);
  get diagnostics v_keys = row_count;
  return v_keys;
end
$$;


--
-- Name: FUNCTION drain_calls(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.drain_calls() IS 'Moves the calls that the rate limits counted since the last run to crm.key_calls, and returns of how many keys. It locks no row of crm.rate_limits, so no call waits for it. A crash of the database loses what came after the last run. Rows of crm.rate_limits that belong to no key are left out.';


--
-- Name: emit(uuid, crm.event_type, uuid, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.emit(p_workspace_id uuid, p_event crm.event_type, p_object_id uuid, p_facts jsonb DEFAULT '{}'::jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_event_id uuid;
  v_subscription_ids uuid[];
begin
  -- The position is that of crm.feed_position, whose call as the column's default takes a fifth of the time of an event.
  insert into crm.events (workspace_id, event, object_id, facts, position)
  select p_workspace_id, p_event, p_object_id, p_facts, pg_current_xact_id()::text::bigint + o.added
  from crm.feed_offset o
  returning id, array(
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.is_active and p_event = any (s.event_types)
  ) into v_event_id, v_subscription_ids;
  -- An insert into a partitioned table costs as much where it inserts nothing, and most events have no subscription.
  if v_subscription_ids <> '{}' then
    perform crm.fan_out(p_workspace_id, array[v_event_id], v_subscription_ids);
  end if;
exception when others then
  -- Best effort (spec 3): an error here must not undo the write that the event is about, unless its text cannot be kept
  -- either: a search would never find it.
  raise log 'crm.emit % of %: % (%)', p_event, p_object_id, sqlerrm, sqlstate;
  -- The job that keeps what is searched will not hear of it.
  perform crm.keep_texts(p_workspace_id, split_part(p_event::text, '.', 1), array[p_object_id]);
end
$$;


--
-- Name: FUNCTION emit(p_workspace_id uuid, p_event crm.event_type, p_object_id uuid, p_facts jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.emit(p_workspace_id uuid, p_event crm.event_type, p_object_id uuid, p_facts jsonb) IS 'Stores an event and enqueues a delivery for each active subscription to its type (crm.fan_out), in the caller''s transaction. Fails only where it can store neither the event nor what is searched. No role but the owner may execute it.';


--
-- Name: emit_all_created(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.emit_all_created() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_event crm.event_type := tg_argv[0];
  v_is_checked boolean;
  v_stored record;
begin
  -- Asked first, because to hand on the ids of events takes a third as long as to store them. Null: no subscription.
  select crm.checks_queue(bool_or(s.behind_since is not null), count(*), min(w.max_waiting_deliveries)) into v_is_checked
  from created c
  join crm.webhook_subscriptions s on s.workspace_id = c.workspace_id
  join crm.workspaces w on w.id = c.workspace_id
  where s.is_active and v_event = any (s.event_types);
  if not v_is_checked then
    with stored as (
      insert into crm.events (workspace_id, event, object_id, facts, position)
      select c.workspace_id, v_event, c.id, '{}', pg_current_xact_id()::text::bigint + o.added
      from created c cross join crm.feed_offset o
      returning workspace_id, id
    )
    insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
    select e.workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id
    from stored e join crm.webhook_subscriptions s on s.workspace_id = e.workspace_id
    where s.is_active and v_event = any (s.event_types);
    perform set_config('app.events_enqueued', 'true', true);
  elsif v_is_checked then
    for v_stored in
      with stored as (
        insert into crm.events (workspace_id, event, object_id, facts, position)
        select c.workspace_id, v_event, c.id, '{}', pg_current_xact_id()::text::bigint + o.added
        from created c cross join crm.feed_offset o
        returning workspace_id, id
      )
      select e.workspace_id, array_agg(e.id) as ids from stored e group by e.workspace_id
    loop
      perform crm.fan_out_within_bound(
        v_stored.workspace_id, v_stored.ids, crm.subscribers(v_stored.workspace_id, v_event)
      );
    end loop;
  else
    insert into crm.events (workspace_id, event, object_id, facts, position)
    select c.workspace_id, v_event, c.id, '{}', pg_current_xact_id()::text::bigint + o.added
    from created c cross join crm.feed_offset o;
  end if;
  return null;
exception when others then
  raise log 'crm.emit_all_created %: % (%)', v_event, sqlerrm, sqlstate;
  perform crm.keep_texts(c.workspace_id, split_part(v_event::text, '.', 1), array_agg(c.id)) from created c
  group by c.workspace_id;
  return null;
end
$$;


--
-- Name: FUNCTION emit_all_created(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.emit_all_created() IS 'Trigger: emits the event in the trigger''s argument, about all new rows of the statement, as crm.emit does for one.';


--
-- Name: emit_change(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.emit_change() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_changed_fields text[] := '{}';
begin
  if tg_op = 'UPDATE' then
    v_changed_fields := crm.changed_fields(old, new);
    if v_changed_fields = '{}' then
      return null;
    end if;
  end if;
  perform crm.emit(
    new.workspace_id, tg_argv[0]::crm.event_type, new.id, jsonb_build_object('changed_fields', v_changed_fields)
  );
  return null;
end
$$;


--
-- Name: FUNCTION emit_change(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.emit_change() IS 'Trigger: emits the event in the trigger''s argument with the public fields that changed; none, if the row changed only in what no client sees. A new row has no changed fields.';


--
-- Name: emit_closed(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.emit_closed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if new.status = 'ganho' then
    perform crm.emit(new.workspace_id, 'deal.won', new.id);
  else
    perform crm.emit(new.workspace_id, 'deal.lost', new.id);
  end if;
  return null;
end
$$;


--
-- Name: FUNCTION emit_closed(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.emit_closed() IS 'Trigger: emits deal.won or deal.lost when a deal gets that status.';


--
-- Name: emit_created(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.emit_created() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform crm.emit(new.workspace_id, tg_argv[0]::crm.event_type, new.id);
  return null;
end
$$;


--
-- Name: FUNCTION emit_created(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.emit_created() IS 'Trigger: emits the event in the trigger''s argument, about the new row.';


--
-- Name: emit_deals_created(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.emit_deals_created() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_is_checked boolean;
  v_stored record;
begin
  select crm.checks_queue(bool_or(s.behind_since is not null), count(*), min(w.max_waiting_deliveries)) into v_is_checked
  from created c
  join crm.webhook_subscriptions s on s.workspace_id = c.workspace_id
  join crm.workspaces w on w.id = c.workspace_id
  where s.is_active and s.event_types && '{deal.created,lead.received}';
  if not v_is_checked then
    with stored as (
      insert into crm.events (workspace_id, event, object_id, facts, position)
      select c.workspace_id, f.event, c.id, f.facts, pg_current_xact_id()::text::bigint + o.added
      from created c cross join crm.feed_offset o
      cross join lateral crm.facts_of_new_deal(c.lead, c.contact_id, c.company_id) f
      returning workspace_id, event, id
    )
    insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
    select e.workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id
    from stored e join crm.webhook_subscriptions s on s.workspace_id = e.workspace_id
    where s.is_active and e.event = any (s.event_types);
    -- None, if the subscription is to lead.received and no deal is a lead's.
    if found then
      perform set_config('app.events_enqueued', 'true', true);
    end if;
  elsif v_is_checked then
    for v_stored in
      with stored as (
        insert into crm.events (workspace_id, event, object_id, facts, position)
        select c.workspace_id, f.event, c.id, f.facts, pg_current_xact_id()::text::bigint + o.added
        from created c cross join crm.feed_offset o
        cross join lateral crm.facts_of_new_deal(c.lead, c.contact_id, c.company_id) f
        returning workspace_id, event, id
      )
      select e.workspace_id, e.event, array_agg(e.id) as ids from stored e group by e.workspace_id, e.event
    loop
      perform crm.fan_out_within_bound(
        v_stored.workspace_id, v_stored.ids, crm.subscribers(v_stored.workspace_id, v_stored.event)
      );
    end loop;
  else
    insert into crm.events (workspace_id, event, object_id, facts, position)
    select c.workspace_id, f.event, c.id, f.facts, pg_current_xact_id()::text::bigint + o.added
    from created c cross join crm.feed_offset o
    cross join lateral crm.facts_of_new_deal(c.lead, c.contact_id, c.company_id) f;
  end if;
  return null;
exception when others then
  raise log 'crm.emit_deals_created: % (%)', sqlerrm, sqlstate;
  perform crm.keep_texts(c.workspace_id, 'deal', array_agg(c.id)) from created c group by c.workspace_id;
  return null;
end
$$;


--
-- Name: FUNCTION emit_deals_created(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.emit_deals_created() IS 'Trigger: emits the events of all new deals of the statement (crm.facts_of_new_deal), as crm.emit_all_created does.';


--
-- Name: emit_erased(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.emit_erased() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform crm.emit(new.workspace_id, 'contact.erased', new.id);
  return null;
end
$$;


--
-- Name: FUNCTION emit_erased(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.emit_erased() IS 'Trigger: emits contact.erased, whose data is the id alone.';


--
-- Name: emit_for_each(uuid, crm.event_type, uuid[], jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.emit_for_each(p_workspace_id uuid, p_event crm.event_type, p_object_ids uuid[], p_facts jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_event_ids uuid[];
begin
  if cardinality(p_object_ids) is null then
    return;
  end if;
  with stored as (
    insert into crm.events (workspace_id, event, object_id, facts)
    select p_workspace_id, p_event, o.id, p_facts from unnest(p_object_ids) o (id)
    returning id
  )
  select array_agg(e.id) into v_event_ids from stored e;
  perform crm.fan_out(p_workspace_id, v_event_ids, crm.subscribers(p_workspace_id, p_event));
exception when others then
  raise log 'crm.emit_for_each % of % objects: % (%)', p_event, cardinality(p_object_ids), sqlerrm, sqlstate;
end
$$;


--
-- Name: FUNCTION emit_for_each(p_workspace_id uuid, p_event crm.event_type, p_object_ids uuid[], p_facts jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.emit_for_each(p_workspace_id uuid, p_event crm.event_type, p_object_ids uuid[], p_facts jsonb) IS 'As crm.emit, for many objects in two statements: each call of crm.emit is a subtransaction, and more than 64 of them slow down every other transaction. Null: no object.';


--
-- Name: emit_overdue_activities(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.emit_overdue_activities() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_activity record;
begin
  for v_activity in
    update crm.activities a
    set overdue_reported_for = a.due_at
    -- Joined to the workspaces, because the index begins with the workspace.
    from crm.workspaces w
    where a.workspace_id = w.id and a.overdue_unreported_at < now()
      -- Of a deal that is restored, they are reported then.
      and not exists (
        select from crm.deals d
        where d.workspace_id = a.workspace_id and d.id = a.deal_id and d.archived_at is not null
      )
    returning a.workspace_id, a.id, a.due_at
  loop
    perform crm.emit(
      v_activity.workspace_id, 'activity.overdue', v_activity.id,
      jsonb_build_object('overdue_since', crm.iso(v_activity.due_at))
    );
  end loop;
end
$$;


--
-- Name: FUNCTION emit_overdue_activities(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.emit_overdue_activities() IS 'Emits activity.overdue for every pending activity whose due date has passed, once for each due date. Those of an archived deal wait until it is restored.';


--
-- Name: emit_proposal(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.emit_proposal() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if old.viewed_at is null and new.viewed_at is not null then
    perform crm.emit(new.workspace_id, 'proposal.viewed', new.id);
  end if;
  if old.status <> new.status and new.status = 'aceita' then
    perform crm.emit(new.workspace_id, 'proposal.accepted', new.id);
  elsif old.status <> new.status and new.status = 'recusada' then
    perform crm.emit(new.workspace_id, 'proposal.rejected', new.id);
  end if;
  return null;
end
$$;


--
-- Name: FUNCTION emit_proposal(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.emit_proposal() IS 'Trigger: emits proposal.viewed at the first view, and proposal.accepted or proposal.rejected at the answer.';


--
-- Name: emit_stage_changed(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.emit_stage_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform crm.emit(
    new.workspace_id, 'deal.stage_changed', new.id,
    jsonb_build_object('previous_stage_id', old.stage_id, 'previous_pipeline_id', old.pipeline_id)
  );
  return null;
end
$$;


--
-- Name: FUNCTION emit_stage_changed(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.emit_stage_changed() IS 'Trigger: emits deal.stage_changed with the previous stage and pipeline.';


--
-- Name: emit_stale_deals(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.emit_stale_deals() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_workspace record;
  v_deal record;
begin
  -- One statement for each workspace: each has its own threshold, which is the bound of a range of the index. A single
  -- statement for all workspaces would read the whole index.
  for v_workspace in select w.id, w.stale_after_days from crm.workspaces w loop
    for v_deal in
      update crm.deals d
      set stale_reported_for = d.moved_at
      where d.workspace_id = v_workspace.id
        and d.stale_unreported_since <= now() - make_interval(days => v_workspace.stale_after_days)
      returning d.id, d.moved_at
    loop
      perform crm.emit(
        v_workspace.id, 'deal.stale', v_deal.id,
        jsonb_build_object(
          'days_without_movement', floor(extract(epoch from now() - v_deal.moved_at) / 86400)::integer,
          'threshold_days', v_workspace.stale_after_days
        )
      );
    end loop;
  end loop;
end
$$;


--
-- Name: FUNCTION emit_stale_deals(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.emit_stale_deals() IS 'Emits deal.stale for every open deal in use that has not moved for its workspace''s stale_after_days, once until it moves again.';


--
-- Name: enqueue_added(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.enqueue_added() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  insert into crm.webhook_queue (workspace_id, subscription_id, delivery_id, event_id, state, due_at)
  select
    d.workspace_id, d.subscription_id, d.id, d.event_id,
    case when d.next_attempt_at <= statement_timestamp() then 'ready' else 'waiting' end, d.next_attempt_at
  from added d
  where d.state = 'pending';
  return null;
end
$$;


--
-- Name: FUNCTION enqueue_added(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.enqueue_added() IS 'Trigger: puts new deliveries into the queue.';


--
-- Name: enqueue_changed(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.enqueue_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
declare
  v_now timestamptz := clock_timestamp();
  v_change record;
begin
  -- For all rows at once, because most end together, those of one crm.delivery_record.
  delete from crm.webhook_queue q using changed c
  where c.state <> 'pending' and q.workspace_id = c.workspace_id and q.delivery_id = c.id;

  for v_change in
    select c.*, c.attempts <> b.attempts as is_recorded
    from changed c join before b on b.workspace_id = c.workspace_id and b.id = c.id
    where c.state = 'pending'
      and (b.state <> c.state or b.next_attempt_at <> c.next_attempt_at or b.attempts <> c.attempts)
    order by c.workspace_id, c.id
  loop
    insert into crm.webhook_queue as q (workspace_id, subscription_id, delivery_id, event_id, state, due_at)
    values (
      v_change.workspace_id, v_change.subscription_id, v_change.id, v_change.event_id,
      case when v_change.next_attempt_at <= v_now then 'ready' else 'waiting' end, v_change.next_attempt_at
    )
    on conflict (workspace_id, delivery_id) do update
    set
      due_at = excluded.due_at,
      -- An attempt that is under way goes on, unless this is the record of its outcome.
      state = case
        when q.state = 'held' or q.state = 'leased' and not v_change.is_recorded then q.state
        else excluded.state
      end,
      lease_until = case when not v_change.is_recorded then q.lease_until end,
      lease_token = case when not v_change.is_recorded then q.lease_token end;
  end loop;
  return null;
end
$$;


--
-- Name: FUNCTION enqueue_changed(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.enqueue_changed() IS 'Trigger: keeps the queue in step with deliveries: their times, their ends, their new series.';


--
-- Name: erase_activities(uuid, uuid[], crm.traces, boolean); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.erase_activities(p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  update crm.activities a
  set
    title = case when p_texts or crm.mentions(a.title, o.traces) then crm.activity_label(a.type) else a.title end,
    description = case when not p_texts then a.description end,
    location = case when not (p_texts or crm.mentions(a.location, o.traces)) then a.location end,
    meeting_url = case when not (p_texts or crm.mentions(a.meeting_url, o.traces)) then a.meeting_url end
  from (
    select i.id, crm.with_lead(p_traces, d.lead) as traces
    from crm.activities i
    left join crm.deals d on d.workspace_id = p_workspace_id and d.id = i.deal_id
    where i.workspace_id = p_workspace_id and i.id = any (p_ids)
  ) o
  where a.workspace_id = p_workspace_id and a.id = o.id
    and (p_texts or crm.mentions(concat_ws(' ', a.title, a.location, a.meeting_url), o.traces));
end
$$;


--
-- Name: FUNCTION erase_activities(p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.erase_activities(p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean) IS 'Replaces what mentions the person in the short fields of activities. p_texts: every text of them.';


--
-- Name: erase_contact(uuid, boolean); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.erase_contact(p_id uuid, p_texts boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_contacts crm.contacts[] := array(
    select c from crm.contacts c where c.workspace_id = v_workspace_id and c.id = p_id
    union all
    select c from crm.contacts c where c.workspace_id = v_workspace_id and c.merged_into_id = p_id
  );
  v_ids uuid[] := array(select c.id from unnest(v_contacts) c);
  v_deal_ids uuid[] := array(
    select d.id from crm.deals d where d.workspace_id = v_workspace_id and d.contact_id = p_id
  );
  v_given_ids uuid[] := array(
    select d.id from crm.deals d
    where d.workspace_id = v_workspace_id and d.lead_contact_id = any (v_ids) and d.contact_id is distinct from p_id
  );
  v_activity_ids uuid[] := array(
    select a.id from crm.activities a where a.workspace_id = v_workspace_id and a.contact_id = p_id
    union
    select a.id from crm.activities a where a.workspace_id = v_workspace_id and a.deal_id = any (v_deal_ids)
  );
  v_note_ids uuid[] := array(
    select n.id from crm.notes n where n.workspace_id = v_workspace_id and n.deal_id = any (v_deal_ids)
  );
  v_names text[] := array(select c.name from unnest(v_contacts) c);
  v_traces crm.traces := crm.traces_of(
    array(
      select unnest(array[
        c.name, c.email, c.instagram, c.linkedin,
        -- "1" names nobody.
        case when char_length(c.external_id) >= 4 then c.external_id end
      ])
      from unnest(v_contacts) c
    ),
    array(select unnest(array[c.phone, c.phone2, c.whatsapp]) from unnest(v_contacts) c)
  );
begin
  perform crm.contact_erase(v_workspace_id, v_ids);
  perform crm.erase_activities(v_workspace_id, v_activity_ids, v_traces, p_texts);
  perform crm.erase_deals(v_workspace_id, v_deal_ids, v_traces, p_texts, v_names);
  -- What is written about these is of the contact that they were given.
  perform crm.erase_deals(v_workspace_id, v_given_ids, v_traces, false, null);
  -- At once, not by the job: what is searched of them has the person's words.
  perform crm.keep_texts(v_workspace_id, 'contact', v_ids);
  perform crm.keep_texts(v_workspace_id, 'deal', v_deal_ids || v_given_ids);
  perform crm.erase_replies(v_workspace_id, v_ids || v_deal_ids || v_given_ids || v_activity_ids || v_note_ids, v_traces);
end
$$;


--
-- Name: FUNCTION erase_contact(p_id uuid, p_texts boolean); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.erase_contact(p_id uuid, p_texts boolean) IS 'Erases a contact of the current workspace, with those that were merged into it, and what its deals repeat of it, also those that its leads made and that were given another contact. Security definer, because verbs may not change notes, receipts or stored replies.';


--
-- Name: erase_deals(uuid, uuid[], crm.traces, boolean, text[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.erase_deals(p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean, p_names text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_deals crm.deal_traces[] := array(
    select crm.deal_traces_of(d, p_traces, case when p_texts then p_names end) from crm.deals d
    where d.workspace_id = p_workspace_id and d.id = any (p_ids)
  );
begin
  update crm.proposals p
  set
    title = case when p_texts or crm.mentions(p.title, t.traces) then 'Proposta' else p.title end,
    rejection_reason = case when not p_texts then p.rejection_reason end
  from unnest(v_deals) t
  where p.workspace_id = p_workspace_id and p.deal_id = t.deal_id
    and (p_texts or crm.mentions(p.title, t.traces));
  -- The same lead sent again is a new one: its external_id is not known any more.
  update crm.lead_receipts r set external_id = 'apagado ' || d.id
  from unnest(v_deals) t
  join crm.deals d on d.workspace_id = p_workspace_id and d.id = t.deal_id
  where r.workspace_id = p_workspace_id and r.external_id = d.external_id
    and crm.mentions(d.external_id, t.traces);
  update crm.deals d
  set (title, source, external_id, loss_note, utm, custom_fields, lead) = (
    e.title, e.source, e.external_id, e.loss_note, e.utm, e.custom_fields, null
  )
  from (
    select
      o.id,
      case when p_texts or crm.mentions(o.title, t.traces) then 'Contato apagado' else o.title end as title,
      case when not crm.mentions(o.source, t.origin_traces) then o.source end as source,
      case when not crm.mentions(o.external_id, t.traces) then o.external_id end as external_id,
      case when not p_texts then o.loss_note end as loss_note,
      crm.without_mentions(o.utm, t.origin_traces) as utm,
      case when not p_texts then crm.without_mentions(o.custom_fields, t.traces) end as custom_fields
    from unnest(v_deals) t
    join crm.deals o on o.workspace_id = p_workspace_id and o.id = t.deal_id
  ) e
  where d.workspace_id = p_workspace_id and d.id = e.id
    -- A deal that says nothing of the person must not change updated_at.
    and (d.title, d.source, d.external_id, d.loss_note, d.utm, d.custom_fields, d.lead)
      is distinct from (e.title, e.source, e.external_id, e.loss_note, e.utm, e.custom_fields, null::jsonb);

  if p_texts then
    update crm.notes n set body = 'Texto apagado'
    where n.workspace_id = p_workspace_id and n.deal_id = any (p_ids);
  end if;
end
$$;


--
-- Name: FUNCTION erase_deals(p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean, p_names text[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.erase_deals(p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean, p_names text[]) IS 'Clears what the person sent as a lead, and replaces what mentions the person in the short fields of deals, of their receipts and of their proposals. p_texts: also what was written freely about the deals, notes and custom fields included, and a source or utm value that has any of the names.';


--
-- Name: erase_replies(uuid, uuid[], crm.traces); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.erase_replies(p_workspace_id uuid, p_object_ids uuid[], p_traces crm.traces) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
declare
  -- An object, because looking a key up in it costs the same in every plan; in an array it is hashed in some plans only.
  v_objects jsonb := (select coalesce(jsonb_object_agg(o.id, null), '{}') from unnest(p_object_ids) o (id));
  -- A short name is a word of many a key, and the key of another record must not be forgotten.
  v_long crm.traces := (
    array(select w.words from unnest(p_traces.words) w (words) where length(w.words) >= 6 limit 50),
    (p_traces.numbers)[1:50]
  );
  v_mentioning text[] := crm.idempotency_keys_mentioning(p_workspace_id, v_long);
begin
  delete from crm.idempotency_keys i
  where i.workspace_id = p_workspace_id and (
    i.key = any (v_mentioning)
    -- The first id of a reply is that of its record, of a lead that of its deal.
    or (
      v_objects ? case
        when starts_with(i.body, '{"id":"') then substr(i.body, 8, 36)
        else substring(i.body from '[0-9a-f]{8}-[0-9a-f-]{27}')
      end
      and crm.mentions(i.key, p_traces)
    )
  );
  -- Who repeats the request gets the record as it is now. A record's JSON begins with {"id":"<uuid>". No join, because
  -- statistics that know nothing of this workspace yet would make it one of each reply with each.
  update crm.idempotency_keys i
  set body = (
    select coalesce(
      (select crm.contact_json(c) from crm.contacts c where c.workspace_id = p_workspace_id and c.id = r.id),
      (select crm.deal_json(d) from crm.deals d where d.workspace_id = p_workspace_id and d.id = r.id),
      (select crm.activity_json(a) from crm.activities a where a.workspace_id = p_workspace_id and a.id = r.id),
      (select crm.note_json(n) from crm.notes n where n.workspace_id = p_workspace_id and n.id = r.id)
    )::text
    from (select substr(i.body, 8, 36)::uuid as id) r
  )
  where i.workspace_id = p_workspace_id and v_objects ? substr(i.body, 8, 36);
  update crm.idempotency_keys i
  set body = crm.batch_without_mentions(i.body::json, v_long)::text
  where i.workspace_id = p_workspace_id and starts_with(i.body, '{"results"')
    -- Most have no error, and are long to parse.
    and position('"details"' in i.body) > 0
    and exists (
      select from jsonb_path_query(i.body::jsonb, '$.results[*].error.details[*].field') f (field)
      where crm.mentions(f.field #>> '{}', v_long)
    );
end
$_$;


--
-- Name: FUNCTION erase_replies(p_workspace_id uuid, p_object_ids uuid[], p_traces crm.traces); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.erase_replies(p_workspace_id uuid, p_object_ids uuid[], p_traces crm.traces) IS 'Makes stored replies that show one of these records show it as it is now, and forgets those whose key mentions the person: by a trace of four characters or more, or by any if they show one of these records. Those of batches keep their errors, without what mentions the person (crm.batch_without_mentions). It reads the replies of the last 24 hours: an index for it would cost every creating call.';


--
-- Name: error_of(crm.failure, text, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.error_of(p_failure crm.failure, p_verb text, p_args jsonb, OUT error_code text, OUT details json) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  case
    when p_failure.state = 'CRM00' then
      error_code := p_failure.message;
      details := nullif(p_failure.detail, '')::json;
    -- The index refuses it and no statement before, so that no create or update pays for a search.
    when p_failure.state = '23505' and p_failure.constraint_name like '%\_external\_id\_once' then
      error_code := 'external_id_taken';
      details := json_build_array(json_build_object(
        'field', 'external_id',
        'message', null,
        'id', crm.external_id_holder(p_failure.constraint_name, p_args ->> 'external_id')
      ));
    -- lock_not_available, deadlock_detected
    when p_failure.state in ('55P03', '40P01') then
      error_code := 'service_unavailable';
    else
      raise log 'verb %: % (%) %', p_verb, p_failure.message, p_failure.state, p_failure.context;
      error_code := 'internal_error';
  end case;
end
$$;


--
-- Name: FUNCTION error_of(p_failure crm.failure, p_verb text, p_args jsonb, OUT error_code text, OUT details json); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.error_of(p_failure crm.failure, p_verb text, p_args jsonb, OUT error_code text, OUT details json) IS 'The code of spec 7 for the exception that ended a verb, and the fields at fault. What is unexpected goes to the log of Postgres, and is internal_error.';


--
-- Name: event_data(crm.events, text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.event_data(e crm.events, p_object_type text) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_object json;
begin
  if e.event = 'lead.received' then
    return (
      select crm.lead_data(d, c, o)
      from crm.deals d
      -- Those that the lead had, or what these were merged into since.
      left join crm.contacts a on a.workspace_id = d.workspace_id and a.id = (e.facts ->> 'contact_id')::uuid
      left join crm.companies b on b.workspace_id = d.workspace_id and b.id = (e.facts ->> 'company_id')::uuid
      left join crm.contacts c on c.workspace_id = d.workspace_id and c.id = coalesce(a.merged_into_id, a.id)
      left join crm.companies o on o.workspace_id = d.workspace_id and o.id = coalesce(b.merged_into_id, b.id)
      where d.workspace_id = e.workspace_id and d.id = e.object_id
    );
  elsif e.event = 'contact.erased' then
    return json_build_object('id', e.object_id);
  end if;

  case p_object_type
    when 'deal' then
      select crm.deal_json(d) into v_object from crm.deals d
      where d.workspace_id = e.workspace_id and d.id = e.object_id;
    when 'contact' then
      select crm.contact_json(c) into v_object from crm.contacts c
      where c.workspace_id = e.workspace_id and c.id = e.object_id;
    when 'company' then
      select crm.company_json(c) into v_object from crm.companies c
      where c.workspace_id = e.workspace_id and c.id = e.object_id;
    when 'activity' then
      select crm.activity_json(a) into v_object from crm.activities a
      where a.workspace_id = e.workspace_id and a.id = e.object_id;
    when 'note' then
      select crm.note_json(n) into v_object from crm.notes n
      where n.workspace_id = e.workspace_id and n.id = e.object_id;
    when 'proposal' then
      select crm.proposal_json(p) into v_object from crm.proposals p
      where p.workspace_id = e.workspace_id and p.id = e.object_id;
  end case;
  return case when e.facts = '{}' then v_object else crm.with_fields(v_object, e.facts::json) end;
end
$$;


--
-- Name: FUNCTION event_data(e crm.events, p_object_type text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.event_data(e crm.events, p_object_type text) IS 'The `data` of a delivery (spec 6.2): the object as it is now, with the event''s own facts. The caller has looked up the type of the object (crm.event_types).';


--
-- Name: external_id_holder(text, text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.external_id_holder(p_constraint text, p_external_id text) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
begin
  case p_constraint
    when 'contacts_external_id_once' then
      return (
        select t.id from crm.contacts t where t.workspace_id = v_workspace_id and t.external_id = p_external_id
      );
    when 'companies_external_id_once' then
      return (
        select t.id from crm.companies t where t.workspace_id = v_workspace_id and t.external_id = p_external_id
      );
    else
      return null;
  end case;
end
$$;


--
-- Name: FUNCTION external_id_holder(p_constraint text, p_external_id text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.external_id_holder(p_constraint text, p_external_id text) IS 'The record of the workspace that has this external_id already, by the unique index that refused to give it to another.';


--
-- Name: facts_of_new_deal(jsonb, uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.facts_of_new_deal(p_lead jsonb, p_contact_id uuid, p_company_id uuid) RETURNS TABLE(event crm.event_type, facts jsonb)
    LANGUAGE sql STABLE
    AS $$
  select f.event, f.facts
  from (
    values
      ('deal.created'::crm.event_type, '{}'::jsonb),
      ('lead.received', jsonb_build_object('contact_id', p_contact_id, 'company_id', p_company_id))
  ) f (event, facts)
  where p_lead is not null or f.event = 'deal.created'
$$;


--
-- Name: FUNCTION facts_of_new_deal(p_lead jsonb, p_contact_id uuid, p_company_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.facts_of_new_deal(p_lead jsonb, p_contact_id uuid, p_company_id uuid) IS 'The events of a new deal, in their order, with their facts: lead.received has the contact and the company that the lead had.';


--
-- Name: fan_out(uuid, uuid[], uuid[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.fan_out(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
  if p_subscription_ids = '{}' then
    return;
  end if;
  insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
  select p_workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id
  from unnest(p_event_ids) e (id) cross join unnest(p_subscription_ids) s (id)
  where not (
      select crm.checks_queue(
        false, cardinality(p_event_ids)::bigint * cardinality(p_subscription_ids), w.max_waiting_deliveries
      )
      from crm.workspaces w where w.id = p_workspace_id
    )
    and not exists (
      select from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.behind_since is not null and s.id = any (p_subscription_ids)
    );
  if found then
    perform set_config('app.events_enqueued', 'true', true);
  else
    perform crm.fan_out_within_bound(p_workspace_id, p_event_ids, p_subscription_ids);
  end if;
end
$$;


--
-- Name: FUNCTION fan_out(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.fan_out(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]) IS 'Enqueues a delivery of each event for each subscription, in the caller''s transaction, as far as the queue has room (crm.fan_out_within_bound). Sets app.events_enqueued if there is a delivery. The subscriptions are active and have the events'' types.';


--
-- Name: fan_out_within_bound(uuid, uuid[], uuid[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.fan_out_within_bound(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_share integer := crm.queue_share(p_workspace_id);
  v_behind uuid[];
  v_full uuid[];
begin
  -- Where the lock is not free, the catch-up is about to end: the deliveries are made here, and nobody waits.
  v_behind := array(
    select b.id
    from (
      select s.id from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.id = any (p_subscription_ids) and s.behind_since is not null
      offset 0
    ) b
    where pg_try_advisory_xact_lock_shared(crm.catch_up_lock(b.id))
  );
  if v_behind <> '{}' then
    -- Again, in another snapshot: a catch-up may have ended before the lock was taken. Now none can.
    v_behind := array(
      select s.id from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.id = any (v_behind) and s.behind_since is not null
    );
  end if;

  with chosen as materialized (
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = any (p_subscription_ids) and s.is_active and s.behind_since is null
      and crm.waiting_deliveries(s.workspace_id, s.id, v_share) + cardinality(p_event_ids) > v_share
    -- Whoever has the row may be marking it too, and nobody waits here: until then some deliveries more are made.
    for no key update skip locked
  ),
  marked as (
    update crm.webhook_subscriptions s
    -- From the horizon on: transactions that leave deliveries out, because they see this mark, have not ended yet.
    set behind_since = now(), behind_position = crm.feed_horizon() - 1, behind_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    from chosen c
    where s.workspace_id = p_workspace_id and s.id = c.id
    returning s.id
  )
  select coalesce(array_agg(m.id), '{}') into v_full from marked m;

  insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
  select p_workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id
  from unnest(p_event_ids) e (id) cross join unnest(p_subscription_ids) s (id)
  where s.id <> all (v_behind || v_full);
  if found then
    perform set_config('app.events_enqueued', 'true', true);
  end if;
end
$$;


--
-- Name: FUNCTION fan_out_within_bound(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.fan_out_within_bound(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]) IS 'Makes the deliveries of events for the subscriptions whose share of the queue has room for them. One that has none is marked as behind, and gets them from the job webhook-catch-up. Waits for nobody. Sets app.events_enqueued if it made any.';


--
-- Name: feed_cursor_of(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.feed_cursor_of(p_text text) RETURNS crm.feed_cursor
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $_$
declare
  v_bytes bytea;
  v_position bigint;
  v_milliseconds bigint;
begin
  if p_text !~ '^AQ[A-Za-z0-9_-]{42}$' then
    return null;
  end if;
  v_bytes := decode(translate(p_text, '-_', '+/'), 'base64');
  v_position := ('x' || encode(substring(v_bytes from 2 for 8), 'hex'))::bit(64)::bigint;
  v_milliseconds := ('x' || encode(substring(v_bytes from 26 for 8), 'hex'))::bit(64)::bigint;
  -- Years after 9999 are none that this function's counterpart has written, and Postgres has none after 294276.
  if v_position < 0 or v_milliseconds not between 0 and 253402300799999 then
    return null;
  end if;
  return row(
    v_position, encode(substring(v_bytes from 10 for 16), 'hex')::uuid, to_timestamp(v_milliseconds / 1000.0)
  )::crm.feed_cursor;
end
$_$;


--
-- Name: FUNCTION feed_cursor_of(p_text text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.feed_cursor_of(p_text text) IS 'The cursor of a text of crm.feed_cursor_text; null for any other text.';


--
-- Name: feed_cursor_text(crm.feed_cursor); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.feed_cursor_text(c crm.feed_cursor) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select translate(
    encode(
      '\x01'::bytea || int8send(c.position) || uuid_send(c.id)
        || int8send(floor(extract(epoch from c.read_until) * 1000)::bigint),
      'base64'
    ),
    '+/', '-_'
  )
$$;


--
-- Name: FUNCTION feed_cursor_text(c crm.feed_cursor); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.feed_cursor_text(c crm.feed_cursor) IS 'A cursor as clients get it: 33 bytes, the first of which is the version, as 44 characters of base64url.';


--
-- Name: feed_horizon(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.feed_horizon() RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return pg_snapshot_xmin(pg_current_snapshot())::text::bigint + (select o.added from crm.feed_offset o);
end
$$;


--
-- Name: FUNCTION feed_horizon(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.feed_horizon() IS 'The position below which every transaction has ended, in the snapshot of the statement: an event below it is visible now or never, so a reader that stays below it steps over no late commit. Security definer, because verbs may not read crm.feed_offset.';


--
-- Name: feed_item(crm.events); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.feed_item(e crm.events) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_object_type text := (select t.object_type from crm.event_types t where t.event = e.event);
  v_data json;
begin
  begin
    v_data := crm.event_data(e, v_object_type);
  exception when others then
    -- One event that cannot be built must not stop its readers for ever.
    raise log 'crm.feed_item of event %: % (%)', e.id, sqlerrm, sqlstate;
  end;
  return json_build_object(
    'id', e.id,
    'event', e.event,
    'workspace_id', e.workspace_id,
    'object_type', v_object_type,
    'object_id', e.object_id,
    'data', v_data,
    'occurred_at', crm.iso(e.occurred_at)
  );
end
$$;


--
-- Name: FUNCTION feed_item(e crm.events); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.feed_item(e crm.events) IS 'An event as the feed shows it, with the object as it is now; `data` is null if it cannot be built.';


--
-- Name: feed_start(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.feed_start(p_args jsonb) RETURNS crm.feed_cursor
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  v_start crm.feed_cursor := row(0, '00000000-0000-0000-0000-000000000000', '-infinity')::crm.feed_cursor;
  -- Events are kept for 30 days. A reader without a cursor begins an hour later, so that it can ask for its second page.
  v_oldest timestamptz := case when not p_args ? 'cursor' then now() - interval '30 days' + interval '1 hour' end;
  -- In the future there is nothing to pass over.
  v_since timestamptz := least(greatest((p_args ->> 'since')::timestamptz, v_oldest), now());
  v_horizon bigint := crm.feed_horizon();
  v_position bigint;
  v_id uuid;
begin
  if p_args ? 'cursor' then
    v_start := crm.feed_cursor_of(p_args ->> 'cursor');
    if v_start is null then
      perform api.fail('invalid_cursor', array['cursor'], 'Deve ser o meta.next_cursor de uma resposta desta lista');
    end if;
    -- A position that this database has not come to: it was restored, and nothing says what its reader has missed.
    if v_start.read_until < now() - interval '30 days' or v_start.position >= v_horizon then
      perform api.fail('cursor_expired');
    end if;
    if not p_args ? 'since' then
      return v_start;
    end if;
  end if;

  -- What occurred at `since` or later was written by transactions that began then, so its positions are above those of
  -- whatever was written before. The newest of that is found in the primary key, and what precedes it is not looked at.
  -- The minute is for clocks that are set back; two days earlier there is little to pass over.
  select e.position, e.id into v_position, v_id
  from crm.events e
  where e.workspace_id = crm.current_workspace_id()
    and e.id < crm.uuid_v7_floor(v_since - interval '1 minute')
    and e.id >= crm.uuid_v7_floor(v_since - interval '2 days')
  order by e.id desc
  limit 1;
  if v_position >= v_horizon then
    -- A cursor must not be ahead of what has ended.
    v_start.position := v_horizon - 1;
    v_start.id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  elsif (v_position, v_id) > (v_start.position, v_start.id) then
    v_start.position := v_position;
    v_start.id := v_id;
  end if;
  v_start.read_until := greatest(v_start.read_until, v_since);
  return v_start;
end
$$;


--
-- Name: FUNCTION feed_start(p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.feed_start(p_args jsonb) IS 'Where a page of the feed begins: at the cursor, at `since`, whichever is later; without either at the oldest event that is kept. Raises invalid_cursor and cursor_expired.';


--
-- Name: fill_in_contact(crm.contacts, text, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.fill_in_contact(c crm.contacts, p_phone text, p_company_id uuid) RETURNS crm.contacts
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  -- Never the e-mail: who was found by it has it, or was merged into who has another one or none, and a phone proves no
  -- address. Where nothing is to be filled in, no update: updated_at must not change.
  if (c.phone is null and p_phone is not null) or (c.company_id is null and p_company_id is not null) then
    update crm.contacts t
    set phone = coalesce(t.phone, p_phone), company_id = coalesce(t.company_id, p_company_id)
    where t.workspace_id = c.workspace_id and t.id = c.id
    returning t.* into c;
  end if;
  return c;
end
$$;


--
-- Name: FUNCTION fill_in_contact(c crm.contacts, p_phone text, p_company_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.fill_in_contact(c crm.contacts, p_phone text, p_company_id uuid) IS 'Gives a contact the phone and the company of a lead where it has none, and returns it.';


--
-- Name: filled_custom_fields(jsonb, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.filled_custom_fields(p_fields jsonb, p_other jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
declare
  v_filled jsonb;
  v_key text;
begin
  if p_fields is null or p_other is null then
    return coalesce(p_fields, p_other);
  end if;
  for v_key in select o.key from jsonb_object_keys(p_other) o (key) where not p_fields ? o.key order by o.key loop
    v_filled := p_fields || jsonb_build_object(v_key, p_other -> v_key);
    if (select count(*) from jsonb_object_keys(v_filled)) <= 50 and octet_length(v_filled::text) <= 10240 then
      p_fields := v_filled;
    end if;
  end loop;
  return p_fields;
end
$$;


--
-- Name: FUNCTION filled_custom_fields(p_fields jsonb, p_other jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.filled_custom_fields(p_fields jsonb, p_other jsonb) IS 'The first fields, with those of the second that they lack, as far as the limits of custom_fields allow (spec 8).';


--
-- Name: first_stage(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.first_stage(p_pipeline_id uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_id uuid;
begin
  select s.id into v_id from crm.stages s
  where s.workspace_id = crm.current_workspace_id() and s.pipeline_id = p_pipeline_id and s.is_active
  order by s.position
  limit 1;
  if v_id is null then
    perform api.fail('pipeline_has_no_stage');
  end if;
  return v_id;
end
$$;


--
-- Name: FUNCTION first_stage(p_pipeline_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.first_stage(p_pipeline_id uuid) IS 'The first active stage of a pipeline; raises pipeline_has_no_stage.';


--
-- Name: fold(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.fold(p_text text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
begin
  -- Most texts are ASCII, for which this takes a third of the time.
  if octet_length(p_text) = char_length(p_text) then
    return replace(lower(p_text), '`', '''');
  end if;
  -- lower() of ICU writes a sigma at the end of a word in another way, which would be no part of a longer word. Phones
  -- type one apostrophe, keyboards another.
  return translate(
    regexp_replace(normalize(lower(p_text collate "und-x-icu"), nfd), '[\u0300-\u036f]', '', 'g'),
    'ς’‘´`ʼ', 'σ' || repeat('''', 5)
  );
end
$$;


--
-- Name: FUNCTION fold(p_text text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.fold(p_text text) IS 'The text without accents, in lower case and with one kind of apostrophe, as it is searched.';


--
-- Name: forget_text(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.forget_text() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform crm.lock_texts(false);
  delete from crm.search_texts x
  where x.workspace_id = old.workspace_id and x.record = tg_argv[0] and x.id = old.id;
  return null;
end
$$;


--
-- Name: FUNCTION forget_text(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.forget_text() IS 'Trigger: deletes what is searched of a record that is deleted, of the kind in the trigger''s argument.';


--
-- Name: funnel_stages(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.funnel_stages(p_workspace_id uuid, p_pipeline_id uuid) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET enable_incremental_sort TO 'off'
    AS $$
begin
  return (
    with stage as materialized (
      select s.id, s.name, s.type, s.position from crm.stages s
      where s.workspace_id = p_workspace_id and s.pipeline_id = p_pipeline_id and s.is_active
      order by s.position
      limit 50
    ),
    open_deal as (
      select s.id as stage_id, d.id, d.value, d.created_at as at, false as more
      from stage s
      cross join lateral (
        select d.id, d.value, d.created_at from crm.deals d
        where d.workspace_id = p_workspace_id and d.status = 'aberto' and d.archived_at is null
          -- d.stage_id = s.id, as a range of both columns: only the index of open deals has this order. Of an equality
          -- the planner thinks that the newest deals are of any stage, and reads the workspace to its end for an empty one.
          and (d.stage_id, d.id) >= (s.id, '00000000-0000-0000-0000-000000000000'::uuid)
          and (d.stage_id, d.id) <= (s.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
        order by d.stage_id desc, d.id desc
        limit 1001
      ) d
    ),
    outcome as materialized (
      select
        o.type, o.status,
        (select s.id from stage s where s.type = o.type order by s.position limit 1) as first_stage_id
      from (values ('won', 'ganho'), ('lost', 'perdido')) o (type, status)
    ),
    closed_deal as (
      select
        -- Winning or losing a deal leaves it in its stage, so most closed deals are shown away from their own.
        coalesce(s.id, o.first_stage_id) as stage_id,
        d.id, d.value, d.closed_at as at, d.more
      from outcome o
      cross join lateral (
        select d.id, d.stage_id, d.value, d.closed_at, count(*) over () > 1000 as more
        from (
          select d.id, d.stage_id, d.value, d.closed_at from crm.deals d
          where d.workspace_id = p_workspace_id and d.pipeline_id = p_pipeline_id and d.status = o.status
            and d.closed_at >= now() - interval '30 days' and d.archived_at is null
          order by d.closed_at desc, d.id desc
          limit 1001
        ) d
      ) d
      left join stage s on s.id = d.stage_id and s.type = o.type
    ),
    deal as materialized (
      select t.*, row_number() over (partition by t.stage_id order by t.at desc, t.id desc) as rank
      from (select * from open_deal union all select * from closed_deal) t
    ),
    total as (
      select
        d.stage_id,
        count(*) filter (where d.rank <= 1000) as deals_count,
        bool_or(d.more or d.rank > 1000) as is_partial,
        sum(d.value) filter (where d.rank <= 1000) as value_sum
      from deal d
      group by d.stage_id
    ),
    card as (
      select
        c.stage_id,
        json_agg(
          json_build_object(
            'id', d.id,
            'title', d.title,
            'value', d.value,
            'owner', case when m.id is not null then json_build_object('id', m.id, 'name', m.name) end,
            'contact', case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end,
            'company', case when o.id is not null then json_build_object('id', o.id, 'name', o.name) end,
            'created_at', crm.iso(d.created_at),
            'stage_entered_at', crm.iso(d.stage_changed_at)
          )
          order by c.rank
        ) as list
      from deal c
      -- One by one: of a join the planner thinks that it needs most of the workspace, and reads all of it.
      cross join lateral (
        select d.* from crm.deals d where d.workspace_id = p_workspace_id and d.id = c.id limit 1
      ) d
      left join crm.members m on m.workspace_id = d.workspace_id and m.id = d.owner_id
      left join crm.contacts p on p.workspace_id = d.workspace_id and p.id = d.contact_id
      left join crm.companies o on o.workspace_id = d.workspace_id and o.id = d.company_id
      where c.rank <= 50
      group by c.stage_id
    )
    select coalesce(
      json_agg(
        json_build_object(
          'id', s.id,
          'name', s.name,
          'type', s.type,
          'position', s.position,
          'deals_count', coalesce(t.deals_count, 0),
          'deals_count_is_partial', coalesce(t.is_partial, false),
          'value_sum', coalesce(t.value_sum, 0),
          'deals', coalesce(c.list, '[]')
        )
        order by s.position
      ),
      '[]'
    )
    from stage s
    left join total t on t.stage_id = s.id
    left join card c on c.stage_id = s.id
  );
end
$$;


--
-- Name: FUNCTION funnel_stages(p_workspace_id uuid, p_pipeline_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.funnel_stages(p_workspace_id uuid, p_pipeline_id uuid) IS 'The active stages of a pipeline in order, 50 at most, each with its deals in use, newest first: the open ones that are in it. A stage of the type won or lost also has the deals of the pipeline that were won or lost in the last 30 days, by the time of that: those that are in another stage are shown in the first of the type. The count and the sum of values are over the newest 1,000 deals, and deals_count_is_partial tells that there are more; 50 deals are shown.';


--
-- Name: given_columns(regclass); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.given_columns(p_table regclass) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
  from pg_catalog.pg_attribute a
  where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
$$;


--
-- Name: FUNCTION given_columns(p_table regclass); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.given_columns(p_table regclass) IS 'The columns of a table as a list for SQL, without those that are generated: an insert cannot name them.';


--
-- Name: holds_webhooks(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.holds_webhooks(p_workspace_id uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select w.suspended or not w.public_api from crm.workspaces w
  where w.id = p_workspace_id and w.id = coalesce(crm.current_workspace_id(), w.id)
$$;


--
-- Name: FUNCTION holds_webhooks(p_workspace_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.holds_webhooks(p_workspace_id uuid) IS 'Whether the deliveries of a workspace wait, because it is suspended or has no public API (see crm.delivery_claim). Security definer, because a key may not read the workspace''s settings: it asks for its own.';


--
-- Name: idempotency_begin(uuid, text, bytea); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.idempotency_begin(p_workspace_id uuid, p_key text, p_request_hash bytea) RETURNS crm.remembered_reply
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_remembered crm.remembered_reply;
  -- The lock ends with the transaction, so a process that is killed leaves no key locked.
  v_locked boolean := pg_try_advisory_xact_lock(
    crm.lock_number('idempotency ' || p_workspace_id || ' ' || p_key)
  );
  v_seen crm.idempotency_keys;
begin
  -- Read after the lock was tried: a request that held the lock before has committed its reply.
  select * into v_seen from crm.idempotency_keys i where i.workspace_id = p_workspace_id and i.key = p_key;
  if v_seen.created_at > clock_timestamp() - interval '24 hours' then
    if v_seen.request_hash = p_request_hash then
      v_remembered.body := v_seen.body;
      v_remembered.was_found := v_seen.was_found;
    else
      v_remembered.error_code := 'idempotency_conflict';
    end if;
  elsif not v_locked then
    v_remembered.error_code := 'idempotency_in_progress';
  elsif v_seen.key is not null then
    -- Expired: it makes room for the reply to come.
    delete from crm.idempotency_keys i where i.workspace_id = p_workspace_id and i.key = p_key;
  end if;
  return v_remembered;
end
$$;


--
-- Name: FUNCTION idempotency_begin(p_workspace_id uuid, p_key text, p_request_hash bytea); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.idempotency_begin(p_workspace_id uuid, p_key text, p_request_hash bytea) IS 'Returns the stored reply or an error code. If both are null, this transaction holds the key (spec 4.0.1).';


--
-- Name: idempotency_keys_mentioning(uuid, crm.traces); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.idempotency_keys_mentioning(p_workspace_id uuid, p_traces crm.traces) RETURNS text[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
  v_keys text[];
  v_last text := '';
  v_found text[] := '{}';
begin
  -- A thousand at once: to look into each alone takes three times as long.
  loop
    v_keys := array(
      select i.key from crm.idempotency_keys i where i.workspace_id = p_workspace_id and i.key > v_last
      order by i.key limit 1000
    );
    exit when v_keys = '{}';
    v_last := v_keys[cardinality(v_keys)];
    if crm.mentions(
      -- Each is decoded alone, because one that is no UTF-8 would keep the others from it; no % remains to be decoded.
      (
        select string_agg(
          case when position('%' in k.key) = 0 then k.key else translate(crm.url_decoded(k.key), '%', ' ') end, ' '
        )
        from unnest(v_keys) k (key)
      ),
      p_traces
    ) then
      v_found := v_found || array(select k.key from unnest(v_keys) k (key) where crm.mentions(k.key, p_traces));
    end if;
  end loop;
  return v_found;
end
$$;


--
-- Name: FUNCTION idempotency_keys_mentioning(p_workspace_id uuid, p_traces crm.traces); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.idempotency_keys_mentioning(p_workspace_id uuid, p_traces crm.traces) IS 'The Idempotency-Keys of the last 24 hours that mention a person.';


--
-- Name: idempotency_remember(uuid, text, bytea, text, boolean); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.idempotency_remember(p_workspace_id uuid, p_key text, p_request_hash bytea, p_body text, p_was_found boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  insert into crm.idempotency_keys (workspace_id, key, request_hash, body, was_found)
  values (p_workspace_id, p_key, p_request_hash, p_body, p_was_found);
end
$$;


--
-- Name: FUNCTION idempotency_remember(p_workspace_id uuid, p_key text, p_request_hash bytea, p_body text, p_was_found boolean); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.idempotency_remember(p_workspace_id uuid, p_key text, p_request_hash bytea, p_body text, p_was_found boolean) IS 'Stores a reply in the transaction that created the record: both are kept, or neither is. The transaction holds the key, under which nothing is stored (crm.idempotency_begin).';


--
-- Name: identify(bytea); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.identify(p_key_hash bytea) RETURNS crm.caller
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_caller crm.caller;
begin
  select
    case
      when k.revoked_at is not null or k.expires_at <= now() or s.expires_at <= now() then 'revoked_api_key'
      when w.suspended then 'workspace_suspended'
      when not w.public_api then 'feature_disabled'
    end,
    k.id, k.workspace_id, k.member_id, k.scopes, w.rate_limit_per_minute, null::uuid
  into v_caller
  from crm.key_secrets s
  join crm.api_keys k on k.workspace_id = s.workspace_id and k.id = s.key_id
  join crm.workspaces w on w.id = s.workspace_id
  where s.hash = p_key_hash;
  if not found then
    v_caller.error_code := 'invalid_api_key';
  end if;
  return v_caller;
end
$$;


--
-- Name: FUNCTION identify(p_key_hash bytea); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.identify(p_key_hash bytea) IS 'The caller to whom the hash of a key''s secret belongs.';


--
-- Name: identify_link(bytea); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.identify_link(p_token_hash bytea) RETURNS crm.caller
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_caller crm.caller;
begin
  select case when w.suspended then 'workspace_suspended' end, l.proposal_id, l.workspace_id
  into v_caller.error_code, v_caller.id, v_caller.workspace_id
  from crm.proposal_links l
  join crm.proposals p on p.workspace_id = l.workspace_id and p.id = l.proposal_id
  join crm.workspaces w on w.id = l.workspace_id
  where l.token_hash = p_token_hash and p.status <> 'rascunho';
  if not found then
    v_caller.error_code := 'not_found';
  end if;
  -- Calls of a link in any 60 seconds: enough for a person who reads and answers one proposal.
  v_caller.rate_limit := 60;
  return v_caller;
end
$$;


--
-- Name: FUNCTION identify_link(p_token_hash bytea); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.identify_link(p_token_hash bytea) IS 'The caller to whom a token''s hash belongs: a proposal that is not a draft.';


--
-- Name: identify_session(uuid, uuid, uuid, boolean); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.identify_session(p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_any_workspace boolean) RETURNS crm.caller
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_caller crm.caller;
  v_session record;
  v_memberships integer;
begin
  select * into v_session from crm.session_email(p_user_id, p_session_id);
  if not v_session.is_live then
    v_caller.error_code := 'invalid_session';
    return v_caller;
  end if;
  if v_session.email is not null then
    perform crm.link_member(p_user_id, v_session.email);
  end if;

  select m.id, m.workspace_id, m.id, crm.roles_included(m.role), count(*) over ()
  into v_caller.id, v_caller.workspace_id, v_caller.member_id, v_caller.scopes, v_memberships
  from crm.members m
  where m.user_id = p_user_id and m.is_active and (p_workspace_id is null or m.workspace_id = p_workspace_id)
  order by m.id
  limit 1;
  v_caller.user_id := p_user_id;
  -- Calls of a member in any 60 seconds: enough for several tabs, each of which asks every 2 seconds.
  v_caller.rate_limit := 600;
  v_caller.error_code := case
    -- The same answer for a workspace that does not exist and for one of others.
    when v_caller.id is null then 'not_a_member'
    when v_memberships > 1 and not p_any_workspace then 'workspace_required'
  end;
  return v_caller;
end
$$;


--
-- Name: FUNCTION identify_session(p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_any_workspace boolean); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.identify_session(p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_any_workspace boolean) IS 'The member as whom a person is signed in. p_workspace_id null: the only workspace, or, where any will do, the first one. A suspended workspace is not refused: its people must see why nothing works.';


--
-- Name: index_texts(interval); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.index_texts(p_most interval DEFAULT '00:00:03'::interval) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_sort TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_end timestamptz := clock_timestamp() + p_most;
  v_horizon bigint;
  v_next crm.search_backlog;
  v_looked integer;
  v_count integer := 0;
begin
  perform crm.lock_texts(true);
  v_horizon := crm.feed_horizon();
  -- One look-up in the index for each workspace: one statement for all would read all events of two days.
  insert into crm.search_backlog (workspace_id, position, event_id, reached_at)
  select w.id, p.position, crm.uuid_v7_floor('epoch'), p.reached_at
  from crm.search_progress p
  cross join crm.workspaces w
  cross join lateral (
    select from crm.events e
    where e.workspace_id = w.id and e.position >= p.position and e.position < v_horizon
      and e.id >= crm.uuid_v7_floor(p.reached_at - interval '2 days')
    order by e.position
    limit 1
  ) changed
  on conflict do nothing;
  update crm.search_progress p set position = v_horizon, reached_at = now() where p.position < v_horizon;
  -- In turns, so that a workspace with an import keeps no other waiting.
  loop
    v_looked := 0;
    for v_next in select b.* from crm.search_backlog b order by b.reached_at, b.position loop
      exit when clock_timestamp() >= v_end;
      begin
        v_looked := v_looked + crm.index_texts_of(v_next, v_horizon, 500);
      exception when others then
        -- The others do not wait for it. It stays in the backlog, of which the doctor tells.
        raise log 'crm.index_texts of %: % (%)', v_next.workspace_id, sqlerrm, sqlstate;
      end;
    end loop;
    v_count := v_count + v_looked;
    exit when v_looked = 0 or clock_timestamp() >= v_end;
  end loop;
  return v_count;
end
$$;


--
-- Name: FUNCTION index_texts(p_most interval); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.index_texts(p_most interval) IS 'Keeps what is searched of the records that have changed since the last run, and returns how many events it looked at. Ends after p_most, because the feed of events waits for a transaction that has written.';


--
-- Name: search_backlog; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.search_backlog (
    workspace_id uuid NOT NULL,
    "position" bigint NOT NULL,
    event_id uuid NOT NULL,
    reached_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY crm.search_backlog FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE search_backlog; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.search_backlog IS 'The workspaces in which more has changed than a run of the job could write, such as by an import: the others do not wait for it.';


--
-- Name: COLUMN search_backlog.event_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.search_backlog.event_id IS 'The last event that was looked at, of those with this position.';


--
-- Name: COLUMN search_backlog.reached_at; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.search_backlog.reached_at IS 'As in crm.search_progress, when the workspace fell behind.';


--
-- Name: index_texts_of(crm.search_backlog, bigint, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.index_texts_of(p_done crm.search_backlog, p_horizon bigint, p_most integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_events crm.events[] := array(
    select l from crm.events l
    where l.workspace_id = p_done.workspace_id and (l.position, l.id) > (p_done.position, p_done.event_id)
      and l.position < p_horizon
      and l.id >= crm.uuid_v7_floor(p_done.reached_at - interval '2 days')
    order by l.position, l.id
    limit p_most
  );
  v_changed record;
begin
  for v_changed in
    select c.record, array_agg(distinct c.id) as ids
    from (select crm.text_changed(e.event, e.facts) as record, e.object_id as id from unnest(v_events) e) c
    where c.record is not null
    group by c.record
  loop
    perform crm.keep_texts(p_done.workspace_id, v_changed.record, v_changed.ids);
  end loop;
  if cardinality(v_events) < p_most then
    delete from crm.search_backlog b where b.workspace_id = p_done.workspace_id;
  else
    update crm.search_backlog b
    set position = v_events[p_most].position, event_id = v_events[p_most].id
    where b.workspace_id = p_done.workspace_id;
  end if;
  return cardinality(v_events);
end
$$;


--
-- Name: FUNCTION index_texts_of(p_done crm.search_backlog, p_horizon bigint, p_most integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.index_texts_of(p_done crm.search_backlog, p_horizon bigint, p_most integer) IS 'Keeps the texts of what changed next in a workspace of the backlog, by at most p_most events below p_horizon, and returns how many those were. A workspace of which none is left leaves the backlog.';


--
-- Name: is_call_in_progress(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.is_call_in_progress(p_key_id uuid) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  perform from crm.rate_limits r where r.key_id = p_key_id for update skip locked;
  return not found;
end
$$;


--
-- Name: FUNCTION is_call_in_progress(p_key_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.is_call_in_progress(p_key_id uuid) IS 'Whether another call of the key is in progress: that call keeps the row of its key locked until its transaction ends.';


--
-- Name: is_in_state(text, text, boolean); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.is_in_state(p_wanted text, p_stored text, p_may_send boolean) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select p_wanted is null
    or p_wanted = case when p_stored = 'pending' and not coalesce(p_may_send, false) then 'held' else p_stored end
$$;


--
-- Name: FUNCTION is_in_state(p_wanted text, p_stored text, p_may_send boolean); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.is_in_state(p_wanted text, p_stored text, p_may_send boolean) IS 'Whether a delivery with this stored state is shown in the wanted one; null: any.';


--
-- Name: is_marked(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.is_marked(p_setting text) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$ select current_setting(p_setting, true) is not distinct from 'true' $$;


--
-- Name: FUNCTION is_marked(p_setting text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.is_marked(p_setting text) IS 'Whether the request has set this setting, such as app.found. Each request is a transaction of its own.';


--
-- Name: is_of_person(text, text, crm.contacts); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.is_of_person(p_email text, p_words text, c crm.contacts) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  -- Two addresses behind one phone are two people, and so are two first names. Either name may have words that the other
  -- leaves out: "Ana" and "Ana Paula Souza" are one, "Maria José" and "Maria Clara" are two.
  return (c.email is null or p_email is null) and (
    starts_with(crm.name_words(c.name), p_words) or starts_with(p_words, crm.name_words(c.name))
  );
end
$$;


--
-- Name: FUNCTION is_of_person(p_email text, p_words text, c crm.contacts); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.is_of_person(p_email text, p_words text, c crm.contacts) IS 'Whether a contact with the phone of a lead may be the person who sent it, given the lead''s e-mail and the words of its first name (crm.name_words).';


--
-- Name: api_keys; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.api_keys (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    member_id uuid NOT NULL,
    name crm.record_name NOT NULL,
    prefix text NOT NULL,
    scopes text[] NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    rotated_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY crm.api_keys FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE api_keys; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.api_keys IS 'What an API key is, whatever its secret: a rotation changes none of it, so limits, subscriptions and counted calls go on. The role crm_api cannot read it.';


--
-- Name: COLUMN api_keys.member_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.api_keys.member_id IS 'The member who created the key: default owner of the records it creates, and author of its notes.';


--
-- Name: COLUMN api_keys.prefix; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.api_keys.prefix IS 'The visible start of the key''s newest secret, by which a person recognises it.';


--
-- Name: COLUMN api_keys.rotated_at; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.api_keys.rotated_at IS 'When the newest secret replaced an earlier one; null if none was replaced.';


--
-- Name: is_working(crm.api_keys); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.is_working(k crm.api_keys) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$ select k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) $$;


--
-- Name: FUNCTION is_working(k crm.api_keys); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.is_working(k crm.api_keys) IS 'Whether a key is neither revoked nor expired.';


--
-- Name: iso(timestamp with time zone); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.iso(p_at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;


--
-- Name: FUNCTION iso(p_at timestamp with time zone); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.iso(p_at timestamp with time zone) IS 'Formats a time as every datetime of the API: ISO 8601 in UTC with milliseconds and Z (spec 1).';


--
-- Name: keep_lead_contact(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.keep_lead_contact() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  new.lead_contact_id := old.contact_id;
  return new;
end
$$;


--
-- Name: FUNCTION keep_lead_contact(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.keep_lead_contact() IS 'Trigger: keeps which contact sent the lead of a deal that gets another one.';


--
-- Name: keep_texts(uuid, text, uuid[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.keep_texts(p_workspace_id uuid, p_record text, p_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
begin
  case p_record
    when 'company' then
      perform crm.lock_texts(false);
      insert into crm.search_texts as kept (workspace_id, record, id, text)
      select t.workspace_id, p_record, t.id, crm.company_text(t) from crm.companies t
      where t.workspace_id = p_workspace_id and t.id = any (p_ids)
      on conflict (workspace_id, record, id) do update set text = excluded.text where kept.text <> excluded.text;
    when 'contact' then
      perform crm.lock_texts(false);
      insert into crm.search_texts as kept (workspace_id, record, id, text)
      select t.workspace_id, p_record, t.id, crm.contact_text(t) from crm.contacts t
      where t.workspace_id = p_workspace_id and t.id = any (p_ids)
      on conflict (workspace_id, record, id) do update set text = excluded.text where kept.text <> excluded.text;
    when 'deal' then
      perform crm.lock_texts(false);
      insert into crm.search_texts as kept (workspace_id, record, id, text)
      select t.workspace_id, p_record, t.id, crm.deal_text(t) from crm.deals t
      where t.workspace_id = p_workspace_id and t.id = any (p_ids)
      on conflict (workspace_id, record, id) do update set text = excluded.text where kept.text <> excluded.text;
    else
      null;
  end case;
end
$$;


--
-- Name: FUNCTION keep_texts(p_workspace_id uuid, p_record text, p_ids uuid[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.keep_texts(p_workspace_id uuid, p_record text, p_ids uuid[]) IS 'Writes what is searched of records of a kind as they are now; nothing for a kind that is not searched.';


--
-- Name: kept_days(regclass); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.kept_days(p_table regclass) RETURNS integer
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select case p_table::text when 'crm.events' then 90 else 30 end $$;


--
-- Name: FUNCTION kept_days(p_table regclass); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.kept_days(p_table regclass) IS 'For how many days the rows of a partitioned table are kept: events for as long as the change log reads them.';


--
-- Name: key_for_update(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.key_for_update(p_workspace_id uuid, p_id uuid) RETURNS crm.api_keys
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_key crm.api_keys;
begin
  select k.* into v_key from crm.api_keys k
  where k.workspace_id = p_workspace_id and k.id = p_id
  for no key update;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  return v_key;
end
$$;


--
-- Name: FUNCTION key_for_update(p_workspace_id uuid, p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.key_for_update(p_workspace_id uuid, p_id uuid) IS 'A key of a workspace, which nobody else changes until the transaction ends. Raises not_found.';


--
-- Name: key_record(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.key_record(p_workspace_id uuid, p_id uuid) RETURNS json
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select r.record from crm.key_records(p_workspace_id, array[p_id]) r $$;


--
-- Name: FUNCTION key_record(p_workspace_id uuid, p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.key_record(p_workspace_id uuid, p_id uuid) IS 'JSON of one key of a workspace; null if it has no such key.';


--
-- Name: key_records(uuid, uuid[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.key_records(p_workspace_id uuid, p_ids uuid[]) RETURNS TABLE(id uuid, record json)
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_today date := (now() at time zone 'UTC')::date;
begin
  return query
    with counted as (
      select d.key_id, array_agg(d.day) as days, array_agg(d.calls) as calls, sum(d.calls)::bigint as total
      from (
        select c.key_id, (c.hour at time zone 'UTC')::date as day, sum(c.calls)::bigint as calls
        from crm.count_calls(p_workspace_id, p_ids, (v_today - 6)::timestamp at time zone 'UTC') c
        group by 1, 2
      ) d
      group by 1
    ),
    webhooks as (
      select s.key_id, count(*) as active from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.is_active
      group by 1
    )
    select k.id, json_build_object(
      'id', k.id,
      'name', k.name,
      'prefix', k.prefix,
      'scopes', k.scopes,
      'state', case when k.revoked_at is not null then 'revoked' when crm.is_working(k) then 'active' else 'expired' end,
      'creator', json_build_object('id', m.id, 'name', m.name, 'is_active', m.is_active),
      'created_at', crm.iso(k.created_at),
      'expires_at', crm.iso(k.expires_at),
      'revoked_at', crm.iso(k.revoked_at),
      'last_used_at', crm.iso(greatest(u.last_call_at, r.hits[cardinality(r.hits)])),
      'active_webhooks', coalesce(w.active, 0),
      'rotated_at', crm.iso(k.rotated_at),
      'old_secret_expires_at', case
        -- least() passes over a null: without an earlier secret there is no moment, whenever the key itself expires.
        when o.expires_at is not null and crm.is_working(k) then crm.iso(least(o.expires_at, k.expires_at))
      end,
      'calls', json_build_object(
        'total_7_days', coalesce(c.total, 0),
        'days', crm.calls_by_day(c.days, c.calls, v_today, 7)
      )
    )
    from crm.api_keys k
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    left join crm.key_counters u on u.workspace_id = k.workspace_id and u.key_id = k.id
    left join crm.rate_limits r on r.key_id = k.id
    -- A rotation ends all earlier secrets but one.
    left join crm.key_secrets o on o.workspace_id = k.workspace_id and o.key_id = k.id and o.expires_at > now()
    left join webhooks w on w.key_id = k.id
    left join counted c on c.key_id = k.id
    where k.workspace_id = p_workspace_id and k.id = any (p_ids);
end
$$;


--
-- Name: FUNCTION key_records(p_workspace_id uuid, p_ids uuid[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.key_records(p_workspace_id uuid, p_ids uuid[]) IS 'JSON of keys of a workspace, without their secrets, in no order. calls counts up to this moment, by days of UTC, oldest first; old_secret_expires_at is null unless an earlier secret still works.';


--
-- Name: lead_company(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lead_company(p_name_key text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid;
  v_merged crm.companies;
  v_survivor crm.companies;
begin
  select c.id into v_id from crm.companies c
  where c.workspace_id = v_workspace_id and c.name_key = p_name_key and c.archived_at is null
  order by c.id
  limit 1;
  if found then
    return v_id;
  end if;
  for v_merged in
    select * from crm.companies c
    where c.workspace_id = v_workspace_id and c.name_key = p_name_key and c.merged_into_id is not null
    order by c.id
    limit 100
  loop
    v_survivor := crm.company_survivor(v_merged.merged_into_id);
    if v_survivor.archived_at is null then
      return v_survivor.id;
    end if;
  end loop;
  return null;
end
$$;


--
-- Name: FUNCTION lead_company(p_name_key text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lead_company(p_name_key text) IS 'The company that a lead names, by its crm.name_key: the oldest of that name that is not archived, otherwise the one into which a company of that name was merged, locked until the transaction ends. Null if there is none.';


--
-- Name: lead_contact(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lead_contact(p_lead jsonb, OUT contact crm.contacts, OUT matched_by text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_email text := p_lead ->> 'email';
  v_phone text := crm.e164(p_lead ->> 'phone');
  v_words text;
  v_merged crm.contacts;
begin
  if v_email is not null then
    matched_by := 'email';
    select c.* into contact from crm.contacts c
    where c.workspace_id = v_workspace_id and c.email = v_email and c.archived_at is null
    order by c.id
    limit 1;
    if found then
      return;
    end if;
    for v_merged in
      select * from crm.contacts c
      where c.workspace_id = v_workspace_id and c.email = v_email and c.merged_into_id is not null
      order by c.id
      limit 100
    loop
      contact := crm.contact_survivor(v_merged.merged_into_id);
      if contact.archived_at is null then
        return;
      end if;
    end loop;
  end if;
  if v_phone is not null then
    matched_by := 'phone';
    v_words := crm.name_words(p_lead ->> 'first_name');
    -- A phone that a hundred contacts have is a switchboard or a made-up number, and names nobody.
    for contact in
      select * from crm.contacts c
      where c.workspace_id = v_workspace_id and c.phone_e164 = v_phone and c.archived_at is null
      order by c.id
      limit 100
    loop
      if crm.is_of_person(v_email, v_words, contact) then
        return;
      end if;
    end loop;
    for v_merged in
      select * from crm.contacts c
      where c.workspace_id = v_workspace_id and c.phone_e164 = v_phone and c.merged_into_id is not null
      order by c.id
      limit 100
    loop
      continue when not crm.is_of_person(v_email, v_words, v_merged);
      contact := crm.contact_survivor(v_merged.merged_into_id);
      -- The one that stays may have an address of its own, which contradicts that of the lead.
      if contact.archived_at is null and (contact.email is null or v_email is null) then
        return;
      end if;
    end loop;
  end if;
  contact := null;
  matched_by := null;
end
$$;


--
-- Name: FUNCTION lead_contact(p_lead jsonb, OUT contact crm.contacts, OUT matched_by text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lead_contact(p_lead jsonb, OUT contact crm.contacts, OUT matched_by text) IS 'The contact that a lead is about, and what it was found by: the oldest with its e-mail, otherwise the oldest with its phone and first name whose e-mail is not another one, among those not archived; where there is none, the one into which such a contact was merged, locked until the transaction ends. Null if there is none. Looks at 100 contacts of a phone.';


--
-- Name: lead_data(crm.deals, crm.contacts, crm.companies); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lead_data(d crm.deals, c crm.contacts, o crm.companies) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  return json_build_object(
    'lead', crm.lead_json(d, c.id, o.id),
    'contact', case when c.id is not null then crm.contact_json(c) end,
    'company', case when o.id is not null then crm.company_json(o) end,
    'source', d.source,
    'utm', d.utm,
    'external_id', d.external_id,
    'submitted', d.lead
  );
end
$$;


--
-- Name: FUNCTION lead_data(d crm.deals, c crm.contacts, o crm.companies); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lead_data(d crm.deals, c crm.contacts, o crm.companies) IS 'The `data` of lead.received: the lead, with its contact and its company if it had them, as they are now, and what was sent.';


--
-- Name: lead_differences(jsonb, crm.contacts, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lead_differences(p_lead jsonb, c crm.contacts, p_company_id uuid) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
declare
  v_words text := ' ' || crm.name_words(c.name);
  v_last text := ' ' || crm.name_words(nullif(p_lead ->> 'last_name', ''));
begin
  return array_remove(array[
    case when not starts_with(v_words, ' ' || crm.name_words(p_lead ->> 'first_name')) then 'first_name' end,
    case when right(v_words, length(v_last)) <> v_last then 'last_name' end,
    case when c.email is distinct from coalesce(p_lead ->> 'email', c.email) then 'email' end,
    case when c.phone_e164 is distinct from coalesce(crm.e164(p_lead ->> 'phone'), c.phone_e164) then 'phone' end,
    case when c.company_id is distinct from coalesce(p_company_id, c.company_id) then 'company_name' end
  ], null);
end
$$;


--
-- Name: FUNCTION lead_differences(p_lead jsonb, c crm.contacts, p_company_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lead_differences(p_lead jsonb, c crm.contacts, p_company_id uuid) IS 'The fields of a lead whose value its contact does not have, in the order of spec 2.3. Names are compared as crm.name_words, phones as crm.e164; the company by its id.';


--
-- Name: lead_json(crm.deals, uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lead_json(p_deal crm.deals, p_contact_id uuid, p_company_id uuid) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'deal_id', p_deal.id,
    'contact_id', p_contact_id,
    'company_id', p_company_id,
    'workspace_id', p_deal.workspace_id,
    'status', p_deal.status,
    'pipeline_id', p_deal.pipeline_id,
    'stage_id', p_deal.stage_id,
    'owner_id', p_deal.owner_id,
    'created_at', crm.iso(p_deal.created_at)
  )
$$;


--
-- Name: FUNCTION lead_json(p_deal crm.deals, p_contact_id uuid, p_company_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lead_json(p_deal crm.deals, p_contact_id uuid, p_company_id uuid) IS 'Public JSON of a lead (spec 2.4, `lead`).';


--
-- Name: lead_name(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lead_name(p_lead jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select btrim((p_lead ->> 'first_name') || ' ' || coalesce(p_lead ->> 'last_name', '')) $$;


--
-- Name: FUNCTION lead_name(p_lead jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lead_name(p_lead jsonb) IS 'The whole name that a lead was sent with.';


--
-- Name: lead_result(crm.deals, uuid, uuid, boolean, boolean, boolean, text, text[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lead_result(p_deal crm.deals, p_contact_id uuid, p_company_id uuid, p_idempotent boolean, p_company_created boolean DEFAULT false, p_contact_created boolean DEFAULT false, p_matched_by text DEFAULT NULL::text, p_differences text[] DEFAULT '{}'::text[]) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'lead', crm.lead_json(p_deal, p_contact_id, p_company_id),
    'idempotent', p_idempotent,
    'created', json_build_object(
      'company', p_company_created, 'contact', p_contact_created, 'deal', not p_idempotent
    ),
    'matched_by', p_matched_by,
    'differences', p_differences
  )
$$;


--
-- Name: FUNCTION lead_result(p_deal crm.deals, p_contact_id uuid, p_company_id uuid, p_idempotent boolean, p_company_created boolean, p_contact_created boolean, p_matched_by text, p_differences text[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lead_result(p_deal crm.deals, p_contact_id uuid, p_company_id uuid, p_idempotent boolean, p_company_created boolean, p_contact_created boolean, p_matched_by text, p_differences text[]) IS 'The reply of POST leads (spec 2.4). By default nothing was created and nothing compared, as in the answer to a known external_id.';


--
-- Name: link_member(uuid, text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.link_member(p_user_id uuid, p_email text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
declare
  v_member crm.members;
  v_earlier_exists boolean;
begin
  for v_member in
    select * from crm.members m where lower(m.email) = p_email and m.user_id is distinct from p_user_id
  loop
    if v_member.user_id is not null then
      execute format('select exists (select from %I.users u where u.id = $1 and u.deleted_at is null)', 'auth')
      into v_earlier_exists using v_member.user_id;
      continue when v_earlier_exists;
    end if;
    update crm.members m set user_id = p_user_id
    where m.workspace_id = v_member.workspace_id and m.id = v_member.id
      and m.user_id is not distinct from v_member.user_id
      and not exists (
        select from crm.members o where o.user_id = p_user_id and o.workspace_id = v_member.workspace_id
      );
    if found then
      insert into crm.audit_log (workspace_id, member_id, action, object_type, object_id, object_name)
      values (v_member.workspace_id, v_member.id, 'member_signed_in', 'member', v_member.id, v_member.name);
    end if;
  end loop;
end
$_$;


--
-- Name: FUNCTION link_member(p_user_id uuid, p_email text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.link_member(p_user_id uuid, p_email text) IS 'Links the members who have this confirmed e-mail, in any workspace, to the person: at the first sign-in, and again when the person whom a member was linked to exists no more.';


--
-- Name: live_hits(timestamp with time zone[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.live_hits(p_hits timestamp with time zone[]) RETURNS timestamp with time zone[]
    LANGUAGE sql PARALLEL SAFE
    AS $$ select p_hits[width_bucket(clock_timestamp() - interval '60 s', p_hits) + 1 :] $$;


--
-- Name: FUNCTION live_hits(p_hits timestamp with time zone[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.live_hits(p_hits timestamp with time zone[]) IS 'The admitted calls that still count: those of the last 60 seconds.';


--
-- Name: lock_all_matches(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lock_all_matches() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  perform pg_advisory_xact_lock(crm.lock_number('matches ' || crm.current_workspace_id()));
  -- Local to the transaction, as the lock is.
  perform set_config('app.matches_locked', 'true', true);
end
$$;


--
-- Name: FUNCTION lock_all_matches(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lock_all_matches() IS 'Stands for crm.lock_matches of every value of the workspace: one lock, where a batch would need some hundreds and the table of locks, which all workspaces share, has room for a few thousand.';


--
-- Name: lock_batch(text, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lock_batch(p_record text, p_items jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_ids uuid[] := array(select (i -> 'args' ->> 'id')::uuid from jsonb_array_elements(p_items) i where i ->> 'op' = 'update');
  v_deal_ids uuid[];
begin
  if exists (select from jsonb_array_elements(p_items) i where i ->> 'op' = 'upsert') then
    perform crm.lock_all_matches();
  end if;
  -- In order of id, whatever the order of the items: two batches of the same records wait for each other and do not
  -- deadlock.
  case p_record
    when 'contact' then
      perform from crm.contacts t where t.workspace_id = v_workspace_id and t.id = any (v_ids)
      order by t.id for no key update;
    when 'company' then
      perform from crm.companies t where t.workspace_id = v_workspace_id and t.id = any (v_ids)
      order by t.id for no key update;
    when 'deal' then
      perform from crm.deals t where t.workspace_id = v_workspace_id and t.id = any (v_ids)
      order by t.id for no key update;
    else
      -- Each activity and note sets moved_at of its deal.
      v_deal_ids := array(
        select (i -> 'args' ->> 'deal_id')::uuid from jsonb_array_elements(p_items) i where i ->> 'op' = 'create'
        union
        select t.deal_id from crm.activities t
        where p_record = 'activity' and t.workspace_id = v_workspace_id and t.id = any (v_ids)
      );
      perform from crm.activities t
      where p_record = 'activity' and t.workspace_id = v_workspace_id and t.id = any (v_ids)
      order by t.id for no key update;
      perform from crm.deals t where t.workspace_id = v_workspace_id and t.id = any (v_deal_ids)
      order by t.id for no key update;
  end case;
end
$$;


--
-- Name: FUNCTION lock_batch(p_record text, p_items jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lock_batch(p_record text, p_items jsonb) IS 'Locks what the items of a batch will lock one by one, in an order that all batches share.';


--
-- Name: lock_company_merges(boolean); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lock_company_merges(p_exclusive boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_number bigint := crm.lock_number('company merges ' || crm.current_workspace_id());
begin
  if p_exclusive then
    perform pg_advisory_xact_lock(v_number);
  else
    perform pg_advisory_xact_lock_shared(v_number);
  end if;
end
$$;


--
-- Name: FUNCTION lock_company_merges(p_exclusive boolean); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lock_company_merges(p_exclusive boolean) IS 'Lets a merge of companies (exclusive) and the merges of contacts of a workspace wait for each other. A merge of companies locks the company before its contacts, a merge of contacts needs the company that it fills in afterwards: each would wait for the other.';


--
-- Name: lock_key(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lock_key(p_id uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform from crm.api_keys k
  where k.workspace_id = crm.current_workspace_id() and k.id = p_id and k.revoked_at is null
  for share;
  return found;
end
$$;


--
-- Name: FUNCTION lock_key(p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lock_key(p_id uuid) IS 'Makes a revocation of a key of the current workspace wait until the transaction ends; false if the key is revoked. Security definer, because crm_api cannot read keys.';


--
-- Name: lock_matches(jsonb[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lock_matches(VARIADIC p_values jsonb[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
  if current_setting('app.matches_locked', true) = 'true' then
    return;
  end if;
  perform pg_advisory_xact_lock_shared(crm.lock_number('matches ' || crm.current_workspace_id()));
  -- Locked in order of number, so that two calls which share two of these values cannot deadlock.
  perform pg_advisory_xact_lock(k.number)
  from (
    select crm.lock_number('match ' || crm.current_workspace_id() || ' ' || v.key || ' ' || v.value) as number
    from unnest(p_values) p (values), jsonb_each_text(p.values) v
    where v.value is not null
    order by number
  ) k;
end
$$;


--
-- Name: FUNCTION lock_matches(VARIADIC p_values jsonb[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lock_matches(VARIADIC p_values jsonb[]) IS 'Serializes calls that look for a record by one of these values and create it where there is none, until the transaction ends. A key names a kind of value, such as `contact email`; a value that is null locks nothing.';


--
-- Name: lock_matches_of_companies(uuid[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lock_matches_of_companies(p_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  perform crm.lock_matches(variadic array(
    select jsonb_build_object(
      'company name', c.name_key, 'company tax_id', c.tax_id, 'company domain', c.domain,
      'company external_id', c.external_id
    )
    from crm.companies c
    where c.workspace_id = crm.current_workspace_id() and c.id = any (p_ids)
  ));
end
$$;


--
-- Name: FUNCTION lock_matches_of_companies(p_ids uuid[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lock_matches_of_companies(p_ids uuid[]) IS 'Makes leads and upserts that look for one of these companies wait until the transaction ends.';


--
-- Name: lock_matches_of_contacts(uuid[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lock_matches_of_contacts(p_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  perform crm.lock_matches(variadic array(
    select jsonb_build_object(
      'contact email', c.email, 'contact phone', c.phone_e164, 'contact external_id', c.external_id
    )
    from crm.contacts c
    where c.workspace_id = crm.current_workspace_id() and c.id = any (p_ids)
  ));
end
$$;


--
-- Name: FUNCTION lock_matches_of_contacts(p_ids uuid[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lock_matches_of_contacts(p_ids uuid[]) IS 'Makes leads and upserts that look for one of these contacts wait until the transaction ends.';


--
-- Name: lock_number(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lock_number(p_name text) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  -- Not hashtextextended(), which can be inverted: a client chooses a part of the name, and could choose it so that it
  -- waits for, or holds up, what has another name.
  select ('x' || left(encode(sha256(convert_to(p_name, 'UTF8')), 'hex'), 16))::bit(64)::bigint
$$;


--
-- Name: FUNCTION lock_number(p_name text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lock_number(p_name text) IS 'The number of the advisory lock of that name.';


--
-- Name: lock_texts(boolean); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.lock_texts(p_exclusive boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  if p_exclusive then
    perform pg_advisory_xact_lock(crm.lock_number('texts'));
  else
    perform pg_advisory_xact_lock_shared(crm.lock_number('texts'));
  end if;
end
$$;


--
-- Name: FUNCTION lock_texts(p_exclusive boolean); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.lock_texts(p_exclusive boolean) IS 'Lets the job index-texts (exclusive) and whoever writes texts at once wait for each other until the transaction ends: otherwise the job could have read a record before it is erased, and write its text afterwards.';


--
-- Name: loss_reasons; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.loss_reasons (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    name crm.record_name NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY crm.loss_reasons FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE loss_reasons; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.loss_reasons IS 'Why a workspace loses deals, in its own words.';


--
-- Name: loss_reason_json(crm.loss_reasons); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.loss_reason_json(r crm.loss_reasons) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', r.id,
    'workspace_id', r.workspace_id,
    'name', r.name,
    'is_active', r.is_active,
    'created_at', crm.iso(r.created_at)
  )
$$;


--
-- Name: FUNCTION loss_reason_json(r crm.loss_reasons); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.loss_reason_json(r crm.loss_reasons) IS 'JSON of a loss reason, for the operator.';


--
-- Name: make_partition(regclass, date); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.make_partition(p_table regclass, p_day date) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
declare
  v_partition text := p_table || to_char(p_day, '_YYYY_MM_DD');
  v_from uuid := crm.uuid_v7_floor(p_day::timestamp at time zone 'UTC');
  v_to uuid := crm.uuid_v7_floor((p_day + 1)::timestamp at time zone 'UTC');
  v_columns text := crm.given_columns(p_table);
  v_moved bigint;
begin
  -- The indexes come with `attach`, because rows are moved five times as fast without.
  execute format(
    'create table %s (like %s including all excluding indexes) with (fillfactor = %s)',
    v_partition, p_table, crm.partition_fillfactor(p_table)
  );
  call crm.protect(v_partition);
  execute format('comment on table %s is %L', v_partition, format('The rows of %s of %s (UTC).', p_table, p_day));
  execute format(
    $sql$
      with moved as (delete from %1$s r where r.%2$I >= $1 and r.%2$I < $2 returning r.*)
      insert into %3$s (%4$s) select %4$s from moved
    $sql$,
    p_table || '_default', crm.partition_key(p_table), v_partition, v_columns
  ) using v_from, v_to;
  get diagnostics v_moved = row_count;
  execute format(
    'alter table %s attach partition %s for values from (%L) to (%L)', p_table, v_partition, v_from, v_to
  );
  return v_moved;
end
$_$;


--
-- Name: FUNCTION make_partition(p_table regclass, p_day date); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.make_partition(p_table regclass, p_day date) IS 'Makes the partition of a day and moves its rows out of the default partition, unseen by triggers; returns how many there were. The caller has locked the table.';


--
-- Name: makers_of_subscriptions(uuid, uuid[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.makers_of_subscriptions(p_workspace_id uuid, p_key_ids uuid[]) RETURNS TABLE(id uuid, name crm.record_name, prefix text, is_revoked boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
#variable_conflict use_column
begin
  perform crm.require_own_workspace(p_workspace_id);
  return query
  select k.id, k.name, k.prefix, k.revoked_at is not null from crm.api_keys k
  where k.workspace_id = p_workspace_id and k.id = any (p_key_ids);
end
$$;


--
-- Name: FUNCTION makers_of_subscriptions(p_workspace_id uuid, p_key_ids uuid[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.makers_of_subscriptions(p_workspace_id uuid, p_key_ids uuid[]) IS 'The keys that made subscriptions: what a person recognises them by, and whether they are revoked. Security definer, because crm_api cannot read keys.';


--
-- Name: manage_partitions(regclass, timestamp with time zone, bigint); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.manage_partitions(p_table regclass, p_now timestamp with time zone DEFAULT now(), p_max_rows bigint DEFAULT 100000, OUT made integer, OUT moved bigint, OUT dropped integer, OUT hindrance text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET lock_timeout TO '200ms'
    AS $_$
declare
  v_today date := (p_now at time zone 'UTC')::date;
  v_oldest date := ((p_now - make_interval(days => crm.kept_days(p_table))) at time zone 'UTC')::date;
  v_floor uuid := crm.uuid_v7_floor(v_oldest::timestamp at time zone 'UTC');
  v_default text := p_table || '_default';
  v_is_missing boolean;
  v_rows bigint;
  v_day date;
  v_partition regclass;
begin
  made := 0;
  moved := 0;
  dropped := 0;
  if p_table::text = 'crm.webhook_deliveries' then
    -- Before the deliveries themselves, as everybody locks them. What a dispatcher has is left to the next run.
    delete from crm.webhook_queue q
    where q.ctid = any (array(
      select o.ctid from crm.webhook_queue o where o.delivery_id < v_floor for update skip locked
    ));
  end if;
  execute format(
    'delete from %1$s where ctid = any (array(select r.ctid from %1$s r where r.%2$I < $1 limit $2))',
    v_default, crm.partition_key(p_table)
  ) using v_floor, p_max_rows;

  v_is_missing := crm.missing_days(p_table, v_oldest, v_today) <> '{}';
  if v_is_missing then
    execute format('select count(*) from (select from %s limit $1 + 1) r', v_default) into v_rows using p_max_rows;
    if v_rows > p_max_rows then
      v_is_missing := false;
      hindrance := format('%s has too many rows', v_default);
    end if;
  end if;
  if v_is_missing or exists (select from crm.partitions_of(p_table) p where p.day < v_oldest) then
    begin
      if p_table::text = 'crm.events' then
        -- The job index-texts reads events for some seconds, and may begin at the same moment each time. Nobody who uses the
        -- table waits behind this lock.
        perform set_config('lock_timeout', '5s', true);
        perform crm.lock_texts(true);
        perform set_config('lock_timeout', '200ms', true);
      end if;
      -- Not the weaker lock that `attach` takes: a row that somebody is just writing into the default partition would be
      -- refused once its day has a partition. `only`, because nobody has another partition who has not the table. The
      -- default one, whose bounds change too, may be a vacuum's.
      execute format('lock table only %s, %s in access exclusive mode', p_table, v_default);
      if v_is_missing then
        -- Again, for the rows that were written meanwhile.
        foreach v_day in array crm.missing_days(p_table, v_oldest, v_today) loop
          moved := moved + crm.make_partition(p_table, v_day);
          made := made + 1;
        end loop;
      end if;
      -- A few at a time, because everybody waits. After weeks without a run, the next runs drop the others.
      for v_partition in select p.partition from crm.partitions_of(p_table) p where p.day < v_oldest limit 10 loop
        begin
          execute format('lock table %s in access exclusive mode nowait', v_partition);
          execute format('drop table %s', v_partition);
          dropped := dropped + 1;
        exception
          -- A vacuum has it. The others can be dropped.
          when lock_not_available then
            hindrance := sqlerrm;
        end;
      end loop;
    exception
      when lock_not_available then
        hindrance := sqlerrm;
    end;
  end if;
  if hindrance is not null then
    raise log 'crm.manage_partitions(%): %', p_table, hindrance;
  end if;
end
$_$;


--
-- Name: FUNCTION manage_partitions(p_table regclass, p_now timestamp with time zone, p_max_rows bigint, OUT made integer, OUT moved bigint, OUT dropped integer, OUT hindrance text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.manage_partitions(p_table regclass, p_now timestamp with time zone, p_max_rows bigint, OUT made integer, OUT moved bigint, OUT dropped integer, OUT hindrance text) IS 'Makes the partitions of a table from today to a week ahead, and those of earlier days of which the default partition has rows; drops those whose whole day is older than crm.kept_days, ten at a time, and what the queue and the default partition have of such days. Gives up a lock after 200 ms, and says so in `hindrance`: the next run tries again. Rows are moved while everybody waits, 100,000 in about a second: where the default partition has more than p_max_rows, none is moved and no partition is made. p_now is the time to go by.';


--
-- Name: max_page_bytes(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.max_page_bytes() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select 2000000 $$;


--
-- Name: FUNCTION max_page_bytes(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.max_page_bytes() IS 'The bytes of JSON at which a page ends before its limit, because 200 records of the greatest length are 20 MB.';


--
-- Name: may_send(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.may_send(p_workspace_id uuid, p_subscription_id uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return (
    select s.is_active and not w.suspended and w.public_api
    from crm.webhook_subscriptions s join crm.workspaces w on w.id = s.workspace_id
    where s.workspace_id = coalesce(crm.current_workspace_id(), p_workspace_id) and s.id = p_subscription_id
  );
end
$$;


--
-- Name: FUNCTION may_send(p_workspace_id uuid, p_subscription_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.may_send(p_workspace_id uuid, p_subscription_id uuid) IS 'Whether deliveries to a subscription are sent: it is active, and its workspace is not suspended and has the public API. Otherwise they are held. Security definer, because a key may not read the workspace''s settings.';


--
-- Name: members; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.members (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    name crm.record_name NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    user_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT members_email_check CHECK (((char_length(email) >= 3) AND (char_length(email) <= 320))),
    CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'gestor'::text, 'vendedor'::text])))
);

ALTER TABLE ONLY crm.members FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE members; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.members IS 'People of a workspace: owners of records, authors of notes, creators of keys.';


--
-- Name: COLUMN members.user_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.members.user_id IS 'The person (auth.users) who signs in as this member: linked at the first sign-in, by confirmed e-mail (crm.link_member). Null until then.';


--
-- Name: member_json(crm.members, bigint); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.member_json(m crm.members, p_working_keys bigint) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', m.id,
    'workspace_id', m.workspace_id,
    'name', m.name,
    'email', m.email,
    'role', m.role,
    'is_active', m.is_active,
    'has_signed_in', m.user_id is not null,
    'working_keys', p_working_keys,
    'created_at', crm.iso(m.created_at)
  )
$$;


--
-- Name: FUNCTION member_json(m crm.members, p_working_keys bigint); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.member_json(m crm.members, p_working_keys bigint) IS 'JSON of a member for the operator and the console, with the number of keys that the member created and that are neither revoked nor expired.';


--
-- Name: mentions(text, crm.traces); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.mentions(p_text text, p_traces crm.traces) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
declare
  v_text text := crm.url_decoded(p_text);
  v_words text := crm.words(v_text);
  v_digits text := crm.digits(v_text);
begin
  return exists (select from unnest(p_traces.words) w (words) where position(w.words in v_words) > 0)
    or exists (select from unnest(p_traces.numbers) n (number) where position(n.number in v_digits) > 0);
end
$$;


--
-- Name: FUNCTION mentions(p_text text, p_traces crm.traces); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.mentions(p_text text, p_traces crm.traces) IS 'Whether a text has one of these traces of a person.';


--
-- Name: missing_days(regclass, date, date); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.missing_days(p_table regclass, p_oldest date, p_today date) RETURNS date[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $_$
declare
  v_days date[];
begin
  execute format(
    $sql$
      select array_agg(d.day order by d.day)
      from (
        -- A week ahead, so that no row goes to the default partition while the job cannot run.
        select $2 + n from generate_series(0, 7) n
        union
        select (crm.uuid_v7_time(r.%I) at time zone 'UTC')::date from %s r
      ) d (day)
      where d.day between $1 and $2 + 7 and not exists (select from crm.partitions_of($3) p where p.day = d.day)
    $sql$,
    crm.partition_key(p_table), p_table || '_default'
  ) into v_days using p_oldest, p_today, p_table;
  return coalesce(v_days, '{}');
end
$_$;


--
-- Name: FUNCTION missing_days(p_table regclass, p_oldest date, p_today date); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.missing_days(p_table regclass, p_oldest date, p_today date) IS 'The days that need a partition and have none: from p_today to a week ahead, and those from p_oldest of which the default partition has rows.';


--
-- Name: move_to_company(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.move_to_company() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_changed jsonb := '{"changed_fields": ["company_id"]}';
  v_ids uuid[];
begin
  update crm.companies c set merged_into_id = new.merged_into_id
  where c.workspace_id = new.workspace_id and c.merged_into_id = new.id;
  -- As in crm.move_to_contact.
  update crm.lead_receipts r set company_id = new.merged_into_id
  from crm.deals d
  where d.workspace_id = new.workspace_id and d.company_id = new.id
    and r.workspace_id = new.workspace_id and r.external_id = d.external_id and r.company_id = new.id;

  with moved as (
    update crm.contacts c set company_id = new.merged_into_id
    where c.workspace_id = new.workspace_id and c.company_id = new.id
    returning c.id
  )
  select array_agg(m.id) into v_ids from moved m;
  perform crm.emit_for_each(new.workspace_id, 'contact.updated', v_ids, v_changed);
  with moved as (
    update crm.deals d set company_id = new.merged_into_id
    where d.workspace_id = new.workspace_id and d.company_id = new.id
    returning d.id
  )
  select array_agg(m.id) into v_ids from moved m;
  perform crm.emit_for_each(new.workspace_id, 'deal.updated', v_ids, v_changed);
  return null;
end
$$;


--
-- Name: FUNCTION move_to_company(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.move_to_company() IS 'Trigger: makes what refers to a company that was merged refer to the one that it was merged into, and emits the updates of what it moves.';


--
-- Name: move_to_contact(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.move_to_contact() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_changed jsonb := '{"changed_fields": ["contact_id"]}';
  v_ids uuid[];
begin
  perform crm.emit(
    new.workspace_id, 'contact.merged', new.merged_into_id, jsonb_build_object('merged_contact_id', new.id)
  );
  update crm.contacts c set merged_into_id = new.merged_into_id
  where c.workspace_id = new.workspace_id and c.merged_into_id = new.id;
  -- Receipts are found by their deals, because an index of their own would cost every lead. One whose deal was given
  -- another contact since keeps the id, at whose address the reply is 301.
  update crm.lead_receipts r set contact_id = new.merged_into_id
  from crm.deals d
  where d.workspace_id = new.workspace_id and d.contact_id = new.id
    and r.workspace_id = new.workspace_id and r.external_id = d.external_id and r.contact_id = new.id;

  -- Activities before deals, in the order in which a PATCH of an activity locks them.
  with moved as (
    update crm.activities a set contact_id = new.merged_into_id
    where a.workspace_id = new.workspace_id and a.contact_id = new.id
    returning a.id
  )
  select array_agg(m.id) into v_ids from moved m;
  perform crm.emit_for_each(new.workspace_id, 'activity.updated', v_ids, v_changed);
  with moved as (
    update crm.deals d set contact_id = new.merged_into_id
    where d.workspace_id = new.workspace_id and d.contact_id = new.id
    returning d.id
  )
  select array_agg(m.id) into v_ids from moved m;
  perform crm.emit_for_each(new.workspace_id, 'deal.updated', v_ids, v_changed);
  return null;
end
$$;


--
-- Name: FUNCTION move_to_contact(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.move_to_contact() IS 'Trigger: makes what refers to a contact that was merged refer to the one that it was merged into, and emits contact.merged and the updates of what it moves.';


--
-- Name: name_holder(text, jsonb, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.name_holder(p_record text, p_item jsonb, p_result jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_holder uuid;
begin
  if p_result #>> '{error,code}' is distinct from 'external_id_taken'
    or p_result #>> '{error,details,0,id}' is not null then
    return p_result;
  end if;
  v_holder := crm.external_id_holder(
    case p_record when 'contact' then 'contacts_external_id_once' else 'companies_external_id_once' end,
    p_item -> 'args' ->> 'external_id'
  );
  return jsonb_set(p_result, '{error,details,0,id}', coalesce(to_jsonb(v_holder), 'null'));
end
$$;


--
-- Name: FUNCTION name_holder(p_record text, p_item jsonb, p_result jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.name_holder(p_record text, p_item jsonb, p_result jsonb) IS 'The result of an item, with the record that has its external_id, if an item before it in its group made that record.';


--
-- Name: name_words(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.name_words(p_name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select regexp_replace(crm.fold(btrim(p_name)), '\s+', ' ', 'g') || ' '
$$;


--
-- Name: FUNCTION name_words(p_name text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.name_words(p_name text) IS 'The words of a name for comparison, each followed by a space: lower case, without accents. "José  Lima" is "jose lima ".';


--
-- Name: next_delivery_due(interval); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.next_delivery_due(p_within interval) RETURNS double precision
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_now timestamptz := clock_timestamp();
  v_next timestamptz;
begin
  -- A shard was locked by another dispatcher's claim, or a delivery was added meanwhile. Where the workspace has
  -- something in flight, its dispatcher claims the rest.
  if exists (select from crm.webhook_unsettled) or exists (
    select from (select distinct q.workspace_id from (
      select q.workspace_id from crm.webhook_queue q where q.state = 'ready' limit 1000
    ) q) r
    where not exists (
      select from crm.webhook_queue l
      where l.state = 'leased'
        and (l.shard, l.workspace_id) >= (get_byte(uuid_send(r.workspace_id), 15) & 15, r.workspace_id)
        and (l.shard, l.workspace_id) <= (get_byte(uuid_send(r.workspace_id), 15) & 15, r.workspace_id)
    )
  ) then
    return 0;
  end if;
  select min(d.due_at) into v_next
  from crm.webhook_shards s
  cross join lateral (
    select q.due_at from crm.webhook_queue q
    where q.shard = s.shard and q.state = 'waiting' and q.due_at <= v_now + p_within
    order by q.due_at
    limit 1
  ) d;
  -- Not greatest() alone, which leaves a null out.
  return case when v_next is not null then greatest(extract(epoch from v_next - v_now), 0) end;
end
$$;


--
-- Name: FUNCTION next_delivery_due(p_within interval); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.next_delivery_due(p_within interval) IS 'Seconds until the next delivery is due; null if none becomes due within p_within. For a dispatcher that has just claimed all that is due: those that wait for a place of their subscription or workspace do not count.';


--
-- Name: note_deactivation(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.note_deactivation() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  if new.is_active then
    new.deactivated_at := null;
    new.deactivated_reason := null;
  else
    new.deactivated_at := coalesce(new.deactivated_at, now());
  end if;
  if new.deactivated_reason = 'deleted' then
    -- As what waits for it is cancelled.
    new.behind_since := null;
    new.behind_position := null;
    new.behind_id := null;
  end if;
  return new;
end
$$;


--
-- Name: FUNCTION note_deactivation(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.note_deactivation() IS 'Trigger: keeps deactivated_at, forgets the reason when a subscription becomes active, and what a deleted one has yet to get.';


--
-- Name: notes; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.notes (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    deal_id uuid NOT NULL,
    author_id uuid NOT NULL,
    body crm.note_body NOT NULL,
    kind crm.note_kind DEFAULT 'note'::text NOT NULL,
    source crm.note_source NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY crm.notes FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE notes; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.notes IS 'Texts that people and integrations write about a deal.';


--
-- Name: note_insert(crm.notes[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.note_insert(p_rows crm.notes[]) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_ids uuid[];
begin
  with made as (
    insert into crm.notes as new (
      workspace_id, deal_id, author_id, body, kind, source
    )
    select
      crm.current_workspace_id(), t.deal_id, t.author_id, t.body, t.kind, t.source
    from unnest(p_rows) t
    returning new.id
  )
  select array_agg(m.id) into v_ids from made m;
  return v_ids;
end
$$;


--
-- Name: FUNCTION note_insert(p_rows crm.notes[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.note_insert(p_rows crm.notes[]) IS 'Creates records in the caller''s workspace; returns their ids, in the order of the rows.';


--
-- Name: note_insert(crm.notes); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.note_insert(t crm.notes) RETURNS crm.notes
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  insert into crm.notes as new (
    workspace_id, deal_id, author_id, body, kind, source
  )
  values (
    crm.current_workspace_id(), t.deal_id, t.author_id, t.body, t.kind, t.source
  )
  returning new.* into t;
  return t;
end
$$;


--
-- Name: FUNCTION note_insert(t crm.notes); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.note_insert(t crm.notes) IS 'Creates the record in the caller''s workspace and returns it.';


--
-- Name: note_json(crm.notes); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.note_json(t crm.notes) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select to_json(row(
    t.id, t.deal_id, t.author_id, t.body, t.kind, t.source, crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.note)
$$;


--
-- Name: FUNCTION note_json(t crm.notes); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.note_json(t crm.notes) IS 'A row as public JSON, with the fields of api.note.';


--
-- Name: note_json_if_short(crm.notes); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.note_json_if_short(t crm.notes) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select case when coalesce(octet_length(t.body), 0) <= 4000
    then crm.note_json(t)
  end
$$;


--
-- Name: FUNCTION note_json_if_short(t crm.notes); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.note_json_if_short(t crm.notes) IS 'crm.note_json, or null if the row may be long: crm.note_page makes those, so that a page can end before them.';


--
-- Name: note_list_by(jsonb, uuid, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.note_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer DEFAULT 250, OUT ids uuid[], OUT next_id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_limit integer := p_args ->> 'limit';
  v_deal_id uuid := (p_args ->> 'deal_id')::uuid;
  v_kind text[] := case when p_args ? 'kind' then array(select jsonb_array_elements_text(p_args -> 'kind')) end;
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_ranges text[] := array_remove(array[
    case when p_args ?| array['updated_since'] then 'updated_at' end
  ], null);
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_range text;
  v_in_range uuid[];
  -- Whether no other filter was sent, so that all rows in the range match.
  v_alone boolean;
  v_newer integer;
begin
  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'kind' as name, (
      select t.* from unnest(v_kind) s (value)
      cross join lateral (
        select t.id from crm.notes t
        where t.workspace_id = crm.current_workspace_id()
          and t.deal_id = v_deal_id
          and (t.kind, t.id) < (s.value, p_before)
          and t.kind >= s.value
          and t.kind = any (array[s.value])
          and t.id < p_before
          and t.id >= p_from
        order by t.kind desc, t.id desc
        limit p_step + 1
      ) t
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_kind is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  ids := '{}';
  for v_round in 1 .. 2 loop
    select array_agg(t.id), array_agg(t.id) filter (
      where (v_kind is null or t.kind = any (v_kind))
        and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
    )
    into v_walked, v_matches
    from (
      (
        select t.id, t.kind, t.updated_at from crm.notes t
        where v_by = 'all'
          and t.workspace_id = crm.current_workspace_id()
          and (t.deal_id, t.id) < (v_deal_id, v_before)
          and t.deal_id >= v_deal_id
          and t.deal_id = any (array[v_deal_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.deal_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.* from unnest(v_kind) s (value)
        cross join lateral (
          select t.id, t.kind, t.updated_at from crm.notes t
          where t.workspace_id = crm.current_workspace_id()
            and t.deal_id = v_deal_id
            and (t.kind, t.id) < (s.value, v_before)
            and t.kind >= s.value
            and t.kind = any (array[s.value])
            and t.id < v_before
            and t.id >= p_from
          order by t.kind desc, t.id desc
          limit v_rows
        ) t
        where v_by = 'kind'
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.kind, t.updated_at
        from unnest(v_in_range[:v_rows]) with ordinality chosen (id, position)
        join crm.notes t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        where v_by = 'range'
        order by chosen.position
      )
    ) t;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    v_rows := 4 * p_step;
    -- Few rows of the first round match. A range of few rows is walked instead, if it has no more rows where the first
    -- round was.
    foreach v_range in array v_ranges loop
      case v_range
        when 'updated_at' then
          v_alone := p_args - '{limit,cursor,since,until,deal_id,updated_since}'::text[] = '{}';
          v_in_range := array(
            select t.id from crm.notes t
            where t.workspace_id = crm.current_workspace_id() and t.deal_id = v_deal_id
              and t.updated_at >= v_updated_since
            order by t.updated_at desc
            limit 10 * p_step + 1
          );
      end case;
      continue when cardinality(v_in_range) > 10 * p_step;
      select array_agg(r.id order by r.id desc) filter (where r.id < v_before),
        count(*) filter (where r.id >= v_before and r.id < p_before)
      into v_in_range, v_newer
      from unnest(v_in_range) r (id)
      where r.id >= p_from;
      if v_newer <= p_step then
        if v_alone then
          ids := ids || v_in_range[:v_limit + 1];
          next_id := null;
          return;
        end if;
        v_by := 'range';
        exit;
      end if;
    end loop;
  end loop;
end
$$;


--
-- Name: FUNCTION note_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.note_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) IS 'The ids of a page of api.note_list, more than its limit if there are as many, for any combination of its filters. It looks through at most 5 * p_step rows; next_id is the last of them if there may be others.';


--
-- Name: note_new(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.note_new(p_args jsonb) RETURNS crm.notes
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_note crm.notes := jsonb_populate_record(null::crm.notes, crm.require_references(p_args));
begin
  v_note.author_id := crm.active_member(crm.current_member_id());
  if v_note.author_id is null then
    perform api.fail('no_author_available');
  end if;
  v_note.kind := coalesce(v_note.kind, 'note');
  v_note.source := 'integration';
  return v_note;
end
$$;


--
-- Name: FUNCTION note_new(p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.note_new(p_args jsonb) IS 'The note to insert for the arguments of a creation. Its author is the creator of the key, and never anybody else; raises invalid_reference, no_author_available (spec 2.2, 4.3).';


--
-- Name: note_page(uuid[], json[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.note_page(p_ids uuid[], p_records json[]) RETURNS json[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_record json;
  v_records json[];
  v_bytes integer := 0;
begin
  for v_position in 1 .. cardinality(p_ids) loop
    v_record := p_records[v_position];
    if v_record is null then
      select crm.note_json(t) into v_record from crm.notes t
      where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
    end if;
    v_bytes := v_bytes + pg_column_size(v_record);
    -- One record is shown however long it is, because the next page would begin with it again.
    exit when v_bytes > crm.max_page_bytes() and v_position > 1;
    v_records := v_records || v_record;
  end loop;
  return v_records;
end
$$;


--
-- Name: FUNCTION note_page(p_ids uuid[], p_records json[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.note_page(p_ids uuid[], p_records json[]) IS 'The records of a page that may be too long: those that are null are made one by one, until the page has its maximum of bytes.';


--
-- Name: old_secret_until(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.old_secret_until(p_workspace_id uuid, p_subscription_id uuid) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select k.next_from from crm.webhook_secrets k
  where k.workspace_id = p_workspace_id and k.subscription_id = p_subscription_id and k.next_from > now()
$$;


--
-- Name: FUNCTION old_secret_until(p_workspace_id uuid, p_subscription_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.old_secret_until(p_workspace_id uuid, p_subscription_id uuid) IS 'Until when the old secret of a subscription goes on signing; null unless a rotation overlaps.';


--
-- Name: own_active_subscription(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.own_active_subscription(p_id uuid) RETURNS crm.webhook_subscriptions
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  s crm.webhook_subscriptions := crm.own_subscription(p_id);
begin
  if not s.is_active then
    perform api.fail('subscription_inactive');
  end if;
  return s;
end
$$;


--
-- Name: FUNCTION own_active_subscription(p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.own_active_subscription(p_id uuid) IS 'A subscription of the current workspace; raises not_found, or subscription_inactive.';


--
-- Name: own_key(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.own_key() RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return (
    select json_build_object(
      'key', json_build_object(
        'id', k.id,
        'name', k.name,
        'prefix', k.prefix,
        'scopes', k.scopes,
        'created_at', crm.iso(k.created_at),
        'expires_at', crm.iso(k.expires_at)
      ),
      'workspace', json_build_object('id', w.id, 'name', w.name),
      'member', json_build_object('id', m.id, 'name', m.name, 'role', m.role, 'is_active', m.is_active),
      'limits', json_build_object('requests_per_minute', w.rate_limit_per_minute)
    )
    from crm.api_keys k
    join crm.workspaces w on w.id = k.workspace_id
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    where k.workspace_id = crm.current_workspace_id() and k.id = crm.current_caller_id()
  );
end
$$;


--
-- Name: FUNCTION own_key(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.own_key() IS 'The key of the request with its workspace, its member and its limit: of what crm_api cannot read, only what is the caller''s own, and without the member''s e-mail, which takes a scope. Null for a caller without a key.';


--
-- Name: own_subscription(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.own_subscription(p_id uuid) RETURNS crm.webhook_subscriptions
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  s crm.webhook_subscriptions;
begin
  select * into s from crm.webhook_subscriptions w
  where w.workspace_id = crm.current_workspace_id() and w.id = p_id;
  if not found then
    perform api.fail('not_found');
  end if;
  return s;
end
$$;


--
-- Name: FUNCTION own_subscription(p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.own_subscription(p_id uuid) IS 'A subscription of the current workspace; raises not_found.';


--
-- Name: own_workspace_name(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.own_workspace_name() RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return (select w.name from crm.workspaces w where w.id = crm.current_workspace_id());
end
$$;


--
-- Name: FUNCTION own_workspace_name(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.own_workspace_name() IS 'The name of the caller''s workspace. The table, which also has the plan, is not readable for crm_api.';


--
-- Name: owner_or_default(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.owner_or_default(p_owner_id uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_owner_id uuid := coalesce(p_owner_id, crm.default_owner());
begin
  if v_owner_id is null then
    perform api.fail('no_owner_available');
  end if;
  return v_owner_id;
end
$$;


--
-- Name: FUNCTION owner_or_default(p_owner_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.owner_or_default(p_owner_id uuid) IS 'The owner that the call names, otherwise the default one; raises no_owner_available if there is none (spec 4.2).';


--
-- Name: page(json[], uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.page(p_records json[], p_next_id uuid) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select to_json(row(
    coalesce(p_records, '{}'),
    row(p_next_id, p_next_id is not null)::api.page_meta
  )::api.page)
$$;


--
-- Name: FUNCTION page(p_records json[], p_next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.page(p_records json[], p_next_id uuid) IS 'Builds a page of a list (spec 4.0). p_next_id is where the next page continues; null: there is none.';


--
-- Name: parse_argument(text, text, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.parse_argument(p_rule text, p_field text, p_value jsonb, OUT value jsonb, OUT errors jsonb) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $_$
declare
  -- The vertical tab as x0b, because before Postgres 16 the escape with a v is the letter v.
  v_text text := case jsonb_typeof(p_value)
    when 'string' then btrim(p_value #>> '{}', e' \t\n\x0b\f\r\u00a0\u2028\u2029\u3000\ufeff')
  end;
  v_number numeric := case jsonb_typeof(p_value) when 'number' then p_value::numeric end;
  v_valid boolean;
  v_message text;
begin
  value := coalesce(to_jsonb(v_text), p_value);
  errors := '[]';
  case p_rule
    when 'workspace_id', 'id', 'new_id', 'member_id', 'deal_id', 'pipeline_id', 'subscription_id', 'cursor' then
      value := to_jsonb(lower(v_text));
      v_valid := v_text ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
      v_message := 'Deve ser um UUID';
    when 'object' then
      v_valid := v_text in (
        'member', 'key', 'pipeline', 'stage', 'loss_reason', 'deal', 'proposal', 'subscription', 'delivery'
      );
      v_message := 'Deve ser um tipo de registro conhecido';
    when 'name', 'title', 'member_name' then
      v_valid := char_length(v_text) between 1 and 255;
      v_message := 'Deve ter de 1 a 255 caracteres';
    when 'type' then
      v_valid := char_length(v_text) between 1 and 40;
      v_message := 'Deve ter de 1 a 40 caracteres';
    when 'email', 'member_email' then
      value := to_jsonb(lower(v_text));
      -- The pattern that the API uses, so that both accept the same addresses.
      v_valid := char_length(v_text) <= 320 and v_text ~ (
        '^[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+)*'
        '@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$'
      );
      v_message := 'Deve ser um e-mail válido';
    when 'role' then
      v_valid := v_text in ('admin', 'gestor', 'vendedor');
      v_message := 'Deve ser um de "admin", "gestor", "vendedor"';
    when 'suspended', 'public_api', 'is_active', 'is_default', 'keep_webhooks' then
      v_valid := jsonb_typeof(p_value) = 'boolean';
      v_message := 'Deve ser true ou false';
    when 'rate_limit_per_minute' then
      v_valid := v_number between 1 and 1000000 and v_number = trunc(v_number);
      v_message := 'Deve ser um número inteiro de 1 a 1000000';
    when 'stale_after_days' then
      v_valid := v_number between 1 and 3650 and v_number = trunc(v_number);
      v_message := 'Deve ser um número inteiro de 1 a 3650';
    when 'limit' then
      v_valid := v_number between 1 and 200 and v_number = trunc(v_number);
      v_message := 'Deve ser um número inteiro de 1 a 200';
    when 'overlap_seconds' then
      v_valid := v_number between 0 and 604800 and v_number = trunc(v_number);
      v_message := 'Deve ser um número inteiro de 0 a 604800';
    when 'value', 'recurring_value' then
      v_valid := v_number between 0 and 1e15;
      v_message := 'Deve ser um número de 0 a 1000000000000000';
    when 'expires_at', 'since', 'until' then
      v_valid := crm.parse_moment(v_text) is not null;
      v_message := 'Deve ser uma data e hora ISO 8601 com fuso, por exemplo 2027-01-31T12:00:00Z';
    when 'prefix' then
      v_valid := v_text ~ '^svc_[0-9A-Za-z]{8}$';
      v_message := 'Deve ser o começo de uma chave, com 12 caracteres';
    when 'hash', 'token_hash' then
      v_valid := v_text ~ '^[0-9a-f]{64}$';
      v_message := 'Deve ser um SHA-256 em hexadecimal';
    when 'secret' then
      v_valid := v_text ~ '^([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';
      v_message := 'Deve estar em base64';
    when 'target_url' then
      -- Only its length: that it is https and public is checked by whoever calls the verb (_shared/webhooks/target.ts).
      value := p_value;
      v_valid := char_length(p_value #>> '{}') between 1 and 2048 and jsonb_typeof(p_value) = 'string';
      v_message := 'Deve ter de 1 a 2048 caracteres';
    when 'event', 'event_type' then
      v_valid := v_text = any (enum_range(null::crm.event_type)::text[]);
      v_message := 'Deve ser um evento do catálogo';
    when 'state' then
      v_valid := v_text in ('pending', 'held', 'delivered', 'failed', 'cancelled');
      v_message := 'Deve ser um de "pending", "held", "delivered", "failed", "cancelled"';
    when 'event_types' then
      v_valid := jsonb_typeof(p_value) = 'array' and p_value <> '[]'
        and p_value <@ to_jsonb(enum_range(null::crm.event_type));
      v_message := 'Deve ser uma lista de eventos do catálogo, com pelo menos um';
    when 'scope' then
      v_valid := v_text ~ '^[a-z][a-z0-9_-]{0,59}:(read|write|manage)$';
      v_message := 'Deve ter a forma <recurso>:read, <recurso>:write ou <recurso>:manage';
    when 'scopes' then
      v_valid := jsonb_typeof(p_value) = 'array' and p_value <> '[]';
      v_message := 'Deve ser uma lista com pelo menos um escopo';
      if v_valid then
        select jsonb_agg(distinct_scope.value order by distinct_scope.n) into value
        from (
          select e.value, min(e.n) as n from jsonb_array_elements(p_value) with ordinality e (value, n) group by e.value
        ) distinct_scope;
        errors := coalesce((
          select jsonb_agg(f.error order by e.n)
          from jsonb_array_elements(p_value) with ordinality e (value, n)
          cross join lateral crm.parse_argument('scope', p_field || '.' || e.n - 1, e.value) s
          cross join lateral jsonb_array_elements(s.errors) f (error)
        ), '[]');
      end if;
    when 'stages' then
      v_valid := jsonb_typeof(p_value) = 'array' and not p_value @? '$[*] ? (@.type() != "object")';
      v_message := 'Deve ser uma lista de etapas, cada uma com name e type';
      if v_valid then
        select
          coalesce(jsonb_agg(jsonb_build_object('name', n.value, 'type', t.value) order by e.n), '[]'),
          coalesce(jsonb_agg(n.errors || t.errors order by e.n), '[]')
        into value, errors
        from jsonb_array_elements(p_value) with ordinality e (value, n)
        cross join lateral crm.parse_argument('name', p_field || '.' || e.n - 1 || '.name', e.value -> 'name') n
        cross join lateral crm.parse_argument('type', p_field || '.' || e.n - 1 || '.type', e.value -> 'type') t;
        errors := jsonb_path_query_array(errors, '$[*][*]');
      end if;
  end case;
  if v_valid is not true then
    errors := jsonb_build_array(jsonb_build_object('field', p_field, 'message', v_message));
  end if;
end
$_$;


--
-- Name: FUNCTION parse_argument(p_rule text, p_field text, p_value jsonb, OUT value jsonb, OUT errors jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.parse_argument(p_rule text, p_field text, p_value jsonb, OUT value jsonb, OUT errors jsonb) IS 'Validates one argument of a verb of schema app by the rule of its name. `value` is the normalized value (trimmed, ids and e-mails in lower case, each scope once). `errors` lists the invalid fields with their Portuguese messages, and is empty if there is none. p_field is the field''s name in an error, such as stages.0.type.';


--
-- Name: parse_moment(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.parse_moment(p_text text) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $_$
declare
  v_at timestamptz;
begin
  -- Postgres itself accepts more, such as 'tomorrow', and dates whose order of day and month depends on a setting.
  if p_text !~ '^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$' then
    return null;
  end if;
  v_at := p_text::timestamptz;
  return case when v_at >= '0001-01-01T00:00:00Z' and v_at < '9999-12-31T23:59:59.9995Z' then v_at end;
exception
  when datetime_field_overflow or invalid_datetime_format or invalid_time_zone_displacement_value then
    return null;
end
$_$;


--
-- Name: FUNCTION parse_moment(p_text text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.parse_moment(p_text text) IS 'Parses an ISO 8601 date and time with an offset, such as 2027-01-31T12:00:00Z. Null if the text has another form, or the moment does not exist in the years 1 to 9999.';


--
-- Name: partition_fillfactor(regclass); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.partition_fillfactor(p_table regclass) RETURNS integer
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select case p_table::text when 'crm.webhook_deliveries' then 90 else 100 end $$;


--
-- Name: FUNCTION partition_fillfactor(p_table regclass); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.partition_fillfactor(p_table regclass) IS 'How many percent of a page of a partition new rows may fill; the rest is for changes of its rows.';


--
-- Name: partition_key(regclass); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.partition_key(p_table regclass) RETURNS name
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select a.attname
  from pg_catalog.pg_partitioned_table t
  join pg_catalog.pg_attribute a on a.attrelid = t.partrelid and a.attnum = t.partattrs[0]
  where t.partrelid = p_table
$$;


--
-- Name: FUNCTION partition_key(p_table regclass); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.partition_key(p_table regclass) IS 'The column, a UUIDv7, by whose time a table is partitioned.';


--
-- Name: partitions_of(regclass); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.partitions_of(p_table regclass) RETURNS TABLE(partition regclass, day date)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $_$
  select c.oid::regclass, to_date(d.day, 'YYYY_MM_DD')
  from pg_catalog.pg_inherits i
  join pg_catalog.pg_class c on c.oid = i.inhrelid
  cross join lateral substring(c.relname from '_(\d{4}_\d\d_\d\d)$') d (day)
  where i.inhparent = p_table and d.day is not null
  order by 2
$_$;


--
-- Name: FUNCTION partitions_of(p_table regclass); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.partitions_of(p_table regclass) IS 'The partitions of a table with their days, oldest first, without the default partition.';


--
-- Name: pending_texts(text, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.pending_texts(p_record text, p_most integer) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_done crm.search_backlog;
  v_from uuid;
  -- So that the partitions of the coming week are not opened.
  v_to uuid := crm.uuid_v7_floor(now() + interval '1 day');
  v_looked integer;
  v_ids uuid[];
begin
  select v_workspace_id, coalesce(b.position, p.position), coalesce(b.event_id, crm.uuid_v7_floor('epoch')),
    coalesce(b.reached_at, p.reached_at)
  into v_done
  from crm.search_progress p left join crm.search_backlog b on b.workspace_id = v_workspace_id;
  -- As in api.event_list.
  v_from := crm.uuid_v7_floor(v_done.reached_at - interval '2 days');
  select count(*), array_agg(distinct e.object_id) filter (where crm.text_changed(e.event, e.facts) = p_record)
  into v_looked, v_ids
  from (
    select l.event, l.facts, l.object_id from crm.events l
    where l.workspace_id = v_workspace_id and (l.position, l.id) > (v_done.position, v_done.event_id)
      and l.id >= v_from and l.id < v_to
    order by l.position, l.id
    limit p_most + 1
  ) e;
  return case when v_looked <= p_most then coalesce(v_ids, '{}') end;
end
$$;


--
-- Name: FUNCTION pending_texts(p_record text, p_most integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.pending_texts(p_record text, p_most integer) IS 'The records of the current workspace whose text may have changed since it was kept; null if there are more than p_most events since then. Security definer, because verbs may not read how far the job is.';


--
-- Name: pipelines; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.pipelines (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    name crm.record_name NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY crm.pipelines FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE pipelines; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.pipelines IS 'Sales funnels of a workspace. A deal whose call names no pipeline goes into the default one.';


--
-- Name: pipeline_json(crm.pipelines); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.pipeline_json(t crm.pipelines) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.is_default, t.is_active, crm.iso(t.created_at), crm.stages_of(t)
  )::api.pipeline)
$$;


--
-- Name: FUNCTION pipeline_json(t crm.pipelines); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.pipeline_json(t crm.pipelines) IS 'A row as public JSON, with the fields of api.pipeline.';


--
-- Name: pipeline_row_json(crm.pipelines); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.pipeline_row_json(p crm.pipelines) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', p.id,
    'workspace_id', p.workspace_id,
    'name', p.name,
    'is_default', p.is_default,
    'is_active', p.is_active
  )
$$;


--
-- Name: FUNCTION pipeline_row_json(p crm.pipelines); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.pipeline_row_json(p crm.pipelines) IS 'JSON of a pipeline without its stages, for the operator.';


--
-- Name: poke_dispatcher(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.poke_dispatcher() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $_$
declare
  v_url text;
  v_secret text;
begin
  if not crm.deliveries_due() then
    return;
  end if;
  -- On Supabase pg_net sends the poke; elsewhere the local scheduler listens for the notification. The statements are
  -- dynamic, because the schemas net and vault may not exist.
  if to_regproc('net.http_post') is null or to_regclass('vault.decrypted_secrets') is null then
    perform pg_notify('webhook_dispatch', '');
    return;
  end if;
  execute format(
    'select max(decrypted_secret) filter (where name = %L), max(decrypted_secret) filter (where name = %L) from %I.%I',
    'webhook_dispatcher_url', 'webhook_dispatcher_secret', 'vault', 'decrypted_secrets'
  ) into v_url, v_secret;
  if v_url is null or v_secret is null then
    raise warning 'webhook_dispatcher_url and webhook_dispatcher_secret are not in the vault: no dispatcher is called';
    return;
  end if;
  -- pg_net puts its functions into the schema net, whichever schema it was created in.
  execute format('select %I.%I(url := $1, headers := $2)', 'net', 'http_post')
  using v_url, jsonb_build_object('Authorization', 'Bearer ' || v_secret, 'Content-Type', 'application/json');
end
$_$;


--
-- Name: FUNCTION poke_dispatcher(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.poke_dispatcher() IS 'Pokes the dispatcher if a delivery is due now or within 15 seconds: a retry, or a delivery whose poke after the request was lost. Security definer, because it looks at every workspace, and members poke it too.';


--
-- Name: proposal_answer(uuid, text, text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.proposal_answer(p_id uuid, p_status text, p_reason text) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  -- Locked, so that of a simultaneous acceptance and rejection only one succeeds.
  v_proposal crm.proposals := crm.proposal_lock(p_id);
  v_unchanged boolean := v_proposal.status = p_status;
begin
  if not v_unchanged then
    if v_proposal.status in ('aceita', 'recusada') then
      perform api.fail('proposal_closed');
    end if;
    v_proposal := crm.proposal_set_status(v_proposal, p_status, p_reason);
  end if;
  return crm.with_fields(crm.proposal_for_customer(v_proposal), json_build_object('idempotent', v_unchanged));
end
$$;


--
-- Name: FUNCTION proposal_answer(p_id uuid, p_status text, p_reason text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.proposal_answer(p_id uuid, p_status text, p_reason text) IS 'Records the customer''s answer, which is final. The same answer again changes nothing (`idempotent`). Raises proposal_closed if the proposal has the other answer, proposal_expired.';


--
-- Name: proposals; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.proposals (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    deal_id uuid NOT NULL,
    title crm.record_name NOT NULL,
    value crm.amount,
    recurring_value crm.amount,
    status text DEFAULT 'rascunho'::text NOT NULL,
    sent_at timestamp with time zone,
    viewed_at timestamp with time zone,
    accepted_at timestamp with time zone,
    rejected_at timestamp with time zone,
    rejection_reason text,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT proposals_rejection_reason_check CHECK ((char_length(rejection_reason) <= 1000)),
    CONSTRAINT proposals_status_check CHECK ((status = ANY (ARRAY['rascunho'::text, 'enviada'::text, 'visualizada'::text, 'aceita'::text, 'recusada'::text])))
);

ALTER TABLE ONLY crm.proposals FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE proposals; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.proposals IS 'Offers to customers, each on a deal.';


--
-- Name: COLUMN proposals.status; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.proposals.status IS 'The last status that was written. `expirada` is never stored: crm.proposal_status derives it from the clock.';


--
-- Name: proposal_for_customer(crm.proposals); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.proposal_for_customer(p_proposal crm.proposals) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select crm.with_fields(
    crm.proposal_view_json(p_proposal), json_build_object('seller', crm.proposal_seller())
  )
$$;


--
-- Name: FUNCTION proposal_for_customer(p_proposal crm.proposals); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.proposal_for_customer(p_proposal crm.proposals) IS 'A proposal as its customer sees it, with the seller''s name.';


--
-- Name: proposal_json(crm.proposals); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.proposal_json(t crm.proposals) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select to_json(row(
    t.id, t.workspace_id, t.deal_id, t.title, t.value, t.recurring_value, crm.proposal_status(t),
    crm.iso(t.sent_at), crm.iso(t.viewed_at), crm.iso(t.accepted_at), crm.iso(t.rejected_at),
    t.rejection_reason, crm.iso(t.expires_at), crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.proposal)
$$;


--
-- Name: FUNCTION proposal_json(t crm.proposals); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.proposal_json(t crm.proposals) IS 'A row as public JSON, with the fields of api.proposal.';


--
-- Name: proposal_lock(uuid, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.proposal_lock(p_id uuid, p_if_match jsonb DEFAULT NULL::jsonb) RETURNS crm.proposals
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  t crm.proposals;
begin
  select * into t from crm.proposals r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then
    perform api.fail('not_found');
  end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.proposal_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;


--
-- Name: FUNCTION proposal_lock(p_id uuid, p_if_match jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.proposal_lock(p_id uuid, p_if_match jsonb) IS 'Locks the record until the transaction ends, so that concurrent changes of different fields are all kept, and returns it. Raises not_found; precondition_failed if p_if_match, a list of versions, has not the record''s.';


--
-- Name: proposal_save(crm.proposals); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.proposal_save(t crm.proposals) RETURNS crm.proposals
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  update crm.proposals as saved
  set (
    status, rejection_reason
  ) = (
    t.status, t.rejection_reason
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;


--
-- Name: FUNCTION proposal_save(t crm.proposals); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.proposal_save(t crm.proposals) IS 'Writes the fields of the record that can change, and returns the row as it is then.';


--
-- Name: proposal_seller(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.proposal_seller() RETURNS json
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select json_build_object('name', w.name) from crm.workspaces w where w.id = crm.current_workspace_id()
$$;


--
-- Name: FUNCTION proposal_seller(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.proposal_seller() IS 'Who makes the offer, as its customer sees it: the caller''s own workspace by its name, and nothing else of it. With its owner''s rights, because verbs cannot read crm.workspaces.';


--
-- Name: proposal_set_status(crm.proposals, text, text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.proposal_set_status(p_proposal crm.proposals, p_status text, p_reason text DEFAULT NULL::text) RETURNS crm.proposals
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  if crm.proposal_status(p_proposal) = 'expirada' then
    perform api.fail('proposal_expired');
  end if;
  p_proposal.status := p_status;
  p_proposal.rejection_reason := p_reason;
  return crm.proposal_save(p_proposal);
end
$$;


--
-- Name: FUNCTION proposal_set_status(p_proposal crm.proposals, p_status text, p_reason text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.proposal_set_status(p_proposal crm.proposals, p_status text, p_reason text) IS 'Saves a proposal with a new status; raises proposal_expired if the time to answer is over.';


--
-- Name: proposal_status(crm.proposals); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.proposal_status(p crm.proposals) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select case
    when p.status in ('rascunho', 'enviada', 'visualizada') and p.expires_at <= now() then 'expirada'
    else p.status
  end
$$;


--
-- Name: FUNCTION proposal_status(p crm.proposals); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.proposal_status(p crm.proposals) IS 'The present status of a proposal: `expirada` if it was not answered before expires_at. An answer never changes.';


--
-- Name: proposal_view_json(crm.proposals); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.proposal_view_json(t crm.proposals) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select to_json(row(
    t.id, t.title, t.value, t.recurring_value, crm.proposal_status(t), crm.iso(t.sent_at),
    crm.iso(t.expires_at), crm.iso(t.accepted_at), crm.iso(t.rejected_at), t.rejection_reason
  )::api.proposal_view)
$$;


--
-- Name: FUNCTION proposal_view_json(t crm.proposals); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.proposal_view_json(t crm.proposals) IS 'A row as public JSON, with the fields of api.proposal_view.';


--
-- Name: protect(regclass); Type: PROCEDURE; Schema: crm; Owner: -
--

CREATE PROCEDURE crm.protect(IN p_table regclass)
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  execute format('alter table %s enable row level security', p_table);
  execute format('alter table %s force row level security', p_table);
  execute format(
    'create policy "A caller reaches only its own workspace" on %s for all to crm_api, crm_app
       using (workspace_id = crm.current_workspace_id())
       with check (workspace_id = crm.current_workspace_id())',
    p_table
  );
end
$$;


--
-- Name: PROCEDURE protect(IN p_table regclass); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON PROCEDURE crm.protect(IN p_table regclass) IS 'Adds row-level isolation by workspace_id, the same for every table. Call it in the migration that creates the table.';


--
-- Name: purge_cron_history(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.purge_cron_history() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
declare
  v_deleted integer;
begin
  if to_regclass('cron.job_run_details') is null then
    return 0;
  end if;
  -- Dynamic, because the schema cron may not exist.
  execute $sql$
    delete from cron.job_run_details d
    using cron.job j
    where j.jobid = d.jobid and j.jobname like 'crm:%'
      and coalesce(d.end_time, d.start_time) < now() - interval '7 days'
  $sql$;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$_$;


--
-- Name: FUNCTION purge_cron_history(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.purge_cron_history() IS 'Deletes the history of our jobs that is older than 7 days, and returns how many runs that were. pg_cron itself keeps everything, which is 8,640 rows a day for a job that runs every 10 seconds.';


--
-- Name: purge_key_calls(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.purge_key_calls() RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$ delete from crm.key_calls c where c.hour < now() - interval '90 days' $$;


--
-- Name: FUNCTION purge_key_calls(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.purge_key_calls() IS 'Deletes the counted calls of hours more than 90 days ago.';


--
-- Name: purge_key_secrets(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.purge_key_secrets() RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$ delete from crm.key_secrets s where s.expires_at < now() - interval '30 days' $$;


--
-- Name: FUNCTION purge_key_secrets(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.purge_key_secrets() IS 'Deletes secrets that a rotation ended more than 30 days ago. Until then a call with one is answered revoked_api_key, which tells its owner more than invalid_api_key.';


--
-- Name: purge_rate_limits(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.purge_rate_limits() RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  delete from crm.rate_limits r
  where r.hits[cardinality(r.hits)] < now() - interval '1 day'
    and not exists (
      select from crm.api_keys k
      left join crm.key_counters c
        on c.workspace_id = k.workspace_id and c.key_id = k.id and c.counted_since = r.counted_since
      where k.id = r.key_id and r.calls > coalesce(c.calls, 0)
    )
$$;


--
-- Name: FUNCTION purge_rate_limits(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.purge_rate_limits() IS 'Deletes the rate limits of callers that made no call for a day and whose calls are all moved, so that sessions and links which are never used again leave nothing, and crm.drain_calls reads what is in use.';


--
-- Name: queue_room(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.queue_room(p_workspace_id uuid, p_subscription_id uuid) RETURNS integer
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_share integer := crm.queue_share(p_workspace_id);
begin
  return v_share - crm.waiting_deliveries(p_workspace_id, p_subscription_id, v_share);
end
$$;


--
-- Name: FUNCTION queue_room(p_workspace_id uuid, p_subscription_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.queue_room(p_workspace_id uuid, p_subscription_id uuid) IS 'How many more deliveries may wait for a subscription now.';


--
-- Name: queue_share(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.queue_share(p_workspace_id uuid) RETURNS integer
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select w.max_waiting_deliveries / greatest(
    (select count(*) from crm.webhook_subscriptions s where s.workspace_id = w.id and s.is_active), 1
  )::integer
  from crm.workspaces w
  where w.id = p_workspace_id
$$;


--
-- Name: FUNCTION queue_share(p_workspace_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.queue_share(p_workspace_id uuid) IS 'How many deliveries may wait for one subscription of a workspace. The active ones have equal shares of max_waiting_deliveries, so that a receiver that is away does not hold up the others.';


--
-- Name: raise_code(text, text, text, text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.raise_code(p_code text, p_field text DEFAULT NULL::text, p_message text DEFAULT NULL::text, p_value text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  raise exception using
    errcode = 'CRM00',
    message = p_code,
    detail = case
      when p_field is null then ''
      else json_build_array(
        json_build_object('field', p_field, 'message', p_message, 'value', p_value)
      )::text
    end;
end
$$;


--
-- Name: FUNCTION raise_code(p_code text, p_field text, p_message text, p_value text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.raise_code(p_code text, p_field text, p_message text, p_value text) IS 'Raises a code from a verb of schema app, as api.fail does for schema api. Besides the field and its Portuguese message (null if the code is enough) it can carry a value that the caller needs for its own message, such as the id of the inactive subscription that a delivery belongs to.';


--
-- Name: rate_reset_seconds(timestamp with time zone[], integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.rate_reset_seconds(p_hits timestamp with time zone[], p_limit integer) RETURNS integer
    LANGUAGE sql PARALLEL SAFE
    AS $$
  select greatest(1, ceil(extract(epoch from
    p_hits[greatest(cardinality(p_hits) - p_limit, 0) + 1] + interval '60 s' - clock_timestamp()
  )))::integer
$$;


--
-- Name: FUNCTION rate_reset_seconds(p_hits timestamp with time zone[], p_limit integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.rate_reset_seconds(p_hits timestamp with time zone[], p_limit integer) IS 'After how many seconds the next call is possible, given the calls that still count.';


--
-- Name: reactivate_subscription(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.reactivate_subscription(p_workspace_id uuid, p_subscription_id uuid) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_resumed bigint;
begin
  perform crm.require_own_workspace(p_workspace_id);
  select count(*) into v_resumed
  from crm.webhook_subscriptions s
  join crm.webhook_queue q on q.shard = get_byte(uuid_send(s.workspace_id), 15) & 15
    and q.workspace_id = s.workspace_id and q.subscription_id = s.id
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and not s.is_active
    and q.state <> 'ready' and q.lease_until is null;

  update crm.webhook_subscriptions s
  set is_active = true, failure_count = 0, slow_since = null
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and not s.is_active;
  return v_resumed;
end
$$;


--
-- Name: FUNCTION reactivate_subscription(p_workspace_id uuid, p_subscription_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.reactivate_subscription(p_workspace_id uuid, p_subscription_id uuid) IS 'Activates an inactive subscription with a failure_count of 0, makes its waiting deliveries due now, the first 500 at once and the others as they are sent, and returns how many there are. Deliveries that have failed for good stay so: see crm.redeliver. Changes nothing on an active subscription. Security definer, because members and keys may write no delivery.';


--
-- Name: record_action(uuid, text, text, uuid, text, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.record_action(p_workspace_id uuid, p_action text, p_object_type text, p_object_id uuid, p_object_name text, p_details jsonb DEFAULT '{}'::jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  insert into crm.audit_log (workspace_id, member_id, action, object_type, object_id, object_name, details)
  values (
    p_workspace_id, crm.current_member_id(), p_action, p_object_type, p_object_id, p_object_name, p_details
  )
$$;


--
-- Name: FUNCTION record_action(p_workspace_id uuid, p_action text, p_object_type text, p_object_id uuid, p_object_name text, p_details jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.record_action(p_workspace_id uuid, p_action text, p_object_type text, p_object_id uuid, p_object_name text, p_details jsonb) IS 'Adds a line to the audit log, in the transaction of the change. p_action is <object>_<past participle>, such as key_created; p_details has what the console shows beside it.';


--
-- Name: record_webhook_action(uuid, uuid, text, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.record_webhook_action(p_workspace_id uuid, p_id uuid, p_action text, p_details jsonb DEFAULT '{}'::jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  select crm.record_action(p_workspace_id, p_action, 'webhook', s.id, s.target_url, p_details)
  from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_id
$$;


--
-- Name: FUNCTION record_webhook_action(p_workspace_id uuid, p_id uuid, p_action text, p_details jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.record_webhook_action(p_workspace_id uuid, p_id uuid, p_action text, p_details jsonb) IS 'Adds a line about a subscription to the audit log, with its address as the name.';


--
-- Name: recover_deliveries(uuid, uuid, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.recover_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_since timestamp with time zone, p_until timestamp with time zone, OUT count bigint, OUT next_since timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
declare
  v_room integer;
  v_step integer;
  -- Events are kept for longer, but the partition of a delivery is that of its event's day, and is kept for 30 days.
  v_from uuid := crm.uuid_v7_floor(greatest(p_since, now() - interval '30 days'));
  v_to uuid := case when p_until is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else crm.uuid_v7_floor(p_until) end;
  v_types crm.event_type[];
  v_next_id uuid;
  v_added bigint;
begin
  perform crm.require_own_workspace(p_workspace_id);
  -- One at a time: each works for up to 4 s, and a key may ask 120 times a minute.
  perform pg_advisory_xact_lock(crm.lock_number('recovery of ' || p_workspace_id));
  select s.event_types into v_types from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id;

  v_room := crm.require_room(p_workspace_id, p_subscription_id);
  count := 0;
  loop
    v_step := least(v_room - count, 5000);
    v_next_id := null;
    select e.id into v_next_id from crm.events e
    where e.workspace_id = p_workspace_id and e.id >= v_from and e.id < v_to
    order by e.id
    offset v_step limit 1;

    insert into crm.webhook_deliveries as d (workspace_id, id, event_id, subscription_id, next_attempt_at)
    select p_workspace_id, crm.delivery_id(e.id, p_subscription_id), e.id, p_subscription_id, statement_timestamp()
    from crm.events e
    where e.workspace_id = p_workspace_id and e.id >= v_from and e.id < coalesce(v_next_id, v_to)
      and e.event = any (v_types) and not e.is_test
      and (
        select k.state from crm.webhook_deliveries k
        where k.workspace_id = p_workspace_id and k.id = crm.delivery_id(e.id, p_subscription_id)
      ) in ('delivered', 'pending') is not true
    -- It had failed for good or was cancelled: five new attempts under the same id, as crm.redeliver gives.
    on conflict (workspace_id, id) do update
    set state = 'pending', series = d.series + 1, attempts = 0, next_attempt_at = excluded.next_attempt_at
    where d.state in ('failed', 'cancelled');
    get diagnostics v_added = row_count;
    count := count + v_added;
    -- The caller waits for 10 seconds, and can call again.
    exit when v_next_id is null or count >= v_room
      or clock_timestamp() > statement_timestamp() + interval '4 s';
    v_from := v_next_id;
  end loop;
  next_since := crm.uuid_v7_time(v_next_id);

  -- Last, because the outcome of every attempt writes this row: whoever deactivates the subscription comes before, and is
  -- seen here, or waits and finds the new deliveries.
  perform from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and s.is_active
  for no key update;
  if not found then
    perform api.fail('subscription_inactive');
  end if;
end
$$;


--
-- Name: FUNCTION recover_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_since timestamp with time zone, p_until timestamp with time zone, OUT count bigint, OUT next_since timestamp with time zone); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.recover_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_since timestamp with time zone, p_until timestamp with time zone, OUT count bigint, OUT next_since timestamp with time zone) IS 'Queues the events of a window of time that a subscription never got: those without a delivery, and those whose delivery failed for good or was cancelled. What was delivered or waits is left alone, so a repeated call sends nothing twice. Test events are not recovered. Oldest first, as many as the queue has room for (queue_full if it has none) or about 4 seconds of work: next_since is then where to go on, else null. One at a time in a workspace. The window is that of the times in the ids of the events, at which they were stored, and goes back 30 days. Security definer, because members and keys may write no delivery.';


--
-- Name: recovery_json(bigint, timestamp with time zone); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.recovery_json(p_count bigint, p_next_since timestamp with time zone) RETURNS json
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select json_build_object(
    'count', p_count, 'has_more', p_next_since is not null, 'next_since', crm.iso(p_next_since)
  )
$$;


--
-- Name: FUNCTION recovery_json(p_count bigint, p_next_since timestamp with time zone); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.recovery_json(p_count bigint, p_next_since timestamp with time zone) IS 'JSON of what crm.recover_deliveries returns.';


--
-- Name: redeliver(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.redeliver(p_workspace_id uuid, p_delivery_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_queued text;
begin
  perform crm.require_own_workspace(p_workspace_id);
  -- Locked before the delivery, as whoever records an outcome does.
  select q.state into v_queued from crm.webhook_queue q
  where q.workspace_id = p_workspace_id and q.delivery_id = p_delivery_id
  for update;
  -- It is in flight already, and its dispatcher will record the outcome.
  if v_queued = 'leased' then
    return;
  end if;
  if v_queued is null then
    perform crm.require_room(d.workspace_id, d.subscription_id) from crm.webhook_deliveries d
    where d.workspace_id = p_workspace_id and d.id = p_delivery_id;
  end if;
  update crm.webhook_deliveries d
  set
    state = 'pending',
    series = case when d.state = 'pending' then d.series else d.series + 1 end,
    attempts = case when d.state = 'pending' then d.attempts else 0 end,
    -- Not clock_timestamp(), or crm.poke_dispatcher in the same statement would not find the delivery due yet.
    next_attempt_at = statement_timestamp()
  where d.workspace_id = p_workspace_id and d.id = p_delivery_id;
end
$$;


--
-- Name: FUNCTION redeliver(p_workspace_id uuid, p_delivery_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.redeliver(p_workspace_id uuid, p_delivery_id uuid) IS 'Sends a delivery now, under the same id. A delivery that has ended gets five new attempts and keeps the record of the earlier ones; one that waits for its next attempt gets no additional ones. A delivery of an inactive subscription waits until that is reactivated. Raises queue_full. Security definer, because members and keys may write no delivery.';


--
-- Name: refusal(text, crm.caller, crm.admission, json); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.refusal(p_error_code text, p_caller crm.caller, p_admission crm.admission DEFAULT NULL::crm.admission, p_details json DEFAULT NULL::json) RETURNS api.reply
    LANGUAGE sql STABLE
    AS $$
  select row(
    p_error_code, p_details, null, false, false, false, p_caller.id, p_caller.workspace_id,
    case when p_admission.admitted is not null then p_caller.rate_limit end, p_admission.remaining,
    p_admission.reset_seconds
  )::api.reply
$$;


--
-- Name: FUNCTION refusal(p_error_code text, p_caller crm.caller, p_admission crm.admission, p_details json); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.refusal(p_error_code text, p_caller crm.caller, p_admission crm.admission, p_details json) IS 'The answer to a request for which no verb has run, or in vain. p_admission null: the call was not counted.';


--
-- Name: require_active_pipeline(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_active_pipeline(p_id uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  if not exists (
    select from crm.pipelines p
    where p.workspace_id = crm.current_workspace_id() and p.id = p_id and p.is_active
  ) then
    perform api.fail('pipeline_not_found', array['pipeline_id']);
  end if;
  return p_id;
end
$$;


--
-- Name: FUNCTION require_active_pipeline(p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_active_pipeline(p_id uuid) IS 'Returns the same id if it is an active pipeline; raises pipeline_not_found.';


--
-- Name: require_active_stage(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_active_stage(p_pipeline_id uuid, p_id uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  if not exists (
    select from crm.stages s
    where s.workspace_id = crm.current_workspace_id() and s.pipeline_id = p_pipeline_id and s.id = p_id and s.is_active
  ) then
    perform api.fail('stage_not_found', array['stage_id']);
  end if;
  return p_id;
end
$$;


--
-- Name: FUNCTION require_active_stage(p_pipeline_id uuid, p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_active_stage(p_pipeline_id uuid, p_id uuid) IS 'Returns the same id if it is an active stage of the pipeline; raises stage_not_found.';


--
-- Name: require_active_subscription(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_active_subscription(p_workspace_id uuid, p_subscription_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_is_active boolean;
begin
  select s.is_active into v_is_active from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id;
  if not found then
    perform crm.raise_code('not_found', 'id');
  elsif not v_is_active then
    perform crm.raise_code(
      'subscription_inactive', 'subscription_id', 'A assinatura está inativa; reative-a antes', p_subscription_id::text
    );
  end if;
end
$$;


--
-- Name: FUNCTION require_active_subscription(p_workspace_id uuid, p_subscription_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_active_subscription(p_workspace_id uuid, p_subscription_id uuid) IS 'Raises not_found if the workspace has no such subscription, subscription_inactive if it is inactive.';


--
-- Name: require_admin_still(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_admin_still(p_workspace_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  if crm.current_member_id() is not null and not exists (
    select from crm.members m
    where m.workspace_id = p_workspace_id and m.id = crm.current_member_id() and m.role = 'admin' and m.is_active
  ) then
    perform crm.raise_code('insufficient_role');
  end if;
end
$$;


--
-- Name: FUNCTION require_admin_still(p_workspace_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_admin_still(p_workspace_id uuid) IS 'Raises insufficient_role if the member who calls is no admin any more. For a verb that has waited for a lock since the door read the role: whoever took the role away may be the one it waited for.';


--
-- Name: require_invitations_left(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_invitations_left(p_workspace_id uuid, p_member_id uuid DEFAULT NULL::uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_hour_ago uuid := crm.uuid_v7_floor(now() - interval '1 hour');
begin
  -- The operator sends no mail.
  if crm.current_member_id() is null then
    return;
  end if;
  -- One invitation at a time, so that many at once are counted too. Changes of members wait for the same lock.
  perform from crm.workspaces w where w.id = p_workspace_id for no key update;
  perform crm.require_admin_still(p_workspace_id);
  if (
    select count(*) >= 30 or count(*) filter (where l.object_id = p_member_id) >= 3
    from (
      select l.object_id from crm.audit_log l
      where l.workspace_id = p_workspace_id and l.id >= v_hour_ago and l.action = 'member_invited'
    ) l
  ) then
    perform crm.raise_code('too_many_invitations');
  end if;
end
$$;


--
-- Name: FUNCTION require_invitations_left(p_workspace_id uuid, p_member_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_invitations_left(p_workspace_id uuid, p_member_id uuid) IS 'Raises too_many_invitations if a workspace sent 30 invitations in the last hour, or 3 to the member who is named: each is a mail to an address that an administrator chose, and Supabase Auth sends a limited number for all workspaces together.';


--
-- Name: require_other_admin(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_other_admin(p_workspace_id uuid, p_member_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  -- An address of the domain .invalid cannot exist (RFC 2606): the first admin of app.workspace_create has one, and
  -- nobody can sign in as that member.
  if not exists (
    select from crm.members m
    where m.workspace_id = p_workspace_id and m.id <> p_member_id and m.role = 'admin' and m.is_active
      and (m.user_id is not null or right(m.email, 8) <> '.invalid')
  ) then
    perform crm.raise_code('last_admin');
  end if;
end
$$;


--
-- Name: FUNCTION require_other_admin(p_workspace_id uuid, p_member_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_other_admin(p_workspace_id uuid, p_member_id uuid) IS 'Raises last_admin if no other active admin of the workspace can sign in.';


--
-- Name: require_own_delivery(crm.webhook_subscriptions, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_own_delivery(s crm.webhook_subscriptions, p_delivery_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  if not exists (
    select from crm.webhook_deliveries d
    where d.workspace_id = s.workspace_id and d.id = p_delivery_id and d.subscription_id = s.id
  ) then
    perform api.fail('not_found');
  end if;
end
$$;


--
-- Name: FUNCTION require_own_delivery(s crm.webhook_subscriptions, p_delivery_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_own_delivery(s crm.webhook_subscriptions, p_delivery_id uuid) IS 'Raises not_found if the subscription has no such delivery.';


--
-- Name: require_own_workspace(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_own_workspace(p_workspace_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  if p_workspace_id is distinct from coalesce(crm.current_workspace_id(), p_workspace_id) then
    raise exception 'The workspace % is not that of the caller', p_workspace_id;
  end if;
end
$$;


--
-- Name: FUNCTION require_own_workspace(p_workspace_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_own_workspace(p_workspace_id uuid) IS 'For functions that are security definer and take a workspace: raises an error if a caller is in another one. The operator is in none.';


--
-- Name: require_record(json); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_record(p_record json) RETURNS json
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  if p_record is null then
    perform api.fail('not_found');
  end if;
  return p_record;
end
$$;


--
-- Name: FUNCTION require_record(p_record json); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_record(p_record json) IS 'Returns the record; raises not_found if it is null.';


--
-- Name: require_references(jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_references(p_args jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_workspace_id uuid;
  v_field text;
  v_id uuid;
  v_missing text[] := '{}';
begin
  -- Most creations refer to nothing, and each step of the loop is two expressions.
  if not p_args ?| '{company_id,contact_id,deal_id,loss_reason_id,owner_id,stage_id}' then
    return p_args;
  end if;
  v_workspace_id := crm.current_workspace_id();
  foreach v_field in array array['company_id', 'contact_id', 'deal_id', 'loss_reason_id', 'owner_id', 'stage_id'] loop
    v_id := p_args ->> v_field;
    continue when v_id is null;
    case v_field
      when 'company_id' then
        perform from crm.companies t
        where t.workspace_id = v_workspace_id and t.id = v_id and t.merged_into_id is null
        for key share;
      when 'contact_id' then
        perform from crm.contacts t
        where t.workspace_id = v_workspace_id and t.id = v_id and t.merged_into_id is null and t.erased_at is null
        for key share;
      when 'deal_id' then
        perform from crm.deals t
        where t.workspace_id = v_workspace_id and t.id = v_id;
      when 'loss_reason_id' then
        perform from crm.loss_reasons t
        where t.workspace_id = v_workspace_id and t.id = v_id and t.is_active;
      when 'owner_id' then
        perform from crm.members t
        where t.workspace_id = v_workspace_id and t.id = v_id and t.is_active;
      when 'stage_id' then
        perform from crm.stages t
        where t.workspace_id = v_workspace_id and t.id = v_id;
    end case;
    if not found then
      v_missing := v_missing || v_field;
    end if;
  end loop;
  if v_missing <> '{}' then
    perform api.fail('invalid_reference', v_missing);
  end if;
  return p_args;
end
$$;


--
-- Name: FUNCTION require_references(p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_references(p_args jsonb) IS 'Returns the arguments; raises invalid_reference with every field whose record is not of the workspace, is not active, or was merged or erased. What can be merged or erased is locked until the transaction ends, as its foreign key would do later.';


--
-- Name: require_room(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_room(p_workspace_id uuid, p_subscription_id uuid) RETURNS integer
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_room integer := crm.queue_room(p_workspace_id, p_subscription_id);
begin
  if v_room <= 0 then
    perform crm.raise_code('queue_full');
  end if;
  return v_room;
end
$$;


--
-- Name: FUNCTION require_room(p_workspace_id uuid, p_subscription_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_room(p_workspace_id uuid, p_subscription_id uuid) IS 'As crm.queue_room; raises queue_full if there is none. For what people add to the queue themselves.';


--
-- Name: require_room_for_key(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_room_for_key(p_workspace_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  -- The operator may make more.
  if crm.current_member_id() is null then
    return;
  end if;
  -- One new key at a time, so that many at once are counted too.
  perform from crm.workspaces w where w.id = p_workspace_id for no key update;
  if (
    select count(*) from crm.api_keys k
    where k.workspace_id = p_workspace_id and k.revoked_at is null and crm.is_working(k)
  ) >= 100 then
    perform crm.raise_code('validation_error', 'name', 'A empresa já tem 100 chaves que funcionam, o máximo; revogue uma');
  end if;
end
$$;


--
-- Name: FUNCTION require_room_for_key(p_workspace_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_room_for_key(p_workspace_id uuid) IS 'Raises validation_error if a workspace has 100 working keys and a member would add one: the limit of calls is of each key, so whoever makes any number of keys has no limit.';


--
-- Name: require_workspace(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.require_workspace(p_workspace_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  if not exists (select from crm.workspaces w where w.id = p_workspace_id) then
    perform crm.raise_code('not_found', 'workspace_id');
  end if;
end
$$;


--
-- Name: FUNCTION require_workspace(p_workspace_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.require_workspace(p_workspace_id uuid) IS 'Raises not_found if there is no such workspace, so that an empty list always means an existing workspace.';


--
-- Name: resume_subscription(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.resume_subscription(p_workspace_id uuid, p_id uuid, OUT was_inactive boolean, OUT resumed bigint, OUT revoked_key json) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_key_id uuid;
begin
  select not s.is_active, s.key_id into was_inactive, v_key_id from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_id;
  if not found then
    return;
  end if;
  select json_build_object('id', k.id, 'name', k.name, 'prefix', k.prefix) into revoked_key
  from crm.makers_of_subscriptions(p_workspace_id, array[v_key_id]) k
  where k.is_revoked;
  resumed := 0;
  if was_inactive then
    perform crm.check_active_subscriptions(p_workspace_id, 'active_subscriptions');
    resumed := crm.reactivate_subscription(p_workspace_id, p_id);
  end if;
end
$$;


--
-- Name: FUNCTION resume_subscription(p_workspace_id uuid, p_id uuid, OUT was_inactive boolean, OUT resumed bigint, OUT revoked_key json); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.resume_subscription(p_workspace_id uuid, p_id uuid, OUT was_inactive boolean, OUT resumed bigint, OUT revoked_key json) IS 'Activates a subscription again, if the workspace has a place for one more (50), and tells how many deliveries were waiting, and the key that made it if that is revoked. was_inactive is null if there is no such subscription.';


--
-- Name: resume_webhooks(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.resume_webhooks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  -- A claim that has the shard locks markers of the same subscriptions, in another order.
  perform from crm.webhook_shards p where p.shard = get_byte(uuid_send(new.id), 15) & 15 for update;
  perform crm.unsettle_subscription(s.workspace_id, s.id, false)
  from crm.webhook_subscriptions s
  where s.workspace_id = new.id and s.is_active;
  perform crm.poke_dispatcher();
  return null;
end
$$;


--
-- Name: FUNCTION resume_webhooks(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.resume_webhooks() IS 'Trigger: releases what is held, and pokes the dispatcher, when a workspace may send webhooks again, whoever changed it. Its deliveries kept their attempts and times, so those whose time has passed are sent at once.';


--
-- Name: retry_delay(integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.retry_delay(p_failed_attempts integer) RETURNS interval
    LANGUAGE sql
    AS $$
  select (array['30 s', '5 min', '30 min', '6 h']::interval[])[p_failed_attempts] * (1 + random() * 0.01)
$$;


--
-- Name: FUNCTION retry_delay(p_failed_attempts integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.retry_delay(p_failed_attempts integer) IS 'How long to wait after the n-th failed attempt (spec 6.5); null after the fifth.';


--
-- Name: retry_deliveries(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.retry_deliveries(p_workspace_id uuid) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_ids uuid[] := array(
    select q.delivery_id from crm.webhook_queue q
    where q.workspace_id = p_workspace_id and q.state in ('waiting', 'held') and q.due_at > statement_timestamp()
    for update skip locked
  );
begin
  update crm.webhook_deliveries d
  set next_attempt_at = statement_timestamp()
  where d.workspace_id = p_workspace_id and d.id = any (v_ids) and d.state = 'pending';
  return cardinality(v_ids);
end
$$;


--
-- Name: FUNCTION retry_deliveries(p_workspace_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.retry_deliveries(p_workspace_id uuid) IS 'Makes every waiting delivery of a workspace due now, and returns how many there were.';


--
-- Name: roles_included(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.roles_included(p_role text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case p_role
    when 'admin' then array['vendedor', 'gestor', 'admin']
    when 'gestor' then array['vendedor', 'gestor']
    else array['vendedor']
  end
$$;


--
-- Name: FUNCTION roles_included(p_role text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.roles_included(p_role text) IS 'The roles whose rights a member has: an admin may do what a gestor may, and both what a vendedor may.';


--
-- Name: rotate_secret(uuid, uuid, bytea, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.rotate_secret(p_workspace_id uuid, p_subscription_id uuid, p_secret bytea, p_overlap_seconds integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select crm.require_own_workspace(p_workspace_id);
  update crm.webhook_secrets k
  set
    secret = case
      when p_overlap_seconds = 0 then p_secret
      -- An earlier overlap is over: its new secret is the one that signs.
      when k.next_from <= now() then k.next_secret
      else k.secret
    end,
    next_secret = case when p_overlap_seconds > 0 then p_secret end,
    next_from = case when p_overlap_seconds > 0 then now() + make_interval(secs => p_overlap_seconds) end
  where k.workspace_id = p_workspace_id and k.subscription_id = p_subscription_id
$$;


--
-- Name: FUNCTION rotate_secret(p_workspace_id uuid, p_subscription_id uuid, p_secret bytea, p_overlap_seconds integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.rotate_secret(p_workspace_id uuid, p_subscription_id uuid, p_secret bytea, p_overlap_seconds integer) IS 'Gives a subscription a new secret, encrypted. For the overlap the present one goes on signing and the new one makes a second signature; 0: the new one signs at once. During an overlap the present one stays, and the one that was to come is replaced, so that a call whose reply was lost can be repeated. Security definer, because no verb reads a secret.';


--
-- Name: run_app_verb(text, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.run_app_verb(p_verb text, p_args jsonb) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  -- The migration `rights` makes crm_app the owner. Were the function restored under another owner, or altered to run
  -- with the rights of its caller, verbs would not be under row-level security.
  if current_user <> 'crm_app' then
    raise exception 'crm.run_app_verb runs as %, not as crm_app', current_user;
  end if;
  -- Static calls, because Postgres caches their plan; a dynamic statement would be parsed and planned at every call. By
  -- resource first, because each comparison is an expression that Postgres prepares anew in every transaction.
  case split_part(p_verb, '_', 1)
    when 'action' then
      case p_verb
        when 'action_list' then return app.action_list(p_args);
      end case;
    when 'delivery' then
      case p_verb
        when 'delivery_get' then return app.delivery_get(p_args);
        when 'delivery_list' then return app.delivery_list(p_args);
        when 'delivery_redeliver' then return app.delivery_redeliver(p_args);
      end case;
    when 'funnel' then
      case p_verb
        when 'funnel_get' then return app.funnel_get(p_args);
      end case;
    when 'key' then
      case p_verb
        when 'key_create' then return app.key_create(p_args);
        when 'key_get' then return app.key_get(p_args);
        when 'key_list' then return app.key_list(p_args);
        when 'key_revoke' then return app.key_revoke(p_args);
        when 'key_rotate' then return app.key_rotate(p_args);
        when 'key_update' then return app.key_update(p_args);
      end case;
    when 'member' then
      case p_verb
        when 'member_invite' then return app.member_invite(p_args);
        when 'member_list' then return app.member_list(p_args);
        when 'member_reinvite' then return app.member_reinvite(p_args);
        when 'member_update' then return app.member_update(p_args);
      end case;
    when 'subscription' then
      case p_verb
        when 'subscription_create' then return app.subscription_create(p_args);
        when 'subscription_delete' then return app.subscription_delete(p_args);
        when 'subscription_get' then return app.subscription_get(p_args);
        when 'subscription_list' then return app.subscription_list(p_args);
        when 'subscription_reactivate' then return app.subscription_reactivate(p_args);
        when 'subscription_recover' then return app.subscription_recover(p_args);
        when 'subscription_rotate' then return app.subscription_rotate(p_args);
        when 'subscription_test' then return app.subscription_test(p_args);
      end case;
    when 'workspace' then
      case p_verb
        when 'workspace_choices' then return app.workspace_choices(p_args);
        when 'workspace_get' then return app.workspace_get(p_args);
        when 'workspace_update' then return app.workspace_update(p_args);
      end case;
  end case;
end
$$;


--
-- Name: FUNCTION run_app_verb(p_verb text, p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.run_app_verb(p_verb text, p_args jsonb) IS 'Calls the verb of that name, as crm_app: security definer, and crm_app owns it. The list has every verb that an endpoint for members declares.';


--
-- Name: run_batch(text, jsonb, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.run_batch(p_record text, p_args jsonb, p_group integer DEFAULT 10) RETURNS json
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_items jsonb[] := array(select i from jsonb_array_elements(p_args -> 'items') i);
  v_is_atomic boolean := p_args -> 'atomic' is not distinct from 'true';
  v_group jsonb[];
  v_results jsonb[];
begin
  perform crm.lock_batch(p_record, p_args -> 'items');
  -- A subtransaction for each group: one for each item would overflow what Postgres keeps of a transaction's (64), and
  -- slow down every reader of these rows.
  for v_first in 1 .. cardinality(v_items) by p_group loop
    v_group := v_items[v_first : v_first + p_group - 1];
    v_results := v_results || coalesce(
      crm.create_together(p_record, v_group), crm.run_group(p_record, v_group, v_is_atomic)
    );
  end loop;
  if v_is_atomic then
    perform crm.check_atomic_batch(v_results);
  end if;
  return crm.batch_json(v_results);
end
$$;


--
-- Name: FUNCTION run_batch(p_record text, p_args jsonb, p_group integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.run_batch(p_record text, p_args jsonb, p_group integer) IS 'Carries out the items of a batch in order. An item that fails leaves nothing and keeps no other from being written, unless the batch is atomic. A deadlock or a lock that is waited for too long ends the whole call.';


--
-- Name: run_batch_item(text, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.run_batch_item(p_record text, p_item jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_op text := p_item ->> 'op';
  v_reply json;
begin
  perform set_config('app.found', '', true);
  v_reply := crm.run_verb(p_record || '_' || v_op, p_item -> 'args');
  return jsonb_build_object(
    'status', case when v_op = 'create' or (v_op = 'upsert' and not crm.is_marked('app.found')) then 201 else 200 end,
    'id', v_reply ->> 'id'
  );
end
$$;


--
-- Name: FUNCTION run_batch_item(p_record text, p_item jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.run_batch_item(p_record text, p_item jsonb) IS 'Carries out an item as the call for one record does: its status and the id of its record.';


--
-- Name: run_group(text, jsonb[], boolean); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.run_group(p_record text, p_items jsonb[], p_is_atomic boolean) RETURNS jsonb[]
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_results jsonb[] := array_fill(null::jsonb, array[cardinality(p_items)]);
  v_at integer;
  v_failure crm.failure;
  v_error record;
begin
  loop
    begin
      for v_position in 1 .. cardinality(p_items) loop
        v_at := v_position;
        continue when v_results[v_at] ? 'error';
        -- An item that the function found invalid has its error already.
        v_results[v_at] := case
          when p_items[v_at] ? 'error' then p_items[v_at] else crm.run_batch_item(p_record, p_items[v_at])
        end;
      end loop;
      -- When the error was looked into, what its group had made was undone. An atomic batch is undone as a whole, and
      -- must not name a record that nobody will find.
      if not p_is_atomic then
        for v_position in 1 .. cardinality(p_items) loop
          v_results[v_position] := crm.name_holder(p_record, p_items[v_position], v_results[v_position]);
        end loop;
      end if;
      return v_results;
    exception
      -- Nothing is kept of the call, so that it can be repeated as a whole: service_unavailable.
      when lock_not_available or deadlock_detected then
        raise;
      when others then
        get stacked diagnostics
          v_failure.state = returned_sqlstate,
          v_failure.message = message_text,
          v_failure.detail = pg_exception_detail,
          v_failure.constraint_name = constraint_name,
          v_failure.context = pg_exception_context;
        select e.error_code, e.details into v_error
        from crm.error_of(v_failure, p_record || '_' || (p_items[v_at] ->> 'op'), p_items[v_at] -> 'args') e;
        v_results[v_at] := jsonb_build_object(
          'error', jsonb_build_object('code', v_error.error_code, 'details', v_error.details)
        );
    end;
  end loop;
end
$$;


--
-- Name: FUNCTION run_group(p_record text, p_items jsonb[], p_is_atomic boolean); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.run_group(p_record text, p_items jsonb[], p_is_atomic boolean) IS 'Carries out items in order; their results. They share a subtransaction, which is repeated without the item that failed. A deadlock or a lock that is waited for too long ends the whole call.';


--
-- Name: run_verb(text, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.run_verb(p_verb text, p_args jsonb) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  -- The migration `rights` makes crm_api the owner. Were the function restored under another owner, or altered to run
  -- with the rights of its caller, verbs would not be under row-level security.
  if current_user <> 'crm_api' then
    raise exception 'crm.run_verb runs as %, not as crm_api', current_user;
  end if;
  -- Static calls, because Postgres caches their plan; a dynamic statement would be parsed and planned at every call. By
  -- resource first, because each comparison is an expression that Postgres prepares anew in every transaction.
  case split_part(p_verb, '_', 1)
    when 'activity' then
      case p_verb
        when 'activity_batch' then return api.activity_batch(p_args);
        when 'activity_create' then return api.activity_create(p_args);
        when 'activity_get' then return api.activity_get(p_args);
        when 'activity_list' then return api.activity_list(p_args);
        when 'activity_update' then return api.activity_update(p_args);
      end case;
    when 'change' then
      case p_verb
        when 'change_list' then return api.change_list(p_args);
      end case;
    when 'company' then
      case p_verb
        when 'company_archive' then return api.company_archive(p_args);
        when 'company_batch' then return api.company_batch(p_args);
        when 'company_create' then return api.company_create(p_args);
        when 'company_get' then return api.company_get(p_args);
        when 'company_list' then return api.company_list(p_args);
        when 'company_merge' then return api.company_merge(p_args);
        when 'company_restore' then return api.company_restore(p_args);
        when 'company_update' then return api.company_update(p_args);
        when 'company_upsert' then return api.company_upsert(p_args);
      end case;
    when 'contact' then
      case p_verb
        when 'contact_archive' then return api.contact_archive(p_args);
        when 'contact_batch' then return api.contact_batch(p_args);
        when 'contact_create' then return api.contact_create(p_args);
        when 'contact_erase' then return api.contact_erase(p_args);
        when 'contact_get' then return api.contact_get(p_args);
        when 'contact_list' then return api.contact_list(p_args);
        when 'contact_merge' then return api.contact_merge(p_args);
        when 'contact_restore' then return api.contact_restore(p_args);
        when 'contact_update' then return api.contact_update(p_args);
        when 'contact_upsert' then return api.contact_upsert(p_args);
      end case;
    when 'deal' then
      case p_verb
        when 'deal_archive' then return api.deal_archive(p_args);
        when 'deal_batch' then return api.deal_batch(p_args);
        when 'deal_create' then return api.deal_create(p_args);
        when 'deal_get' then return api.deal_get(p_args);
        when 'deal_list' then return api.deal_list(p_args);
        when 'deal_lose' then return api.deal_lose(p_args);
        when 'deal_move_stage' then return api.deal_move_stage(p_args);
        when 'deal_restore' then return api.deal_restore(p_args);
        when 'deal_summary' then return api.deal_summary(p_args);
        when 'deal_update' then return api.deal_update(p_args);
        when 'deal_upsert' then return api.deal_upsert(p_args);
        when 'deal_win' then return api.deal_win(p_args);
      end case;
    when 'event' then
      case p_verb
        when 'event_list' then return api.event_list(p_args);
      end case;
    when 'lead' then
      case p_verb
        when 'lead_create' then return api.lead_create(p_args);
      end case;
    when 'me' then
      case p_verb
        when 'me_get' then return api.me_get(p_args);
      end case;
    when 'note' then
      case p_verb
        when 'note_batch' then return api.note_batch(p_args);
        when 'note_create' then return api.note_create(p_args);
        when 'note_get' then return api.note_get(p_args);
        when 'note_list' then return api.note_list(p_args);
      end case;
    when 'pipeline' then
      case p_verb
        when 'pipeline_list' then return api.pipeline_list(p_args);
      end case;
    when 'proposal' then
      case p_verb
        when 'proposal_accept' then return api.proposal_accept(p_args);
        when 'proposal_reject' then return api.proposal_reject(p_args);
        when 'proposal_view' then return api.proposal_view(p_args);
      end case;
    when 'webhook' then
      case p_verb
        when 'webhook_create' then return api.webhook_create(p_args);
        when 'webhook_delete' then return api.webhook_delete(p_args);
        when 'webhook_deliveries' then return api.webhook_deliveries(p_args);
        when 'webhook_delivery' then return api.webhook_delivery(p_args);
        when 'webhook_get' then return api.webhook_get(p_args);
        when 'webhook_list' then return api.webhook_list(p_args);
        when 'webhook_reactivate' then return api.webhook_reactivate(p_args);
        when 'webhook_recover' then return api.webhook_recover(p_args);
        when 'webhook_redeliver' then return api.webhook_redeliver(p_args);
        when 'webhook_rotate_secret' then return api.webhook_rotate_secret(p_args);
        when 'webhook_test' then return api.webhook_test(p_args);
      end case;
    when 'workspace' then
      case p_verb
        when 'workspace_get' then return api.workspace_get(p_args);
      end case;
  end case;
end
$$;


--
-- Name: FUNCTION run_verb(p_verb text, p_args jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.run_verb(p_verb text, p_args jsonb) IS 'Calls the verb of that name, as crm_api: security definer, and crm_api owns it. The list has every verb that an endpoint for keys or links declares.';


--
-- Name: sample_data(crm.event_type); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.sample_data(p_event crm.event_type) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  -- The object_id of a test event.
  v_id jsonb := '{"id": "00000000-0000-0000-0000-000000000000"}';
  v_object_type text := (select t.object_type from crm.event_types t where t.event = p_event);
  v_row jsonb := crm.sample_row(v_object_type) || crm.sample_state(p_event) || v_id;
  v_contact jsonb := crm.sample_row('contact') || jsonb_build_object('id', v_row -> 'contact_id');
  v_company jsonb := crm.sample_row('company') || jsonb_build_object('id', v_row -> 'company_id');
  v_object json;
  v_facts jsonb := crm.sample_facts(p_event);
begin
  if p_event = 'lead.received' then
    return crm.lead_data(
      jsonb_populate_record(null::crm.deals, v_row || jsonb_build_object('lead', crm.sample_row('lead'))),
      jsonb_populate_record(null::crm.contacts, v_contact),
      jsonb_populate_record(null::crm.companies, v_company)
    );
  elsif p_event = 'contact.erased' then
    return v_id;
  end if;

  case v_object_type
    when 'deal' then v_object := crm.deal_json(jsonb_populate_record(null::crm.deals, v_row));
    when 'contact' then v_object := crm.contact_json(jsonb_populate_record(null::crm.contacts, v_row));
    when 'company' then v_object := crm.company_json(jsonb_populate_record(null::crm.companies, v_row));
    when 'activity' then v_object := crm.activity_json(jsonb_populate_record(null::crm.activities, v_row));
    when 'note' then v_object := crm.note_json(jsonb_populate_record(null::crm.notes, v_row));
    when 'proposal' then v_object := crm.proposal_json(jsonb_populate_record(null::crm.proposals, v_row));
  end case;
  return case when v_facts = '{}' then v_object else crm.with_fields(v_object, v_facts::json) end;
end
$$;


--
-- Name: FUNCTION sample_data(p_event crm.event_type); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.sample_data(p_event crm.event_type) IS 'The `data` of a test event: a made-up object and made-up facts in the shape of that event. The object''s id is the nil UUID, as the event''s object_id.';


--
-- Name: sample_facts(crm.event_type); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.sample_facts(p_event crm.event_type) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select case p_event
    when 'deal.stage_changed' then '{
      "previous_stage_id": "019cae6b-6600-7aef-8305-ec9888267c39",
      "previous_pipeline_id": "019cae6b-6600-723b-8f0d-244a4cb62c85"
    }'
    when 'deal.stale' then '{"days_without_movement":15,"threshold_days":14}'
    when 'activity.overdue' then '{"overdue_since":"2026-10-08T14:00:00.000Z"}'
    when 'contact.updated' then '{"changed_fields":["job_title","phone"]}'
    when 'company.updated' then '{"changed_fields":["employee_count","website"]}'
    when 'deal.updated' then '{"changed_fields":["expected_close_date","value"]}'
    when 'deal.reopened' then '{"changed_fields":["closed_at","loss_note","loss_reason_id","lost_at","status"]}'
    when 'activity.updated' then '{"changed_fields":["due_at","owner_id"]}'
    when 'activity.completed' then '{"changed_fields":["completed_at","status"]}'
    when 'contact.merged' then '{"merged_contact_id":"01a0f2d6-5d50-7943-84a6-fd90039f598b"}'
    else '{}'::jsonb
  end
$$;


--
-- Name: FUNCTION sample_facts(p_event crm.event_type); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.sample_facts(p_event crm.event_type) IS 'Made-up facts of an event; an empty object if it has none.';


--
-- Name: sample_row(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.sample_row(p_object_type text) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select case p_object_type
    when 'deal' then '{
      "id": "01a0e82c-9612-7f96-8c94-f287038f6943",
      "workspace_id": "019cae6b-6600-721a-8323-0e03772a58af",
      "title": "Padaria Sol: plano anual",
      "status": "aberto",
      "value": 12500.5,
      "recurring_value": 990,
      "pipeline_id": "019cae6b-6600-723b-8f0d-244a4cb62c85",
      "stage_id": "019cae6b-6600-7ecd-8137-8bc9dc130008",
      "contact_id": "01a0e82c-9612-7093-8e7d-5fdbaacfa924",
      "company_id": "01a0e82c-9612-7f16-88cc-dd91548c5a8c",
      "owner_id": "019cae6b-6600-7e31-8ab6-43c44f7a0ec8",
      "expected_close_date": "2026-10-30",
      "loss_reason_id": null,
      "loss_note": null,
      "source": "Formulário do site",
      "utm": {
        "source": "google",
        "medium": "cpc",
        "campaign": "primavera"
      },
      "custom_fields": {
        "segmento": "alimentação"
      },
      "external_id": "form-2026-0042",
      "stage_changed_at": "2026-10-01T12:00:00.480Z",
      "last_activity_at": "2026-10-01T12:40:00.000Z",
      "won_at": null,
      "lost_at": null,
      "closed_at": null,
      "archived_at": null,
      "created_at": "2026-09-28T13:20:31.250Z",
      "updated_at": "2026-10-01T12:00:00.480Z"
    }'
    when 'activity' then '{
      "id": "01a0f77a-9100-7065-8186-3bf5d902262b",
      "workspace_id": "019cae6b-6600-721a-8323-0e03772a58af",
      "deal_id": "01a0e82c-9612-7f96-8c94-f287038f6943",
      "contact_id": "01a0e82c-9612-7093-8e7d-5fdbaacfa924",
      "owner_id": "019cae6b-6600-7e31-8ab6-43c44f7a0ec8",
      "created_by_id": "019cae6b-6600-7e31-8ab6-43c44f7a0ec8",
      "type": "reuniao",
      "title": "Apresentar a proposta",
      "description": "Levar a amostra",
      "due_at": "2026-10-08T14:00:00.000Z",
      "duration_minutes": 40,
      "is_online_meeting": true,
      "meeting_url": "https://meet.example.com/abc",
      "location": null,
      "status": "pendente",
      "completed_at": null,
      "is_overdue": false,
      "created_at": "2026-10-01T12:40:00.000Z",
      "updated_at": "2026-10-01T12:40:00.000Z"
    }'
    when 'contact' then '{
      "id": "01a0e82c-9612-7093-8e7d-5fdbaacfa924",
      "workspace_id": "019cae6b-6600-721a-8323-0e03772a58af",
      "name": "Ana Souza",
      "email": "ana@padariasol.com.br",
      "phone": "+55 19 91234-5678",
      "phone2": null,
      "whatsapp": "+55 19 91234-5678",
      "job_title": "Compradora",
      "company_id": "01a0e82c-9612-7f16-88cc-dd91548c5a8c",
      "owner_id": "019cae6b-6600-7e31-8ab6-43c44f7a0ec8",
      "instagram": "@padariasol",
      "linkedin": null,
      "notes": null,
      "custom_fields": {
        "segmento": "alimentação"
      },
      "external_id": "cliente-1042",
      "archived_at": null,
      "merged_into_id": null,
      "erased_at": null,
      "created_at": "2026-09-28T13:20:31.250Z",
      "updated_at": "2026-09-28T13:20:31.250Z"
    }'
    when 'company' then '{
      "id": "01a0e82c-9612-7f16-88cc-dd91548c5a8c",
      "workspace_id": "019cae6b-6600-721a-8323-0e03772a58af",
      "name": "Padaria Sol",
      "legal_name": "Padaria Sol Ltda.",
      "tax_id": "12ABC34501DE35",
      "domain": "padariasol.com.br",
      "website": "https://padariasol.com.br",
      "email": "contato@padariasol.com.br",
      "phone": "+55 19 3234-5678",
      "industry": "Alimentação",
      "employee_count": 40,
      "linkedin": null,
      "instagram": "@padariasol",
      "address": {
        "street": "Rua das Flores",
        "number": "100",
        "district": "Centro",
        "city": "Campinas",
        "state": "SP",
        "postal_code": "13010-000",
        "country": "BR"
      },
      "owner_id": "019cae6b-6600-7e31-8ab6-43c44f7a0ec8",
      "notes": null,
      "custom_fields": {
        "segmento": "alimentação"
      },
      "external_id": "erp-207",
      "archived_at": null,
      "merged_into_id": null,
      "created_at": "2026-09-28T13:20:31.250Z",
      "updated_at": "2026-09-28T13:20:31.250Z"
    }'
    when 'note' then '{
      "id": "01a0f2d6-5d50-7edb-8465-624291e4053c",
      "deal_id": "01a0e82c-9612-7f96-8c94-f287038f6943",
      "author_id": "019cae6b-6600-7e31-8ab6-43c44f7a0ec8",
      "body": "Reunião: apresentação, 30 de setembro, 40 min\nDecisor presente: sim",
      "kind": "note",
      "source": "integration",
      "created_at": "2026-09-30T15:02:10.000Z",
      "updated_at": "2026-09-30T15:02:10.000Z"
    }'
    when 'proposal' then '{
      "id": "01a0f788-4ca0-7ecd-8137-8bc9dc130008",
      "workspace_id": "019cae6b-6600-721a-8323-0e03772a58af",
      "deal_id": "01a0e82c-9612-7f96-8c94-f287038f6943",
      "title": "Plano anual",
      "value": 12500.5,
      "recurring_value": 990,
      "status": "enviada",
      "sent_at": "2026-10-01T13:00:00.000Z",
      "viewed_at": null,
      "accepted_at": null,
      "rejected_at": null,
      "rejection_reason": null,
      "expires_at": "2026-10-31T23:59:59.000Z",
      "created_at": "2026-10-01T12:55:00.000Z",
      "updated_at": "2026-10-01T13:00:00.000Z"
    }'
    when 'lead' then '{
      "first_name": "Ana",
      "last_name": "Souza",
      "email": "ana@padariasol.com.br",
      "phone": "+55 19 91234-5678",
      "company_name": "Padaria Sol",
      "external_id": "form-2026-0042",
      "value": 12500.5,
      "recurring_value": 990,
      "source": "Formulário do site",
      "utm": {
        "source": "google",
        "medium": "cpc",
        "campaign": "primavera"
      },
      "custom_fields": {
        "segmento": "alimentação"
      }
    }'
    else '{}'::jsonb
  end
$$;


--
-- Name: FUNCTION sample_row(p_object_type text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.sample_row(p_object_type text) IS 'The public fields of a made-up object of that type, or of a submitted lead: those of the examples in the OpenAPI documents.';


--
-- Name: sample_state(crm.event_type); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.sample_state(p_event crm.event_type) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select case p_event
    when 'deal.stage_changed' then '{"last_activity_at":null}'
    when 'deal.won' then '{
      "status": "ganho",
      "stage_id": "019cae6b-6600-772a-8c68-ec9bcdf7a8a1",
      "stage_changed_at": "2026-10-09T12:30:00.000Z",
      "won_at": "2026-10-09T12:30:00.000Z",
      "closed_at": "2026-10-09T12:30:00.000Z",
      "updated_at": "2026-10-09T12:30:00.000Z"
    }'
    when 'deal.lost' then '{
      "status": "perdido",
      "stage_id": "019cae6b-6600-776f-875e-6129fe30135b",
      "stage_changed_at": "2026-10-09T12:30:00.000Z",
      "loss_reason_id": "019cae6b-6600-7afd-8e23-aa4248234701",
      "loss_note": "Escolheu outro fornecedor",
      "lost_at": "2026-10-09T12:30:00.000Z",
      "closed_at": "2026-10-09T12:30:00.000Z",
      "updated_at": "2026-10-09T12:30:00.000Z"
    }'
    when 'activity.overdue' then '{"is_overdue":true}'
    when 'proposal.viewed' then '{
      "status": "visualizada",
      "viewed_at": "2026-10-02T11:05:44.000Z",
      "updated_at": "2026-10-02T11:05:44.000Z"
    }'
    when 'deal.created' then '{
      "stage_id": "019cae6b-6600-7aef-8305-ec9888267c39",
      "stage_changed_at": "2026-09-28T13:20:31.250Z",
      "last_activity_at": null,
      "updated_at": "2026-09-28T13:20:31.250Z"
    }'
    when 'proposal.accepted' then '{
      "status": "aceita",
      "viewed_at": "2026-10-02T11:05:44.000Z",
      "accepted_at": "2026-10-08T15:10:27.000Z",
      "updated_at": "2026-10-08T15:10:27.000Z"
    }'
    when 'proposal.rejected' then '{
      "status": "recusada",
      "viewed_at": "2026-10-02T11:05:44.000Z",
      "rejected_at": "2026-10-08T15:10:27.000Z",
      "rejection_reason": "Preço acima do orçamento",
      "updated_at": "2026-10-08T15:10:27.000Z"
    }'
    when 'contact.updated' then '{
      "job_title": "Diretora",
      "phone": "+55 19 99876-5432",
      "updated_at": "2026-10-05T17:20:09.300Z"
    }'
    when 'company.updated' then '{
      "employee_count": 45,
      "website": "https://www.padariasol.com.br",
      "updated_at": "2026-10-05T17:20:09.300Z"
    }'
    when 'deal.updated' then '{
      "value": 14000,
      "expected_close_date": "2026-11-15",
      "updated_at": "2026-10-05T17:20:09.300Z"
    }'
    when 'deal.reopened' then '{
      "stage_id": "019cae6b-6600-776f-875e-6129fe30135b",
      "stage_changed_at": "2026-10-09T12:30:00.000Z",
      "updated_at": "2026-10-12T11:00:00.000Z"
    }'
    when 'activity.updated' then '{
      "due_at": "2026-10-09T14:00:00.000Z",
      "owner_id": "01a0f2d6-5d50-7e8a-8a23-4b4c121b44f5",
      "updated_at": "2026-10-05T17:20:09.300Z"
    }'
    when 'activity.completed' then '{
      "status": "concluida",
      "completed_at": "2026-10-08T14:45:00.000Z",
      "updated_at": "2026-10-08T14:45:00.000Z"
    }'
    when 'contact.merged' then '{"updated_at":"2026-10-05T17:20:09.300Z"}'
    else '{}'::jsonb
  end
$$;


--
-- Name: FUNCTION sample_state(p_event crm.event_type); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.sample_state(p_event crm.event_type) IS 'The fields by which a made-up object shows that the event has happened.';


--
-- Name: schedule_jobs(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.schedule_jobs() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
declare
  v_job crm.jobs;
  v_count integer := 0;
begin
  if to_regnamespace('cron') is null then
    return 0;
  end if;
  for v_job in select * from crm.jobs order by name loop
    -- cron.schedule replaces a job of the same name, so this function may run any number of times.
    execute 'select cron.schedule($1, $2, $3)'
      using 'crm:' || v_job.name, crm.cron_schedule(v_job.every), v_job.command;
    v_count := v_count + 1;
  end loop;
  if to_regproc('net.http_post') is null then
    raise warning 'pg_cron is enabled and pg_net is not: the job webhook-dispatch wakes no dispatcher, so webhooks are '
      'neither retried nor sent after a lost poke. Enable it: create extension pg_net with schema extensions';
  end if;
  return v_count;
end
$_$;


--
-- Name: FUNCTION schedule_jobs(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.schedule_jobs() IS 'Schedules every row of crm.jobs with pg_cron and returns how many there are; 0 without pg_cron. Warns if pg_net is missing. Call it after changing crm.jobs.';


--
-- Name: search(text, text[], uuid, uuid, integer, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.search(p_record text, p_words text[], p_before uuid, p_from uuid, p_step integer, p_enough integer, OUT ids uuid[], OUT next_id uuid, OUT is_common boolean) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  -- Three ASCII letters or digits in a row: not all databases take others for letters. 16 of them at most.
  v_trigrams text := left(
    crm.search_trigrams(regexp_replace(array_to_string(p_words, ' '), '[^a-z0-9]+', ' ', 'g')), 63
  );
  v_enough integer := least(p_enough, 2 * p_step);
  v_newest uuid;
  v_keys text[];
  v_trigram text;
  v_sampled integer;
  v_rarest integer;
  v_rare text;
  v_found uuid[];
  -- The texts that may still be compared, which takes as long as the words are long. The samples do not bound them: whoever
  -- sees the ids can change the records of a sample.
  v_texts integer := 16 * p_step * 25 / greatest(25, char_length(array_to_string(p_words, '')));
  -- How much of the index was read, by the small sample.
  v_read integer := 0;
begin
  ids := '{}';
  next_id := p_before;
  is_common := v_trigrams = '';
  while not is_common and cardinality(ids) < v_enough and v_read < 8 loop
    select x.id into v_newest from crm.search_texts x
    where x.workspace_id = v_workspace_id and x.record = p_record and x.id < next_id and x.id >= p_from
    order by x.id desc
    limit 1;
    if not found then
      next_id := null;
      exit;
    end if;
    -- The index is read as far as the rarest of the trigrams is frequent: each may be more frequent than the words.
    v_rarest := 3;
    v_rare := null;
    foreach v_trigram in array string_to_array(v_trigrams, ',') loop
      v_keys := crm.search_keys(v_workspace_id, p_record, '/4096', v_newest, v_trigram);
      select count(*) into v_sampled
      from (
        select from crm.search_texts x
        where crm.searched_keys(x.workspace_id, x.record, x.id, x.text) collate "C" @> v_keys
        limit 3
      ) s;
      v_rarest := least(v_rarest, v_sampled);
      if v_sampled < 2 then
        v_rare := concat_ws(',', v_rare, v_trigram);
      end if;
      -- Four are enough: what the index has of common ones takes longer to read than some texts take to compare.
      exit when char_length(v_rare) = 15;
    end loop;
    is_common := v_rarest = 3;
    exit when is_common;
    v_read := v_read + v_rarest;
    v_keys := crm.search_keys(v_workspace_id, p_record, '/64', v_newest, v_rare);
    select count(*) into v_sampled
    from (
      select from crm.search_texts x
      where crm.searched_keys(x.workspace_id, x.record, x.id, x.text) collate "C" @> v_keys
      limit greatest(p_step / 32, 1)
    ) s;
    if v_rare is not null and v_sampled < greatest(p_step / 32, 1) then
      v_keys := crm.search_keys(v_workspace_id, p_record, '', v_newest, v_rare);
    else
      -- Some thousands may have the words, if the small sample has the rarest: 1 in 64 is counted before all are read.
      if v_rarest > 0 then
        v_keys := crm.search_keys(v_workspace_id, p_record, '/64', v_newest, v_trigrams);
        select count(*) into v_sampled
        from (
          select from crm.search_texts x
          where crm.searched_keys(x.workspace_id, x.record, x.id, x.text) collate "C" @> v_keys
          limit p_step / 6
        ) s;
        is_common := v_sampled >= greatest(p_step / 6, 1);
        exit when is_common;
      end if;
      v_keys := crm.search_keys(v_workspace_id, p_record, '', v_newest, v_trigrams);
    end if;
    select
      array_agg(f.id order by f.id desc) filter (
        where f.workspace_id = v_workspace_id and f.record = p_record and f.id < next_id and f.id >= p_from
          and not exists (select from unnest(p_words) w (word) where strpos(f.text, w.word) = 0)
      ),
      v_texts - count(*)
    into v_found, v_texts
    from (
      -- Of the index alone: with the workspace in these conditions, the planner could read the primary key instead.
      select x.workspace_id, x.record, x.id, x.text from crm.search_texts x
      where crm.searched_keys(x.workspace_id, x.record, x.id, x.text) collate "C" @> v_keys
      limit v_texts
    ) f;
    is_common := v_texts = 0;
    exit when is_common;
    ids := ids || v_found;
    next_id := (left(v_newest::text, 4) || '0000-0000-0000-0000-000000000000')::uuid;
    if cardinality(ids) > v_enough then
      ids := ids[:v_enough];
      next_id := ids[v_enough];
    end if;
  end loop;
end
$$;


--
-- Name: FUNCTION search(p_record text, p_words text[], p_before uuid, p_from uuid, p_step integer, p_enough integer, OUT ids uuid[], OUT next_id uuid, OUT is_common boolean); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.search(p_record text, p_words text[], p_before uuid, p_from uuid, p_step integer, p_enough integer, OUT ids uuid[], OUT next_id uuid, OUT is_common boolean) IS 'The ids of the records of the current workspace, newest first, whose text has every word: all of them from p_before to next_id, or to p_from where that is null. It ends before a block (crm.search_keys) in which the words are common, after p_enough or 2 * p_step ids, and when it has read much of the index or 16 * p_step texts. security definer, because @> is not leakproof, so that under row-level security no index would serve it: each of its conditions names the workspace, or keys of it.';


--
-- Name: search_keys(uuid, text, text, uuid, text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.search_keys(p_workspace_id uuid, p_record text, p_sample text, p_id uuid, p_trigrams text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
declare
  v_block text := left(encode(int8send(uuid_hash_extended(
    p_workspace_id,
    hashtextextended(
      p_record || p_sample, get_byte(uuid_send(p_id), 0) * 256 + get_byte(uuid_send(p_id), 1)
    )
  )), 'base64'), 8);
begin
  -- As one text: a third of the time of a select over the trigrams.
  return string_to_array(v_block || replace(p_trigrams, ',', ',' || v_block), ',');
end
$$;


--
-- Name: FUNCTION search_keys(p_workspace_id uuid, p_record text, p_sample text, p_id uuid, p_trigrams text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.search_keys(p_workspace_id uuid, p_record text, p_sample text, p_id uuid, p_trigrams text) IS 'The keys of three letters in the index of searches: each begins with the block of the record, a hash of its workspace, its kind, the sample that is meant, and 50 days, which the first two bytes of a UUIDv7 count.';


--
-- Name: search_text(text[], text[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.search_text(p_texts text[], p_phones text[]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
declare
  v_texts text := array_to_string(p_texts, E'\n');
  v_text text := crm.fold(v_texts);
  v_phone text;
  v_number text;
begin
  -- A word of digits and punctuation is searched by its digits alone (crm.search_words).
  if v_texts ~ '\d' then
    v_text := v_text || E'\n' || regexp_replace(v_texts, '[^0-9\n]+', '', 'g');
  end if;
  foreach v_phone in array p_phones loop
    continue when v_phone is null;
    v_number := ltrim(crm.e164(v_phone), '+');
    v_text := concat_ws(E'\n', v_text, v_number);
    if strpos(v_number, crm.digits(v_phone)) = 0 then
      v_text := v_text || E'\n' || crm.digits(v_phone);
    end if;
  end loop;
  return v_text;
end
$$;


--
-- Name: FUNCTION search_text(p_texts text[], p_phones text[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.search_text(p_texts text[], p_phones text[]) IS 'What is searched of a record: its texts as crm.fold makes them, the digits of each, and its phone numbers in digits with and without the country.';


--
-- Name: search_trigrams(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.search_trigrams(p_text text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
begin
  -- Those with a space are the ends of words, which no search needs: two fifths of all.
  return substr(
    regexp_replace(',' || array_to_string(extensions.show_trgm(p_text), ','), '^(?:, ..)+|,.. ', '', 'g'), 2
  );
end
$$;


--
-- Name: FUNCTION search_trigrams(p_text text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.search_trigrams(p_text text) IS 'The three letters in a row that the words of a text have, with commas.';


--
-- Name: search_words(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.search_words(p_query text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
begin
  return array(
    select w.word
    from (
      select distinct case when f.word ~ '[0-9]' and f.word !~ '[^0-9[:punct:][:cntrl:]]'
        then regexp_replace(f.word, '[^0-9]', '', 'g') else f.word
      end as word
      from regexp_split_to_table(crm.fold(p_query), '\s+') f (word)
      where f.word <> ''
    ) w
    order by char_length(w.word) desc
  );
end
$$;


--
-- Name: FUNCTION search_words(p_query text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.search_words(p_query text) IS 'The words of a search, the longest first. A word of digits and punctuation is reduced to its digits, so that any spelling of a phone number is found.';


--
-- Name: searched_keys(uuid, text, uuid, text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.searched_keys(p_workspace_id uuid, p_record text, p_id uuid, p_text text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
declare
  v_trigrams text := crm.search_trigrams(p_text);
  v_keys text[] := crm.search_keys(p_workspace_id, p_record, '', p_id, v_trigrams);
begin
  if get_byte(uuid_send(p_id), 15) < 4 then
    v_keys := v_keys || crm.search_keys(p_workspace_id, p_record, '/64', p_id, v_trigrams);
    if get_byte(uuid_send(p_id), 14) < 4 then
      v_keys := v_keys || crm.search_keys(p_workspace_id, p_record, '/4096', p_id, v_trigrams);
    end if;
  end if;
  return v_keys;
end
$$;


--
-- Name: FUNCTION searched_keys(p_workspace_id uuid, p_record text, p_id uuid, p_text text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.searched_keys(p_workspace_id uuid, p_record text, p_id uuid, p_text text) IS 'The keys by which a record is found: for one in 64, chosen by the random end of its id, also those of the sample, and for one in 4,096 those of the small sample.';


--
-- Name: send_test_event(uuid, uuid, crm.event_type); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.send_test_event(p_workspace_id uuid, p_subscription_id uuid, p_event crm.event_type DEFAULT NULL::crm.event_type) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_delivery_id uuid;
begin
  perform crm.require_own_workspace(p_workspace_id);
  perform crm.require_room(p_workspace_id, p_subscription_id);
  with event as (
    insert into crm.events (workspace_id, event, object_id, facts, is_test)
    select s.workspace_id, coalesce(p_event, s.event_types[1]), '00000000-0000-0000-0000-000000000000', '{}', true
    from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = p_subscription_id
    returning workspace_id, id
  )
  insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
  select e.workspace_id, crm.delivery_id(e.id, p_subscription_id), e.id, p_subscription_id from event e
  returning id into v_delivery_id;
  return v_delivery_id;
end
$$;


--
-- Name: FUNCTION send_test_event(p_workspace_id uuid, p_subscription_id uuid, p_event crm.event_type); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.send_test_event(p_workspace_id uuid, p_subscription_id uuid, p_event crm.event_type) IS 'Enqueues a test event for one subscription and returns the id of its delivery; null if there is no such subscription. The event has the given type, or the first of the subscription, no object (the nil UUID), and a sample as data beside "test": true, so that a receiver which takes it for a real event finds nothing to act on. Raises queue_full. Security definer, because members and keys may write no event.';


--
-- Name: session_email(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.session_email(p_user_id uuid, p_session_id uuid, OUT is_live boolean, OUT email text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
begin
  is_live := false;
  -- Dynamic, because only Supabase Auth creates the schema auth, and the local stack a copy of it.
  if to_regclass('auth.sessions') is null or to_regclass('auth.users') is null then
    return;
  end if;
  execute format(
    $sql$
      select true, case
        -- Supabase Auth confirmed the address by a mail. That of single sign-on is whatever the other company's service
        -- says, and an address of .invalid cannot exist (RFC 2606): every workspace without a real admin has the same one.
        when u.email_confirmed_at is not null and not u.is_sso_user and lower(u.email) not like %1$L
          then lower(u.email)
      end
      from %2$I.sessions s
      join %2$I.users u on u.id = s.user_id
      where s.id = $2 and s.user_id = $1 and (s.not_after is null or s.not_after > now())
        and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
    $sql$,
    '%.invalid',
    'auth'
  ) into is_live, email using p_user_id, p_session_id;
  is_live := is_live is not null;
end
$_$;


--
-- Name: FUNCTION session_email(p_user_id uuid, p_session_id uuid, OUT is_live boolean, OUT email text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.session_email(p_user_id uuid, p_session_id uuid, OUT is_live boolean, OUT email text) IS 'Whether a session of Supabase Auth exists and has not ended, and the confirmed e-mail of its person in lower case: of auth.users, never of the token, some of whose claims a person can write. Null: the e-mail is not confirmed, not by Supabase Auth itself (single sign-on), or cannot exist (.invalid).';


--
-- Name: set_completed_at(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.set_completed_at() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  new.completed_at := case when new.status = 'concluida' then coalesce(new.completed_at, now()) end;
  return new;
end
$$;


--
-- Name: FUNCTION set_completed_at(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.set_completed_at() IS 'Trigger: sets completed_at exactly while the status is concluida, whether the API or the application writes. A later edit keeps the time.';


--
-- Name: set_deal_moments(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.set_deal_moments() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  if new.stage_id is distinct from old.stage_id then
    new.stage_changed_at := now();
  end if;
  if new.status is distinct from old.status then
    new.won_at := case when new.status = 'ganho' then now() end;
    new.lost_at := case when new.status = 'perdido' then now() end;
    new.closed_at := coalesce(new.won_at, new.lost_at);
    if new.status <> 'perdido' then
      new.loss_reason_id := null;
      new.loss_note := null;
    end if;
  end if;
  return new;
end
$$;


--
-- Name: FUNCTION set_deal_moments(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.set_deal_moments() IS 'Trigger: keeps stage_changed_at, won_at, lost_at, closed_at and the loss fields consistent with stage and status, whether the API or the application writes.';


--
-- Name: set_last_activity_at(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.set_last_activity_at() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  update crm.deals d
  -- greatest(), because the older of two simultaneous activities may be written second.
  set last_activity_at = greatest(d.last_activity_at, new.created_at)
  where d.workspace_id = new.workspace_id and d.id = new.deal_id;
  return null;
end
$$;


--
-- Name: FUNCTION set_last_activity_at(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.set_last_activity_at() IS 'Trigger: records on the deal when its last activity was created.';


--
-- Name: set_moved_at(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.set_moved_at() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  update crm.deals d set moved_at = now() where d.workspace_id = new.workspace_id and d.id = new.deal_id;
  return null;
end
$$;


--
-- Name: FUNCTION set_moved_at(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.set_moved_at() IS 'Trigger of notes and activities: sets moved_at of their deal.';


--
-- Name: set_proposal_moments(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.set_proposal_moments() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  new.sent_at := case when new.status <> 'rascunho' then coalesce(new.sent_at, now()) end;
  -- A customer who answers has seen the proposal, so an answer also sets viewed_at.
  if new.status in ('visualizada', 'aceita', 'recusada') then
    new.viewed_at := coalesce(new.viewed_at, now());
  end if;
  new.accepted_at := case when new.status = 'aceita' then coalesce(new.accepted_at, now()) end;
  new.rejected_at := case when new.status = 'recusada' then coalesce(new.rejected_at, now()) end;
  return new;
end
$$;


--
-- Name: FUNCTION set_proposal_moments(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.set_proposal_moments() IS 'Trigger: keeps sent_at, viewed_at, accepted_at and rejected_at consistent with the status, whether the API or the application writes.';


--
-- Name: settle_shard(smallint); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.settle_shard(p_shard smallint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_marker crm.webhook_unsettled;
begin
  -- 20 subscriptions at most, so that a claim stays short when thousands became inactive together.
  for v_marker in
    select u.* from crm.webhook_unsettled u where u.shard = p_shard limit 20 for update skip locked
  loop
    -- Of the whole claim, which visits all shards: 500 cancelled deliveries take some 100 ms.
    exit when clock_timestamp() > statement_timestamp() + interval '50 ms';
    if crm.settle_subscription(v_marker.workspace_id, v_marker.subscription_id, v_marker.send_now) then
      delete from crm.webhook_unsettled u
      where u.workspace_id = v_marker.workspace_id and u.subscription_id = v_marker.subscription_id;
    end if;
  end loop;
end
$$;


--
-- Name: FUNCTION settle_shard(p_shard smallint); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.settle_shard(p_shard smallint) IS 'Settles what crm.webhook_unsettled names in a shard, unless the claim has taken 50 ms already: then a later claim, whose shards come in another order, does it. The caller has locked the shard.';


--
-- Name: settle_subscription(uuid, uuid, boolean); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.settle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_may_send boolean := crm.may_send(p_workspace_id, p_subscription_id);
  v_is_deleted boolean := exists (
    select from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = p_subscription_id and s.deactivated_reason = 'deleted'
  );
  v_shard smallint := get_byte(uuid_send(p_workspace_id), 15) & 15;
  v_sent_to uuid := coalesce(
    (
      select u.sent_to from crm.webhook_unsettled u
      where u.workspace_id = p_workspace_id and u.subscription_id = p_subscription_id
    ),
    '00000000-0000-0000-0000-000000000000'
  );
  v_ids uuid[];
begin
  -- 500 at a time, because the dispatcher's claims do this.
  v_ids := array(
    select q.delivery_id from crm.webhook_queue q
    where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
      and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
      and (
        q.state = 'held' and (v_may_send or v_is_deleted)
        or q.state = 'waiting' and (
          not v_may_send or p_send_now and q.delivery_id > v_sent_to and q.due_at > statement_timestamp()
        )
      )
      and q.state <> 'ready' and q.lease_until is null
    order by q.shard, q.workspace_id, q.subscription_id, q.delivery_id
    limit 500
    for update skip locked
  );
  if not v_may_send then
    v_ids := v_ids || array(
      select q.delivery_id from crm.webhook_queue q
      where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
        and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
        and q.state = 'ready'
      order by q.shard, q.workspace_id, q.subscription_id, q.delivery_id
      limit 500
      for update skip locked
    );
  end if;

  if v_is_deleted then
    update crm.webhook_deliveries d set state = 'cancelled'
    where d.workspace_id = p_workspace_id and d.id = any (v_ids) and d.state = 'pending';
    delete from crm.webhook_queue q where q.workspace_id = p_workspace_id and q.delivery_id = any (v_ids);
  elsif not v_may_send then
    update crm.webhook_queue q set state = 'held'
    where q.workspace_id = p_workspace_id and q.delivery_id = any (v_ids);
  else
    update crm.webhook_queue q
    set state = case when q.due_at <= statement_timestamp() then 'ready' else 'waiting' end
    where q.workspace_id = p_workspace_id and q.delivery_id = any (v_ids);
    if p_send_now then
      update crm.webhook_deliveries d set next_attempt_at = statement_timestamp()
      where d.workspace_id = p_workspace_id and d.id = any (v_ids) and d.next_attempt_at > statement_timestamp();
      v_sent_to := greatest(v_sent_to, v_ids[cardinality(v_ids)]);
      update crm.webhook_unsettled u set sent_to = v_sent_to
      where u.workspace_id = p_workspace_id and u.subscription_id = p_subscription_id;
    end if;
  end if;
  -- What somebody else has locked was skipped, and is left.
  return not exists (
    select from crm.webhook_queue q
    where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
      and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
      and (
        q.state = 'held' and (v_may_send or v_is_deleted)
        or q.state = 'waiting' and (
          not v_may_send or p_send_now and q.delivery_id > v_sent_to and q.due_at > statement_timestamp()
        )
      )
      and q.state <> 'ready' and q.lease_until is null
  ) and (
    v_may_send or not exists (
      select from crm.webhook_queue q
      where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
        and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
        and q.state = 'ready'
    )
  );
end
$$;


--
-- Name: FUNCTION settle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.settle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) IS 'Brings up to 500 rows of the queue (1,000 to hold) into the state that their subscription and workspace call for: held, released, or cancelled and removed where the subscription was deleted. What is in flight is left alone. Oldest first. True if no row is left.';


--
-- Name: single_names(text[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.single_names(p_names text[]) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  return array(
    select distinct ' ' || w.word || ' '
    from unnest(p_names) n (name)
    cross join lateral regexp_split_to_table(btrim(crm.words(crm.url_decoded(n.name))), ' ') w (word)
    where char_length(w.word) >= 3 and w.word not in ('das', 'dos')
  );
end
$$;


--
-- Name: FUNCTION single_names(p_names text[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.single_names(p_names text[]) IS 'Each word of three letters or more of these names, in the form of crm.words, but for the particles "das" and "dos".';


--
-- Name: spelled_tax_id(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.spelled_tax_id(p_tax_id text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case when char_length(p_tax_id) = 14
    then regexp_replace(p_tax_id, '^(..)(...)(...)(....)(..)$', '\1.\2.\3/\4-\5')
  end
$_$;


--
-- Name: FUNCTION spelled_tax_id(p_tax_id text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.spelled_tax_id(p_tax_id text) IS 'A CNPJ with its punctuation, of which a search may contain a part; null for any other tax id.';


--
-- Name: stages; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.stages (
    workspace_id uuid NOT NULL,
    pipeline_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    name crm.record_name NOT NULL,
    "position" integer NOT NULL,
    type text NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT stages_type_check CHECK (((char_length(type) >= 1) AND (char_length(type) <= 40)))
);

ALTER TABLE ONLY crm.stages FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE stages; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.stages IS 'Steps of a pipeline, in order of position. A new deal starts in the first active one.';


--
-- Name: COLUMN stages.type; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.stages.type IS 'Known values: pre-venda, venda, won, lost (spec 2.5). Not an enum, because the application may add others.';


--
-- Name: stage_json(crm.stages); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.stage_json(t crm.stages) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select to_json(row(
    t.id, t.name, t.position, t.type, t.is_active
  )::api.stage)
$$;


--
-- Name: FUNCTION stage_json(t crm.stages); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.stage_json(t crm.stages) IS 'A row as public JSON, with the fields of api.stage.';


--
-- Name: stage_of_new_deal(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.stage_of_new_deal(p_pipeline_id uuid, p_stage_id uuid) RETURNS TABLE(pipeline_id uuid, stage_id uuid)
    LANGUAGE sql STABLE
    AS $$
  select p.id, (
    select s.id from crm.stages s
    where s.workspace_id = p.workspace_id and s.pipeline_id = p.id and s.id = coalesce(p_stage_id, s.id) and s.is_active
    order by s.position
    limit 1
  )
  from crm.pipelines p
  where p.workspace_id = crm.current_workspace_id() and p.is_active
    and case when p_pipeline_id is null then p.is_default else p.id = p_pipeline_id end
$$;


--
-- Name: FUNCTION stage_of_new_deal(p_pipeline_id uuid, p_stage_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.stage_of_new_deal(p_pipeline_id uuid, p_stage_id uuid) IS 'The pipeline and stage of a new deal, both active: those that the call names, otherwise the default pipeline and its first stage. No row without such a pipeline, null without such a stage (crm.choose_stage).';


--
-- Name: stage_row_json(crm.stages); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.stage_row_json(s crm.stages) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', s.id,
    'pipeline_id', s.pipeline_id,
    'name', s.name,
    'type', s.type,
    'position', s.position,
    'is_active', s.is_active
  )
$$;


--
-- Name: FUNCTION stage_row_json(s crm.stages); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.stage_row_json(s crm.stages) IS 'JSON of a stage with its pipeline''s id, for the operator.';


--
-- Name: stages_of(crm.pipelines); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.stages_of(p crm.pipelines) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  return (
    select coalesce(json_agg(crm.stage_json(s) order by s.position), '[]')
    from crm.stages s
    where s.workspace_id = p.workspace_id and s.pipeline_id = p.id
  );
end
$$;


--
-- Name: FUNCTION stages_of(p crm.pipelines); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.stages_of(p crm.pipelines) IS 'The stages of a pipeline as JSON, in order (spec 2.5).';


--
-- Name: webhook_queue; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.webhook_queue (
    workspace_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    event_id uuid NOT NULL,
    shard smallint GENERATED ALWAYS AS (((get_byte(uuid_send(workspace_id), 15) & 15))::smallint) STORED NOT NULL,
    state text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    lease_until timestamp with time zone,
    lease_token bigint,
    host text,
    CONSTRAINT webhook_queue_check CHECK (((state = 'leased'::text) = (lease_until IS NOT NULL))),
    CONSTRAINT webhook_queue_state_check CHECK ((state = ANY (ARRAY['ready'::text, 'waiting'::text, 'leased'::text, 'held'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000');

ALTER TABLE ONLY crm.webhook_queue FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE webhook_queue; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.webhook_queue IS 'A row for each pending delivery. Written by triggers on crm.webhook_deliveries, by claims and by crm.settle_subscription; the dispatcher walks it, and never what has ended.';


--
-- Name: COLUMN webhook_queue.event_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_queue.event_id IS 'The event, so that a claim reads no partition of the deliveries.';


--
-- Name: COLUMN webhook_queue.shard; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_queue.shard IS 'One of 16 parts of the queue, by workspace, each with its claim lock.';


--
-- Name: COLUMN webhook_queue.state; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_queue.state IS 'ready: may be sent now; waiting: becomes ready at due_at; leased: a dispatcher sends it; held: its subscription is inactive or its workspace may not send, so no claim looks at it.';


--
-- Name: COLUMN webhook_queue.lease_until; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_queue.lease_until IS 'When the lease of the dispatcher that claimed the delivery ends.';


--
-- Name: COLUMN webhook_queue.lease_token; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_queue.lease_token IS 'Fencing token of the last lease, until its outcome is recorded: a dispatcher that was too slow cannot overwrite the outcome of its successor, and an outcome that is sent twice counts once.';


--
-- Name: COLUMN webhook_queue.host; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_queue.host IS 'The target host of the attempt that is under way or was the last one.';


--
-- Name: stuck_deliveries(integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.stuck_deliveries(p_bound integer) RETURNS SETOF crm.webhook_queue
    LANGUAGE sql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
  select q.*
  from (
    (select q.* from crm.webhook_queue q where q.state = 'ready' limit p_bound)
    union all
    (select q.* from crm.webhook_queue q where q.state = 'leased' limit p_bound)
    union all
    select w.* from crm.webhook_shards s
    cross join lateral (
      select q.* from crm.webhook_queue q where q.shard = s.shard and q.state = 'waiting' order by q.due_at limit p_bound
    ) w
  ) q
  where q.due_at <= statement_timestamp() - interval '1 minute'
    and (q.lease_until is null or q.lease_until <= statement_timestamp())
    and crm.may_send(q.workspace_id, q.subscription_id)
    -- With an attempt under way in the workspace the dispatcher works, and the rest waits for a slow receiver.
    and not exists (
      select from crm.webhook_queue l
      where l.state = 'leased' and l.lease_until > statement_timestamp()
        and (l.shard, l.workspace_id) >= (q.shard, q.workspace_id)
        and (l.shard, l.workspace_id) <= (q.shard, q.workspace_id)
    )
$$;


--
-- Name: FUNCTION stuck_deliveries(p_bound integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.stuck_deliveries(p_bound integer) IS 'Deliveries that have been due for over a minute while the dispatcher does nothing for their workspace. Looks at p_bound rows of each state of the queue, and of each shard where they wait.';


--
-- Name: subscribers(uuid, crm.event_type); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.subscribers(p_workspace_id uuid, p_event crm.event_type) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  return array(
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.is_active and p_event = any (s.event_types)
  );
end
$$;


--
-- Name: FUNCTION subscribers(p_workspace_id uuid, p_event crm.event_type); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.subscribers(p_workspace_id uuid, p_event crm.event_type) IS 'The active subscriptions of a workspace to a type of event.';


--
-- Name: subscription_insert(crm.webhook_subscriptions); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.subscription_insert(t crm.webhook_subscriptions) RETURNS crm.webhook_subscriptions
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  insert into crm.webhook_subscriptions as new (
    workspace_id, id, event_types, target_url, key_id
  )
  values (
    crm.current_workspace_id(), t.id, t.event_types, t.target_url, t.key_id
  )
  returning new.* into t;
  return t;
end
$$;


--
-- Name: FUNCTION subscription_insert(t crm.webhook_subscriptions); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.subscription_insert(t crm.webhook_subscriptions) IS 'Creates the record in the caller''s workspace and returns it.';


--
-- Name: subscription_json(crm.webhook_subscriptions); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.subscription_json(t crm.webhook_subscriptions) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select to_json(row(
    t.id, t.event_types, t.target_url, t.is_active, t.failure_count, crm.iso(t.last_success_at),
    crm.iso(t.last_failure_at), crm.iso(t.created_at), t.key_id, crm.iso(t.deactivated_at),
    t.deactivated_reason, crm.holds_webhooks(t.workspace_id), crm.iso(t.behind_since),
    crm.iso(crm.old_secret_until(t.workspace_id, t.id))
  )::api.subscription)
$$;


--
-- Name: FUNCTION subscription_json(t crm.webhook_subscriptions); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.subscription_json(t crm.webhook_subscriptions) IS 'A row as public JSON, with the fields of api.subscription.';


--
-- Name: subscription_overview(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.subscription_overview(p_workspace_id uuid, p_id uuid) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_overview json := (select o.overview from crm.subscription_overviews(p_workspace_id, array[p_id]) o);
begin
  if v_overview is null then
    perform crm.raise_code('not_found', 'id');
  end if;
  return v_overview;
end
$$;


--
-- Name: FUNCTION subscription_overview(p_workspace_id uuid, p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.subscription_overview(p_workspace_id uuid, p_id uuid) IS 'JSON of one subscription, as of crm.subscription_overviews. Raises not_found.';


--
-- Name: subscription_overviews(uuid, uuid[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.subscription_overviews(p_workspace_id uuid, p_ids uuid[]) RETURNS TABLE(id uuid, overview json)
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
#variable_conflict use_column
declare
  v_today date := (now() at time zone 'UTC')::date;
  -- An id begins with the time of its row, so the day of a delivery is a range of ids, and the index has all that is
  -- counted.
  v_floors uuid[] := array(
    select crm.uuid_v7_floor((v_today - n)::timestamp at time zone 'UTC') from generate_series(6, 0, -1) n
  );
  -- 20,000 deliveries in all, so that 200 subscriptions cost no more than 20.
  v_newest integer := least(1000, greatest(100, 20000 / greatest(cardinality(p_ids), 1)));
begin
  return query
  with counted as (
    select
      i.id,
      width_bucket(d.id, v_floors) as day,
      count(*) filter (where d.state = 'delivered') as delivered,
      count(*) filter (where d.state = 'failed') as failed,
      count(*) filter (where d.state = 'pending') as waiting
    from unnest(p_ids) i (id)
    cross join lateral (
      select d.id, d.state from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id and d.subscription_id = i.id and d.id >= v_floors[1]
      order by d.id desc
      limit v_newest
    ) d
    group by 1, 2
  ),
  days as (
    select
      i.id,
      json_agg(json_build_object(
        'day', v_today - 7 + n,
        'delivered', coalesce(c.delivered, 0),
        'failed', coalesce(c.failed, 0),
        'waiting', coalesce(c.waiting, 0)
      ) order by n) as list,
      sum(c.delivered + c.failed + c.waiting) as total
    from unnest(p_ids) i (id)
    cross join generate_series(1, 7) n
    left join counted c on c.id = i.id and c.day = n
    group by i.id
  )
  select s.id, crm.with_fields(crm.subscription_json(s), json_build_object(
    'key', case when k.id is not null then json_build_object('id', k.id, 'name', k.name) end,
    'days', d.list,
    'days_are_partial', coalesce(d.total, 0) >= v_newest
  ))
  from days d
  join crm.webhook_subscriptions s on s.workspace_id = p_workspace_id and s.id = d.id
  left join crm.makers_of_subscriptions(
    p_workspace_id,
    array(
      select s.key_id from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.id = any (p_ids) and s.key_id is not null
    )
  ) k on k.id = s.key_id;
end
$$;


--
-- Name: FUNCTION subscription_overviews(p_workspace_id uuid, p_ids uuid[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.subscription_overviews(p_workspace_id uuid, p_ids uuid[]) IS 'JSON of subscriptions for the operator and the console: the public fields, the key that made it (null for one made in the console), and days: the outcomes of the last 7 days in UTC, oldest first. Of each subscription the newest 1,000 deliveries are counted, fewer if more than 20 subscriptions are listed (20,000 in all, at least 100 each); days_are_partial tells that there may be more.';


--
-- Name: synced_page(json[], uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.synced_page(p_records json[], p_next_id uuid) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select to_json(row(
    coalesce(p_records, '{}'),
    row(p_next_id, p_next_id is not null, crm.iso(now() - interval '60 seconds'))::api.synced_page_meta
  )::api.synced_page)
$$;


--
-- Name: FUNCTION synced_page(p_records json[], p_next_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.synced_page(p_records json[], p_next_id uuid) IS 'As crm.page, for the first page by updated_since. It has synced_until, the updated_since of the next run: 60 seconds ago, so that no change is lost whose transaction takes less.';


--
-- Name: text_changed(crm.event_type, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.text_changed(p_event crm.event_type, p_facts jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select case p_event
    when 'company.created' then 'company'
    when 'company.updated' then
      case when p_facts -> 'changed_fields' ?| array['name', 'legal_name', 'tax_id', 'domain', 'email', 'external_id', 'phone']
        then 'company'
      end
    when 'contact.created' then 'contact'
    when 'contact.updated' then
      case when p_facts -> 'changed_fields' ?| array['name', 'email', 'job_title', 'external_id', 'phone', 'phone2', 'whatsapp']
        then 'contact'
      end
    when 'deal.created' then 'deal'
    when 'deal.updated' then
      case when p_facts -> 'changed_fields' ?| array['title', 'external_id']
        then 'deal'
      end
  end
$$;


--
-- Name: FUNCTION text_changed(p_event crm.event_type, p_facts jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.text_changed(p_event crm.event_type, p_facts jsonb) IS 'The kind of the record whose searched text is another after an event; null if none is.';


--
-- Name: touch(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.touch() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  new.updated_at := now();
  return new;
end
$$;


--
-- Name: FUNCTION touch(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.touch() IS 'Trigger: sets updated_at on every update, whether the API or the application writes.';


--
-- Name: touch_deal(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.touch_deal() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  -- An update that only records deal.stale, or only a movement (crm.set_moved_at), changes no field that a client sees.
  if new.stale_reported_for is not distinct from old.stale_reported_for and new.moved_at = old.moved_at then
    new.updated_at := now();
    new.moved_at := now();
  end if;
  return new;
end
$$;


--
-- Name: FUNCTION touch_deal(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.touch_deal() IS 'Trigger: sets updated_at and moved_at on every update of the deal''s own fields, whether the API or the application writes.';


--
-- Name: traces_of(text[], text[]); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.traces_of(p_names text[], p_phones text[]) RETURNS crm.traces
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  return (
    array(
      select distinct crm.words(n.name) from (select crm.url_decoded(u.name) from unnest(p_names) u (name)) n (name)
      where crm.words(n.name) is not null
    ),
    -- The last eight digits, which a number has with and without country, area code and the ninth digit of mobiles.
    array(
      select distinct right(crm.digits(p.phone), 8) from unnest(p_phones) p (phone) where length(crm.digits(p.phone)) >= 8
    )
  );
end
$$;


--
-- Name: FUNCTION traces_of(p_names text[], p_phones text[]); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.traces_of(p_names text[], p_phones text[]) IS 'What a person with these names, addresses and phone numbers is recognized by, each once.';


--
-- Name: unset_default_pipeline(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.unset_default_pipeline(p_workspace_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  -- Without this lock, two simultaneous calls could each set a default pipeline, and the second would fail.
  perform from crm.workspaces w where w.id = p_workspace_id for no key update;
  update crm.pipelines p set is_default = false where p.workspace_id = p_workspace_id and p.is_default;
end
$$;


--
-- Name: FUNCTION unset_default_pipeline(p_workspace_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.unset_default_pipeline(p_workspace_id uuid) IS 'Removes the default of a workspace''s pipelines, so that another can become it in the same transaction.';


--
-- Name: unsettle_changed_subscription(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.unsettle_changed_subscription() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform crm.unsettle_subscription(new.workspace_id, new.id, new.is_active);
  -- Most have a few rows, and those change with the subscription itself: no claim has to look at it.
  if crm.settle_subscription(new.workspace_id, new.id, new.is_active) then
    delete from crm.webhook_unsettled u where u.workspace_id = new.workspace_id and u.subscription_id = new.id;
  end if;
  return null;
end
$$;


--
-- Name: FUNCTION unsettle_changed_subscription(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.unsettle_changed_subscription() IS 'Trigger: holds, cancels or releases the first deliveries that wait for a subscription; claims do the rest.';


--
-- Name: unsettle_subscription(uuid, uuid, boolean); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.unsettle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  -- An update where the row exists, because it waits for a claim that settles by an older state and removes the row.
  insert into crm.webhook_unsettled as u (workspace_id, subscription_id, send_now)
  values (p_workspace_id, p_subscription_id, p_send_now)
  on conflict (workspace_id, subscription_id) do update
  set send_now = excluded.send_now, sent_to = excluded.sent_to
$$;


--
-- Name: FUNCTION unsettle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.unsettle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) IS 'Tells the claims that the rows of a subscription must be held, cancelled or released.';


--
-- Name: url_decoded(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.url_decoded(p_text text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $_$
begin
  if p_text !~ '%[0-9A-Fa-f]{2}' then
    return p_text;
  end if;
  return (
    select convert_from(decode(string_agg(
      case when m.part[1] ~ '^%..$' then substr(m.part[1], 2) else encode(convert_to(m.part[1], 'UTF8'), 'hex') end,
      '' order by m.n
    ), 'hex'), 'UTF8')
    from regexp_matches(p_text, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') with ordinality m (part, n)
  );
exception when character_not_in_repertoire or untranslatable_character then
  return p_text;
end
$_$;


--
-- Name: FUNCTION url_decoded(p_text text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.url_decoded(p_text text) IS 'The text with the characters that %XX stands for in addresses; as it is if they are no UTF-8.';


--
-- Name: used_up(uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.used_up(p_key_id uuid, p_limit integer) RETURNS crm.admission
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  v_hits timestamptz[];
begin
  select crm.live_hits(r.hits) into v_hits from crm.rate_limits r where r.key_id = p_key_id;
  if cardinality(v_hits) >= p_limit then
    return row(false, 0, crm.rate_reset_seconds(v_hits, p_limit))::crm.admission;
  end if;
  return null;
end
$$;


--
-- Name: FUNCTION used_up(p_key_id uuid, p_limit integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.used_up(p_key_id uuid, p_limit integer) IS 'Null if the key may make a call now, else what a call would be answered. Counts nothing.';


--
-- Name: uuid_v7_floor(timestamp with time zone); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.uuid_v7_floor(p_at timestamp with time zone) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select encode(
    overlay(
      decode('00000000000000000000000000000000', 'hex')
      placing substring(int8send(greatest(ceil(extract(epoch from p_at) * 1000)::bigint, 0)) from 3)
      from 1 for 6
    ),
    'hex'
  )::uuid
$$;


--
-- Name: FUNCTION uuid_v7_floor(p_at timestamp with time zone); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.uuid_v7_floor(p_at timestamp with time zone) IS 'The lower bound of every UUIDv7 generated at that time or later: turns `created_at >= since` into a range of ids.';


--
-- Name: uuid_v7_time(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.uuid_v7_time(p_id uuid) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select to_timestamp(('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;


--
-- Name: FUNCTION uuid_v7_time(p_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.uuid_v7_time(p_id uuid) IS 'The time at which a UUIDv7 was generated, in milliseconds: crm.uuid_v7_floor of it is not above the id.';


--
-- Name: version(json); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.version(p_record json) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  return left(encode(sha256(convert_to(p_record::text, 'UTF8')), 'hex'), 16);
end
$$;


--
-- Name: FUNCTION version(p_record json); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.version(p_record json) IS 'The version of a record, given its public JSON, as replies name it in ETag.';


--
-- Name: waiting_deliveries(uuid, uuid, integer); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.waiting_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_limit integer) RETURNS integer
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_shard smallint := get_byte(uuid_send(p_workspace_id), 15) & 15;
begin
  return (
    select count(*)
    from (
      (
        select from crm.webhook_queue q
        where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
          and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
          and q.state = 'ready'
        limit p_limit
      )
      union all
      (
        select from crm.webhook_queue q
        where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
          and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
          and q.state <> 'ready' and q.lease_until is null
        limit p_limit
      )
      union all
      (
        select from crm.webhook_queue q
        where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
          and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
          and q.state = 'leased'
        limit p_limit
      )
      limit p_limit
    ) waiting
  );
end
$$;


--
-- Name: FUNCTION waiting_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_limit integer); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.waiting_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_limit integer) IS 'How many deliveries of a subscription are in the queue, counted up to p_limit.';


--
-- Name: wake_deliveries(smallint); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.wake_deliveries(p_shard smallint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
begin
  update crm.webhook_queue q
  set state = 'ready'
  where q.ctid = any (array(
    select w.ctid from crm.webhook_queue w
    where w.shard = p_shard and w.state = 'waiting' and w.due_at <= statement_timestamp()
    order by w.due_at
    limit 200
    for update skip locked
  ));

  update crm.webhook_queue q
  set state = 'ready', lease_until = null
  -- Not one whose outcome is being recorded: whoever does that may be waiting for a marker that this claim has locked.
  where q.ctid = any (array(
    select l.ctid from crm.webhook_queue l
    where l.shard = p_shard and l.state = 'leased' and l.lease_until <= statement_timestamp()
    for update skip locked
  ));
end
$$;


--
-- Name: FUNCTION wake_deliveries(p_shard smallint); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.wake_deliveries(p_shard smallint) IS 'Makes ready what has become due in a shard, 200 retries at a time, and what a dispatcher left behind. The caller has locked the shard.';


--
-- Name: wake_dispatcher(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.wake_dispatcher() RETURNS void
    LANGUAGE sql
    AS $$ select set_config('app.events_enqueued', 'true', true) $$;


--
-- Name: FUNCTION wake_dispatcher(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.wake_dispatcher() IS 'Has the function poke the dispatcher after its reply, as after an event.';


--
-- Name: with_activity_defaults(crm.activities); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.with_activity_defaults(p_activity crm.activities) RETURNS crm.activities
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  p_activity.owner_id := crm.owner_or_default(p_activity.owner_id);
  p_activity.type := coalesce(p_activity.type, 'tarefa');
  p_activity.title := coalesce(p_activity.title, crm.activity_label(p_activity.type));
  p_activity.is_online_meeting := coalesce(p_activity.is_online_meeting, false);
  p_activity.status := coalesce(p_activity.status, 'pendente');
  return p_activity;
end
$$;


--
-- Name: FUNCTION with_activity_defaults(p_activity crm.activities); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.with_activity_defaults(p_activity crm.activities) IS 'Fills each empty field that cannot be empty with its default; raises no_owner_available.';


--
-- Name: with_fields(json, json); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.with_fields(p_record json, p_fields json) RETURNS json
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select (left(p_record::text, -1) || ',' || substr(p_fields::text, 2))::json $$;


--
-- Name: FUNCTION with_fields(p_record json, p_fields json); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.with_fields(p_record json, p_fields json) IS 'Appends fields to the public JSON of a record. Both arguments must be non-empty objects from to_json or json_build_object, without space around their braces.';


--
-- Name: with_lead(crm.traces, jsonb); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.with_lead(p_traces crm.traces, p_lead jsonb) RETURNS crm.traces
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
declare
  v_lead crm.traces;
begin
  if p_lead is null then
    return p_traces;
  end if;
  v_lead := crm.traces_of(array[crm.lead_name(p_lead), p_lead ->> 'email'], array[p_lead ->> 'phone']);
  return (p_traces.words || v_lead.words, p_traces.numbers || v_lead.numbers)::crm.traces;
end
$$;


--
-- Name: FUNCTION with_lead(p_traces crm.traces, p_lead jsonb); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.with_lead(p_traces crm.traces, p_lead jsonb) IS 'The traces, with those of a lead that the person sent. They are looked for in what is of its deal alone: the traces of a thousand leads in a thousand deals would be a million searches.';


--
-- Name: without_mentions(jsonb, crm.traces); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.without_mentions(p_fields jsonb, p_traces crm.traces) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  return case when jsonb_typeof(p_fields) = 'object' then (
    select coalesce(jsonb_object_agg(f.key, f.value), '{}')
    from jsonb_each(p_fields) f
    where crm.mentions(
      -- In the text of a list, a line break is the two characters \n, which would join the word after it.
      f.key || ' ' || case jsonb_typeof(f.value)
        when 'string' then f.value #>> '{}'
        else regexp_replace(f.value::text, '\\[nrtbf]', ' ', 'g')
      end,
      p_traces
    ) is not true
  ) end;
end
$$;


--
-- Name: FUNCTION without_mentions(p_fields jsonb, p_traces crm.traces); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.without_mentions(p_fields jsonb, p_traces crm.traces) IS 'An object without the fields that mention the person.';


--
-- Name: words(text); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.words(p_text text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select nullif(
    ' ' || btrim(regexp_replace(crm.fold(p_text) collate "und-x-icu", '[^[:alnum:]]+', ' ', 'g')) || ' ', '  '
  )
$$;


--
-- Name: FUNCTION words(p_text text); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.words(p_text text) IS 'The words of a text in lower case and without accents, each between spaces, so that a name is looked for as words: " ana souza ". Null if it has none.';


--
-- Name: working_keys_of(uuid, uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.working_keys_of(p_workspace_id uuid, p_member_id uuid) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  return (
    select count(*) from (
      select from crm.api_keys k
      where k.workspace_id = p_workspace_id and k.member_id = p_member_id
        and k.revoked_at is null and crm.is_working(k)
      limit 1000
    ) k
  );
end
$$;


--
-- Name: FUNCTION working_keys_of(p_workspace_id uuid, p_member_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.working_keys_of(p_workspace_id uuid, p_member_id uuid) IS 'How many keys of a member are neither revoked nor expired; 1,000 at most are counted.';


--
-- Name: workspaces; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.workspaces (
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    name crm.record_name NOT NULL,
    suspended boolean DEFAULT false NOT NULL,
    public_api boolean DEFAULT true NOT NULL,
    rate_limit_per_minute integer DEFAULT 120 NOT NULL,
    stale_after_days integer DEFAULT 14 NOT NULL,
    max_waiting_deliveries integer DEFAULT 50000 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT workspaces_max_waiting_deliveries_check CHECK (((max_waiting_deliveries >= 1) AND (max_waiting_deliveries <= 1000000))),
    CONSTRAINT workspaces_rate_limit_per_minute_check CHECK (((rate_limit_per_minute >= 1) AND (rate_limit_per_minute <= 1000000))),
    CONSTRAINT workspaces_stale_after_days_check CHECK (((stale_after_days >= 1) AND (stale_after_days <= 3650)))
);

ALTER TABLE ONLY crm.workspaces FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE workspaces; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.workspaces IS 'The tenants: every record belongs to one workspace. The door reads the plan (public_api, rate_limit_per_minute).';


--
-- Name: COLUMN workspaces.public_api; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.workspaces.public_api IS 'Whether the plan includes the public API. If not, every call is answered with 403 feature_disabled, and no webhook is sent.';


--
-- Name: COLUMN workspaces.rate_limit_per_minute; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.workspaces.rate_limit_per_minute IS 'Calls admitted for each key in any 60 seconds (spec 8).';


--
-- Name: COLUMN workspaces.stale_after_days; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.workspaces.stale_after_days IS 'Days without movement after which a deal is stale (spec 6.1, deal.stale).';


--
-- Name: COLUMN workspaces.max_waiting_deliveries; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.workspaces.max_waiting_deliveries IS 'Deliveries that may wait in crm.webhook_queue, shared equally by the active subscriptions: 50,000 are about 23 MiB, and more than the dispatcher sends in the 10 seconds between two runs of the job webhook-catch-up, so it never idles.';


--
-- Name: workspace_json(crm.workspaces); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.workspace_json(w crm.workspaces) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', w.id,
    'name', w.name,
    'suspended', w.suspended,
    'public_api', w.public_api,
    'rate_limit_per_minute', w.rate_limit_per_minute,
    'stale_after_days', w.stale_after_days,
    'created_at', crm.iso(w.created_at)
  )
$$;


--
-- Name: FUNCTION workspace_json(w crm.workspaces); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.workspace_json(w crm.workspaces) IS 'JSON of a workspace and its plan, for the operator.';


--
-- Name: workspace_overview(crm.workspaces); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.workspace_overview(w crm.workspaces) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  return crm.with_fields(crm.workspace_json(w), json_build_object(
    'member', (
      select json_build_object('id', m.id, 'name', m.name, 'email', m.email, 'role', m.role)
      from crm.members m
      where m.workspace_id = w.id and m.id = crm.current_member_id()
    ),
    'workspaces', crm.workspaces_of_current_user(),
    'usage', crm.workspace_usage(w.id)
  ));
end
$$;


--
-- Name: FUNCTION workspace_overview(w crm.workspaces); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.workspace_overview(w crm.workspaces) IS 'JSON of a workspace with its usage, the member who asks (null for the operator), and the workspaces of that person.';


--
-- Name: workspace_usage(uuid); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.workspace_usage(p_workspace_id uuid) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  v_today timestamptz := date_trunc('day', now() at time zone 'UTC') at time zone 'UTC';
  v_calls_today bigint;
  v_calls_7_days bigint;
begin
  -- Each count stops at a bound, so that no workspace is too large to be shown.
  select coalesce(sum(c.calls) filter (where c.hour >= v_today), 0), coalesce(sum(c.calls), 0)
  into v_calls_today, v_calls_7_days
  from (
    select c.hour, c.calls from crm.key_calls c
    where c.workspace_id = p_workspace_id and c.hour >= v_today - interval '6 days'
    order by c.hour desc
    limit 20000
  ) c;
  return json_build_object(
    'calls_today', v_calls_today,
    'calls_7_days', v_calls_7_days,
    'active_keys', (
      select count(*) from (
        select from crm.api_keys k
        where k.workspace_id = p_workspace_id and k.revoked_at is null and crm.is_working(k)
        limit 5000
      ) k
    ),
    'active_webhooks', (
      select count(*) from (
        select from crm.webhook_subscriptions s where s.workspace_id = p_workspace_id and s.is_active limit 1000
      ) s
    ),
    'active_members', (
      select count(*) from (
        select from crm.members m where m.workspace_id = p_workspace_id and m.is_active limit 5000
      ) m
    ),
    'waiting_deliveries', (
      select count(*) from (
        select from crm.webhook_queue q where q.workspace_id = p_workspace_id limit 10000
      ) q
    )
  );
end
$$;


--
-- Name: FUNCTION workspace_usage(p_workspace_id uuid); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.workspace_usage(p_workspace_id uuid) IS 'What a workspace uses: calls of all keys today and in 7 days of UTC (up to a minute late: those that crm.drain_calls has moved; the newest 20,000 hours of keys), keys that work (5,000 at most), active webhooks (1,000), active members (5,000), deliveries that wait for an attempt (10,000). A count that has reached its bound may be larger.';


--
-- Name: workspaces_of_current_user(); Type: FUNCTION; Schema: crm; Owner: -
--

CREATE FUNCTION crm.workspaces_of_current_user() RETURNS json
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select coalesce(json_agg(json_build_object('id', w.id, 'name', w.name, 'role', m.role) order by w.name, w.id), '[]')
  from crm.members m
  join crm.workspaces w on w.id = m.workspace_id
  where m.user_id = crm.current_user_id() and m.is_active
$$;


--
-- Name: FUNCTION workspaces_of_current_user(); Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON FUNCTION crm.workspaces_of_current_user() IS 'The workspaces of the person who is signed in (id, name, role), by name. Security definer, because row-level security shows a member one workspace only.';


--
-- Name: audit_log; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.audit_log (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7(clock_timestamp()) NOT NULL,
    member_id uuid,
    action text NOT NULL,
    object_type text NOT NULL,
    object_id uuid NOT NULL,
    object_name text NOT NULL,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY crm.audit_log FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE audit_log; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.audit_log IS 'Every change that a verb of schema app made to a workspace. Nothing changes or removes a line.';


--
-- Name: COLUMN audit_log.member_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.audit_log.member_id IS 'Who did it; null for the operator.';


--
-- Name: COLUMN audit_log.object_name; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.audit_log.object_name IS 'What the object was called at that moment, so that a line can be read without it.';


--
-- Name: event_types; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.event_types (
    event crm.event_type NOT NULL,
    object_type text NOT NULL,
    is_change boolean NOT NULL
);

ALTER TABLE ONLY crm.event_types FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE event_types; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.event_types IS 'The type of object that each event is about (spec 6.2).';


--
-- Name: COLUMN event_types.is_change; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.event_types.is_change IS 'Whether the change log shows it. Every change has one such event; the others tell of the same change, or of time.';


--
-- Name: events_default; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.events_default (
    workspace_id uuid CONSTRAINT events_workspace_id_not_null NOT NULL,
    id uuid DEFAULT crm.uuid_v7_clock() CONSTRAINT events_id_not_null NOT NULL,
    event crm.event_type CONSTRAINT events_event_not_null NOT NULL,
    object_id uuid CONSTRAINT events_object_id_not_null NOT NULL,
    facts jsonb CONSTRAINT events_facts_not_null NOT NULL,
    is_test boolean DEFAULT false CONSTRAINT events_is_test_not_null NOT NULL,
    caller_id uuid DEFAULT crm.current_caller_id(),
    occurred_at timestamp with time zone DEFAULT now() CONSTRAINT events_occurred_at_not_null NOT NULL,
    "position" bigint DEFAULT crm.feed_position() CONSTRAINT events_position_not_null NOT NULL
);

ALTER TABLE ONLY crm.events_default FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE events_default; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.events_default IS 'Rows of crm.events whose day has no partition: none, unless its job did not run for a week.';


--
-- Name: feed_offset; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.feed_offset (
    only_row boolean DEFAULT true NOT NULL,
    added bigint DEFAULT 0 NOT NULL,
    CONSTRAINT feed_offset_only_row_check CHECK (only_row)
);

ALTER TABLE ONLY crm.feed_offset FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE feed_offset; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.feed_offset IS 'What is added to a transaction id to make a position of the feed. A database that was restored into another cluster begins with small transaction ids again: crm.continue_feed() then raises this number.';


--
-- Name: idempotency_keys; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.idempotency_keys (
    workspace_id uuid NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    body text NOT NULL,
    was_found boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT idempotency_keys_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255)))
);

ALTER TABLE ONLY crm.idempotency_keys FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE idempotency_keys; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.idempotency_keys IS 'The replies of the last 24 hours by key, so that a repeated POST gets the first reply and creates nothing. Errors are not stored.';


--
-- Name: COLUMN idempotency_keys.request_hash; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.idempotency_keys.request_hash IS 'SHA-256 of the resource and of the body in canonical form.';


--
-- Name: COLUMN idempotency_keys.was_found; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.idempotency_keys.was_found IS 'Whether the reply is that of an upsert which found its record, so that its repetition names no new address either.';


--
-- Name: jobs; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.jobs (
    name text NOT NULL,
    every interval NOT NULL,
    command text NOT NULL,
    description text NOT NULL,
    CONSTRAINT jobs_every_check CHECK ((every >= '00:00:01'::interval))
);

ALTER TABLE ONLY crm.jobs FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE jobs; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.jobs IS 'Periodic tasks: each command runs at its interval. pg_cron and the local scheduler run these same rows.';


--
-- Name: key_calls; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.key_calls (
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    calls bigint NOT NULL,
    CONSTRAINT key_calls_calls_check CHECK ((calls > 0))
);

ALTER TABLE ONLY crm.key_calls FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE key_calls; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.key_calls IS 'The admitted calls of each key by hour, for 90 days, up to the last run of crm.drain_calls. An hour without a call has no row. crm.count_calls adds what came after that run.';


--
-- Name: COLUMN key_calls.hour; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.key_calls.hour IS 'The beginning of the hour.';


--
-- Name: key_counters; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.key_counters (
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL,
    counted_since timestamp with time zone NOT NULL,
    calls bigint NOT NULL,
    last_call_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY crm.key_counters FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE key_counters; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.key_counters IS 'How far the counter of each key in crm.rate_limits has been moved to crm.key_calls. It is a table of its own, so that moving locks no row that a call waits for.';


--
-- Name: COLUMN key_counters.counted_since; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.key_counters.counted_since IS 'Which counter that was. One that began at another time, after a crash emptied crm.rate_limits, has not been moved yet.';


--
-- Name: COLUMN key_counters.last_call_at; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.key_counters.last_call_at IS 'The newest call that was moved; kept after its hour has been purged.';


--
-- Name: key_secrets; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.key_secrets (
    workspace_id uuid NOT NULL,
    id uuid DEFAULT crm.uuid_v7() NOT NULL,
    key_id uuid NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT key_secrets_hash_check CHECK ((octet_length(hash) = 32))
);

ALTER TABLE ONLY crm.key_secrets FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE key_secrets; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.key_secrets IS 'What clients send as their key, each stored as a hash: a dump of this table opens nothing. After a rotation the key has two that work until the earlier one expires. The role crm_api cannot read it.';


--
-- Name: COLUMN key_secrets.prefix; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.key_secrets.prefix IS 'The visible start of the secret, by which the operator finds the key of one that has leaked.';


--
-- Name: COLUMN key_secrets.hash; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.key_secrets.hash IS 'SHA-256 of the whole secret. A fast hash is enough, because a secret has 32 random bytes.';


--
-- Name: COLUMN key_secrets.expires_at; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.key_secrets.expires_at IS 'When a rotation ends it; null for the newest, which lasts as long as its key.';


--
-- Name: lead_receipts; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.lead_receipts (
    workspace_id uuid NOT NULL,
    external_id crm.external_id NOT NULL,
    deal_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    company_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY crm.lead_receipts FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE lead_receipts; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.lead_receipts IS 'The ids that an external_id was first answered with, stored for good: the same lead sent again gets the same ids, whatever happened to the deal.';


--
-- Name: proposal_links; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.proposal_links (
    workspace_id uuid NOT NULL,
    proposal_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT proposal_links_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

ALTER TABLE ONLY crm.proposal_links FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE proposal_links; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.proposal_links IS 'The one valid link of each proposal, by the SHA-256 of its token: a dump of this table opens nothing. The hashes are not in crm.proposals, so that crm_api can read proposals and never a hash.';


--
-- Name: COLUMN proposal_links.token_hash; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.proposal_links.token_hash IS 'A fast hash is enough, because a token has 32 random bytes.';


--
-- Name: rate_limits; Type: TABLE; Schema: crm; Owner: -
--

CREATE UNLOGGED TABLE crm.rate_limits (
    key_id uuid NOT NULL,
    hits timestamp with time zone[] NOT NULL,
    calls bigint DEFAULT 0 NOT NULL,
    counted_since timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY crm.rate_limits FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE rate_limits; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.rate_limits IS 'One row for each caller that has a limit (a key, a proposal''s link, a session): the times of its admitted calls in the last 60 seconds, oldest first.';


--
-- Name: COLUMN rate_limits.calls; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.rate_limits.calls IS 'Admitted calls since counted_since, from which the calls of a key are counted without a second write (crm.drain_calls).';


--
-- Name: COLUMN rate_limits.counted_since; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.rate_limits.counted_since IS 'When the row was made. A row that is made again, after a crash, has another, so that its calls are counted anew.';


--
-- Name: search_progress; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.search_progress (
    only_row boolean DEFAULT true NOT NULL,
    "position" bigint DEFAULT 0 NOT NULL,
    reached_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT search_progress_only_row_check CHECK (only_row)
);

ALTER TABLE ONLY crm.search_progress FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE search_progress; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.search_progress IS 'How far in the feed the texts are kept, but for the workspaces of crm.search_backlog.';


--
-- Name: COLUMN search_progress."position"; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.search_progress."position" IS 'Events below it need no more work: crm.feed_horizon when the job ran.';


--
-- Name: COLUMN search_progress.reached_at; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.search_progress.reached_at IS 'When that was. What is still to be read was written later, or in a transaction that was open then.';


--
-- Name: search_texts; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.search_texts (
    workspace_id uuid NOT NULL,
    record text NOT NULL,
    id uuid NOT NULL,
    text text NOT NULL
);

ALTER TABLE ONLY crm.search_texts FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE search_texts; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.search_texts IS 'The text of each record that is searched. Apart from the records, so that a change of other fields costs no entry in the index of words.';


--
-- Name: COLUMN search_texts.record; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.search_texts.record IS 'The kind of the record, such as `contact`.';


--
-- Name: COLUMN search_texts.text; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.search_texts.text IS 'What is searched, in the form of crm.search_text. The job index-texts keeps it.';


--
-- Name: webhook_attempts; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.webhook_attempts (
    workspace_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    series integer NOT NULL,
    number integer NOT NULL,
    status integer,
    reason text,
    duration_ms integer NOT NULL,
    finished_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT webhook_attempts_number_check CHECK (((number >= 1) AND (number <= 5)))
)
PARTITION BY RANGE (delivery_id);

ALTER TABLE ONLY crm.webhook_attempts FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE webhook_attempts; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.webhook_attempts IS 'The outcome of each attempt. Kept as long as its delivery, in partitions by the day of the event.';


--
-- Name: COLUMN webhook_attempts.status; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_attempts.status IS 'The HTTP status of the response; null if no complete response arrived.';


--
-- Name: COLUMN webhook_attempts.reason; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_attempts.reason IS 'Why the attempt failed, such as timeout_connect or http_503; null if it succeeded.';


--
-- Name: webhook_attempts_default; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.webhook_attempts_default (
    workspace_id uuid CONSTRAINT webhook_attempts_workspace_id_not_null NOT NULL,
    delivery_id uuid CONSTRAINT webhook_attempts_delivery_id_not_null NOT NULL,
    series integer CONSTRAINT webhook_attempts_series_not_null NOT NULL,
    number integer CONSTRAINT webhook_attempts_number_not_null NOT NULL,
    status integer,
    reason text,
    duration_ms integer CONSTRAINT webhook_attempts_duration_ms_not_null NOT NULL,
    finished_at timestamp with time zone DEFAULT clock_timestamp() CONSTRAINT webhook_attempts_finished_at_not_null NOT NULL,
    CONSTRAINT webhook_attempts_number_check CHECK (((number >= 1) AND (number <= 5)))
);

ALTER TABLE ONLY crm.webhook_attempts_default FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE webhook_attempts_default; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.webhook_attempts_default IS 'Rows of crm.webhook_attempts whose day has no partition: none, unless its job did not run for a week.';


--
-- Name: webhook_deliveries_default; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.webhook_deliveries_default (
    workspace_id uuid CONSTRAINT webhook_deliveries_workspace_id_not_null NOT NULL,
    id uuid DEFAULT crm.uuid_v7() CONSTRAINT webhook_deliveries_id_not_null NOT NULL,
    event_id uuid CONSTRAINT webhook_deliveries_event_id_not_null NOT NULL,
    subscription_id uuid CONSTRAINT webhook_deliveries_subscription_id_not_null NOT NULL,
    state text DEFAULT 'pending'::text CONSTRAINT webhook_deliveries_state_not_null NOT NULL,
    series integer DEFAULT 1 CONSTRAINT webhook_deliveries_series_not_null NOT NULL,
    attempts integer DEFAULT 0 CONSTRAINT webhook_deliveries_attempts_not_null NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT now() CONSTRAINT webhook_deliveries_next_attempt_at_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT webhook_deliveries_created_at_not_null NOT NULL,
    ended_badly boolean GENERATED ALWAYS AS ((state = ANY (ARRAY['failed'::text, 'cancelled'::text]))) STORED,
    CONSTRAINT webhook_deliveries_attempts_check CHECK (((attempts >= 0) AND (attempts <= 5))),
    CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text])))
);

ALTER TABLE ONLY crm.webhook_deliveries_default FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE webhook_deliveries_default; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.webhook_deliveries_default IS 'Rows of crm.webhook_deliveries whose day has no partition: none, unless its job did not run for a week.';


--
-- Name: webhook_leases; Type: SEQUENCE; Schema: crm; Owner: -
--

CREATE SEQUENCE crm.webhook_leases
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: SEQUENCE webhook_leases; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON SEQUENCE crm.webhook_leases IS 'The numbers of leases: each is given once, also after a delivery is sent again.';


--
-- Name: webhook_secrets; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.webhook_secrets (
    workspace_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    secret bytea NOT NULL,
    next_secret bytea,
    next_from timestamp with time zone,
    CONSTRAINT webhook_secrets_check CHECK (((next_secret IS NULL) = (next_from IS NULL)))
);

ALTER TABLE ONLY crm.webhook_secrets FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE webhook_secrets; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.webhook_secrets IS 'Signing secrets, encrypted with a key that the database never has: nobody can sign with a dump of this table. Each is sealed for its subscription_id: copied to another row, it cannot be decrypted. They are not in crm.webhook_subscriptions, so that crm_api can write a secret and never read one.';


--
-- Name: COLUMN webhook_secrets.next_secret; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_secrets.next_secret IS 'The secret of a rotation with overlap: until next_from it makes a second signature, from then on the only one.';


--
-- Name: webhook_shards; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.webhook_shards (
    shard smallint NOT NULL,
    last_workspace_id uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    CONSTRAINT webhook_shards_shard_check CHECK (((shard >= 0) AND (shard <= 15)))
);

ALTER TABLE ONLY crm.webhook_shards FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE webhook_shards; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.webhook_shards IS 'The parts of the queue. A claim locks the row of a part, so that two claims do not both fill the same free places; claims of other parts go on.';


--
-- Name: COLUMN webhook_shards.last_workspace_id; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_shards.last_workspace_id IS 'Where the last claim stopped, if it did not see all workspaces: the next one begins behind it.';


--
-- Name: webhook_unsettled; Type: TABLE; Schema: crm; Owner: -
--

CREATE TABLE crm.webhook_unsettled (
    workspace_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    shard smallint GENERATED ALWAYS AS (((get_byte(uuid_send(workspace_id), 15) & 15))::smallint) STORED NOT NULL,
    send_now boolean DEFAULT false NOT NULL,
    sent_to uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL
);

ALTER TABLE ONLY crm.webhook_unsettled FORCE ROW LEVEL SECURITY;


--
-- Name: TABLE webhook_unsettled; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON TABLE crm.webhook_unsettled IS 'Subscriptions whose rows in the queue must still be held, cancelled or released, after the subscription or its workspace changed. Claims do that in small steps (crm.settle_subscription), so that no change of state waits for a long queue.';


--
-- Name: COLUMN webhook_unsettled.send_now; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_unsettled.send_now IS 'Whether deliveries that wait for their next attempt become due now: after a reactivation.';


--
-- Name: COLUMN webhook_unsettled.sent_to; Type: COMMENT; Schema: crm; Owner: -
--

COMMENT ON COLUMN crm.webhook_unsettled.sent_to IS 'The last delivery that became due so. Each does once: those that fail again meanwhile wait as long as any.';


--
-- Name: events_default; Type: TABLE ATTACH; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.events ATTACH PARTITION crm.events_default DEFAULT;


--
-- Name: webhook_attempts_default; Type: TABLE ATTACH; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_attempts ATTACH PARTITION crm.webhook_attempts_default DEFAULT;


--
-- Name: webhook_deliveries_default; Type: TABLE ATTACH; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_deliveries ATTACH PARTITION crm.webhook_deliveries_default DEFAULT;


--
-- Name: activities activities_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.activities
    ADD CONSTRAINT activities_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: api_keys api_keys_id_key; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.api_keys
    ADD CONSTRAINT api_keys_id_key UNIQUE (id);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: audit_log audit_log_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: companies companies_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.companies
    ADD CONSTRAINT companies_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: contacts contacts_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.contacts
    ADD CONSTRAINT contacts_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: deals deals_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.deals
    ADD CONSTRAINT deals_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: event_types event_types_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.event_types
    ADD CONSTRAINT event_types_pkey PRIMARY KEY (event);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: events_default events_default_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.events_default
    ADD CONSTRAINT events_default_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: feed_offset feed_offset_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.feed_offset
    ADD CONSTRAINT feed_offset_pkey PRIMARY KEY (only_row);


--
-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (workspace_id, key);


--
-- Name: jobs jobs_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (name);


--
-- Name: key_calls key_calls_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.key_calls
    ADD CONSTRAINT key_calls_pkey PRIMARY KEY (workspace_id, key_id, hour);


--
-- Name: key_counters key_counters_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.key_counters
    ADD CONSTRAINT key_counters_pkey PRIMARY KEY (workspace_id, key_id);


--
-- Name: key_secrets key_secrets_hash_key; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.key_secrets
    ADD CONSTRAINT key_secrets_hash_key UNIQUE (hash);


--
-- Name: key_secrets key_secrets_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.key_secrets
    ADD CONSTRAINT key_secrets_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: lead_receipts lead_receipts_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.lead_receipts
    ADD CONSTRAINT lead_receipts_pkey PRIMARY KEY (workspace_id, external_id);


--
-- Name: loss_reasons loss_reasons_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.loss_reasons
    ADD CONSTRAINT loss_reasons_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: members members_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: notes notes_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: pipelines pipelines_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.pipelines
    ADD CONSTRAINT pipelines_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: proposal_links proposal_links_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.proposal_links
    ADD CONSTRAINT proposal_links_pkey PRIMARY KEY (workspace_id, proposal_id);


--
-- Name: proposal_links proposal_links_token_hash_key; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.proposal_links
    ADD CONSTRAINT proposal_links_token_hash_key UNIQUE (token_hash);


--
-- Name: proposals proposals_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.proposals
    ADD CONSTRAINT proposals_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: rate_limits rate_limits_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key_id);


--
-- Name: search_backlog search_backlog_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.search_backlog
    ADD CONSTRAINT search_backlog_pkey PRIMARY KEY (workspace_id);


--
-- Name: search_progress search_progress_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.search_progress
    ADD CONSTRAINT search_progress_pkey PRIMARY KEY (only_row);


--
-- Name: search_texts search_texts_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.search_texts
    ADD CONSTRAINT search_texts_pkey PRIMARY KEY (workspace_id, record, id);


--
-- Name: stages stages_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.stages
    ADD CONSTRAINT stages_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: stages stages_workspace_id_pipeline_id_id_key; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.stages
    ADD CONSTRAINT stages_workspace_id_pipeline_id_id_key UNIQUE (workspace_id, pipeline_id, id);


--
-- Name: stages stages_workspace_id_pipeline_id_position_key; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.stages
    ADD CONSTRAINT stages_workspace_id_pipeline_id_position_key UNIQUE (workspace_id, pipeline_id, "position");


--
-- Name: webhook_attempts webhook_attempts_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (workspace_id, delivery_id, series, number);


--
-- Name: webhook_attempts_default webhook_attempts_default_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_attempts_default
    ADD CONSTRAINT webhook_attempts_default_pkey PRIMARY KEY (workspace_id, delivery_id, series, number);


--
-- Name: webhook_deliveries webhook_deliveries_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: webhook_deliveries_default webhook_deliveries_default_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_deliveries_default
    ADD CONSTRAINT webhook_deliveries_default_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: webhook_queue webhook_queue_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_queue
    ADD CONSTRAINT webhook_queue_pkey PRIMARY KEY (workspace_id, delivery_id);


--
-- Name: webhook_secrets webhook_secrets_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_secrets
    ADD CONSTRAINT webhook_secrets_pkey PRIMARY KEY (workspace_id, subscription_id);


--
-- Name: webhook_shards webhook_shards_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_shards
    ADD CONSTRAINT webhook_shards_pkey PRIMARY KEY (shard);


--
-- Name: webhook_subscriptions webhook_subscriptions_id_key; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_id_key UNIQUE (id);


--
-- Name: webhook_subscriptions webhook_subscriptions_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_pkey PRIMARY KEY (workspace_id, id);


--
-- Name: webhook_unsettled webhook_unsettled_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_unsettled
    ADD CONSTRAINT webhook_unsettled_pkey PRIMARY KEY (workspace_id, subscription_id);


--
-- Name: workspaces workspaces_pkey; Type: CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);


--
-- Name: activities_contact_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX activities_contact_id ON crm.activities USING btree (workspace_id, contact_id, id);


--
-- Name: activities_deal_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX activities_deal_id ON crm.activities USING btree (workspace_id, deal_id, id);


--
-- Name: activities_due; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX activities_due ON crm.activities USING btree (workspace_id, due_at, id);


--
-- Name: activities_overdue; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX activities_overdue ON crm.activities USING btree (workspace_id, overdue_unreported_at) WHERE (overdue_unreported_at IS NOT NULL);


--
-- Name: activities_owner_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX activities_owner_id ON crm.activities USING btree (workspace_id, owner_id, id);


--
-- Name: activities_pending; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX activities_pending ON crm.activities USING btree (workspace_id, due_at, id) WHERE ((status)::text = 'pendente'::text);


--
-- Name: activities_status; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX activities_status ON crm.activities USING btree (workspace_id, status, id);


--
-- Name: activities_type; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX activities_type ON crm.activities USING btree (workspace_id, type, id);


--
-- Name: activities_updated_at; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX activities_updated_at ON crm.activities USING btree (workspace_id, updated_at, id);


--
-- Name: api_keys_working; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX api_keys_working ON crm.api_keys USING btree (workspace_id, member_id) WHERE (revoked_at IS NULL);


--
-- Name: companies_archived; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX companies_archived ON crm.companies USING btree (workspace_id, id) WHERE (archived_at IS NOT NULL);


--
-- Name: companies_domain; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX companies_domain ON crm.companies USING btree (workspace_id, domain, id) WHERE (domain IS NOT NULL);


--
-- Name: companies_external_id_once; Type: INDEX; Schema: crm; Owner: -
--

CREATE UNIQUE INDEX companies_external_id_once ON crm.companies USING btree (workspace_id, external_id) WHERE (external_id IS NOT NULL);


--
-- Name: companies_merged; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX companies_merged ON crm.companies USING btree (workspace_id, merged_into_id) WHERE (merged_into_id IS NOT NULL);


--
-- Name: companies_name_key; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX companies_name_key ON crm.companies USING btree (workspace_id, name_key, id);


--
-- Name: companies_owner_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX companies_owner_id ON crm.companies USING btree (workspace_id, owner_id, id);


--
-- Name: companies_tax_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX companies_tax_id ON crm.companies USING btree (workspace_id, tax_id, id) WHERE (tax_id IS NOT NULL);


--
-- Name: companies_updated_at; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX companies_updated_at ON crm.companies USING btree (workspace_id, updated_at, id);


--
-- Name: contacts_archived; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX contacts_archived ON crm.contacts USING btree (workspace_id, id) WHERE (archived_at IS NOT NULL);


--
-- Name: contacts_company_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX contacts_company_id ON crm.contacts USING btree (workspace_id, company_id, id) WHERE (company_id IS NOT NULL);


--
-- Name: contacts_email; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX contacts_email ON crm.contacts USING btree (workspace_id, email, id);


--
-- Name: contacts_external_id_once; Type: INDEX; Schema: crm; Owner: -
--

CREATE UNIQUE INDEX contacts_external_id_once ON crm.contacts USING btree (workspace_id, external_id) WHERE (external_id IS NOT NULL);


--
-- Name: contacts_merged; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX contacts_merged ON crm.contacts USING btree (workspace_id, merged_into_id) WHERE (merged_into_id IS NOT NULL);


--
-- Name: contacts_phone_e164; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX contacts_phone_e164 ON crm.contacts USING btree (workspace_id, phone_e164, id);


--
-- Name: contacts_updated_at; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX contacts_updated_at ON crm.contacts USING btree (workspace_id, updated_at, id);


--
-- Name: deals_archived; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_archived ON crm.deals USING btree (workspace_id, id) WHERE (archived_at IS NOT NULL);


--
-- Name: deals_closed; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_closed ON crm.deals USING btree (workspace_id, pipeline_id, status, closed_at, id) WHERE ((closed_at IS NOT NULL) AND (archived_at IS NULL));


--
-- Name: deals_closed_at; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_closed_at ON crm.deals USING btree (workspace_id, closed_at, id DESC) WHERE (closed_at IS NOT NULL);


--
-- Name: deals_company_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_company_id ON crm.deals USING btree (workspace_id, company_id, id);


--
-- Name: deals_contact_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_contact_id ON crm.deals USING btree (workspace_id, contact_id, id);


--
-- Name: deals_external_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_external_id ON crm.deals USING btree (workspace_id, external_id, id) WHERE (external_id IS NOT NULL);


--
-- Name: deals_lead_contact; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_lead_contact ON crm.deals USING btree (workspace_id, lead_contact_id) WHERE (lead_contact_id IS NOT NULL);


--
-- Name: deals_open; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_open ON crm.deals USING btree (workspace_id, stage_id, id) WHERE (((status)::text = 'aberto'::text) AND (archived_at IS NULL));


--
-- Name: deals_owner_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_owner_id ON crm.deals USING btree (workspace_id, owner_id, id);


--
-- Name: deals_pipeline_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_pipeline_id ON crm.deals USING btree (workspace_id, pipeline_id, id);


--
-- Name: deals_stage_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_stage_id ON crm.deals USING btree (workspace_id, stage_id, id);


--
-- Name: deals_stale; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_stale ON crm.deals USING btree (workspace_id, stale_unreported_since) WHERE (stale_unreported_since IS NOT NULL);


--
-- Name: deals_status; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_status ON crm.deals USING btree (workspace_id, status, id);


--
-- Name: deals_updated_at; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX deals_updated_at ON crm.deals USING btree (workspace_id, updated_at, id);


--
-- Name: events_of_object; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX events_of_object ON ONLY crm.events USING btree (workspace_id, object_id, "position", id);


--
-- Name: events_default_workspace_id_object_id_position_id_idx; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX events_default_workspace_id_object_id_position_id_idx ON crm.events_default USING btree (workspace_id, object_id, "position", id);


--
-- Name: events_in_order; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX events_in_order ON ONLY crm.events USING btree (workspace_id, "position", id);


--
-- Name: events_default_workspace_id_position_id_idx; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX events_default_workspace_id_position_id_idx ON crm.events_default USING btree (workspace_id, "position", id);


--
-- Name: idempotency_keys_age; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX idempotency_keys_age ON crm.idempotency_keys USING btree (created_at);


--
-- Name: key_calls_age; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX key_calls_age ON crm.key_calls USING btree (hour);


--
-- Name: key_calls_of_workspace; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX key_calls_of_workspace ON crm.key_calls USING btree (workspace_id, hour);


--
-- Name: key_secrets_age; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX key_secrets_age ON crm.key_secrets USING btree (expires_at) WHERE (expires_at IS NOT NULL);


--
-- Name: key_secrets_newest; Type: INDEX; Schema: crm; Owner: -
--

CREATE UNIQUE INDEX key_secrets_newest ON crm.key_secrets USING btree (workspace_id, key_id) WHERE (expires_at IS NULL);


--
-- Name: key_secrets_replaced; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX key_secrets_replaced ON crm.key_secrets USING btree (workspace_id, key_id, expires_at) WHERE (expires_at IS NOT NULL);


--
-- Name: members_by_email; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX members_by_email ON crm.members USING btree (lower(email));


--
-- Name: members_email; Type: INDEX; Schema: crm; Owner: -
--

CREATE UNIQUE INDEX members_email ON crm.members USING btree (workspace_id, lower(email));


--
-- Name: members_user; Type: INDEX; Schema: crm; Owner: -
--

CREATE UNIQUE INDEX members_user ON crm.members USING btree (user_id, workspace_id);


--
-- Name: notes_deal_id; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX notes_deal_id ON crm.notes USING btree (workspace_id, deal_id, id);


--
-- Name: notes_kind; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX notes_kind ON crm.notes USING btree (workspace_id, deal_id, kind, id);


--
-- Name: notes_updated_at; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX notes_updated_at ON crm.notes USING btree (workspace_id, deal_id, updated_at, id);


--
-- Name: pipelines_one_default; Type: INDEX; Schema: crm; Owner: -
--

CREATE UNIQUE INDEX pipelines_one_default ON crm.pipelines USING btree (workspace_id) WHERE is_default;


--
-- Name: proposals_deal; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX proposals_deal ON crm.proposals USING btree (workspace_id, deal_id, id);


--
-- Name: search_texts_words; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX search_texts_words ON crm.search_texts USING gin (crm.searched_keys(workspace_id, record, id, text) COLLATE "C") WITH (fastupdate='on', gin_pending_list_limit='64');
ALTER INDEX crm.search_texts_words ALTER COLUMN 1 SET STATISTICS 0;


--
-- Name: webhook_deliveries_of_subscription; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_deliveries_of_subscription ON ONLY crm.webhook_deliveries USING btree (workspace_id, subscription_id, id);


--
-- Name: webhook_deliveries_default_workspace_id_subscription_id_id_idx; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_deliveries_default_workspace_id_subscription_id_id_idx ON crm.webhook_deliveries_default USING btree (workspace_id, subscription_id, id);


--
-- Name: webhook_deliveries_ended_badly; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_deliveries_ended_badly ON ONLY crm.webhook_deliveries USING btree (workspace_id, subscription_id, id) WHERE ended_badly;


--
-- Name: webhook_deliveries_default_workspace_id_subscription_id_id_idx1; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_deliveries_default_workspace_id_subscription_id_id_idx1 ON crm.webhook_deliveries_default USING btree (workspace_id, subscription_id, id) WHERE ended_badly;


--
-- Name: webhook_queue_leased; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_queue_leased ON crm.webhook_queue USING btree (shard, workspace_id, subscription_id) WHERE (state = 'leased'::text);


--
-- Name: webhook_queue_leased_of_host; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_queue_leased_of_host ON crm.webhook_queue USING btree (host) WHERE ((lease_until IS NOT NULL) AND (host IS NOT NULL));


--
-- Name: webhook_queue_not_ready; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_queue_not_ready ON crm.webhook_queue USING btree (shard, workspace_id, subscription_id, delivery_id) WHERE ((state <> 'ready'::text) AND (lease_until IS NULL));


--
-- Name: webhook_queue_ready; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_queue_ready ON crm.webhook_queue USING btree (shard, workspace_id, subscription_id, delivery_id) WHERE (state = 'ready'::text);


--
-- Name: webhook_queue_waiting; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_queue_waiting ON crm.webhook_queue USING btree (shard, due_at) WHERE (state = 'waiting'::text);


--
-- Name: webhook_subscriptions_behind; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_subscriptions_behind ON crm.webhook_subscriptions USING btree (workspace_id, id) WHERE (behind_since IS NOT NULL);


--
-- Name: webhook_subscriptions_listed; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_subscriptions_listed ON crm.webhook_subscriptions USING btree (workspace_id, is_active, created_at, id);


--
-- Name: webhook_subscriptions_of_key; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_subscriptions_of_key ON crm.webhook_subscriptions USING btree (workspace_id, key_id, is_active, created_at, id);


--
-- Name: webhook_unsettled_of_shard; Type: INDEX; Schema: crm; Owner: -
--

CREATE INDEX webhook_unsettled_of_shard ON crm.webhook_unsettled USING btree (shard);


--
-- Name: events_default_pkey; Type: INDEX ATTACH; Schema: crm; Owner: -
--

ALTER INDEX crm.events_pkey ATTACH PARTITION crm.events_default_pkey;


--
-- Name: events_default_workspace_id_object_id_position_id_idx; Type: INDEX ATTACH; Schema: crm; Owner: -
--

ALTER INDEX crm.events_of_object ATTACH PARTITION crm.events_default_workspace_id_object_id_position_id_idx;


--
-- Name: events_default_workspace_id_position_id_idx; Type: INDEX ATTACH; Schema: crm; Owner: -
--

ALTER INDEX crm.events_in_order ATTACH PARTITION crm.events_default_workspace_id_position_id_idx;


--
-- Name: webhook_attempts_default_pkey; Type: INDEX ATTACH; Schema: crm; Owner: -
--

ALTER INDEX crm.webhook_attempts_pkey ATTACH PARTITION crm.webhook_attempts_default_pkey;


--
-- Name: webhook_deliveries_default_pkey; Type: INDEX ATTACH; Schema: crm; Owner: -
--

ALTER INDEX crm.webhook_deliveries_pkey ATTACH PARTITION crm.webhook_deliveries_default_pkey;


--
-- Name: webhook_deliveries_default_workspace_id_subscription_id_id_idx; Type: INDEX ATTACH; Schema: crm; Owner: -
--

ALTER INDEX crm.webhook_deliveries_of_subscription ATTACH PARTITION crm.webhook_deliveries_default_workspace_id_subscription_id_id_idx;


--
-- Name: webhook_deliveries_default_workspace_id_subscription_id_id_idx1; Type: INDEX ATTACH; Schema: crm; Owner: -
--

ALTER INDEX crm.webhook_deliveries_ended_badly ATTACH PARTITION crm.webhook_deliveries_default_workspace_id_subscription_id_id_idx1;


--
-- Name: deals emit_closed; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_closed AFTER UPDATE OF status ON crm.deals FOR EACH ROW WHEN ((((old.status)::text IS DISTINCT FROM (new.status)::text) AND ((new.status)::text <> 'aberto'::text))) EXECUTE FUNCTION crm.emit_closed();


--
-- Name: activities emit_completed; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_completed AFTER UPDATE OF status ON crm.activities FOR EACH ROW WHEN ((((old.status)::text IS DISTINCT FROM (new.status)::text) AND ((new.status)::text = 'concluida'::text))) EXECUTE FUNCTION crm.emit_change('activity.completed');


--
-- Name: activities emit_created; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_created AFTER INSERT ON crm.activities FOR EACH ROW EXECUTE FUNCTION crm.emit_created('activity.created');


--
-- Name: companies emit_created; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_created AFTER INSERT ON crm.companies REFERENCING NEW TABLE AS created FOR EACH STATEMENT EXECUTE FUNCTION crm.emit_all_created('company.created');


--
-- Name: contacts emit_created; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_created AFTER INSERT ON crm.contacts REFERENCING NEW TABLE AS created FOR EACH STATEMENT EXECUTE FUNCTION crm.emit_all_created('contact.created');


--
-- Name: deals emit_created; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_created AFTER INSERT ON crm.deals REFERENCING NEW TABLE AS created FOR EACH STATEMENT EXECUTE FUNCTION crm.emit_deals_created();


--
-- Name: notes emit_created; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_created AFTER INSERT ON crm.notes FOR EACH ROW EXECUTE FUNCTION crm.emit_created('note.created');


--
-- Name: activities emit_created_completed; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_created_completed AFTER INSERT ON crm.activities FOR EACH ROW WHEN (((new.status)::text = 'concluida'::text)) EXECUTE FUNCTION crm.emit_change('activity.completed');


--
-- Name: contacts emit_erased; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_erased AFTER UPDATE OF erased_at ON crm.contacts FOR EACH ROW WHEN (((old.erased_at IS NULL) AND (new.erased_at IS NOT NULL))) EXECUTE FUNCTION crm.emit_erased();


--
-- Name: contacts emit_merged; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_merged AFTER UPDATE OF merged_into_id ON crm.contacts FOR EACH ROW WHEN (((old.merged_into_id IS NULL) AND (new.merged_into_id IS NOT NULL))) EXECUTE FUNCTION crm.move_to_contact();


--
-- Name: proposals emit_proposal; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_proposal AFTER UPDATE ON crm.proposals FOR EACH ROW EXECUTE FUNCTION crm.emit_proposal();


--
-- Name: deals emit_reopened; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_reopened AFTER UPDATE OF status ON crm.deals FOR EACH ROW WHEN ((((old.status)::text IS DISTINCT FROM (new.status)::text) AND ((new.status)::text = 'aberto'::text))) EXECUTE FUNCTION crm.emit_change('deal.reopened');


--
-- Name: deals emit_stage_changed; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_stage_changed AFTER UPDATE OF stage_id ON crm.deals FOR EACH ROW WHEN ((old.stage_id IS DISTINCT FROM new.stage_id)) EXECUTE FUNCTION crm.emit_stage_changed();


--
-- Name: activities emit_updated; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_updated AFTER UPDATE ON crm.activities FOR EACH ROW WHEN (((old.* IS DISTINCT FROM new.*) AND ((pg_trigger_depth() = 0) OR (NOT (old.contact_id IS DISTINCT FROM new.contact_id))))) EXECUTE FUNCTION crm.emit_change('activity.updated');


--
-- Name: companies emit_updated; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_updated AFTER UPDATE ON crm.companies FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION crm.emit_change('company.updated');


--
-- Name: contacts emit_updated; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_updated AFTER UPDATE ON crm.contacts FOR EACH ROW WHEN (((old.* IS DISTINCT FROM new.*) AND ((pg_trigger_depth() = 0) OR (NOT (old.company_id IS DISTINCT FROM new.company_id))))) EXECUTE FUNCTION crm.emit_change('contact.updated');


--
-- Name: deals emit_updated; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER emit_updated AFTER UPDATE ON crm.deals FOR EACH ROW WHEN (((old.* IS DISTINCT FROM new.*) AND ((pg_trigger_depth() = 0) OR (NOT ((old.contact_id IS DISTINCT FROM new.contact_id) OR (old.company_id IS DISTINCT FROM new.company_id)))))) EXECUTE FUNCTION crm.emit_change('deal.updated');


--
-- Name: webhook_deliveries enqueue_added; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER enqueue_added AFTER INSERT ON crm.webhook_deliveries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION crm.enqueue_added();


--
-- Name: webhook_deliveries enqueue_changed; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER enqueue_changed AFTER UPDATE ON crm.webhook_deliveries REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION crm.enqueue_changed();


--
-- Name: companies forget_text; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER forget_text AFTER DELETE ON crm.companies FOR EACH ROW EXECUTE FUNCTION crm.forget_text('company');


--
-- Name: contacts forget_text; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER forget_text AFTER DELETE ON crm.contacts FOR EACH ROW EXECUTE FUNCTION crm.forget_text('contact');


--
-- Name: deals forget_text; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER forget_text AFTER DELETE ON crm.deals FOR EACH ROW EXECUTE FUNCTION crm.forget_text('deal');


--
-- Name: deals keep_lead_contact; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER keep_lead_contact BEFORE UPDATE OF contact_id ON crm.deals FOR EACH ROW WHEN (((old.lead IS NOT NULL) AND (old.lead_contact_id IS NULL) AND (old.contact_id IS DISTINCT FROM new.contact_id))) EXECUTE FUNCTION crm.keep_lead_contact();


--
-- Name: companies move_to_company; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER move_to_company AFTER UPDATE OF merged_into_id ON crm.companies FOR EACH ROW WHEN (((old.merged_into_id IS NULL) AND (new.merged_into_id IS NOT NULL))) EXECUTE FUNCTION crm.move_to_company();


--
-- Name: webhook_subscriptions note_deactivation; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER note_deactivation BEFORE INSERT OR UPDATE OF is_active ON crm.webhook_subscriptions FOR EACH ROW EXECUTE FUNCTION crm.note_deactivation();


--
-- Name: workspaces resume_webhooks; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER resume_webhooks AFTER UPDATE OF suspended, public_api ON crm.workspaces FOR EACH ROW WHEN (((old.suspended OR (NOT old.public_api)) AND (NOT new.suspended) AND new.public_api)) EXECUTE FUNCTION crm.resume_webhooks();


--
-- Name: activities set_completed_at; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER set_completed_at BEFORE INSERT OR UPDATE ON crm.activities FOR EACH ROW EXECUTE FUNCTION crm.set_completed_at();


--
-- Name: deals set_deal_moments; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER set_deal_moments BEFORE UPDATE ON crm.deals FOR EACH ROW WHEN (((old.stage_id IS DISTINCT FROM new.stage_id) OR ((old.status)::text IS DISTINCT FROM (new.status)::text))) EXECUTE FUNCTION crm.set_deal_moments();


--
-- Name: activities set_last_activity_at; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER set_last_activity_at AFTER INSERT ON crm.activities FOR EACH ROW EXECUTE FUNCTION crm.set_last_activity_at();


--
-- Name: activities set_moved_at; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER set_moved_at AFTER UPDATE ON crm.activities FOR EACH ROW WHEN (((NOT (old.overdue_reported_for IS DISTINCT FROM new.overdue_reported_for)) AND ((pg_trigger_depth() = 0) OR (NOT (old.contact_id IS DISTINCT FROM new.contact_id))))) EXECUTE FUNCTION crm.set_moved_at();


--
-- Name: notes set_moved_at; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER set_moved_at AFTER INSERT ON crm.notes FOR EACH ROW EXECUTE FUNCTION crm.set_moved_at();


--
-- Name: proposals set_proposal_moments; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER set_proposal_moments BEFORE INSERT OR UPDATE ON crm.proposals FOR EACH ROW EXECUTE FUNCTION crm.set_proposal_moments();


--
-- Name: activities touch; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER touch BEFORE UPDATE ON crm.activities FOR EACH ROW WHEN ((NOT (old.overdue_reported_for IS DISTINCT FROM new.overdue_reported_for))) EXECUTE FUNCTION crm.touch();


--
-- Name: companies touch; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER touch BEFORE UPDATE ON crm.companies FOR EACH ROW EXECUTE FUNCTION crm.touch();


--
-- Name: contacts touch; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER touch BEFORE UPDATE ON crm.contacts FOR EACH ROW EXECUTE FUNCTION crm.touch();


--
-- Name: deals touch; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER touch BEFORE UPDATE ON crm.deals FOR EACH ROW EXECUTE FUNCTION crm.touch_deal();


--
-- Name: loss_reasons touch; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER touch BEFORE UPDATE ON crm.loss_reasons FOR EACH ROW EXECUTE FUNCTION crm.touch();


--
-- Name: members touch; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER touch BEFORE UPDATE ON crm.members FOR EACH ROW EXECUTE FUNCTION crm.touch();


--
-- Name: notes touch; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER touch BEFORE UPDATE ON crm.notes FOR EACH ROW EXECUTE FUNCTION crm.touch();


--
-- Name: pipelines touch; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER touch BEFORE UPDATE ON crm.pipelines FOR EACH ROW EXECUTE FUNCTION crm.touch();


--
-- Name: proposals touch; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER touch BEFORE UPDATE ON crm.proposals FOR EACH ROW EXECUTE FUNCTION crm.touch();


--
-- Name: stages touch; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER touch BEFORE UPDATE ON crm.stages FOR EACH ROW EXECUTE FUNCTION crm.touch();


--
-- Name: webhook_subscriptions touch; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER touch BEFORE UPDATE ON crm.webhook_subscriptions FOR EACH ROW EXECUTE FUNCTION crm.touch();


--
-- Name: workspaces touch; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER touch BEFORE UPDATE ON crm.workspaces FOR EACH ROW EXECUTE FUNCTION crm.touch();


--
-- Name: webhook_subscriptions unsettle_changed_subscription; Type: TRIGGER; Schema: crm; Owner: -
--

CREATE TRIGGER unsettle_changed_subscription AFTER UPDATE OF is_active, deactivated_reason ON crm.webhook_subscriptions FOR EACH ROW WHEN (((old.is_active <> new.is_active) OR (old.deactivated_reason IS DISTINCT FROM new.deactivated_reason))) EXECUTE FUNCTION crm.unsettle_changed_subscription();


--
-- Name: activities activities_workspace_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.activities
    ADD CONSTRAINT activities_workspace_id_contact_id_fkey FOREIGN KEY (workspace_id, contact_id) REFERENCES crm.contacts(workspace_id, id);


--
-- Name: activities activities_workspace_id_created_by_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.activities
    ADD CONSTRAINT activities_workspace_id_created_by_id_fkey FOREIGN KEY (workspace_id, created_by_id) REFERENCES crm.members(workspace_id, id);


--
-- Name: activities activities_workspace_id_deal_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.activities
    ADD CONSTRAINT activities_workspace_id_deal_id_fkey FOREIGN KEY (workspace_id, deal_id) REFERENCES crm.deals(workspace_id, id);


--
-- Name: activities activities_workspace_id_owner_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.activities
    ADD CONSTRAINT activities_workspace_id_owner_id_fkey FOREIGN KEY (workspace_id, owner_id) REFERENCES crm.members(workspace_id, id);


--
-- Name: api_keys api_keys_workspace_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.api_keys
    ADD CONSTRAINT api_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES crm.workspaces(id);


--
-- Name: api_keys api_keys_workspace_id_member_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.api_keys
    ADD CONSTRAINT api_keys_workspace_id_member_id_fkey FOREIGN KEY (workspace_id, member_id) REFERENCES crm.members(workspace_id, id);


--
-- Name: audit_log audit_log_workspace_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.audit_log
    ADD CONSTRAINT audit_log_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES crm.workspaces(id);


--
-- Name: audit_log audit_log_workspace_id_member_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.audit_log
    ADD CONSTRAINT audit_log_workspace_id_member_id_fkey FOREIGN KEY (workspace_id, member_id) REFERENCES crm.members(workspace_id, id);


--
-- Name: companies companies_workspace_id_merged_into_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.companies
    ADD CONSTRAINT companies_workspace_id_merged_into_id_fkey FOREIGN KEY (workspace_id, merged_into_id) REFERENCES crm.companies(workspace_id, id);


--
-- Name: companies companies_workspace_id_owner_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.companies
    ADD CONSTRAINT companies_workspace_id_owner_id_fkey FOREIGN KEY (workspace_id, owner_id) REFERENCES crm.members(workspace_id, id);


--
-- Name: contacts contacts_workspace_id_company_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.contacts
    ADD CONSTRAINT contacts_workspace_id_company_id_fkey FOREIGN KEY (workspace_id, company_id) REFERENCES crm.companies(workspace_id, id);


--
-- Name: contacts contacts_workspace_id_merged_into_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.contacts
    ADD CONSTRAINT contacts_workspace_id_merged_into_id_fkey FOREIGN KEY (workspace_id, merged_into_id) REFERENCES crm.contacts(workspace_id, id);


--
-- Name: contacts contacts_workspace_id_owner_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.contacts
    ADD CONSTRAINT contacts_workspace_id_owner_id_fkey FOREIGN KEY (workspace_id, owner_id) REFERENCES crm.members(workspace_id, id);


--
-- Name: deals deals_workspace_id_company_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.deals
    ADD CONSTRAINT deals_workspace_id_company_id_fkey FOREIGN KEY (workspace_id, company_id) REFERENCES crm.companies(workspace_id, id);


--
-- Name: deals deals_workspace_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.deals
    ADD CONSTRAINT deals_workspace_id_contact_id_fkey FOREIGN KEY (workspace_id, contact_id) REFERENCES crm.contacts(workspace_id, id);


--
-- Name: deals deals_workspace_id_loss_reason_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.deals
    ADD CONSTRAINT deals_workspace_id_loss_reason_id_fkey FOREIGN KEY (workspace_id, loss_reason_id) REFERENCES crm.loss_reasons(workspace_id, id);


--
-- Name: deals deals_workspace_id_owner_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.deals
    ADD CONSTRAINT deals_workspace_id_owner_id_fkey FOREIGN KEY (workspace_id, owner_id) REFERENCES crm.members(workspace_id, id);


--
-- Name: deals deals_workspace_id_pipeline_id_stage_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.deals
    ADD CONSTRAINT deals_workspace_id_pipeline_id_stage_id_fkey FOREIGN KEY (workspace_id, pipeline_id, stage_id) REFERENCES crm.stages(workspace_id, pipeline_id, id);


--
-- Name: key_calls key_calls_workspace_id_key_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.key_calls
    ADD CONSTRAINT key_calls_workspace_id_key_id_fkey FOREIGN KEY (workspace_id, key_id) REFERENCES crm.api_keys(workspace_id, id);


--
-- Name: key_counters key_counters_workspace_id_key_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.key_counters
    ADD CONSTRAINT key_counters_workspace_id_key_id_fkey FOREIGN KEY (workspace_id, key_id) REFERENCES crm.api_keys(workspace_id, id);


--
-- Name: key_secrets key_secrets_workspace_id_key_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.key_secrets
    ADD CONSTRAINT key_secrets_workspace_id_key_id_fkey FOREIGN KEY (workspace_id, key_id) REFERENCES crm.api_keys(workspace_id, id);


--
-- Name: lead_receipts lead_receipts_workspace_id_company_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.lead_receipts
    ADD CONSTRAINT lead_receipts_workspace_id_company_id_fkey FOREIGN KEY (workspace_id, company_id) REFERENCES crm.companies(workspace_id, id);


--
-- Name: lead_receipts lead_receipts_workspace_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.lead_receipts
    ADD CONSTRAINT lead_receipts_workspace_id_contact_id_fkey FOREIGN KEY (workspace_id, contact_id) REFERENCES crm.contacts(workspace_id, id);


--
-- Name: lead_receipts lead_receipts_workspace_id_deal_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.lead_receipts
    ADD CONSTRAINT lead_receipts_workspace_id_deal_id_fkey FOREIGN KEY (workspace_id, deal_id) REFERENCES crm.deals(workspace_id, id);


--
-- Name: loss_reasons loss_reasons_workspace_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.loss_reasons
    ADD CONSTRAINT loss_reasons_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES crm.workspaces(id);


--
-- Name: members members_workspace_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.members
    ADD CONSTRAINT members_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES crm.workspaces(id);


--
-- Name: notes notes_workspace_id_author_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.notes
    ADD CONSTRAINT notes_workspace_id_author_id_fkey FOREIGN KEY (workspace_id, author_id) REFERENCES crm.members(workspace_id, id);


--
-- Name: notes notes_workspace_id_deal_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.notes
    ADD CONSTRAINT notes_workspace_id_deal_id_fkey FOREIGN KEY (workspace_id, deal_id) REFERENCES crm.deals(workspace_id, id);


--
-- Name: pipelines pipelines_workspace_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.pipelines
    ADD CONSTRAINT pipelines_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES crm.workspaces(id);


--
-- Name: proposal_links proposal_links_workspace_id_proposal_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.proposal_links
    ADD CONSTRAINT proposal_links_workspace_id_proposal_id_fkey FOREIGN KEY (workspace_id, proposal_id) REFERENCES crm.proposals(workspace_id, id);


--
-- Name: proposals proposals_workspace_id_deal_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.proposals
    ADD CONSTRAINT proposals_workspace_id_deal_id_fkey FOREIGN KEY (workspace_id, deal_id) REFERENCES crm.deals(workspace_id, id);


--
-- Name: stages stages_workspace_id_pipeline_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.stages
    ADD CONSTRAINT stages_workspace_id_pipeline_id_fkey FOREIGN KEY (workspace_id, pipeline_id) REFERENCES crm.pipelines(workspace_id, id);


--
-- Name: webhook_secrets webhook_secrets_workspace_id_subscription_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_secrets
    ADD CONSTRAINT webhook_secrets_workspace_id_subscription_id_fkey FOREIGN KEY (workspace_id, subscription_id) REFERENCES crm.webhook_subscriptions(workspace_id, id);


--
-- Name: webhook_subscriptions webhook_subscriptions_workspace_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES crm.workspaces(id);


--
-- Name: webhook_subscriptions webhook_subscriptions_workspace_id_key_id_fkey; Type: FK CONSTRAINT; Schema: crm; Owner: -
--

ALTER TABLE ONLY crm.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_workspace_id_key_id_fkey FOREIGN KEY (workspace_id, key_id) REFERENCES crm.api_keys(workspace_id, id);


--
-- Name: activities A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.activities TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: api_keys A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.api_keys TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: audit_log A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.audit_log TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: companies A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.companies TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: contacts A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.contacts TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: deals A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.deals TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: events A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.events TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: events_default A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.events_default TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: idempotency_keys A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.idempotency_keys TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: key_calls A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.key_calls TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: key_counters A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.key_counters TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: key_secrets A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.key_secrets TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: lead_receipts A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.lead_receipts TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: loss_reasons A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.loss_reasons TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: members A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.members TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: notes A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.notes TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: pipelines A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.pipelines TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: proposal_links A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.proposal_links TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: proposals A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.proposals TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: search_backlog A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.search_backlog TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: search_texts A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.search_texts TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: stages A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.stages TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: webhook_attempts A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.webhook_attempts TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: webhook_attempts_default A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.webhook_attempts_default TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: webhook_deliveries A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.webhook_deliveries TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: webhook_deliveries_default A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.webhook_deliveries_default TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: webhook_queue A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.webhook_queue TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: webhook_secrets A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.webhook_secrets TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: webhook_subscriptions A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.webhook_subscriptions TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: webhook_unsettled A caller reaches only its own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A caller reaches only its own workspace" ON crm.webhook_unsettled TO crm_api, crm_app USING ((workspace_id = crm.current_workspace_id())) WITH CHECK ((workspace_id = crm.current_workspace_id()));


--
-- Name: workspaces A member reaches only their own workspace; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A member reaches only their own workspace" ON crm.workspaces TO crm_app USING ((id = crm.current_workspace_id())) WITH CHECK ((id = crm.current_workspace_id()));


--
-- Name: rate_limits A member reads the limits of their own workspace's keys; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "A member reads the limits of their own workspace's keys" ON crm.rate_limits FOR SELECT TO crm_app USING ((EXISTS ( SELECT
   FROM crm.api_keys k
  WHERE ((k.workspace_id = crm.current_workspace_id()) AND (k.id = rate_limits.key_id)))));


--
-- Name: event_types Every caller reads the catalogue; Type: POLICY; Schema: crm; Owner: -
--

CREATE POLICY "Every caller reads the catalogue" ON crm.event_types FOR SELECT TO crm_api, crm_app USING (true);


--
-- Name: activities; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.activities ENABLE ROW LEVEL SECURITY;

--
-- Name: api_keys; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.api_keys ENABLE ROW LEVEL SECURITY;

--
-- Name: audit_log; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.audit_log ENABLE ROW LEVEL SECURITY;

--
-- Name: companies; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.companies ENABLE ROW LEVEL SECURITY;

--
-- Name: contacts; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.contacts ENABLE ROW LEVEL SECURITY;

--
-- Name: deals; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.deals ENABLE ROW LEVEL SECURITY;

--
-- Name: event_types; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.event_types ENABLE ROW LEVEL SECURITY;

--
-- Name: events; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.events ENABLE ROW LEVEL SECURITY;

--
-- Name: events_default; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.events_default ENABLE ROW LEVEL SECURITY;

--
-- Name: feed_offset; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.feed_offset ENABLE ROW LEVEL SECURITY;

--
-- Name: idempotency_keys; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.idempotency_keys ENABLE ROW LEVEL SECURITY;

--
-- Name: jobs; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.jobs ENABLE ROW LEVEL SECURITY;

--
-- Name: key_calls; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.key_calls ENABLE ROW LEVEL SECURITY;

--
-- Name: key_counters; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.key_counters ENABLE ROW LEVEL SECURITY;

--
-- Name: key_secrets; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.key_secrets ENABLE ROW LEVEL SECURITY;

--
-- Name: lead_receipts; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.lead_receipts ENABLE ROW LEVEL SECURITY;

--
-- Name: loss_reasons; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.loss_reasons ENABLE ROW LEVEL SECURITY;

--
-- Name: members; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.members ENABLE ROW LEVEL SECURITY;

--
-- Name: notes; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.notes ENABLE ROW LEVEL SECURITY;

--
-- Name: pipelines; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.pipelines ENABLE ROW LEVEL SECURITY;

--
-- Name: proposal_links; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.proposal_links ENABLE ROW LEVEL SECURITY;

--
-- Name: proposals; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.proposals ENABLE ROW LEVEL SECURITY;

--
-- Name: rate_limits; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.rate_limits ENABLE ROW LEVEL SECURITY;

--
-- Name: search_backlog; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.search_backlog ENABLE ROW LEVEL SECURITY;

--
-- Name: search_progress; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.search_progress ENABLE ROW LEVEL SECURITY;

--
-- Name: search_texts; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.search_texts ENABLE ROW LEVEL SECURITY;

--
-- Name: stages; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.stages ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_attempts; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.webhook_attempts ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_attempts_default; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.webhook_attempts_default ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_deliveries; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.webhook_deliveries ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_deliveries_default; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.webhook_deliveries_default ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_queue; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.webhook_queue ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_secrets; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.webhook_secrets ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_shards; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.webhook_shards ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_subscriptions; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.webhook_subscriptions ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_unsettled; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.webhook_unsettled ENABLE ROW LEVEL SECURITY;

--
-- Name: workspaces; Type: ROW SECURITY; Schema: crm; Owner: -
--

ALTER TABLE crm.workspaces ENABLE ROW LEVEL SECURITY;

--
-- Name: SCHEMA api; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA api TO crm_functions;
GRANT USAGE ON SCHEMA api TO crm_api;
GRANT USAGE ON SCHEMA api TO crm_app;


--
-- Name: SCHEMA app; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA app TO crm_functions;
GRANT USAGE ON SCHEMA app TO crm_app;


--
-- Name: SCHEMA crm; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA crm TO crm_functions;
GRANT USAGE ON SCHEMA crm TO crm_api;
GRANT USAGE ON SCHEMA crm TO crm_app;


--
-- Name: FUNCTION activity_batch(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.activity_batch(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.activity_batch(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION activity_create(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.activity_create(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.activity_create(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION activity_get(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.activity_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.activity_get(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION activity_list(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.activity_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.activity_list(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION activity_update(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.activity_update(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.activity_update(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION call(p_key_hash bytea, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.call(p_key_hash bytea, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION api.call(p_key_hash bytea, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea) TO crm_functions;


--
-- Name: FUNCTION call_by_link(p_token_hash bytea, p_verb text, p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.call_by_link(p_token_hash bytea, p_verb text, p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.call_by_link(p_token_hash bytea, p_verb text, p_args jsonb) TO crm_functions;


--
-- Name: FUNCTION change_list(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.change_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.change_list(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION company_archive(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.company_archive(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.company_archive(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION company_batch(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.company_batch(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.company_batch(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION company_create(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.company_create(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.company_create(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION company_get(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.company_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.company_get(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION company_list(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.company_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.company_list(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION company_merge(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.company_merge(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.company_merge(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION company_restore(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.company_restore(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.company_restore(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION company_update(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.company_update(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.company_update(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION company_upsert(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.company_upsert(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.company_upsert(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_archive(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.contact_archive(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.contact_archive(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_batch(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.contact_batch(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.contact_batch(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_create(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.contact_create(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.contact_create(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_erase(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.contact_erase(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.contact_erase(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_get(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.contact_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.contact_get(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_list(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.contact_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.contact_list(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_merge(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.contact_merge(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.contact_merge(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_restore(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.contact_restore(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.contact_restore(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_update(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.contact_update(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.contact_update(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_upsert(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.contact_upsert(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.contact_upsert(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_archive(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.deal_archive(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.deal_archive(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_batch(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.deal_batch(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.deal_batch(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_create(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.deal_create(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.deal_create(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_get(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.deal_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.deal_get(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_list(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.deal_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.deal_list(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_lose(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.deal_lose(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.deal_lose(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_move_stage(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.deal_move_stage(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.deal_move_stage(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_restore(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.deal_restore(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.deal_restore(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_summary(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.deal_summary(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.deal_summary(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_update(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.deal_update(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.deal_update(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_upsert(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.deal_upsert(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.deal_upsert(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_win(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.deal_win(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.deal_win(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION event_list(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.event_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.event_list(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION fail(p_code text, p_fields text[], p_message text, p_ids uuid[]); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.fail(p_code text, p_fields text[], p_message text, p_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION api.fail(p_code text, p_fields text[], p_message text, p_ids uuid[]) TO crm_api;
GRANT ALL ON FUNCTION api.fail(p_code text, p_fields text[], p_message text, p_ids uuid[]) TO crm_app;


--
-- Name: FUNCTION lead_create(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.lead_create(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.lead_create(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION mark_found(); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.mark_found() FROM PUBLIC;
GRANT ALL ON FUNCTION api.mark_found() TO crm_api;


--
-- Name: FUNCTION mark_replayed(); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.mark_replayed() FROM PUBLIC;
GRANT ALL ON FUNCTION api.mark_replayed() TO crm_api;


--
-- Name: FUNCTION me_get(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.me_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.me_get(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION note_batch(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.note_batch(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.note_batch(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION note_create(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.note_create(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.note_create(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION note_get(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.note_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.note_get(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION note_list(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.note_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.note_list(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION pipeline_list(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.pipeline_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.pipeline_list(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION proposal_accept(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.proposal_accept(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.proposal_accept(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION proposal_reject(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.proposal_reject(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.proposal_reject(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION proposal_view(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.proposal_view(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.proposal_view(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION webhook_create(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.webhook_create(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.webhook_create(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION webhook_delete(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.webhook_delete(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.webhook_delete(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION webhook_deliveries(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.webhook_deliveries(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.webhook_deliveries(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION webhook_delivery(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.webhook_delivery(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.webhook_delivery(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION webhook_get(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.webhook_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.webhook_get(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION webhook_list(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.webhook_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.webhook_list(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION webhook_reactivate(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.webhook_reactivate(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.webhook_reactivate(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION webhook_recover(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.webhook_recover(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.webhook_recover(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION webhook_redeliver(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.webhook_redeliver(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.webhook_redeliver(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION webhook_rotate_secret(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.webhook_rotate_secret(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.webhook_rotate_secret(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION webhook_test(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.webhook_test(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.webhook_test(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION workspace_get(p_args jsonb); Type: ACL; Schema: api; Owner: -
--

REVOKE ALL ON FUNCTION api.workspace_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION api.workspace_get(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION action_list(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.action_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.action_list(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION call(p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_role text, p_verb text, p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.call(p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_role text, p_verb text, p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.call(p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_role text, p_verb text, p_args jsonb) TO crm_functions;


--
-- Name: FUNCTION delivery_get(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.delivery_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.delivery_get(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION delivery_list(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.delivery_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.delivery_list(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION delivery_redeliver(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.delivery_redeliver(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.delivery_redeliver(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION delivery_retry(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.delivery_retry(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION funnel_get(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.funnel_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.funnel_get(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION job_list(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.job_list(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION job_run(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.job_run(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION key_create(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.key_create(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.key_create(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION key_get(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.key_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.key_get(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION key_list(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.key_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.key_list(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION key_revoke(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.key_revoke(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.key_revoke(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION key_rotate(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.key_rotate(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.key_rotate(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION key_update(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.key_update(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.key_update(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION loss_reason_create(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.loss_reason_create(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION loss_reason_list(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.loss_reason_list(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION loss_reason_update(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.loss_reason_update(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION member_invite(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.member_invite(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.member_invite(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION member_list(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.member_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.member_list(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION member_reinvite(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.member_reinvite(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.member_reinvite(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION member_update(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.member_update(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.member_update(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION pipeline_create(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.pipeline_create(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION pipeline_list(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.pipeline_list(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION pipeline_update(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.pipeline_update(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION proposal_create(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.proposal_create(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION proposal_list(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.proposal_list(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION proposal_send(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.proposal_send(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION stage_update(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.stage_update(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION subscription_create(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.subscription_create(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.subscription_create(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION subscription_delete(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.subscription_delete(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.subscription_delete(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION subscription_get(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.subscription_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.subscription_get(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION subscription_list(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.subscription_list(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.subscription_list(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION subscription_reactivate(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.subscription_reactivate(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.subscription_reactivate(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION subscription_read_secret(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.subscription_read_secret(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION subscription_recover(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.subscription_recover(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.subscription_recover(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION subscription_rotate(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.subscription_rotate(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.subscription_rotate(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION subscription_test(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.subscription_test(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.subscription_test(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION workspace_choices(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.workspace_choices(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.workspace_choices(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION workspace_create(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.workspace_create(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION workspace_find(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.workspace_find(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION workspace_get(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.workspace_get(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.workspace_get(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION workspace_list(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.workspace_list(p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION workspace_update(p_args jsonb); Type: ACL; Schema: app; Owner: -
--

REVOKE ALL ON FUNCTION app.workspace_update(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION app.workspace_update(p_args jsonb) TO crm_app;


--
-- Name: FUNCTION active_member(p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.active_member(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.active_member(p_id uuid) TO crm_api;


--
-- Name: FUNCTION uuid_v7(p_at timestamp with time zone); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.uuid_v7(p_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.uuid_v7(p_at timestamp with time zone) TO crm_api;
GRANT ALL ON FUNCTION crm.uuid_v7(p_at timestamp with time zone) TO crm_app;


--
-- Name: TABLE activities; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE crm.activities TO crm_api;
GRANT SELECT ON TABLE crm.activities TO crm_app;


--
-- Name: FUNCTION activity_insert(p_rows crm.activities[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.activity_insert(p_rows crm.activities[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.activity_insert(p_rows crm.activities[]) TO crm_api;


--
-- Name: FUNCTION activity_insert(t crm.activities); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.activity_insert(t crm.activities) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.activity_insert(t crm.activities) TO crm_api;


--
-- Name: FUNCTION activity_json(t crm.activities); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.activity_json(t crm.activities) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.activity_json(t crm.activities) TO crm_api;
GRANT ALL ON FUNCTION crm.activity_json(t crm.activities) TO crm_app;


--
-- Name: FUNCTION activity_json_if_short(t crm.activities); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.activity_json_if_short(t crm.activities) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.activity_json_if_short(t crm.activities) TO crm_api;


--
-- Name: FUNCTION activity_label(p_type text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.activity_label(p_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.activity_label(p_type text) TO crm_api;


--
-- Name: FUNCTION activity_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.activity_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.activity_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) TO crm_api;


--
-- Name: FUNCTION activity_lock(p_id uuid, p_if_match jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.activity_lock(p_id uuid, p_if_match jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.activity_lock(p_id uuid, p_if_match jsonb) TO crm_api;


--
-- Name: FUNCTION activity_new(p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.activity_new(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.activity_new(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION activity_page(p_ids uuid[], p_records json[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.activity_page(p_ids uuid[], p_records json[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.activity_page(p_ids uuid[], p_records json[]) TO crm_api;


--
-- Name: FUNCTION activity_save(t crm.activities); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.activity_save(t crm.activities) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.activity_save(t crm.activities) TO crm_api;


--
-- Name: FUNCTION actor_json(p_caller_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.actor_json(p_caller_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.actor_json(p_caller_id uuid) TO crm_api;


--
-- Name: FUNCTION admit(p_key_id uuid, p_limit integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.admit(p_key_id uuid, p_limit integer) FROM PUBLIC;


--
-- Name: FUNCTION all_create(p_record text, p_items jsonb[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.all_create(p_record text, p_items jsonb[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.all_create(p_record text, p_items jsonb[]) TO crm_api;


--
-- Name: FUNCTION answer_request(p_caller crm.caller, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.answer_request(p_caller crm.caller, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea) FROM PUBLIC;


--
-- Name: FUNCTION batch_json(p_results jsonb[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.batch_json(p_results jsonb[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.batch_json(p_results jsonb[]) TO crm_api;


--
-- Name: FUNCTION batch_without_mentions(p_reply json, p_traces crm.traces); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.batch_without_mentions(p_reply json, p_traces crm.traces) FROM PUBLIC;


--
-- Name: FUNCTION calls_by_day(p_days date[], p_calls bigint[], p_last date, p_count integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.calls_by_day(p_days date[], p_calls bigint[], p_last date, p_count integer) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.calls_by_day(p_days date[], p_calls bigint[], p_last date, p_count integer) TO crm_app;


--
-- Name: FUNCTION calls_by_hour(p_hits timestamp with time zone[], p_calls bigint, OUT hour timestamp with time zone, OUT calls bigint); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.calls_by_hour(p_hits timestamp with time zone[], p_calls bigint, OUT hour timestamp with time zone, OUT calls bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.calls_by_hour(p_hits timestamp with time zone[], p_calls bigint, OUT hour timestamp with time zone, OUT calls bigint) TO crm_app;


--
-- Name: TABLE webhook_subscriptions; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT,INSERT ON TABLE crm.webhook_subscriptions TO crm_api;
GRANT SELECT,INSERT ON TABLE crm.webhook_subscriptions TO crm_app;


--
-- Name: COLUMN webhook_subscriptions.is_active; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(is_active) ON TABLE crm.webhook_subscriptions TO crm_api;
GRANT UPDATE(is_active) ON TABLE crm.webhook_subscriptions TO crm_app;


--
-- Name: COLUMN webhook_subscriptions.deactivated_reason; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(deactivated_reason) ON TABLE crm.webhook_subscriptions TO crm_api;
GRANT UPDATE(deactivated_reason) ON TABLE crm.webhook_subscriptions TO crm_app;


--
-- Name: FUNCTION catch_up(s crm.webhook_subscriptions, p_deadline timestamp with time zone); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.catch_up(s crm.webhook_subscriptions, p_deadline timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION catch_up_lock(p_subscription_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.catch_up_lock(p_subscription_id uuid) FROM PUBLIC;


--
-- Name: FUNCTION catch_up_subscriptions(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.catch_up_subscriptions() FROM PUBLIC;


--
-- Name: FUNCTION changed_fields(a crm.activities, b crm.activities); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.changed_fields(a crm.activities, b crm.activities) FROM PUBLIC;


--
-- Name: FUNCTION name_key(p_name text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.name_key(p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.name_key(p_name text) TO crm_api;


--
-- Name: TABLE companies; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE crm.companies TO crm_api;
GRANT SELECT ON TABLE crm.companies TO crm_app;


--
-- Name: FUNCTION changed_fields(a crm.companies, b crm.companies); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.changed_fields(a crm.companies, b crm.companies) FROM PUBLIC;


--
-- Name: FUNCTION e164(p_phone text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.e164(p_phone text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.e164(p_phone text) TO crm_api;


--
-- Name: TABLE contacts; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE crm.contacts TO crm_api;
GRANT SELECT ON TABLE crm.contacts TO crm_app;


--
-- Name: FUNCTION changed_fields(a crm.contacts, b crm.contacts); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.changed_fields(a crm.contacts, b crm.contacts) FROM PUBLIC;


--
-- Name: TABLE deals; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE crm.deals TO crm_api;
GRANT SELECT ON TABLE crm.deals TO crm_app;


--
-- Name: FUNCTION changed_fields(a crm.deals, b crm.deals); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.changed_fields(a crm.deals, b crm.deals) FROM PUBLIC;


--
-- Name: FUNCTION changes(p_current jsonb, p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.changes(p_current jsonb, p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.changes(p_current jsonb, p_args jsonb) TO crm_api;


--
-- Name: FUNCTION changes_json(p_changes crm.change[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.changes_json(p_changes crm.change[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.changes_json(p_changes crm.change[]) TO crm_api;


--
-- Name: FUNCTION check_active_subscriptions(p_workspace_id uuid, p_field text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.check_active_subscriptions(p_workspace_id uuid, p_field text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.check_active_subscriptions(p_workspace_id uuid, p_field text) TO crm_api;
GRANT ALL ON FUNCTION crm.check_active_subscriptions(p_workspace_id uuid, p_field text) TO crm_app;


--
-- Name: FUNCTION check_args(p_args jsonb, p_required text[], p_optional text[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.check_args(p_args jsonb, p_required text[], p_optional text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.check_args(p_args jsonb, p_required text[], p_optional text[]) TO crm_app;


--
-- Name: FUNCTION check_atomic_batch(p_results jsonb[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.check_atomic_batch(p_results jsonb[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.check_atomic_batch(p_results jsonb[]) TO crm_api;


--
-- Name: FUNCTION check_health(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.check_health() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.check_health() TO crm_functions;


--
-- Name: FUNCTION check_new_subscription(p_workspace_id uuid, p_field text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.check_new_subscription(p_workspace_id uuid, p_field text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.check_new_subscription(p_workspace_id uuid, p_field text) TO crm_api;
GRANT ALL ON FUNCTION crm.check_new_subscription(p_workspace_id uuid, p_field text) TO crm_app;


--
-- Name: FUNCTION check_subscribed(s crm.webhook_subscriptions, p_event crm.event_type); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.check_subscribed(s crm.webhook_subscriptions, p_event crm.event_type) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.check_subscribed(s crm.webhook_subscriptions, p_event crm.event_type) TO crm_api;
GRANT ALL ON FUNCTION crm.check_subscribed(s crm.webhook_subscriptions, p_event crm.event_type) TO crm_app;


--
-- Name: FUNCTION check_window(p_since timestamp with time zone, p_until timestamp with time zone); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.check_window(p_since timestamp with time zone, p_until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.check_window(p_since timestamp with time zone, p_until timestamp with time zone) TO crm_api;
GRANT ALL ON FUNCTION crm.check_window(p_since timestamp with time zone, p_until timestamp with time zone) TO crm_app;


--
-- Name: FUNCTION checks_queue(p_is_behind boolean, p_deliveries bigint, p_max_waiting integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.checks_queue(p_is_behind boolean, p_deliveries bigint, p_max_waiting integer) FROM PUBLIC;


--
-- Name: FUNCTION choose_stage(p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.choose_stage(p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.choose_stage(p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid) TO crm_api;


--
-- Name: FUNCTION choose_stage_for_move(p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.choose_stage_for_move(p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.choose_stage_for_move(p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid) TO crm_api;


--
-- Name: FUNCTION choose_stage_for_update(p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.choose_stage_for_update(p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.choose_stage_for_update(p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, OUT pipeline_id uuid, OUT stage_id uuid) TO crm_api;


--
-- Name: FUNCTION claim_candidates(p_shard smallint, p_limit integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.claim_candidates(p_shard smallint, p_limit integer) FROM PUBLIC;


--
-- Name: FUNCTION company_filled(t crm.companies, other crm.companies); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_filled(t crm.companies, other crm.companies) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_filled(t crm.companies, other crm.companies) TO crm_api;


--
-- Name: FUNCTION company_insert(p_rows crm.companies[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_insert(p_rows crm.companies[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_insert(p_rows crm.companies[]) TO crm_api;


--
-- Name: FUNCTION company_insert(t crm.companies); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_insert(t crm.companies) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_insert(t crm.companies) TO crm_api;


--
-- Name: FUNCTION company_json(t crm.companies); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_json(t crm.companies) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_json(t crm.companies) TO crm_api;
GRANT ALL ON FUNCTION crm.company_json(t crm.companies) TO crm_app;


--
-- Name: FUNCTION company_json_if_short(t crm.companies); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_json_if_short(t crm.companies) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_json_if_short(t crm.companies) TO crm_api;


--
-- Name: FUNCTION company_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) TO crm_api;


--
-- Name: FUNCTION company_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) TO crm_api;


--
-- Name: FUNCTION company_lock(p_id uuid, p_if_match jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_lock(p_id uuid, p_if_match jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_lock(p_id uuid, p_if_match jsonb) TO crm_api;


--
-- Name: FUNCTION company_match(p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_match(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_match(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION company_merged(p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_merged(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_merged(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION company_new(p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_new(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_new(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION company_page(p_ids uuid[], p_records json[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_page(p_ids uuid[], p_records json[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_page(p_ids uuid[], p_records json[]) TO crm_api;


--
-- Name: FUNCTION company_save(t crm.companies); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_save(t crm.companies) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_save(t crm.companies) TO crm_api;


--
-- Name: FUNCTION company_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) TO crm_api;


--
-- Name: FUNCTION company_survivor(p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_survivor(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_survivor(p_id uuid) TO crm_api;


--
-- Name: FUNCTION company_text(t crm.companies); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.company_text(t crm.companies) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.company_text(t crm.companies) TO crm_api;


--
-- Name: FUNCTION contact_erase(p_workspace_id uuid, p_ids uuid[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_erase(p_workspace_id uuid, p_ids uuid[]) FROM PUBLIC;


--
-- Name: FUNCTION contact_filled(t crm.contacts, other crm.contacts); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_filled(t crm.contacts, other crm.contacts) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_filled(t crm.contacts, other crm.contacts) TO crm_api;


--
-- Name: FUNCTION contact_insert(p_rows crm.contacts[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_insert(p_rows crm.contacts[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_insert(p_rows crm.contacts[]) TO crm_api;


--
-- Name: FUNCTION contact_insert(t crm.contacts); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_insert(t crm.contacts) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_insert(t crm.contacts) TO crm_api;


--
-- Name: FUNCTION contact_json(t crm.contacts); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_json(t crm.contacts) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_json(t crm.contacts) TO crm_api;
GRANT ALL ON FUNCTION crm.contact_json(t crm.contacts) TO crm_app;


--
-- Name: FUNCTION contact_json_if_short(t crm.contacts); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_json_if_short(t crm.contacts) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_json_if_short(t crm.contacts) TO crm_api;


--
-- Name: FUNCTION contact_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) TO crm_api;


--
-- Name: FUNCTION contact_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) TO crm_api;


--
-- Name: FUNCTION contact_lock(p_id uuid, p_if_match jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_lock(p_id uuid, p_if_match jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_lock(p_id uuid, p_if_match jsonb) TO crm_api;


--
-- Name: FUNCTION contact_match(p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_match(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_match(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_merged(p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_merged(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_merged(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_new(p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_new(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_new(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION contact_page(p_ids uuid[], p_records json[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_page(p_ids uuid[], p_records json[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_page(p_ids uuid[], p_records json[]) TO crm_api;


--
-- Name: FUNCTION contact_save(t crm.contacts); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_save(t crm.contacts) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_save(t crm.contacts) TO crm_api;


--
-- Name: FUNCTION contact_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) TO crm_api;


--
-- Name: FUNCTION contact_survivor(p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_survivor(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_survivor(p_id uuid) TO crm_api;


--
-- Name: FUNCTION contact_text(t crm.contacts); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.contact_text(t crm.contacts) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.contact_text(t crm.contacts) TO crm_api;


--
-- Name: FUNCTION continue_feed(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.continue_feed() FROM PUBLIC;


--
-- Name: FUNCTION count_calls(p_workspace_id uuid, p_key_ids uuid[], p_since timestamp with time zone); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.count_calls(p_workspace_id uuid, p_key_ids uuid[], p_since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.count_calls(p_workspace_id uuid, p_key_ids uuid[], p_since timestamp with time zone) TO crm_app;


--
-- Name: FUNCTION create_together(p_record text, p_items jsonb[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.create_together(p_record text, p_items jsonb[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.create_together(p_record text, p_items jsonb[]) TO crm_api;


--
-- Name: FUNCTION cron_schedule(p_every interval); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.cron_schedule(p_every interval) FROM PUBLIC;


--
-- Name: FUNCTION current_caller_id(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.current_caller_id() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.current_caller_id() TO crm_api;


--
-- Name: FUNCTION current_member_id(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.current_member_id() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.current_member_id() TO crm_api;
GRANT ALL ON FUNCTION crm.current_member_id() TO crm_app;


--
-- Name: FUNCTION current_user_id(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.current_user_id() FROM PUBLIC;


--
-- Name: FUNCTION current_workspace_id(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.current_workspace_id() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.current_workspace_id() TO crm_api;
GRANT ALL ON FUNCTION crm.current_workspace_id() TO crm_app;


--
-- Name: FUNCTION deal_action_json(p_deal crm.deals, p_idempotent boolean); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_action_json(p_deal crm.deals, p_idempotent boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_action_json(p_deal crm.deals, p_idempotent boolean) TO crm_api;


--
-- Name: FUNCTION deal_default_title(p_deal crm.deals); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_default_title(p_deal crm.deals) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_default_title(p_deal crm.deals) TO crm_api;


--
-- Name: FUNCTION deal_insert(p_rows crm.deals[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_insert(p_rows crm.deals[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_insert(p_rows crm.deals[]) TO crm_api;


--
-- Name: FUNCTION deal_insert(t crm.deals); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_insert(t crm.deals) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_insert(t crm.deals) TO crm_api;


--
-- Name: FUNCTION deal_json(t crm.deals); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_json(t crm.deals) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_json(t crm.deals) TO crm_api;
GRANT ALL ON FUNCTION crm.deal_json(t crm.deals) TO crm_app;


--
-- Name: FUNCTION deal_json_if_short(t crm.deals); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_json_if_short(t crm.deals) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_json_if_short(t crm.deals) TO crm_api;


--
-- Name: FUNCTION deal_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_kept_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) TO crm_api;


--
-- Name: FUNCTION deal_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) TO crm_api;


--
-- Name: FUNCTION deal_lock(p_id uuid, p_if_match jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_lock(p_id uuid, p_if_match jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_lock(p_id uuid, p_if_match jsonb) TO crm_api;


--
-- Name: FUNCTION deal_match(p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_match(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_match(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_new(p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_new(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_new(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION deal_page(p_ids uuid[], p_records json[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_page(p_ids uuid[], p_records json[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_page(p_ids uuid[], p_records json[]) TO crm_api;


--
-- Name: FUNCTION deal_save(t crm.deals); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_save(t crm.deals) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_save(t crm.deals) TO crm_api;


--
-- Name: FUNCTION deal_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_search(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) TO crm_api;


--
-- Name: FUNCTION deal_text(t crm.deals); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_text(t crm.deals) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.deal_text(t crm.deals) TO crm_api;


--
-- Name: FUNCTION deal_traces_of(d crm.deals, p_traces crm.traces, p_names text[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deal_traces_of(d crm.deals, p_traces crm.traces, p_names text[]) FROM PUBLIC;


--
-- Name: FUNCTION default_owner(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.default_owner() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.default_owner() TO crm_api;


--
-- Name: FUNCTION deliveries_due(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.deliveries_due() FROM PUBLIC;


--
-- Name: FUNCTION feed_position(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.feed_position() FROM PUBLIC;


--
-- Name: FUNCTION uuid_v7_clock(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.uuid_v7_clock() FROM PUBLIC;


--
-- Name: TABLE events; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.events TO crm_api;
GRANT SELECT ON TABLE crm.events TO crm_app;


--
-- Name: FUNCTION delivery_body(p_delivery_id uuid, e crm.events); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.delivery_body(p_delivery_id uuid, e crm.events) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.delivery_body(p_delivery_id uuid, e crm.events) TO crm_api;
GRANT ALL ON FUNCTION crm.delivery_body(p_delivery_id uuid, e crm.events) TO crm_app;


--
-- Name: FUNCTION delivery_claim(p_batch integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.delivery_claim(p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.delivery_claim(p_batch integer) TO crm_functions;


--
-- Name: FUNCTION delivery_detail(p_workspace_id uuid, p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.delivery_detail(p_workspace_id uuid, p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.delivery_detail(p_workspace_id uuid, p_id uuid) TO crm_api;
GRANT ALL ON FUNCTION crm.delivery_detail(p_workspace_id uuid, p_id uuid) TO crm_app;


--
-- Name: TABLE webhook_deliveries; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.webhook_deliveries TO crm_api;
GRANT SELECT ON TABLE crm.webhook_deliveries TO crm_app;


--
-- Name: FUNCTION delivery_headers(d crm.webhook_deliveries, e crm.events, p_target_url text, p_body text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.delivery_headers(d crm.webhook_deliveries, e crm.events, p_target_url text, p_body text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.delivery_headers(d crm.webhook_deliveries, e crm.events, p_target_url text, p_body text) TO crm_api;
GRANT ALL ON FUNCTION crm.delivery_headers(d crm.webhook_deliveries, e crm.events, p_target_url text, p_body text) TO crm_app;


--
-- Name: FUNCTION delivery_id(p_event_id uuid, p_subscription_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.delivery_id(p_event_id uuid, p_subscription_id uuid) FROM PUBLIC;


--
-- Name: FUNCTION delivery_ids(p_workspace_id uuid, p_subscription_id uuid, p_state text, p_event crm.event_type, p_since timestamp with time zone, p_until timestamp with time zone, p_cursor uuid, p_limit integer, OUT ids uuid[], OUT next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.delivery_ids(p_workspace_id uuid, p_subscription_id uuid, p_state text, p_event crm.event_type, p_since timestamp with time zone, p_until timestamp with time zone, p_cursor uuid, p_limit integer, OUT ids uuid[], OUT next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.delivery_ids(p_workspace_id uuid, p_subscription_id uuid, p_state text, p_event crm.event_type, p_since timestamp with time zone, p_until timestamp with time zone, p_cursor uuid, p_limit integer, OUT ids uuid[], OUT next_id uuid) TO crm_api;
GRANT ALL ON FUNCTION crm.delivery_ids(p_workspace_id uuid, p_subscription_id uuid, p_state text, p_event crm.event_type, p_since timestamp with time zone, p_until timestamp with time zone, p_cursor uuid, p_limit integer, OUT ids uuid[], OUT next_id uuid) TO crm_app;


--
-- Name: FUNCTION delivery_page(p_workspace_id uuid, p_subscription_id uuid, p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.delivery_page(p_workspace_id uuid, p_subscription_id uuid, p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.delivery_page(p_workspace_id uuid, p_subscription_id uuid, p_args jsonb) TO crm_api;
GRANT ALL ON FUNCTION crm.delivery_page(p_workspace_id uuid, p_subscription_id uuid, p_args jsonb) TO crm_app;


--
-- Name: FUNCTION delivery_record(p_outcomes json); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.delivery_record(p_outcomes json) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.delivery_record(p_outcomes json) TO crm_functions;


--
-- Name: FUNCTION delivery_summaries(p_workspace_id uuid, p_ids uuid[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.delivery_summaries(p_workspace_id uuid, p_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.delivery_summaries(p_workspace_id uuid, p_ids uuid[]) TO crm_api;
GRANT ALL ON FUNCTION crm.delivery_summaries(p_workspace_id uuid, p_ids uuid[]) TO crm_app;


--
-- Name: FUNCTION delivery_summary(p_workspace_id uuid, p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.delivery_summary(p_workspace_id uuid, p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.delivery_summary(p_workspace_id uuid, p_id uuid) TO crm_api;
GRANT ALL ON FUNCTION crm.delivery_summary(p_workspace_id uuid, p_id uuid) TO crm_app;


--
-- Name: FUNCTION describe_changes(p_before jsonb, p_after jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.describe_changes(p_before jsonb, p_after jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.describe_changes(p_before jsonb, p_after jsonb) TO crm_app;


--
-- Name: FUNCTION digits(p_phone text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.digits(p_phone text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.digits(p_phone text) TO crm_api;


--
-- Name: FUNCTION drain_calls(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.drain_calls() FROM PUBLIC;


--
-- Name: FUNCTION emit(p_workspace_id uuid, p_event crm.event_type, p_object_id uuid, p_facts jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.emit(p_workspace_id uuid, p_event crm.event_type, p_object_id uuid, p_facts jsonb) FROM PUBLIC;


--
-- Name: FUNCTION emit_all_created(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.emit_all_created() FROM PUBLIC;


--
-- Name: FUNCTION emit_change(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.emit_change() FROM PUBLIC;


--
-- Name: FUNCTION emit_closed(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.emit_closed() FROM PUBLIC;


--
-- Name: FUNCTION emit_created(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.emit_created() FROM PUBLIC;


--
-- Name: FUNCTION emit_deals_created(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.emit_deals_created() FROM PUBLIC;


--
-- Name: FUNCTION emit_erased(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.emit_erased() FROM PUBLIC;


--
-- Name: FUNCTION emit_for_each(p_workspace_id uuid, p_event crm.event_type, p_object_ids uuid[], p_facts jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.emit_for_each(p_workspace_id uuid, p_event crm.event_type, p_object_ids uuid[], p_facts jsonb) FROM PUBLIC;


--
-- Name: FUNCTION emit_overdue_activities(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.emit_overdue_activities() FROM PUBLIC;


--
-- Name: FUNCTION emit_proposal(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.emit_proposal() FROM PUBLIC;


--
-- Name: FUNCTION emit_stage_changed(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.emit_stage_changed() FROM PUBLIC;


--
-- Name: FUNCTION emit_stale_deals(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.emit_stale_deals() FROM PUBLIC;


--
-- Name: FUNCTION enqueue_added(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.enqueue_added() FROM PUBLIC;


--
-- Name: FUNCTION enqueue_changed(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.enqueue_changed() FROM PUBLIC;


--
-- Name: FUNCTION erase_activities(p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.erase_activities(p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean) FROM PUBLIC;


--
-- Name: FUNCTION erase_contact(p_id uuid, p_texts boolean); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.erase_contact(p_id uuid, p_texts boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.erase_contact(p_id uuid, p_texts boolean) TO crm_api;


--
-- Name: FUNCTION erase_deals(p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean, p_names text[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.erase_deals(p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean, p_names text[]) FROM PUBLIC;


--
-- Name: FUNCTION erase_replies(p_workspace_id uuid, p_object_ids uuid[], p_traces crm.traces); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.erase_replies(p_workspace_id uuid, p_object_ids uuid[], p_traces crm.traces) FROM PUBLIC;


--
-- Name: FUNCTION error_of(p_failure crm.failure, p_verb text, p_args jsonb, OUT error_code text, OUT details json); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.error_of(p_failure crm.failure, p_verb text, p_args jsonb, OUT error_code text, OUT details json) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.error_of(p_failure crm.failure, p_verb text, p_args jsonb, OUT error_code text, OUT details json) TO crm_api;


--
-- Name: FUNCTION event_data(e crm.events, p_object_type text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.event_data(e crm.events, p_object_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.event_data(e crm.events, p_object_type text) TO crm_api;
GRANT ALL ON FUNCTION crm.event_data(e crm.events, p_object_type text) TO crm_app;


--
-- Name: FUNCTION external_id_holder(p_constraint text, p_external_id text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.external_id_holder(p_constraint text, p_external_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.external_id_holder(p_constraint text, p_external_id text) TO crm_api;


--
-- Name: FUNCTION facts_of_new_deal(p_lead jsonb, p_contact_id uuid, p_company_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.facts_of_new_deal(p_lead jsonb, p_contact_id uuid, p_company_id uuid) FROM PUBLIC;


--
-- Name: FUNCTION fan_out(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.fan_out(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]) FROM PUBLIC;


--
-- Name: FUNCTION fan_out_within_bound(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.fan_out_within_bound(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]) FROM PUBLIC;


--
-- Name: FUNCTION feed_cursor_of(p_text text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.feed_cursor_of(p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.feed_cursor_of(p_text text) TO crm_api;


--
-- Name: FUNCTION feed_cursor_text(c crm.feed_cursor); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.feed_cursor_text(c crm.feed_cursor) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.feed_cursor_text(c crm.feed_cursor) TO crm_api;


--
-- Name: FUNCTION feed_horizon(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.feed_horizon() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.feed_horizon() TO crm_api;


--
-- Name: FUNCTION feed_item(e crm.events); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.feed_item(e crm.events) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.feed_item(e crm.events) TO crm_api;


--
-- Name: FUNCTION feed_start(p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.feed_start(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.feed_start(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION fill_in_contact(c crm.contacts, p_phone text, p_company_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.fill_in_contact(c crm.contacts, p_phone text, p_company_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.fill_in_contact(c crm.contacts, p_phone text, p_company_id uuid) TO crm_api;


--
-- Name: FUNCTION filled_custom_fields(p_fields jsonb, p_other jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.filled_custom_fields(p_fields jsonb, p_other jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.filled_custom_fields(p_fields jsonb, p_other jsonb) TO crm_api;


--
-- Name: FUNCTION first_stage(p_pipeline_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.first_stage(p_pipeline_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.first_stage(p_pipeline_id uuid) TO crm_api;


--
-- Name: FUNCTION fold(p_text text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.fold(p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.fold(p_text text) TO crm_api;


--
-- Name: FUNCTION forget_text(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.forget_text() FROM PUBLIC;


--
-- Name: FUNCTION funnel_stages(p_workspace_id uuid, p_pipeline_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.funnel_stages(p_workspace_id uuid, p_pipeline_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.funnel_stages(p_workspace_id uuid, p_pipeline_id uuid) TO crm_app;


--
-- Name: FUNCTION given_columns(p_table regclass); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.given_columns(p_table regclass) FROM PUBLIC;


--
-- Name: FUNCTION holds_webhooks(p_workspace_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.holds_webhooks(p_workspace_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.holds_webhooks(p_workspace_id uuid) TO crm_api;
GRANT ALL ON FUNCTION crm.holds_webhooks(p_workspace_id uuid) TO crm_app;


--
-- Name: FUNCTION idempotency_begin(p_workspace_id uuid, p_key text, p_request_hash bytea); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.idempotency_begin(p_workspace_id uuid, p_key text, p_request_hash bytea) FROM PUBLIC;


--
-- Name: FUNCTION idempotency_keys_mentioning(p_workspace_id uuid, p_traces crm.traces); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.idempotency_keys_mentioning(p_workspace_id uuid, p_traces crm.traces) FROM PUBLIC;


--
-- Name: FUNCTION idempotency_remember(p_workspace_id uuid, p_key text, p_request_hash bytea, p_body text, p_was_found boolean); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.idempotency_remember(p_workspace_id uuid, p_key text, p_request_hash bytea, p_body text, p_was_found boolean) FROM PUBLIC;


--
-- Name: FUNCTION identify(p_key_hash bytea); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.identify(p_key_hash bytea) FROM PUBLIC;


--
-- Name: FUNCTION identify_link(p_token_hash bytea); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.identify_link(p_token_hash bytea) FROM PUBLIC;


--
-- Name: FUNCTION identify_session(p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_any_workspace boolean); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.identify_session(p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_any_workspace boolean) FROM PUBLIC;


--
-- Name: FUNCTION index_texts(p_most interval); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.index_texts(p_most interval) FROM PUBLIC;


--
-- Name: FUNCTION index_texts_of(p_done crm.search_backlog, p_horizon bigint, p_most integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.index_texts_of(p_done crm.search_backlog, p_horizon bigint, p_most integer) FROM PUBLIC;


--
-- Name: FUNCTION is_call_in_progress(p_key_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.is_call_in_progress(p_key_id uuid) FROM PUBLIC;


--
-- Name: FUNCTION is_in_state(p_wanted text, p_stored text, p_may_send boolean); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.is_in_state(p_wanted text, p_stored text, p_may_send boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.is_in_state(p_wanted text, p_stored text, p_may_send boolean) TO crm_api;
GRANT ALL ON FUNCTION crm.is_in_state(p_wanted text, p_stored text, p_may_send boolean) TO crm_app;


--
-- Name: FUNCTION is_marked(p_setting text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.is_marked(p_setting text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.is_marked(p_setting text) TO crm_api;


--
-- Name: FUNCTION is_of_person(p_email text, p_words text, c crm.contacts); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.is_of_person(p_email text, p_words text, c crm.contacts) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.is_of_person(p_email text, p_words text, c crm.contacts) TO crm_api;


--
-- Name: TABLE api_keys; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT,INSERT ON TABLE crm.api_keys TO crm_app;


--
-- Name: COLUMN api_keys.name; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(name) ON TABLE crm.api_keys TO crm_app;


--
-- Name: COLUMN api_keys.prefix; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(prefix) ON TABLE crm.api_keys TO crm_app;


--
-- Name: COLUMN api_keys.revoked_at; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(revoked_at) ON TABLE crm.api_keys TO crm_app;


--
-- Name: COLUMN api_keys.rotated_at; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(rotated_at) ON TABLE crm.api_keys TO crm_app;


--
-- Name: FUNCTION is_working(k crm.api_keys); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.is_working(k crm.api_keys) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.is_working(k crm.api_keys) TO crm_app;


--
-- Name: FUNCTION iso(p_at timestamp with time zone); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.iso(p_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.iso(p_at timestamp with time zone) TO crm_api;
GRANT ALL ON FUNCTION crm.iso(p_at timestamp with time zone) TO crm_app;


--
-- Name: FUNCTION keep_lead_contact(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.keep_lead_contact() FROM PUBLIC;


--
-- Name: FUNCTION keep_texts(p_workspace_id uuid, p_record text, p_ids uuid[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.keep_texts(p_workspace_id uuid, p_record text, p_ids uuid[]) FROM PUBLIC;


--
-- Name: FUNCTION kept_days(p_table regclass); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.kept_days(p_table regclass) FROM PUBLIC;


--
-- Name: FUNCTION key_for_update(p_workspace_id uuid, p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.key_for_update(p_workspace_id uuid, p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.key_for_update(p_workspace_id uuid, p_id uuid) TO crm_app;


--
-- Name: FUNCTION key_record(p_workspace_id uuid, p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.key_record(p_workspace_id uuid, p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.key_record(p_workspace_id uuid, p_id uuid) TO crm_app;


--
-- Name: FUNCTION key_records(p_workspace_id uuid, p_ids uuid[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.key_records(p_workspace_id uuid, p_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.key_records(p_workspace_id uuid, p_ids uuid[]) TO crm_app;


--
-- Name: FUNCTION lead_company(p_name_key text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lead_company(p_name_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lead_company(p_name_key text) TO crm_api;


--
-- Name: FUNCTION lead_contact(p_lead jsonb, OUT contact crm.contacts, OUT matched_by text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lead_contact(p_lead jsonb, OUT contact crm.contacts, OUT matched_by text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lead_contact(p_lead jsonb, OUT contact crm.contacts, OUT matched_by text) TO crm_api;


--
-- Name: FUNCTION lead_data(d crm.deals, c crm.contacts, o crm.companies); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lead_data(d crm.deals, c crm.contacts, o crm.companies) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lead_data(d crm.deals, c crm.contacts, o crm.companies) TO crm_api;
GRANT ALL ON FUNCTION crm.lead_data(d crm.deals, c crm.contacts, o crm.companies) TO crm_app;


--
-- Name: FUNCTION lead_differences(p_lead jsonb, c crm.contacts, p_company_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lead_differences(p_lead jsonb, c crm.contacts, p_company_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lead_differences(p_lead jsonb, c crm.contacts, p_company_id uuid) TO crm_api;


--
-- Name: FUNCTION lead_json(p_deal crm.deals, p_contact_id uuid, p_company_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lead_json(p_deal crm.deals, p_contact_id uuid, p_company_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lead_json(p_deal crm.deals, p_contact_id uuid, p_company_id uuid) TO crm_api;
GRANT ALL ON FUNCTION crm.lead_json(p_deal crm.deals, p_contact_id uuid, p_company_id uuid) TO crm_app;


--
-- Name: FUNCTION lead_name(p_lead jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lead_name(p_lead jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lead_name(p_lead jsonb) TO crm_api;


--
-- Name: FUNCTION lead_result(p_deal crm.deals, p_contact_id uuid, p_company_id uuid, p_idempotent boolean, p_company_created boolean, p_contact_created boolean, p_matched_by text, p_differences text[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lead_result(p_deal crm.deals, p_contact_id uuid, p_company_id uuid, p_idempotent boolean, p_company_created boolean, p_contact_created boolean, p_matched_by text, p_differences text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lead_result(p_deal crm.deals, p_contact_id uuid, p_company_id uuid, p_idempotent boolean, p_company_created boolean, p_contact_created boolean, p_matched_by text, p_differences text[]) TO crm_api;


--
-- Name: FUNCTION link_member(p_user_id uuid, p_email text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.link_member(p_user_id uuid, p_email text) FROM PUBLIC;


--
-- Name: FUNCTION live_hits(p_hits timestamp with time zone[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.live_hits(p_hits timestamp with time zone[]) FROM PUBLIC;


--
-- Name: FUNCTION lock_all_matches(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lock_all_matches() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lock_all_matches() TO crm_api;


--
-- Name: FUNCTION lock_batch(p_record text, p_items jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lock_batch(p_record text, p_items jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lock_batch(p_record text, p_items jsonb) TO crm_api;


--
-- Name: FUNCTION lock_company_merges(p_exclusive boolean); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lock_company_merges(p_exclusive boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lock_company_merges(p_exclusive boolean) TO crm_api;


--
-- Name: FUNCTION lock_key(p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lock_key(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lock_key(p_id uuid) TO crm_api;


--
-- Name: FUNCTION lock_matches(VARIADIC p_values jsonb[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lock_matches(VARIADIC p_values jsonb[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lock_matches(VARIADIC p_values jsonb[]) TO crm_api;


--
-- Name: FUNCTION lock_matches_of_companies(p_ids uuid[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lock_matches_of_companies(p_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lock_matches_of_companies(p_ids uuid[]) TO crm_api;


--
-- Name: FUNCTION lock_matches_of_contacts(p_ids uuid[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lock_matches_of_contacts(p_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lock_matches_of_contacts(p_ids uuid[]) TO crm_api;


--
-- Name: FUNCTION lock_number(p_name text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lock_number(p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.lock_number(p_name text) TO crm_api;
GRANT ALL ON FUNCTION crm.lock_number(p_name text) TO crm_app;


--
-- Name: FUNCTION lock_texts(p_exclusive boolean); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.lock_texts(p_exclusive boolean) FROM PUBLIC;


--
-- Name: TABLE loss_reasons; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.loss_reasons TO crm_api;


--
-- Name: FUNCTION loss_reason_json(r crm.loss_reasons); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.loss_reason_json(r crm.loss_reasons) FROM PUBLIC;


--
-- Name: FUNCTION make_partition(p_table regclass, p_day date); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.make_partition(p_table regclass, p_day date) FROM PUBLIC;


--
-- Name: FUNCTION makers_of_subscriptions(p_workspace_id uuid, p_key_ids uuid[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.makers_of_subscriptions(p_workspace_id uuid, p_key_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.makers_of_subscriptions(p_workspace_id uuid, p_key_ids uuid[]) TO crm_api;
GRANT ALL ON FUNCTION crm.makers_of_subscriptions(p_workspace_id uuid, p_key_ids uuid[]) TO crm_app;


--
-- Name: FUNCTION manage_partitions(p_table regclass, p_now timestamp with time zone, p_max_rows bigint, OUT made integer, OUT moved bigint, OUT dropped integer, OUT hindrance text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.manage_partitions(p_table regclass, p_now timestamp with time zone, p_max_rows bigint, OUT made integer, OUT moved bigint, OUT dropped integer, OUT hindrance text) FROM PUBLIC;


--
-- Name: FUNCTION max_page_bytes(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.max_page_bytes() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.max_page_bytes() TO crm_api;


--
-- Name: FUNCTION may_send(p_workspace_id uuid, p_subscription_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.may_send(p_workspace_id uuid, p_subscription_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.may_send(p_workspace_id uuid, p_subscription_id uuid) TO crm_api;
GRANT ALL ON FUNCTION crm.may_send(p_workspace_id uuid, p_subscription_id uuid) TO crm_app;


--
-- Name: TABLE members; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.members TO crm_api;
GRANT SELECT,INSERT ON TABLE crm.members TO crm_app;


--
-- Name: COLUMN members.name; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(name) ON TABLE crm.members TO crm_app;


--
-- Name: COLUMN members.role; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(role) ON TABLE crm.members TO crm_app;


--
-- Name: COLUMN members.is_active; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(is_active) ON TABLE crm.members TO crm_app;


--
-- Name: FUNCTION member_json(m crm.members, p_working_keys bigint); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.member_json(m crm.members, p_working_keys bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.member_json(m crm.members, p_working_keys bigint) TO crm_app;


--
-- Name: FUNCTION mentions(p_text text, p_traces crm.traces); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.mentions(p_text text, p_traces crm.traces) FROM PUBLIC;


--
-- Name: FUNCTION missing_days(p_table regclass, p_oldest date, p_today date); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.missing_days(p_table regclass, p_oldest date, p_today date) FROM PUBLIC;


--
-- Name: FUNCTION move_to_company(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.move_to_company() FROM PUBLIC;


--
-- Name: FUNCTION move_to_contact(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.move_to_contact() FROM PUBLIC;


--
-- Name: FUNCTION name_holder(p_record text, p_item jsonb, p_result jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.name_holder(p_record text, p_item jsonb, p_result jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.name_holder(p_record text, p_item jsonb, p_result jsonb) TO crm_api;


--
-- Name: FUNCTION name_words(p_name text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.name_words(p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.name_words(p_name text) TO crm_api;


--
-- Name: FUNCTION next_delivery_due(p_within interval); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.next_delivery_due(p_within interval) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.next_delivery_due(p_within interval) TO crm_functions;


--
-- Name: FUNCTION note_deactivation(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.note_deactivation() FROM PUBLIC;


--
-- Name: TABLE notes; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT,INSERT ON TABLE crm.notes TO crm_api;
GRANT SELECT ON TABLE crm.notes TO crm_app;


--
-- Name: FUNCTION note_insert(p_rows crm.notes[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.note_insert(p_rows crm.notes[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.note_insert(p_rows crm.notes[]) TO crm_api;


--
-- Name: FUNCTION note_insert(t crm.notes); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.note_insert(t crm.notes) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.note_insert(t crm.notes) TO crm_api;


--
-- Name: FUNCTION note_json(t crm.notes); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.note_json(t crm.notes) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.note_json(t crm.notes) TO crm_api;
GRANT ALL ON FUNCTION crm.note_json(t crm.notes) TO crm_app;


--
-- Name: FUNCTION note_json_if_short(t crm.notes); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.note_json_if_short(t crm.notes) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.note_json_if_short(t crm.notes) TO crm_api;


--
-- Name: FUNCTION note_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.note_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.note_list_by(p_args jsonb, p_before uuid, p_from uuid, p_step integer, OUT ids uuid[], OUT next_id uuid) TO crm_api;


--
-- Name: FUNCTION note_new(p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.note_new(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.note_new(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION note_page(p_ids uuid[], p_records json[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.note_page(p_ids uuid[], p_records json[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.note_page(p_ids uuid[], p_records json[]) TO crm_api;


--
-- Name: FUNCTION old_secret_until(p_workspace_id uuid, p_subscription_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.old_secret_until(p_workspace_id uuid, p_subscription_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.old_secret_until(p_workspace_id uuid, p_subscription_id uuid) TO crm_api;
GRANT ALL ON FUNCTION crm.old_secret_until(p_workspace_id uuid, p_subscription_id uuid) TO crm_app;


--
-- Name: FUNCTION own_active_subscription(p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.own_active_subscription(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.own_active_subscription(p_id uuid) TO crm_api;


--
-- Name: FUNCTION own_key(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.own_key() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.own_key() TO crm_api;


--
-- Name: FUNCTION own_subscription(p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.own_subscription(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.own_subscription(p_id uuid) TO crm_api;


--
-- Name: FUNCTION own_workspace_name(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.own_workspace_name() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.own_workspace_name() TO crm_api;


--
-- Name: FUNCTION owner_or_default(p_owner_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.owner_or_default(p_owner_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.owner_or_default(p_owner_id uuid) TO crm_api;


--
-- Name: FUNCTION page(p_records json[], p_next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.page(p_records json[], p_next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.page(p_records json[], p_next_id uuid) TO crm_api;
GRANT ALL ON FUNCTION crm.page(p_records json[], p_next_id uuid) TO crm_app;


--
-- Name: FUNCTION parse_argument(p_rule text, p_field text, p_value jsonb, OUT value jsonb, OUT errors jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.parse_argument(p_rule text, p_field text, p_value jsonb, OUT value jsonb, OUT errors jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.parse_argument(p_rule text, p_field text, p_value jsonb, OUT value jsonb, OUT errors jsonb) TO crm_app;


--
-- Name: FUNCTION parse_moment(p_text text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.parse_moment(p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.parse_moment(p_text text) TO crm_app;


--
-- Name: FUNCTION partition_fillfactor(p_table regclass); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.partition_fillfactor(p_table regclass) FROM PUBLIC;


--
-- Name: FUNCTION partition_key(p_table regclass); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.partition_key(p_table regclass) FROM PUBLIC;


--
-- Name: FUNCTION partitions_of(p_table regclass); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.partitions_of(p_table regclass) FROM PUBLIC;


--
-- Name: FUNCTION pending_texts(p_record text, p_most integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.pending_texts(p_record text, p_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.pending_texts(p_record text, p_most integer) TO crm_api;


--
-- Name: TABLE pipelines; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.pipelines TO crm_api;
GRANT SELECT ON TABLE crm.pipelines TO crm_app;


--
-- Name: FUNCTION pipeline_json(t crm.pipelines); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.pipeline_json(t crm.pipelines) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.pipeline_json(t crm.pipelines) TO crm_api;


--
-- Name: FUNCTION pipeline_row_json(p crm.pipelines); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.pipeline_row_json(p crm.pipelines) FROM PUBLIC;


--
-- Name: FUNCTION poke_dispatcher(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.poke_dispatcher() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.poke_dispatcher() TO crm_app;


--
-- Name: FUNCTION proposal_answer(p_id uuid, p_status text, p_reason text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.proposal_answer(p_id uuid, p_status text, p_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.proposal_answer(p_id uuid, p_status text, p_reason text) TO crm_api;


--
-- Name: TABLE proposals; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.proposals TO crm_api;
GRANT SELECT ON TABLE crm.proposals TO crm_app;


--
-- Name: COLUMN proposals.status; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(status) ON TABLE crm.proposals TO crm_api;


--
-- Name: COLUMN proposals.rejection_reason; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(rejection_reason) ON TABLE crm.proposals TO crm_api;


--
-- Name: FUNCTION proposal_for_customer(p_proposal crm.proposals); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.proposal_for_customer(p_proposal crm.proposals) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.proposal_for_customer(p_proposal crm.proposals) TO crm_api;


--
-- Name: FUNCTION proposal_json(t crm.proposals); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.proposal_json(t crm.proposals) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.proposal_json(t crm.proposals) TO crm_api;
GRANT ALL ON FUNCTION crm.proposal_json(t crm.proposals) TO crm_app;


--
-- Name: FUNCTION proposal_lock(p_id uuid, p_if_match jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.proposal_lock(p_id uuid, p_if_match jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.proposal_lock(p_id uuid, p_if_match jsonb) TO crm_api;


--
-- Name: FUNCTION proposal_save(t crm.proposals); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.proposal_save(t crm.proposals) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.proposal_save(t crm.proposals) TO crm_api;


--
-- Name: FUNCTION proposal_seller(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.proposal_seller() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.proposal_seller() TO crm_api;


--
-- Name: FUNCTION proposal_set_status(p_proposal crm.proposals, p_status text, p_reason text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.proposal_set_status(p_proposal crm.proposals, p_status text, p_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.proposal_set_status(p_proposal crm.proposals, p_status text, p_reason text) TO crm_api;


--
-- Name: FUNCTION proposal_status(p crm.proposals); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.proposal_status(p crm.proposals) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.proposal_status(p crm.proposals) TO crm_api;
GRANT ALL ON FUNCTION crm.proposal_status(p crm.proposals) TO crm_app;


--
-- Name: FUNCTION proposal_view_json(t crm.proposals); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.proposal_view_json(t crm.proposals) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.proposal_view_json(t crm.proposals) TO crm_api;


--
-- Name: PROCEDURE protect(IN p_table regclass); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON PROCEDURE crm.protect(IN p_table regclass) FROM PUBLIC;


--
-- Name: FUNCTION purge_cron_history(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.purge_cron_history() FROM PUBLIC;


--
-- Name: FUNCTION purge_key_calls(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.purge_key_calls() FROM PUBLIC;


--
-- Name: FUNCTION purge_key_secrets(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.purge_key_secrets() FROM PUBLIC;


--
-- Name: FUNCTION purge_rate_limits(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.purge_rate_limits() FROM PUBLIC;


--
-- Name: FUNCTION queue_room(p_workspace_id uuid, p_subscription_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.queue_room(p_workspace_id uuid, p_subscription_id uuid) FROM PUBLIC;


--
-- Name: FUNCTION queue_share(p_workspace_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.queue_share(p_workspace_id uuid) FROM PUBLIC;


--
-- Name: FUNCTION raise_code(p_code text, p_field text, p_message text, p_value text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.raise_code(p_code text, p_field text, p_message text, p_value text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.raise_code(p_code text, p_field text, p_message text, p_value text) TO crm_api;
GRANT ALL ON FUNCTION crm.raise_code(p_code text, p_field text, p_message text, p_value text) TO crm_app;


--
-- Name: FUNCTION rate_reset_seconds(p_hits timestamp with time zone[], p_limit integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.rate_reset_seconds(p_hits timestamp with time zone[], p_limit integer) FROM PUBLIC;


--
-- Name: FUNCTION reactivate_subscription(p_workspace_id uuid, p_subscription_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.reactivate_subscription(p_workspace_id uuid, p_subscription_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.reactivate_subscription(p_workspace_id uuid, p_subscription_id uuid) TO crm_api;
GRANT ALL ON FUNCTION crm.reactivate_subscription(p_workspace_id uuid, p_subscription_id uuid) TO crm_app;


--
-- Name: FUNCTION record_action(p_workspace_id uuid, p_action text, p_object_type text, p_object_id uuid, p_object_name text, p_details jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.record_action(p_workspace_id uuid, p_action text, p_object_type text, p_object_id uuid, p_object_name text, p_details jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.record_action(p_workspace_id uuid, p_action text, p_object_type text, p_object_id uuid, p_object_name text, p_details jsonb) TO crm_app;


--
-- Name: FUNCTION record_webhook_action(p_workspace_id uuid, p_id uuid, p_action text, p_details jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.record_webhook_action(p_workspace_id uuid, p_id uuid, p_action text, p_details jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.record_webhook_action(p_workspace_id uuid, p_id uuid, p_action text, p_details jsonb) TO crm_app;


--
-- Name: FUNCTION recover_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_since timestamp with time zone, p_until timestamp with time zone, OUT count bigint, OUT next_since timestamp with time zone); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.recover_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_since timestamp with time zone, p_until timestamp with time zone, OUT count bigint, OUT next_since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.recover_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_since timestamp with time zone, p_until timestamp with time zone, OUT count bigint, OUT next_since timestamp with time zone) TO crm_api;
GRANT ALL ON FUNCTION crm.recover_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_since timestamp with time zone, p_until timestamp with time zone, OUT count bigint, OUT next_since timestamp with time zone) TO crm_app;


--
-- Name: FUNCTION recovery_json(p_count bigint, p_next_since timestamp with time zone); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.recovery_json(p_count bigint, p_next_since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.recovery_json(p_count bigint, p_next_since timestamp with time zone) TO crm_api;
GRANT ALL ON FUNCTION crm.recovery_json(p_count bigint, p_next_since timestamp with time zone) TO crm_app;


--
-- Name: FUNCTION redeliver(p_workspace_id uuid, p_delivery_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.redeliver(p_workspace_id uuid, p_delivery_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.redeliver(p_workspace_id uuid, p_delivery_id uuid) TO crm_api;
GRANT ALL ON FUNCTION crm.redeliver(p_workspace_id uuid, p_delivery_id uuid) TO crm_app;


--
-- Name: FUNCTION refusal(p_error_code text, p_caller crm.caller, p_admission crm.admission, p_details json); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.refusal(p_error_code text, p_caller crm.caller, p_admission crm.admission, p_details json) FROM PUBLIC;


--
-- Name: FUNCTION require_active_pipeline(p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_active_pipeline(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.require_active_pipeline(p_id uuid) TO crm_api;


--
-- Name: FUNCTION require_active_stage(p_pipeline_id uuid, p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_active_stage(p_pipeline_id uuid, p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.require_active_stage(p_pipeline_id uuid, p_id uuid) TO crm_api;


--
-- Name: FUNCTION require_active_subscription(p_workspace_id uuid, p_subscription_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_active_subscription(p_workspace_id uuid, p_subscription_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.require_active_subscription(p_workspace_id uuid, p_subscription_id uuid) TO crm_app;


--
-- Name: FUNCTION require_admin_still(p_workspace_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_admin_still(p_workspace_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.require_admin_still(p_workspace_id uuid) TO crm_app;


--
-- Name: FUNCTION require_invitations_left(p_workspace_id uuid, p_member_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_invitations_left(p_workspace_id uuid, p_member_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.require_invitations_left(p_workspace_id uuid, p_member_id uuid) TO crm_app;


--
-- Name: FUNCTION require_other_admin(p_workspace_id uuid, p_member_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_other_admin(p_workspace_id uuid, p_member_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.require_other_admin(p_workspace_id uuid, p_member_id uuid) TO crm_app;


--
-- Name: FUNCTION require_own_delivery(s crm.webhook_subscriptions, p_delivery_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_own_delivery(s crm.webhook_subscriptions, p_delivery_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.require_own_delivery(s crm.webhook_subscriptions, p_delivery_id uuid) TO crm_api;


--
-- Name: FUNCTION require_own_workspace(p_workspace_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_own_workspace(p_workspace_id uuid) FROM PUBLIC;


--
-- Name: FUNCTION require_record(p_record json); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_record(p_record json) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.require_record(p_record json) TO crm_api;


--
-- Name: FUNCTION require_references(p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_references(p_args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.require_references(p_args jsonb) TO crm_api;


--
-- Name: FUNCTION require_room(p_workspace_id uuid, p_subscription_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_room(p_workspace_id uuid, p_subscription_id uuid) FROM PUBLIC;


--
-- Name: FUNCTION require_room_for_key(p_workspace_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_room_for_key(p_workspace_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.require_room_for_key(p_workspace_id uuid) TO crm_app;


--
-- Name: FUNCTION require_workspace(p_workspace_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.require_workspace(p_workspace_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.require_workspace(p_workspace_id uuid) TO crm_app;


--
-- Name: FUNCTION resume_subscription(p_workspace_id uuid, p_id uuid, OUT was_inactive boolean, OUT resumed bigint, OUT revoked_key json); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.resume_subscription(p_workspace_id uuid, p_id uuid, OUT was_inactive boolean, OUT resumed bigint, OUT revoked_key json) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.resume_subscription(p_workspace_id uuid, p_id uuid, OUT was_inactive boolean, OUT resumed bigint, OUT revoked_key json) TO crm_api;
GRANT ALL ON FUNCTION crm.resume_subscription(p_workspace_id uuid, p_id uuid, OUT was_inactive boolean, OUT resumed bigint, OUT revoked_key json) TO crm_app;


--
-- Name: FUNCTION resume_webhooks(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.resume_webhooks() FROM PUBLIC;


--
-- Name: FUNCTION retry_delay(p_failed_attempts integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.retry_delay(p_failed_attempts integer) FROM PUBLIC;


--
-- Name: FUNCTION retry_deliveries(p_workspace_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.retry_deliveries(p_workspace_id uuid) FROM PUBLIC;


--
-- Name: FUNCTION roles_included(p_role text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.roles_included(p_role text) FROM PUBLIC;


--
-- Name: FUNCTION rotate_secret(p_workspace_id uuid, p_subscription_id uuid, p_secret bytea, p_overlap_seconds integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.rotate_secret(p_workspace_id uuid, p_subscription_id uuid, p_secret bytea, p_overlap_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.rotate_secret(p_workspace_id uuid, p_subscription_id uuid, p_secret bytea, p_overlap_seconds integer) TO crm_api;
GRANT ALL ON FUNCTION crm.rotate_secret(p_workspace_id uuid, p_subscription_id uuid, p_secret bytea, p_overlap_seconds integer) TO crm_app;


--
-- Name: FUNCTION run_app_verb(p_verb text, p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.run_app_verb(p_verb text, p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION run_batch(p_record text, p_args jsonb, p_group integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.run_batch(p_record text, p_args jsonb, p_group integer) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.run_batch(p_record text, p_args jsonb, p_group integer) TO crm_api;


--
-- Name: FUNCTION run_batch_item(p_record text, p_item jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.run_batch_item(p_record text, p_item jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.run_batch_item(p_record text, p_item jsonb) TO crm_api;


--
-- Name: FUNCTION run_group(p_record text, p_items jsonb[], p_is_atomic boolean); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.run_group(p_record text, p_items jsonb[], p_is_atomic boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.run_group(p_record text, p_items jsonb[], p_is_atomic boolean) TO crm_api;


--
-- Name: FUNCTION run_verb(p_verb text, p_args jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.run_verb(p_verb text, p_args jsonb) FROM PUBLIC;


--
-- Name: FUNCTION sample_data(p_event crm.event_type); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.sample_data(p_event crm.event_type) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.sample_data(p_event crm.event_type) TO crm_api;
GRANT ALL ON FUNCTION crm.sample_data(p_event crm.event_type) TO crm_app;


--
-- Name: FUNCTION sample_facts(p_event crm.event_type); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.sample_facts(p_event crm.event_type) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.sample_facts(p_event crm.event_type) TO crm_api;
GRANT ALL ON FUNCTION crm.sample_facts(p_event crm.event_type) TO crm_app;


--
-- Name: FUNCTION sample_row(p_object_type text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.sample_row(p_object_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.sample_row(p_object_type text) TO crm_api;
GRANT ALL ON FUNCTION crm.sample_row(p_object_type text) TO crm_app;


--
-- Name: FUNCTION sample_state(p_event crm.event_type); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.sample_state(p_event crm.event_type) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.sample_state(p_event crm.event_type) TO crm_api;
GRANT ALL ON FUNCTION crm.sample_state(p_event crm.event_type) TO crm_app;


--
-- Name: FUNCTION schedule_jobs(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.schedule_jobs() FROM PUBLIC;


--
-- Name: FUNCTION search(p_record text, p_words text[], p_before uuid, p_from uuid, p_step integer, p_enough integer, OUT ids uuid[], OUT next_id uuid, OUT is_common boolean); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.search(p_record text, p_words text[], p_before uuid, p_from uuid, p_step integer, p_enough integer, OUT ids uuid[], OUT next_id uuid, OUT is_common boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.search(p_record text, p_words text[], p_before uuid, p_from uuid, p_step integer, p_enough integer, OUT ids uuid[], OUT next_id uuid, OUT is_common boolean) TO crm_api;


--
-- Name: FUNCTION search_keys(p_workspace_id uuid, p_record text, p_sample text, p_id uuid, p_trigrams text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.search_keys(p_workspace_id uuid, p_record text, p_sample text, p_id uuid, p_trigrams text) FROM PUBLIC;


--
-- Name: FUNCTION search_text(p_texts text[], p_phones text[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.search_text(p_texts text[], p_phones text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.search_text(p_texts text[], p_phones text[]) TO crm_api;


--
-- Name: FUNCTION search_trigrams(p_text text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.search_trigrams(p_text text) FROM PUBLIC;


--
-- Name: FUNCTION search_words(p_query text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.search_words(p_query text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.search_words(p_query text) TO crm_api;


--
-- Name: FUNCTION searched_keys(p_workspace_id uuid, p_record text, p_id uuid, p_text text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.searched_keys(p_workspace_id uuid, p_record text, p_id uuid, p_text text) FROM PUBLIC;


--
-- Name: FUNCTION send_test_event(p_workspace_id uuid, p_subscription_id uuid, p_event crm.event_type); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.send_test_event(p_workspace_id uuid, p_subscription_id uuid, p_event crm.event_type) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.send_test_event(p_workspace_id uuid, p_subscription_id uuid, p_event crm.event_type) TO crm_api;
GRANT ALL ON FUNCTION crm.send_test_event(p_workspace_id uuid, p_subscription_id uuid, p_event crm.event_type) TO crm_app;


--
-- Name: FUNCTION session_email(p_user_id uuid, p_session_id uuid, OUT is_live boolean, OUT email text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.session_email(p_user_id uuid, p_session_id uuid, OUT is_live boolean, OUT email text) FROM PUBLIC;


--
-- Name: FUNCTION set_completed_at(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.set_completed_at() FROM PUBLIC;


--
-- Name: FUNCTION set_deal_moments(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.set_deal_moments() FROM PUBLIC;


--
-- Name: FUNCTION set_last_activity_at(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.set_last_activity_at() FROM PUBLIC;


--
-- Name: FUNCTION set_moved_at(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.set_moved_at() FROM PUBLIC;


--
-- Name: FUNCTION set_proposal_moments(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.set_proposal_moments() FROM PUBLIC;


--
-- Name: FUNCTION settle_shard(p_shard smallint); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.settle_shard(p_shard smallint) FROM PUBLIC;


--
-- Name: FUNCTION settle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.settle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) FROM PUBLIC;


--
-- Name: FUNCTION single_names(p_names text[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.single_names(p_names text[]) FROM PUBLIC;


--
-- Name: FUNCTION spelled_tax_id(p_tax_id text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.spelled_tax_id(p_tax_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.spelled_tax_id(p_tax_id text) TO crm_api;


--
-- Name: TABLE stages; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.stages TO crm_api;
GRANT SELECT ON TABLE crm.stages TO crm_app;


--
-- Name: FUNCTION stage_json(t crm.stages); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.stage_json(t crm.stages) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.stage_json(t crm.stages) TO crm_api;


--
-- Name: FUNCTION stage_of_new_deal(p_pipeline_id uuid, p_stage_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.stage_of_new_deal(p_pipeline_id uuid, p_stage_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.stage_of_new_deal(p_pipeline_id uuid, p_stage_id uuid) TO crm_api;


--
-- Name: FUNCTION stage_row_json(s crm.stages); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.stage_row_json(s crm.stages) FROM PUBLIC;


--
-- Name: FUNCTION stages_of(p crm.pipelines); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.stages_of(p crm.pipelines) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.stages_of(p crm.pipelines) TO crm_api;


--
-- Name: TABLE webhook_queue; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.webhook_queue TO crm_app;


--
-- Name: FUNCTION stuck_deliveries(p_bound integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.stuck_deliveries(p_bound integer) FROM PUBLIC;


--
-- Name: FUNCTION subscribers(p_workspace_id uuid, p_event crm.event_type); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.subscribers(p_workspace_id uuid, p_event crm.event_type) FROM PUBLIC;


--
-- Name: FUNCTION subscription_insert(t crm.webhook_subscriptions); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.subscription_insert(t crm.webhook_subscriptions) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.subscription_insert(t crm.webhook_subscriptions) TO crm_api;


--
-- Name: FUNCTION subscription_json(t crm.webhook_subscriptions); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.subscription_json(t crm.webhook_subscriptions) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.subscription_json(t crm.webhook_subscriptions) TO crm_api;
GRANT ALL ON FUNCTION crm.subscription_json(t crm.webhook_subscriptions) TO crm_app;


--
-- Name: FUNCTION subscription_overview(p_workspace_id uuid, p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.subscription_overview(p_workspace_id uuid, p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.subscription_overview(p_workspace_id uuid, p_id uuid) TO crm_api;
GRANT ALL ON FUNCTION crm.subscription_overview(p_workspace_id uuid, p_id uuid) TO crm_app;


--
-- Name: FUNCTION subscription_overviews(p_workspace_id uuid, p_ids uuid[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.subscription_overviews(p_workspace_id uuid, p_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.subscription_overviews(p_workspace_id uuid, p_ids uuid[]) TO crm_api;
GRANT ALL ON FUNCTION crm.subscription_overviews(p_workspace_id uuid, p_ids uuid[]) TO crm_app;


--
-- Name: FUNCTION synced_page(p_records json[], p_next_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.synced_page(p_records json[], p_next_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.synced_page(p_records json[], p_next_id uuid) TO crm_api;


--
-- Name: FUNCTION text_changed(p_event crm.event_type, p_facts jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.text_changed(p_event crm.event_type, p_facts jsonb) FROM PUBLIC;


--
-- Name: FUNCTION touch(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.touch() FROM PUBLIC;


--
-- Name: FUNCTION touch_deal(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.touch_deal() FROM PUBLIC;


--
-- Name: FUNCTION traces_of(p_names text[], p_phones text[]); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.traces_of(p_names text[], p_phones text[]) FROM PUBLIC;


--
-- Name: FUNCTION unset_default_pipeline(p_workspace_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.unset_default_pipeline(p_workspace_id uuid) FROM PUBLIC;


--
-- Name: FUNCTION unsettle_changed_subscription(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.unsettle_changed_subscription() FROM PUBLIC;


--
-- Name: FUNCTION unsettle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.unsettle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) FROM PUBLIC;


--
-- Name: FUNCTION url_decoded(p_text text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.url_decoded(p_text text) FROM PUBLIC;


--
-- Name: FUNCTION used_up(p_key_id uuid, p_limit integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.used_up(p_key_id uuid, p_limit integer) FROM PUBLIC;


--
-- Name: FUNCTION uuid_v7_floor(p_at timestamp with time zone); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.uuid_v7_floor(p_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.uuid_v7_floor(p_at timestamp with time zone) TO crm_api;
GRANT ALL ON FUNCTION crm.uuid_v7_floor(p_at timestamp with time zone) TO crm_app;


--
-- Name: FUNCTION uuid_v7_time(p_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.uuid_v7_time(p_id uuid) FROM PUBLIC;


--
-- Name: FUNCTION version(p_record json); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.version(p_record json) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.version(p_record json) TO crm_api;


--
-- Name: FUNCTION waiting_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_limit integer); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.waiting_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_limit integer) FROM PUBLIC;


--
-- Name: FUNCTION wake_deliveries(p_shard smallint); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.wake_deliveries(p_shard smallint) FROM PUBLIC;


--
-- Name: FUNCTION wake_dispatcher(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.wake_dispatcher() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.wake_dispatcher() TO crm_api;


--
-- Name: FUNCTION with_activity_defaults(p_activity crm.activities); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.with_activity_defaults(p_activity crm.activities) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.with_activity_defaults(p_activity crm.activities) TO crm_api;


--
-- Name: FUNCTION with_fields(p_record json, p_fields json); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.with_fields(p_record json, p_fields json) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.with_fields(p_record json, p_fields json) TO crm_api;
GRANT ALL ON FUNCTION crm.with_fields(p_record json, p_fields json) TO crm_app;


--
-- Name: FUNCTION with_lead(p_traces crm.traces, p_lead jsonb); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.with_lead(p_traces crm.traces, p_lead jsonb) FROM PUBLIC;


--
-- Name: FUNCTION without_mentions(p_fields jsonb, p_traces crm.traces); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.without_mentions(p_fields jsonb, p_traces crm.traces) FROM PUBLIC;


--
-- Name: FUNCTION words(p_text text); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.words(p_text text) FROM PUBLIC;


--
-- Name: FUNCTION working_keys_of(p_workspace_id uuid, p_member_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.working_keys_of(p_workspace_id uuid, p_member_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.working_keys_of(p_workspace_id uuid, p_member_id uuid) TO crm_app;


--
-- Name: TABLE workspaces; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.workspaces TO crm_app;


--
-- Name: COLUMN workspaces.name; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(name) ON TABLE crm.workspaces TO crm_app;


--
-- Name: COLUMN workspaces.stale_after_days; Type: ACL; Schema: crm; Owner: -
--

GRANT UPDATE(stale_after_days) ON TABLE crm.workspaces TO crm_app;


--
-- Name: FUNCTION workspace_json(w crm.workspaces); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.workspace_json(w crm.workspaces) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.workspace_json(w crm.workspaces) TO crm_app;


--
-- Name: FUNCTION workspace_overview(w crm.workspaces); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.workspace_overview(w crm.workspaces) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.workspace_overview(w crm.workspaces) TO crm_app;


--
-- Name: FUNCTION workspace_usage(p_workspace_id uuid); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.workspace_usage(p_workspace_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION crm.workspace_usage(p_workspace_id uuid) TO crm_app;


--
-- Name: FUNCTION workspaces_of_current_user(); Type: ACL; Schema: crm; Owner: -
--

REVOKE ALL ON FUNCTION crm.workspaces_of_current_user() FROM PUBLIC;
GRANT ALL ON FUNCTION crm.workspaces_of_current_user() TO crm_app;


--
-- Name: TABLE audit_log; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT,INSERT ON TABLE crm.audit_log TO crm_app;


--
-- Name: TABLE event_types; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.event_types TO crm_api;
GRANT SELECT ON TABLE crm.event_types TO crm_app;


--
-- Name: TABLE key_calls; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.key_calls TO crm_app;


--
-- Name: TABLE key_counters; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.key_counters TO crm_app;


--
-- Name: TABLE key_secrets; Type: ACL; Schema: crm; Owner: -
--

GRANT INSERT ON TABLE crm.key_secrets TO crm_app;


--
-- Name: COLUMN key_secrets.workspace_id; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT(workspace_id) ON TABLE crm.key_secrets TO crm_app;


--
-- Name: COLUMN key_secrets.id; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT(id) ON TABLE crm.key_secrets TO crm_app;


--
-- Name: COLUMN key_secrets.key_id; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT(key_id) ON TABLE crm.key_secrets TO crm_app;


--
-- Name: COLUMN key_secrets.prefix; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT(prefix) ON TABLE crm.key_secrets TO crm_app;


--
-- Name: COLUMN key_secrets.expires_at; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT(expires_at),UPDATE(expires_at) ON TABLE crm.key_secrets TO crm_app;


--
-- Name: COLUMN key_secrets.created_at; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT(created_at) ON TABLE crm.key_secrets TO crm_app;


--
-- Name: TABLE lead_receipts; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT,INSERT ON TABLE crm.lead_receipts TO crm_api;


--
-- Name: TABLE rate_limits; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.rate_limits TO crm_app;


--
-- Name: TABLE search_texts; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.search_texts TO crm_api;


--
-- Name: TABLE webhook_attempts; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT ON TABLE crm.webhook_attempts TO crm_api;
GRANT SELECT ON TABLE crm.webhook_attempts TO crm_app;


--
-- Name: TABLE webhook_secrets; Type: ACL; Schema: crm; Owner: -
--

GRANT INSERT ON TABLE crm.webhook_secrets TO crm_api;
GRANT INSERT ON TABLE crm.webhook_secrets TO crm_app;


--
-- Name: COLUMN webhook_secrets.workspace_id; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT(workspace_id) ON TABLE crm.webhook_secrets TO crm_api;
GRANT SELECT(workspace_id) ON TABLE crm.webhook_secrets TO crm_app;


--
-- Name: COLUMN webhook_secrets.subscription_id; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT(subscription_id) ON TABLE crm.webhook_secrets TO crm_api;
GRANT SELECT(subscription_id) ON TABLE crm.webhook_secrets TO crm_app;


--
-- Name: COLUMN webhook_secrets.next_from; Type: ACL; Schema: crm; Owner: -
--

GRANT SELECT(next_from) ON TABLE crm.webhook_secrets TO crm_api;
GRANT SELECT(next_from) ON TABLE crm.webhook_secrets TO crm_app;
