-- The audit log of a workspace, for the console.

create function app.action_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}', '{cursor, limit}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_cursor uuid := coalesce((v_args ->> 'cursor')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_limit integer := coalesce((v_args ->> 'limit')::numeric::integer, 50);
  v_ids uuid[];
begin
  perform crm.require_workspace(v_workspace_id);
  v_ids := array(
    select l.id from crm.audit_log l
    where l.workspace_id = v_workspace_id and l.id < v_cursor
    order by l.id desc limit v_limit + 1
  );
  return json_build_object(
    'data', (
      select coalesce(
        json_agg(
          json_build_object(
            'id', l.id, 'at', crm.iso(l.created_at),
            'actor', case when m.id is not null then json_build_object('id', m.id, 'name', m.name) end,
            'action', l.action,
            'object', json_build_object('type', l.object_type, 'id', l.object_id, 'name', l.object_name),
            'details', l.details
          )
          order by l.id desc
        ),
        '[]'
      )
      from crm.audit_log l
      left join crm.members m on m.workspace_id = l.workspace_id and m.id = l.member_id
      where l.workspace_id = v_workspace_id and l.id = any (v_ids[: v_limit])
    ),
    'meta', json_build_object(
      'next_cursor', case when cardinality(v_ids) > v_limit then v_ids[v_limit] end,
      'has_more', cardinality(v_ids) > v_limit
    )
  );
end
$$;
comment on function app.action_list(jsonb) is
  'Lists the changes in a workspace''s audit log: data (id, at, actor, action, object, details), newest first, and '
  'meta (next_cursor, has_more). The actor is null for the operator. Arguments: workspace_id, cursor '
  '(meta.next_cursor of the previous page), limit (50 if absent, 200 at most). Codes: validation_error, not_found.';
