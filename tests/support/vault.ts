// Stand-ins for the Vault and pg_net, which neither Debian nor npm has. They have the tables, views and functions that
// we use, with the names and arguments of supabase_vault 0.3 and pg_net 0.20.
import type { Sql } from "postgres";

/** Creates the Vault's table, view and functions for `postgres`, as on Supabase. `sql` is the superuser's client. */
export async function createVault(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create schema vault;
    create table vault.secrets (
      id uuid primary key default gen_random_uuid(),
      name text unique,
      description text not null default '',
      secret text not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create view vault.decrypted_secrets as
      select id, name, description, secret, secret as decrypted_secret, created_at, updated_at from vault.secrets;
    create function vault.create_secret(
      new_secret text, new_name text = null, new_description text = '', new_key_id uuid = null
    ) returns uuid language sql security definer set search_path = '' as $$
      insert into vault.secrets (secret, name, description) values (new_secret, new_name, new_description) returning id
    $$;
    create function vault.update_secret(
      secret_id uuid, new_secret text = null, new_name text = null, new_description text = null,
      new_key_id uuid = null
    ) returns void language sql security definer set search_path = '' as $$
      update vault.secrets
      set secret = coalesce(new_secret, secret), name = coalesce(new_name, name), updated_at = now()
      where id = secret_id
    $$;
    grant usage on schema vault to postgres;
    grant select, delete on vault.secrets, vault.decrypted_secrets to postgres;
  `);
}

/** Creates pg_net's function, which here sends nothing. `sql` is the superuser's client. */
export async function createNet(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create schema net;
    create function net.http_post(
      url text, body jsonb default '{}', params jsonb default '{}',
      headers jsonb default '{"Content-Type": "application/json"}', timeout_milliseconds integer default 5000
    ) returns bigint language sql as 'select 1::bigint';
    grant usage on schema net to postgres;
  `);
}
