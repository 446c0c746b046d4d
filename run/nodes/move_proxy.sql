-- What the proxy keeps for the operator, besides proxy.sql: how commands reach the nodes, and moves under way.

create table if not exists nodes.operators (
  node integer primary key check (node >= 0),
  url text not null
);
comment on table nodes.operators is
  'The address at which the operator''s commands reach each node, with the password of the role that applied the '
  'migrations. Only the proxy''s owner may read it, like the password of crm_functions in the user mappings.';

create table if not exists nodes.moves (
  slot text primary key references nodes.slots (slot),
  workspace_ids uuid[] not null check (cardinality(workspace_ids) > 0),
  source integer not null,
  target integer not null check (target <> source),
  step text not null check (step in ('copy', 'drain', 'cut', 'settle', 'remove', 'undo')),
  proxies text[] not null default '{}',
  started_at timestamptz not null default now()
);
comment on table nodes.moves is
  'Moves that have not ended. step: the current step. Each step can be repeated from its beginning.';
comment on column nodes.moves.proxies is 'The addresses of the other proxies, whose slots are changed too.';
