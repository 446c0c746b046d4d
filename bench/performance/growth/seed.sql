-- Functions that insert millions of rows for the growth bench, without HTTP. seed.ts has the columns. The number k of a
-- row in its workspace determines its id, its age and what it refers to. For any number of rows, a column by which
-- lists can be filtered has
--   * one value in the oldest 120 rows, which a list reaches last (k <= 120),
--   * one value in every tenth row, which fills a page anywhere (k % 10 = 0),
--   * a different value in each other row.
-- The oldest 60 contacts, companies and deals are archived.

create schema bench;

create function bench.workspace_id(w bigint) returns uuid language sql immutable
as $$ select encode(int8send(x'7000'::bigint) || int8send(w | x'8000000000000000'::bigint), 'hex')::uuid $$;

-- When row k was created: one row every ten seconds since 2022, so that ten million rows end in March 2025.
create function bench.made_at(k bigint) returns timestamptz language sql immutable
as $$ select to_timestamp(1640995200 + k * 10) $$;

-- A UUIDv7 with the time bench.made_at(k). The k-th rows of all tables have the same id, so that rows can refer to each
-- other by number.
create function bench.id(w bigint, k bigint) returns uuid language sql immutable
as $$
  select encode(
    int8send(((1640995200 + k * 10) * 1000 << 16) | x'7000'::bigint)
      || int8send((hashint8extended(k, w) & x'3fffffffffffffff'::bigint) | x'8000000000000000'::bigint),
    'hex'
  )::uuid
$$;

create function bench.pick(k bigint, few anycompatible, many anycompatible, own anycompatible)
returns anycompatible language sql immutable
as $$ select case when k <= 120 then few when k % 10 = 0 then many else own end $$;

create function bench.archived_at(k bigint) returns timestamptz language sql immutable
as $$ select case when k <= 60 then bench.made_at(k) end $$;

-- One of twelve row numbers spread over all rows, chosen by r.
create function bench.anywhere(r bigint, total bigint) returns bigint language sql immutable
as $$ select 1 + (r % 12 * 2654435761 + 40503) % total $$;

-- Like bench.anywhere, but chooses among rows whose values no other row has.
create function bench.own(r bigint, total bigint) returns bigint language sql immutable
as $$ select 123 + 10 * ((r % 12 * 2654435761 + 40503) % (total / 10 - 12)) $$;

-- An external_id for every hundredth row, and none for the others, as in real data.
create function bench.imported(k bigint) returns text language sql immutable
as $$ select case when k % 100 = 3 then 'erp-' || k end $$;

-- Each workspace has members 1 to 3, pipeline 1 (the default) with stages 1 to 4, and pipeline 2 with stage 5.
create function bench.seed_workspaces(workspaces bigint, keys bigint, scopes text[]) returns void language sql
as $$
  insert into crm.workspaces (id, name)
  select bench.workspace_id(w), 'Workspace ' || w from generate_series(0, workspaces - 1) w;
  insert into crm.members (workspace_id, id, name, email, role)
  select bench.workspace_id(w), bench.id(w, n), 'Membro ' || n, n || '@membro.com', 'admin'
  from generate_series(0, workspaces - 1) w, generate_series(1, 3) n;
  insert into crm.pipelines (workspace_id, id, name, is_default)
  select bench.workspace_id(w), bench.id(w, n), 'Pipeline ' || n, n = 1
  from generate_series(0, workspaces - 1) w, generate_series(1, 2) n;
  insert into crm.stages (workspace_id, pipeline_id, id, name, position, type)
  select bench.workspace_id(w), bench.id(w, 1 + n / 5), bench.id(w, n), 'Etapa ' || n, n, 'venda'
  from generate_series(0, workspaces - 1) w, generate_series(1, 5) n;
  -- The first workspace makes the calls. It has many keys, because each may make only 120 calls a minute.
  insert into crm.api_keys (workspace_id, id, member_id, name, prefix, scopes)
  select bench.workspace_id(w), bench.id(w, n), bench.id(w, 1), 'Chave ' || n, 'svc_', seed_workspaces.scopes
  from generate_series(0, workspaces - 1) w, generate_series(1, case w when 0 then keys else 1 end) n;
  insert into crm.key_secrets (workspace_id, key_id, prefix, hash)
  select bench.workspace_id(w), bench.id(w, n), 'svc_', sha256(('svc_growth_' || w || '_' || n)::bytea)
  from generate_series(0, workspaces - 1) w, generate_series(1, case w when 0 then keys else 1 end) n;
  insert into crm.rate_limits (key_id, hits)
  select id, array[now() - interval '1 hour'] from crm.api_keys;
$$;

-- Rows `first` to `last` of a table. The numbers go round the workspaces: `w` is a row's workspace, and `k` its number
-- in that workspace.
create function bench.rows(first bigint, last bigint, workspaces bigint)
returns table (w bigint, k bigint) language sql stable
-- offset 0 keeps the planner from computing w and k again at each use.
as $$ select n % workspaces, 1 + n / workspaces from generate_series(first - 1, last - 1) n offset 0 $$;

-- Inserts what a job writes in production: the searched texts and indexed values of the records in the first
-- workspaces. Sets the job's progress as if it had read all events so far.
create function bench.seed_search(workspaces bigint) returns void language sql
as $$
  insert into crm.search_texts (workspace_id, record, id, text)
  select workspace_id, 'contact', id, crm.contact_text(c) from crm.contacts c
  where workspace_id < bench.workspace_id(workspaces)
  union all
  select workspace_id, 'company', id, crm.company_text(c) from crm.companies c
  where workspace_id < bench.workspace_id(workspaces)
  union all
  select workspace_id, 'deal', id, crm.deal_text(d) from crm.deals d
  where workspace_id < bench.workspace_id(workspaces);
  insert into crm.custom_fields (workspace_id, object_type, key, label, type, index_below)
  select bench.workspace_id(w), o.object_type, f.key, f.key, f.type, null
  from generate_series(0, workspaces - 1) w, unnest('{company,contact,deal}'::text[]) o (object_type),
    (values ('plano', 'text'), ('lojas', 'number')) f (key, type);
  insert into crm.record_values (workspace_id, record, field, value, id)
  select r.workspace_id, r.record, v.field, v.value, r.id
  from (
    select workspace_id, 'contact' as record, id, tags, custom_fields from crm.contacts
    union all
    select workspace_id, 'company', id, tags, custom_fields from crm.companies
    union all
    select workspace_id, 'deal', id, tags, custom_fields from crm.deals
  ) r
  cross join lateral (
    select 'tags', (crm.tag_keys(r.tags))[1]
    union all
    select 'custom_fields.' || c.key, (crm.value_keys(c.value))[1] from jsonb_each(r.custom_fields) c
  ) v (field, value)
  where r.workspace_id < bench.workspace_id(workspaces);
  update crm.search_progress set position = crm.feed_position() + 1;
$$;

-- The feed goes back 30 days. The events are spread over 28 of these days, however many events there are.
create table bench.first_event as select date_trunc('hour', now()) - interval '29 days' as at;

create function bench.happened_at(k bigint, total bigint) returns timestamptz language sql stable
as $$ select (select at from bench.first_event) + k * (interval '28 days' / total) $$;

-- Makes the partitions of the last 31 days that the migrations did not make.
create function bench.make_days(p_table regclass) returns void language sql
as $$
  select crm.make_partition(p_table, t.day)
  from generate_series(0, 30) n
  cross join lateral (select current_date - n as day) t
  where to_regclass(p_table || to_char(t.day, '_YYYY_MM_DD')) is null
$$;

-- The feed's cursor after the first k events of the first workspace.
create function bench.cursor_at(k bigint, total bigint) returns text language sql stable
as $$
  select crm.feed_cursor_text(row(e.position, e.id, e.occurred_at)) from crm.events e
  where e.workspace_id = bench.workspace_id(0) and e.id < crm.uuid_v7_floor(bench.happened_at(k + 1, total))
  order by e.id desc limit 1
$$;

-- The k-th event of the first workspace.
create function bench.event_at(k bigint, total bigint) returns uuid language sql stable
as $$
  select e.id from crm.events e
  where e.workspace_id = bench.workspace_id(0) and e.id >= crm.uuid_v7_floor(bench.happened_at(k, total))
  order by e.id limit 1
$$;

-- The rows that creating a record adds: an event, a remembered reply, a lead's receipt.
create function bench.seed_traces(first bigint, last bigint, workspaces bigint) returns void language sql
as $$
  select bench.make_days('crm.events');
  insert into crm.events (workspace_id, id, event, object_id, facts, occurred_at)
  select
    bench.workspace_id(w), crm.uuid_v7(at), 'contact.created', bench.id(w, bench.pick(k, 1, 10, k)), '{}', at
  from bench.rows(first, last, workspaces)
  cross join lateral (select bench.happened_at(k, last / workspaces) as at) t;
  insert into crm.idempotency_keys (workspace_id, key, request_hash, body)
  select bench.workspace_id(w), 'seed ' || k, ''::bytea, json_build_object('id', bench.id(w, k))
  from bench.rows(first, last, workspaces);
  insert into crm.lead_receipts (workspace_id, external_id, deal_id, contact_id, company_id, created_at)
  select bench.workspace_id(w), k::text, bench.id(w, k), bench.id(w, k), bench.id(w, k), bench.made_at(k)
  from bench.rows(first, last, workspaces);
$$;

-- Inserts a delivery of each event to the workspace's only subscription. The oldest 120 deliveries failed. The
-- subscription asks for deal.stale, which only a job emits, so no call adds a delivery.
create function bench.seed_deliveries(first bigint, last bigint, workspaces bigint) returns void language sql
as $$
  select bench.make_days('crm.webhook_deliveries');
  insert into crm.webhook_subscriptions (workspace_id, id, event_types, target_url)
  select bench.workspace_id(w), bench.id(w, 1), '{deal.stale}', 'https://127.0.0.1:9443/'
  from generate_series(0, workspaces - 1) w;
  insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id, state)
  select
    s.workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id,
    case when e.occurred_at <= bench.happened_at(120, last / workspaces) then 'failed' else 'delivered' end
  from crm.webhook_subscriptions s
  join crm.events e on e.workspace_id = s.workspace_id
$$;

-- The k-th delivery of the first workspace.
create function bench.delivery_at(k bigint, total bigint) returns uuid language sql stable
as $$
  select d.id from crm.webhook_deliveries d
  where d.workspace_id = bench.workspace_id(0) and d.id >= crm.uuid_v7_floor(bench.happened_at(k, total))
  order by d.id limit 1
$$;
