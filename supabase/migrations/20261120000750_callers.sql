-- What a key may know about itself: GET /api-v1-me.

create function crm.own_key() returns json
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select json_build_object(
      'key', json_build_object(
        'id', k.id, 'name', k.name, 'prefix', k.prefix, 'scopes', k.scopes, 'created_at', crm.iso(k.created_at),
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
comment on function crm.own_key() is
  'The calling key with its workspace, member and limit, without the member''s e-mail, which requires a scope. Null '
  'for a caller without a key. Security definer, because crm_api cannot read these tables.';

create function api.me_get(p_args jsonb) returns json
language plpgsql stable set search_path = ''
as $$ begin return crm.own_key(); end $$;
comment on function api.me_get(jsonb) is 'Returns the calling key with its workspace, member and limit.';
