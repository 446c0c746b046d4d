-- Members of a workspace, for the operator and for signed-in members.

-- To use this index, a query that calls crm.is_working must also say `revoked_at is null`, because the planner does not
-- look into the function.
create index api_keys_working on crm.api_keys (workspace_id, member_id) where revoked_at is null;

create function crm.member_json(m crm.members, p_working_keys bigint) returns json
language sql stable as $$
  select json_build_object(
    'id', m.id, 'workspace_id', m.workspace_id, 'name', m.name, 'email', m.email, 'role', m.role,
    'is_active', m.is_active, 'has_signed_in', m.user_id is not null, 'working_keys', p_working_keys,
    'created_at', crm.iso(m.created_at)
  )
$$;
comment on function crm.member_json(crm.members, bigint) is
  'JSON of a member for the operator and the console. working_keys: how many of the member''s keys work.';

create function crm.require_role_still(p_workspace_id uuid, variadic p_roles text[]) returns void
language plpgsql stable set search_path = '' as $$
begin
  if crm.current_member_id() is not null and not exists (
    select from crm.members m
    where m.workspace_id = p_workspace_id and m.id = crm.current_member_id() and m.role = any (p_roles) and m.is_active
  ) then
    perform crm.raise_code('insufficient_role');
  end if;
end
$$;
comment on function crm.require_role_still(uuid, text[]) is
  'Raises insufficient_role if the calling member no longer has one of these roles. For verbs that wait for a lock '
  'after the door has read the role, because the transaction that held the lock may have taken the role away.';

create function crm.require_invitations_left(p_workspace_id uuid, p_member_id uuid default null) returns void
language plpgsql set search_path = '' as $$
declare
  v_hour_ago uuid := crm.uuid_v7_floor(now() - interval '1 hour');
begin
  -- No limit for the operator, whose invitations send no mail.
  if crm.current_member_id() is null then return; end if;
  -- One invitation at a time, so that each counts the earlier invitations. Changes of members take the same lock, so
  -- the caller may have lost the role meanwhile.
  perform from crm.workspaces w where w.id = p_workspace_id for no key update;
  perform crm.require_role_still(p_workspace_id, 'admin');
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
comment on function crm.require_invitations_left(uuid, uuid) is
  'Raises too_many_invitations if a workspace sent 30 invitations in the last hour, or 3 to this member. Each '
  'invitation is a mail to an address that an admin chose, and Supabase Auth sends a limited number of mails for all '
  'workspaces together.';

create function crm.invited_member_json(m crm.members, p_working_keys bigint) returns json
language plpgsql stable set search_path = '' as $$
begin
  return case
    when crm.current_member_id() is null then crm.member_json(m, p_working_keys)
    else crm.with_fields(crm.member_json(m, p_working_keys), json_build_object(
      'invited_to', (select w.name from crm.workspaces w where w.id = m.workspace_id),
      'invited_by', (
        select o.name from crm.members o where o.workspace_id = m.workspace_id and o.id = crm.current_member_id()
      )
    ))
  end;
end
$$;
comment on function crm.invited_member_json(crm.members, bigint) is
  'JSON of an invited member. If the caller is a member, also the names for the mail: invited_to (the workspace) and '
  'invited_by (the caller).';

create function app.member_invite(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id, name, email, role}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_member crm.members;
begin
  perform crm.require_invitations_left(v_workspace_id);
  insert into crm.members (workspace_id, name, email, role, invited_at)
  values (
    v_workspace_id, v_args ->> 'name', v_args ->> 'email', v_args ->> 'role',
    case when crm.current_member_id() is not null then now() end
  )
  on conflict (workspace_id, lower(email)) do nothing
  returning * into v_member;
  if not found then
    perform crm.raise_code('email_taken', 'email', 'O workspace já tem um membro com este e-mail');
  end if;
  perform crm.record_action(
    v_workspace_id, 'member_invited', 'member', v_member.id, v_member.name,
    jsonb_build_object('email', v_member.email, 'role', v_member.role)
  );
  return crm.invited_member_json(v_member, 0);
end
$$;
comment on function app.member_invite(jsonb) is
  'Adds an active member, who signs in by a confirmed e-mail. The e-mail is unique in the workspace regardless of '
  'case. A person who already has an account must accept an invitation by a member, but need not accept one by the '
  'operator. The caller of this verb sends the mail. Returns crm.invited_member_json. Arguments: workspace_id, name, '
  'email, role (admin, gestor, vendedor). Codes: validation_error, not_found, email_taken, insufficient_role, '
  'too_many_invitations (the last two only for members).';

create function app.member_reinvite(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_member crm.members;
begin
  select m.* into v_member from crm.members m
  where m.workspace_id = (v_args ->> 'workspace_id')::uuid and m.id = (v_args ->> 'id')::uuid and m.is_active;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  if v_member.user_id is not null then perform crm.raise_code('already_signed_in'); end if;
  perform crm.require_invitations_left(v_member.workspace_id, v_member.id);
  perform crm.record_action(
    v_member.workspace_id, 'member_invited', 'member', v_member.id, v_member.name,
    jsonb_build_object('email', v_member.email, 'role', v_member.role, 'again', true)
  );
  return crm.invited_member_json(v_member, (
    select count(*) from (
      select from crm.api_keys k
      where k.workspace_id = v_member.workspace_id and k.member_id = v_member.id
        and k.revoked_at is null and k.client_id is null and crm.is_working(k)
      limit 1000
    ) k
  ));
end
$$;
comment on function app.member_reinvite(jsonb) is
  'Records in the audit log that an active member who has not signed in yet was invited again. Returns the member, so '
  'that the caller can send the mail. Arguments: workspace_id, id. Codes: validation_error, not_found, '
  'already_signed_in, insufficient_role, too_many_invitations.';

create function crm.require_other_admin(p_workspace_id uuid, p_member_id uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  -- Two kinds of admins do not count. An admin whom app.workspace_create added without an address cannot sign in with
  -- the placeholder in .invalid (RFC 2606). An admin whose invitation is still open may decline it.
  if not exists (
    select from crm.members m
    where m.workspace_id = p_workspace_id and m.id <> p_member_id and m.role = 'admin' and m.is_active
      and (m.user_id is not null or m.invited_at is null and right(m.email, 8) <> '.invalid')
  ) then
    perform crm.raise_code('last_admin');
  end if;
end
$$;
comment on function crm.require_other_admin(uuid, uuid) is
  'Raises last_admin if no other active admin of the workspace can sign in.';

create function crm.changed_member_json(m crm.members) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_keys json;
  v_managers integer;
begin
  select coalesce(json_agg(json_build_object(
    'id', k.id, 'name', k.name, 'prefix', k.prefix, 'scopes', k.scopes, 'expires_at', crm.iso(k.expires_at)
  ) order by k.id), '[]')
  into v_keys
  from (
    select k.* from crm.api_keys k
    where k.workspace_id = m.workspace_id and k.member_id = m.id and k.revoked_at is null and k.client_id is null
      and crm.is_working(k)
    order by k.id limit 1000
  ) k;
  select count(*) into v_managers from (
    select from crm.members o
    where o.workspace_id = m.workspace_id and o.is_active and o.role in ('admin', 'gestor')
    limit 1000
  ) o;
  return crm.with_fields(
    crm.member_json(m, json_array_length(v_keys)), json_build_object('keys', v_keys, 'active_managers', v_managers)
  );
end
$$;
comment on function crm.changed_member_json(crm.members) is
  'JSON of a changed member, with two more fields: keys (the member''s keys that still work) and active_managers (the '
  'number of active admins and gestores in the workspace).';

create function app.member_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{name, role, is_active}');
  v_before crm.members;
  v_after crm.members;
  v_changes jsonb;
begin
  -- One change of members at a time: if the last two admins demote each other, the second call is refused.
  perform from crm.workspaces w where w.id = (v_args ->> 'workspace_id')::uuid for no key update;
  perform crm.require_role_still((v_args ->> 'workspace_id')::uuid, 'admin');
  select m.* into v_before from crm.members m
  where m.workspace_id = (v_args ->> 'workspace_id')::uuid and m.id = (v_args ->> 'id')::uuid
  for no key update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  v_after := v_before;
  v_changes := crm.describe_changes(to_jsonb(v_before), v_args - 'workspace_id' - 'id');
  if v_changes <> '{}' then
    v_after := jsonb_populate_record(v_before, v_args - 'workspace_id' - 'id');
    -- The operator may remove the last admin, because the operator can add another one without signing in.
    if crm.current_member_id() is not null and v_before.role = 'admin' and v_before.is_active
      and (v_after.role <> 'admin' or not v_after.is_active) then
      perform crm.require_other_admin(v_before.workspace_id, v_before.id);
    end if;
    update crm.members m
    set name = v_after.name, role = v_after.role, is_active = v_after.is_active
    where m.workspace_id = v_before.workspace_id and m.id = v_before.id;
    perform crm.record_action(v_after.workspace_id, 'member_updated', 'member', v_after.id, v_after.name, v_changes);
  end if;

  return crm.changed_member_json(v_after);
end
$$;
comment on function app.member_update(jsonb) is
  'Changes the name or role of a member, or deactivates or reactivates a member; an absent argument changes nothing. '
  'An inactive member cannot sign in, and gets no new records or notes. The keys of the member keep working (spec 5), '
  'but cannot write notes (no_author_available, spec 2.2). Returns the member with keys (those neither revoked nor '
  'expired, oldest first, 1,000 at most) and active_managers, the number of active admins and gestores (1,000 at '
  'most). If that number is 0, a lead that names no owner is refused (owner_unresolved, spec 4.1), unless the creator '
  'of the key that sends it is active. Arguments: workspace_id, id, name, role, is_active. Codes: validation_error, '
  'not_found, last_admin (no active admin who can sign in would remain; the operator may do this), insufficient_role.';

create function crm.leave_workspace() returns crm.members
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_member crm.members;
begin
  update crm.members m set is_active = false, user_id = null, invited_at = now()
  where m.workspace_id = crm.current_workspace_id() and m.id = crm.current_member_id() and m.is_active
    and m.user_id = crm.current_user_id()
  returning m.* into v_member;
  return v_member;
end
$$;
comment on function crm.leave_workspace() is
  'Deactivates the calling member and unlinks the person, so that an admin who activates the member again must also '
  'invite the person again. Returns null if the member is no longer active. Security definer, because members may not '
  'link people.';

create function app.member_leave(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_member crm.members;
begin
  -- One change of members at a time, as in app.member_update: if the last two admins leave, the second call is refused.
  perform from crm.workspaces w where w.id = v_workspace_id for no key update;
  if exists (
    select from crm.members m
    where m.workspace_id = v_workspace_id and m.id = crm.current_member_id() and m.role = 'admin' and m.is_active
  ) then
    perform crm.require_other_admin(v_workspace_id, crm.current_member_id());
  end if;
  v_member := crm.leave_workspace();
  if v_member.id is null then perform crm.raise_code('not_found', 'workspace_id'); end if;
  perform crm.record_action(v_workspace_id, 'member_left', 'member', v_member.id, v_member.name);
  return crm.changed_member_json(v_member);
end
$$;
comment on function app.member_leave(jsonb) is
  'Takes the signed-in person out of the workspace: the member becomes inactive and unlinked. Returns the result of '
  'member_update. Arguments: workspace_id. Codes: validation_error, last_admin, not_found (for a caller who is not an '
  'active member, such as the operator).';

create function app.member_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  return json_build_object('data', (
    select coalesce(json_agg(crm.member_json(m, coalesce(k.working, 0)) order by m.id), '[]')
    from (select m.* from crm.members m where m.workspace_id = v_workspace_id order by m.id limit 1000) m
    left join (
      select w.member_id, count(*) as working
      from (
        select k.member_id from crm.api_keys k
        where k.workspace_id = v_workspace_id and k.revoked_at is null and k.client_id is null and crm.is_working(k)
        limit 5000
      ) w
      group by w.member_id
    ) k on k.member_id = m.id
  ));
end
$$;
comment on function app.member_list(jsonb) is
  'Lists the members of a workspace, active or not: data, oldest first, 1,000 at most. working_keys leaves out the '
  'keys of apps, and counts at most 5,000 keys of the workspace. Arguments: workspace_id. Codes: validation_error, '
  'not_found.';
