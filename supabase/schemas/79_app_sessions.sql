-- The sessions of the signed-in person, for the console's account page. They end by calls to Supabase Auth, not here.

create function crm.sessions_of_current_user() returns json
language plpgsql stable security definer set search_path = '' as $$
declare
  v_sessions json;
begin
  -- Dynamic, because Supabase Auth creates the schema auth. refreshed_at is in UTC, without a time zone.
  execute format(
    $sql$
      select coalesce(json_agg(json_build_object(
        'id', s.id, 'is_current', s.id = $2, 'user_agent', s.user_agent, 'ip', s.ip,
        'created_at', crm.iso(s.created_at), 'last_used_at', crm.iso(s.used_at)
      ) order by s.id = $2 desc, s.used_at desc), '[]')
      from (
        select s.id, left(s.user_agent, 500) as user_agent, host(s.ip) as ip, s.created_at,
          greatest(s.created_at, s.refreshed_at at time zone 'utc') as used_at
        from %I.sessions s
        where s.user_id = $1 and s.oauth_client_id is null and (s.not_after is null or s.not_after > now())
        order by s.id = $2 desc, used_at desc limit 100
      ) s
    $sql$,
    'auth'
  )
  into v_sessions using crm.current_user_id(), nullif(current_setting('app.session', true), '')::uuid;
  return v_sessions;
end
$$;
comment on function crm.sessions_of_current_user() is
  'JSON of the person''s sessions, without the sessions of apps: the calling session first, then the most recently '
  'used, 100 at most. Security definer, because only Supabase Auth and the owner read auth.sessions.';

create function app.session_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  perform crm.check_args(p_args, '{}');
  return json_build_object('data', crm.sessions_of_current_user());
end
$$;
comment on function app.session_list(jsonb) is
  'Lists the sessions of the signed-in person: data (id, is_current, user_agent, ip, created_at, last_used_at). '
  'last_used_at: the last sign-in or refresh of the token, at most an hour before the last call. Arguments: none. '
  'Codes: validation_error.';
