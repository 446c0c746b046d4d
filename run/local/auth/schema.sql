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

create table auth.sessions (
  id uuid not null default gen_random_uuid() primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz default now(),
  not_after timestamptz
);
comment on table auth.sessions is 'One row for each signed-in browser. Signing out deletes it.';
create index sessions_user_id_idx on auth.sessions (user_id);

create table auth.refresh_tokens (
  token varchar(255) primary key,
  session_id uuid not null references auth.sessions (id) on delete cascade
);
comment on table auth.refresh_tokens is
  'The refresh token of each session. Unlike Supabase, local sign-in does not replace it when it is used.';
create index refresh_tokens_session_id_idx on auth.refresh_tokens (session_id);

-- No policy: as on Supabase, only the owner reads these tables.
alter table auth.users enable row level security;
alter table auth.sessions enable row level security;
alter table auth.refresh_tokens enable row level security;
