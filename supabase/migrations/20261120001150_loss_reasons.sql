-- Loss reasons: the operator manages them, a lost deal names one.

create table crm.loss_reasons (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
comment on table crm.loss_reasons is 'Why a workspace loses deals, in its own words.';
call crm.protect('crm.loss_reasons');
create trigger touch before update on crm.loss_reasons for each row execute function crm.touch();
