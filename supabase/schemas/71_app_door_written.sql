-- Written by deno task records.

create function crm.run_app_verb(p_verb text, p_args jsonb) returns json
language plpgsql security definer set search_path = '' as $$
begin
  -- 90_rights.sql makes crm_app the owner. If the function were restored under another owner, or altered to
  -- run with the rights of its caller, row-level security would not apply to verbs.
  if current_user <> 'crm_app' then raise exception 'crm.run_app_verb runs as %, not as crm_app', current_user; end if;
  -- Static calls, whose plans Postgres caches, because it would plan a dynamic statement at every call. The resource is
  -- compared first, so that few comparisons run: Postgres prepares each comparison again in every transaction.
  case split_part(p_verb, '_', 1)
    when 'custom' then
      case p_verb
        when 'custom_field_archive' then return app.custom_field_archive(p_args);
        when 'custom_field_create' then return app.custom_field_create(p_args);
        when 'custom_field_list' then return app.custom_field_list(p_args);
        when 'custom_field_restore' then return app.custom_field_restore(p_args);
        when 'custom_field_update' then return app.custom_field_update(p_args);
      end case;
    when 'delivery' then
      case p_verb
        when 'delivery_get' then return app.delivery_get(p_args);
        when 'delivery_list' then return app.delivery_list(p_args);
        when 'delivery_redeliver' then return app.delivery_redeliver(p_args);
      end case;
    when 'funnel' then
      case p_verb
        when 'funnel_deal' then return app.funnel_deal(p_args);
        when 'funnel_get' then return app.funnel_get(p_args);
      end case;
    when 'grant' then
      case p_verb
        when 'grant_create' then return app.grant_create(p_args);
        when 'grant_list' then return app.grant_list(p_args);
        when 'grant_revoke' then return app.grant_revoke(p_args);
      end case;
    when 'invitation' then
      case p_verb
        when 'invitation_accept' then return app.invitation_accept(p_args);
        when 'invitation_decline' then return app.invitation_decline(p_args);
      end case;
    when 'key' then
      case p_verb
        when 'key_create' then return app.key_create(p_args);
        when 'key_get' then return app.key_get(p_args);
        when 'key_list' then return app.key_list(p_args);
        when 'key_requests' then return app.key_requests(p_args);
        when 'key_revoke' then return app.key_revoke(p_args);
        when 'key_rotate' then return app.key_rotate(p_args);
        when 'key_update' then return app.key_update(p_args);
      end case;
    when 'member' then
      case p_verb
        when 'member_invite' then return app.member_invite(p_args);
        when 'member_leave' then return app.member_leave(p_args);
        when 'member_list' then return app.member_list(p_args);
        when 'member_reinvite' then return app.member_reinvite(p_args);
        when 'member_update' then return app.member_update(p_args);
      end case;
    when 'proposal' then
      case p_verb
        when 'proposal_link' then return app.proposal_link(p_args);
        when 'proposal_send' then return app.proposal_send(p_args);
      end case;
    when 'subscription' then
      case p_verb
        when 'subscription_create' then return app.subscription_create(p_args);
        when 'subscription_delete' then return app.subscription_delete(p_args);
        when 'subscription_get' then return app.subscription_get(p_args);
        when 'subscription_list' then return app.subscription_list(p_args);
        when 'subscription_reactivate' then return app.subscription_reactivate(p_args);
        when 'subscription_recover' then return app.subscription_recover(p_args);
        when 'subscription_redeliver' then return app.subscription_redeliver(p_args);
        when 'subscription_rotate' then return app.subscription_rotate(p_args);
        when 'subscription_test' then return app.subscription_test(p_args);
        when 'subscription_update' then return app.subscription_update(p_args);
      end case;
    when 'workspace' then
      case p_verb
        when 'workspace_choices' then return app.workspace_choices(p_args);
        when 'workspace_get' then return app.workspace_get(p_args);
        when 'workspace_search' then return app.workspace_search(p_args);
        when 'workspace_update' then return app.workspace_update(p_args);
      end case;
    else
      case p_verb
        when 'action_list' then return app.action_list(p_args);
        when 'contact_import' then return app.contact_import(p_args);
        when 'deal_proposal_create' then return app.deal_proposal_create(p_args);
        when 'event_list' then return app.event_list(p_args);
        when 'session_list' then return app.session_list(p_args);
      end case;
  end case;
end
$$;
comment on function crm.run_app_verb(text, jsonb) is
  'Calls the verb with this name as crm_app, which owns this security definer function. Lists every verb that an '
  'endpoint for members declares.';
