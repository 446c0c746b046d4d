-- The part of Supabase's schema auth that local sign-in and the functions use, with Supabase's names and types
-- (github.com/supabase/auth, folder migrations), so that the same SQL reads both.

create schema auth;

create table auth.users (
  id uuid not null default gen_random_uuid() primary key,
  aud varchar(255) default 'authenticated',
  role varchar(255) default 'authenticated',
  email varchar(255),
  encrypted_password varchar(255),
  email_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_token varchar(255) default '',
  confirmation_sent_at timestamptz,
  recovery_token varchar(255) default '',
  recovery_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb default '{"provider": "email", "providers": ["email"]}',
  raw_user_meta_data jsonb default '{}',
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  banned_until timestamptz,
  is_sso_user boolean not null default false,
  deleted_at timestamptz
);
comment on table auth.users is 'People who can sign in to this stack.';
comment on column auth.users.encrypted_password is 'An scrypt hash; null until the person has chosen a password.';
comment on column auth.users.confirmation_token is 'The SHA-256 of the token in the last invitation.';
comment on column auth.users.recovery_token is 'The SHA-256 of the token in the last recovery mail.';
create unique index users_email_partial_key on auth.users (email) where not is_sso_user;

create type auth.aal_level as enum ('aal1', 'aal2', 'aal3');
create type auth.factor_type as enum ('totp', 'webauthn', 'phone');
create type auth.factor_status as enum ('unverified', 'verified');

create table auth.sessions (
  id uuid not null default gen_random_uuid() primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz default now(),
  not_after timestamptz,
  oauth_client_id uuid,
  aal auth.aal_level not null default 'aal1',
  factor_id uuid,
  refreshed_at timestamp,
  user_agent text,
  ip inet
);
comment on table auth.sessions is 'One row for each signed-in browser and each connected app. Signing out deletes it.';
comment on column auth.sessions.oauth_client_id is 'The app that acts for the person; null if the person signed in.';
comment on column auth.sessions.aal is 'aal2 once the person has typed a code of a second factor in this session.';
comment on column auth.sessions.refreshed_at is 'The last refresh, in UTC; null before the first.';
create index sessions_user_id_idx on auth.sessions (user_id);

create table auth.refresh_tokens (
  token varchar(255) primary key,
  session_id uuid not null references auth.sessions (id) on delete cascade,
  parent varchar(255),
  revoked boolean not null default false
);
comment on table auth.refresh_tokens is
  'The refresh tokens of each session. An app''s token is replaced when it is used; unlike on Supabase, a browser''s is not.';
comment on column auth.refresh_tokens.parent is 'The token that this one replaced.';
comment on column auth.refresh_tokens.revoked is 'Whether the token was replaced.';
create index refresh_tokens_session_id_idx on auth.refresh_tokens (session_id);

create table auth.oauth_clients (
  id uuid not null default gen_random_uuid() primary key,
  client_secret_hash text,
  client_type text not null,
  token_endpoint_auth_method text not null,
  redirect_uris text[] not null,
  grant_types text[] not null,
  client_name text,
  client_uri text,
  logo_uri text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table auth.oauth_clients is 'Apps that registered themselves. Unlike on Supabase, the lists are arrays.';
comment on column auth.oauth_clients.client_secret_hash is 'The SHA-256 of the secret; null for a public client.';

create table auth.oauth_authorizations (
  authorization_id text not null primary key,
  client_id uuid not null references auth.oauth_clients (id) on delete cascade,
  user_id uuid references auth.users (id) on delete cascade,
  redirect_uri text not null,
  scope text not null,
  state text,
  resource text,
  code_challenge text not null,
  code_challenge_method text not null,
  status text not null default 'pending',
  authorization_code text unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '10 minutes'
);
comment on table auth.oauth_authorizations is
  'Requests of apps to act for a person. Exchanging the code for tokens deletes the row.';
comment on column auth.oauth_authorizations.user_id is 'The first person who opened the request: nobody else may answer it.';
comment on column auth.oauth_authorizations.status is 'pending, approved or denied.';

create table auth.oauth_consents (
  user_id uuid not null references auth.users (id) on delete cascade,
  client_id uuid not null references auth.oauth_clients (id) on delete cascade,
  scopes text not null,
  granted_at timestamptz not null default now(),
  revoked_at timestamptz,
  primary key (user_id, client_id)
);
comment on table auth.oauth_consents is
  'Approvals. While one stands, another request of the same app for the same scopes is approved without asking.';

create table auth.mfa_factors (
  id uuid not null default gen_random_uuid() primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  friendly_name text,
  factor_type auth.factor_type not null,
  status auth.factor_status not null default 'unverified',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  secret text,
  used_step bigint not null default 0
);
comment on table auth.mfa_factors is 'Second factors. One counts only after a code of it was typed (verified).';
comment on column auth.mfa_factors.secret is 'The shared secret in base 32.';
comment on column auth.mfa_factors.used_step is
  'The time step of the last accepted code: a code works once. Supabase Auth has no such column.';
create index mfa_factors_user_id_idx on auth.mfa_factors (user_id);
create unique index mfa_factors_user_friendly_name_unique on auth.mfa_factors (friendly_name, user_id)
where trim(friendly_name) <> '';

create table auth.mfa_challenges (
  id uuid not null default gen_random_uuid() primary key,
  factor_id uuid not null references auth.mfa_factors (id) on delete cascade,
  created_at timestamptz not null default now(),
  verified_at timestamptz,
  ip_address inet not null
);
comment on table auth.mfa_challenges is 'Requests to type a code. Each admits one accepted code, for 5 minutes.';
create index mfa_challenges_factor_id_idx on auth.mfa_challenges (factor_id);

-- No policy: as on Supabase, only the owner reads these tables.
alter table auth.users enable row level security;
alter table auth.sessions enable row level security;
alter table auth.refresh_tokens enable row level security;
alter table auth.mfa_factors enable row level security;
alter table auth.mfa_challenges enable row level security;
alter table auth.oauth_clients enable row level security;
alter table auth.oauth_authorizations enable row level security;
alter table auth.oauth_consents enable row level security;
