-- The door for signed-in people: app.call. The edge function has verified the access token of Supabase Auth. Every call
-- reads who the person is, whether the session still exists and what the member may do, so that signing out and losing
-- a role take effect at once.

create function crm.trusted_email(p_email text, p_confirmed_at timestamptz, p_is_sso_user boolean) returns text
language sql immutable parallel safe as $$
  -- Only an address that Supabase Auth confirmed by mail counts, because with single sign-on a company's own service
  -- may claim any address. An address in .invalid does not count: it cannot exist (RFC 2606), and all placeholder
  -- admins of app.workspace_create share it.
  select case
    when p_confirmed_at is not null and not p_is_sso_user and lower(p_email) not like '%.invalid' then lower(p_email)
  end
$$;
comment on function crm.trusted_email(text, timestamptz, boolean) is
  'The e-mail of a person in auth.users, in lower case, if it may link the person to a member; otherwise null.';

create function crm.session_email(
  p_user_id uuid, p_session_id uuid, out is_live boolean, out email text, out needs_code boolean, out of_app boolean
)
language plpgsql set search_path = '' as $$
begin
  is_live := false;
  -- Dynamic, because Supabase Auth creates the schema auth, and the local stack creates a copy.
  if to_regclass('auth.sessions') is null or to_regclass('auth.users') is null then return; end if;
  execute format(
    $sql$
      select true, crm.trusted_email(u.email, u.email_confirmed_at, u.is_sso_user),
        coalesce(s.aal::text, 'aal1') = 'aal1' and exists (
          select from %1$I.mfa_factors f where f.user_id = u.id and f.status::text = 'verified'
        ),
        to_jsonb(s) ->> 'oauth_client_id' is not null
      from %1$I.sessions s
      join %1$I.users u on u.id = s.user_id
      where s.id = $2 and s.user_id = $1 and (s.not_after is null or s.not_after > now())
        and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
    $sql$,
    'auth'
  ) into is_live, email, needs_code, of_app using p_user_id, p_session_id;
  is_live := is_live is not null;
end
$$;
comment on function crm.session_email(uuid, uuid) is
  'Whether a session of Supabase Auth exists and has not ended, and the person''s e-mail as in crm.trusted_email. The '
  'e-mail comes from auth.users, because a person can write some of the token''s claims. needs_code: the person has a '
  'verified second factor, and no code was entered in this session (aal1). of_app: an app got this session by OAuth.';

create function crm.has_no_person(p_user_id uuid) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  v_is_free boolean := true;
begin
  if p_user_id is not null then
    execute format('select not exists (select from %I.users u where u.id = $1 and u.deleted_at is null)', 'auth')
    into v_is_free using p_user_id;
  end if;
  return v_is_free;
end
$$;
comment on function crm.has_no_person(uuid) is 'Whether this user_id is null or belongs to a deleted person.';

create function crm.confirmed_since(p_user_id uuid, p_at timestamptz) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  v_is_so boolean;
begin
  execute format(
    'select exists (select from %I.users u where u.id = $1 and u.invited_at is not null and u.email_confirmed_at >= $2)',
    'auth'
  ) into v_is_so using p_user_id, p_at;
  return v_is_so;
end
$$;
comment on function crm.confirmed_since(uuid, timestamptz) is
  'Whether a person who was invited by mail confirmed the address at or after p_at. Following the link in the mail '
  'shows consent.';

create function crm.link_member(p_user_id uuid, p_email text) returns void
language plpgsql set search_path = '' as $$
declare
  v_member record;
begin
  for v_member in
    -- Count accepted and declined invitations too: if only one of several invitations is still open, the person may
    -- have followed the mail of another.
    select c.*
    from (
      select m.*, count(*) filter (where m.invited_at is not null) over () as invitations from crm.members m
      where lower(m.email) = p_email
    ) c
    where c.user_id is distinct from p_user_id
  loop
    continue when not crm.has_no_person(v_member.user_id);
    -- An invited person becomes a member only by consent. Following the mail of the invitation shows consent. With
    -- several invitations, nothing shows which mail the person followed.
    continue when v_member.invited_at is not null
      and (v_member.invitations > 1 or not crm.confirmed_since(p_user_id, v_member.invited_at));
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
$$;
comment on function crm.link_member(uuid, text) is
  'Links the person to each member with this confirmed e-mail, in any workspace, who is linked to nobody or to a '
  'deleted person. A member invited by an admin is linked only if the person followed the mail of that invitation. A '
  'person who already has an account must accept the invitation instead (crm.open_invitations).';

create function crm.open_invitations(p_user_id uuid) returns setof crm.members
language plpgsql stable security definer set search_path = '' as $$
declare
  v_email text;
begin
  if p_user_id is null then return; end if;
  execute format(
    'select crm.trusted_email(u.email, u.email_confirmed_at, u.is_sso_user) from %I.users u where u.id = $1', 'auth'
  ) into v_email using p_user_id;
  return query
    select m.* from crm.members m
    where lower(m.email) = v_email and m.is_active and m.invited_at is not null and m.user_id is distinct from p_user_id
      and crm.has_no_person(m.user_id)
      and not exists (select from crm.members o where o.user_id = p_user_id and o.workspace_id = m.workspace_id)
    order by m.id limit 100;
end
$$;
comment on function crm.open_invitations(uuid) is
  'The members that a person may become by accepting an invitation, the oldest 100. Security definer, because the '
  'members may be in any workspace.';

create function crm.roles_included(p_role text) returns text[]
language sql immutable parallel safe as $$
  select case p_role
    when 'admin' then array['vendedor', 'gestor', 'admin']
    when 'gestor' then array['vendedor', 'gestor']
    else array['vendedor']
  end
$$;
comment on function crm.roles_included(text) is
  'The roles whose rights a member with this role has: a gestor also has the rights of a vendedor, and an admin has '
  'the rights of both.';

create function crm.identify_session(
  p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_any_workspace boolean
) returns crm.caller
language plpgsql set search_path = '' as $$
declare
  v_caller crm.caller;
  v_session record;
  v_memberships integer;
begin
  select * into v_session from crm.session_email(p_user_id, p_session_id);
  -- Refuse a session that still needs a code, or somebody who has only the password could skip the code. Refuse an app's
  -- session: after the app adds a second factor, Supabase Auth gives the session a token that does not name the app.
  if not v_session.is_live or v_session.needs_code or v_session.of_app then
    v_caller.error_code := 'invalid_session';
    return v_caller;
  end if;
  if v_session.email is not null then perform crm.link_member(p_user_id, v_session.email); end if;

  select m.id, m.workspace_id, m.id, crm.roles_included(m.role), count(*) over ()
  into v_caller.id, v_caller.workspace_id, v_caller.member_id, v_caller.scopes, v_memberships
  from crm.members m
  where m.user_id = p_user_id and m.is_active and (p_workspace_id is null or m.workspace_id = p_workspace_id)
  order by m.id limit 1;
  -- A person without a membership may answer an invitation, but may call nothing that requires a role.
  if v_caller.id is null and p_any_workspace then
    select i.id, i.workspace_id, i.id, '{invited}' into v_caller.id, v_caller.workspace_id, v_caller.member_id, v_caller.scopes
    from crm.open_invitations(p_user_id) i
    where p_workspace_id is null or i.workspace_id = p_workspace_id
    limit 1;
  end if;
  v_caller.user_id := p_user_id;
  -- Calls by a member in any 60 seconds: enough for several tabs that each ask every 2 seconds.
  v_caller.rate_limit := 600;
  v_caller.error_code := case
    -- An unknown workspace and somebody else's workspace get the same answer.
    when v_caller.id is null then 'not_a_member'
    when v_memberships > 1 and not p_any_workspace then 'workspace_required'
  end;
  return v_caller;
end
$$;
comment on function crm.identify_session(uuid, uuid, uuid, boolean) is
  'The caller for a signed-in person: the member in p_workspace_id or, if that is null, in the person''s only '
  'workspace. With p_any_workspace, the caller is the person''s first member if there are several, and the member of '
  'an open invitation if there is none. A suspended workspace is admitted, because its people must see why nothing '
  'works.';

create function app.call(
  p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_role text, p_verb text, p_args jsonb
) returns api.reply
language plpgsql security definer set search_path = '' as $$
declare
  v_caller crm.caller := crm.identify_session(p_user_id, p_session_id, p_workspace_id, p_role is null);
begin
  -- app.session_list marks the calling session by this setting.
  perform set_config('app.session', p_session_id::text, true);
  return crm.answer_request(
    v_caller,
    p_role,
    p_verb,
    -- A verb that requires no role takes no workspace_id, and verbs refuse unknown arguments.
    case when p_role is null then p_args
      else p_args || jsonb_build_object('workspace_id', v_caller.workspace_id) end,
    null,
    null
  );
end
$$;
comment on function app.call(uuid, uuid, uuid, text, text, jsonb) is
  'The door for signed-in people: answers one request, given the ids of the person and the session from a verified '
  'token. p_workspace_id null: the person''s only workspace. p_role: the lowest role that may call; null admits any '
  'member, and anybody with an open invitation. If p_role is given, workspace_id in p_args is the member''s own. '
  'p_verb null, p_args null: as in api.call.';
