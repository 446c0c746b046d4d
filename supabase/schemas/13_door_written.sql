-- Written by deno task records.

create function crm.run_verb(p_verb text, p_args jsonb) returns json
language plpgsql security definer set search_path = '' as $$
begin
  -- 90_rights.sql makes crm_api the owner. If the function were restored under another owner, or altered to
  -- run with the rights of its caller, row-level security would not apply to verbs.
  if current_user <> 'crm_api' then raise exception 'crm.run_verb runs as %, not as crm_api', current_user; end if;
  -- Static calls, whose plans Postgres caches, because it would plan a dynamic statement at every call. The resource is
  -- compared first, so that few comparisons run: Postgres prepares each comparison again in every transaction.
  case split_part(p_verb, '_', 1)
    when 'activity' then
      case p_verb
        when 'activity_batch' then return api.activity_batch(p_args);
        when 'activity_create' then return api.activity_create(p_args);
        when 'activity_get' then return api.activity_get(p_args);
        when 'activity_list' then return api.activity_list(p_args);
        when 'activity_update' then return api.activity_update(p_args);
      end case;
    when 'change' then
      case p_verb
        when 'change_list' then return api.change_list(p_args);
        when 'change_summary' then return api.change_summary(p_args);
      end case;
    when 'company' then
      case p_verb
        when 'company_archive' then return api.company_archive(p_args);
        when 'company_batch' then return api.company_batch(p_args);
        when 'company_create' then return api.company_create(p_args);
        when 'company_duplicates' then return api.company_duplicates(p_args);
        when 'company_get' then return api.company_get(p_args);
        when 'company_list' then return api.company_list(p_args);
        when 'company_merge' then return api.company_merge(p_args);
        when 'company_restore' then return api.company_restore(p_args);
        when 'company_timeline' then return api.company_timeline(p_args);
        when 'company_update' then return api.company_update(p_args);
        when 'company_upsert' then return api.company_upsert(p_args);
      end case;
    when 'contact' then
      case p_verb
        when 'contact_archive' then return api.contact_archive(p_args);
        when 'contact_batch' then return api.contact_batch(p_args);
        when 'contact_create' then return api.contact_create(p_args);
        when 'contact_duplicates' then return api.contact_duplicates(p_args);
        when 'contact_erase' then return api.contact_erase(p_args);
        when 'contact_get' then return api.contact_get(p_args);
        when 'contact_list' then return api.contact_list(p_args);
        when 'contact_merge' then return api.contact_merge(p_args);
        when 'contact_restore' then return api.contact_restore(p_args);
        when 'contact_timeline' then return api.contact_timeline(p_args);
        when 'contact_update' then return api.contact_update(p_args);
        when 'contact_upsert' then return api.contact_upsert(p_args);
      end case;
    when 'custom' then
      case p_verb
        when 'custom_field_archive' then return api.custom_field_archive(p_args);
        when 'custom_field_create' then return api.custom_field_create(p_args);
        when 'custom_field_list' then return api.custom_field_list(p_args);
        when 'custom_field_restore' then return api.custom_field_restore(p_args);
        when 'custom_field_update' then return api.custom_field_update(p_args);
      end case;
    when 'deal' then
      case p_verb
        when 'deal_archive' then return api.deal_archive(p_args);
        when 'deal_batch' then return api.deal_batch(p_args);
        when 'deal_contact_add' then return api.deal_contact_add(p_args);
        when 'deal_contact_list' then return api.deal_contact_list(p_args);
        when 'deal_contact_remove' then return api.deal_contact_remove(p_args);
        when 'deal_create' then return api.deal_create(p_args);
        when 'deal_get' then return api.deal_get(p_args);
        when 'deal_list' then return api.deal_list(p_args);
        when 'deal_lose' then return api.deal_lose(p_args);
        when 'deal_move_stage' then return api.deal_move_stage(p_args);
        when 'deal_reassign' then return api.deal_reassign(p_args);
        when 'deal_restore' then return api.deal_restore(p_args);
        when 'deal_summary' then return api.deal_summary(p_args);
        when 'deal_update' then return api.deal_update(p_args);
        when 'deal_upsert' then return api.deal_upsert(p_args);
        when 'deal_win' then return api.deal_win(p_args);
      end case;
    when 'me' then
      case p_verb
        when 'me_get' then return api.me_get(p_args);
        when 'me_requests' then return api.me_requests(p_args);
      end case;
    when 'note' then
      case p_verb
        when 'note_batch' then return api.note_batch(p_args);
        when 'note_create' then return api.note_create(p_args);
        when 'note_get' then return api.note_get(p_args);
        when 'note_list' then return api.note_list(p_args);
      end case;
    when 'proposal' then
      case p_verb
        when 'proposal_accept' then return api.proposal_accept(p_args);
        when 'proposal_reject' then return api.proposal_reject(p_args);
        when 'proposal_view' then return api.proposal_view(p_args);
      end case;
    when 'webhook' then
      case p_verb
        when 'webhook_create' then return api.webhook_create(p_args);
        when 'webhook_delete' then return api.webhook_delete(p_args);
        when 'webhook_deliveries' then return api.webhook_deliveries(p_args);
        when 'webhook_delivery' then return api.webhook_delivery(p_args);
        when 'webhook_get' then return api.webhook_get(p_args);
        when 'webhook_list' then return api.webhook_list(p_args);
        when 'webhook_reactivate' then return api.webhook_reactivate(p_args);
        when 'webhook_recover' then return api.webhook_recover(p_args);
        when 'webhook_redeliver' then return api.webhook_redeliver(p_args);
        when 'webhook_redeliver_all' then return api.webhook_redeliver_all(p_args);
        when 'webhook_rotate_secret' then return api.webhook_rotate_secret(p_args);
        when 'webhook_test' then return api.webhook_test(p_args);
        when 'webhook_update' then return api.webhook_update(p_args);
      end case;
    else
      case p_verb
        when 'event_list' then return api.event_list(p_args);
        when 'lead_create' then return api.lead_create(p_args);
        when 'operation_get' then return api.operation_get(p_args);
        when 'pipeline_list' then return api.pipeline_list(p_args);
        when 'search_list' then return api.search_list(p_args);
        when 'workspace_get' then return api.workspace_get(p_args);
      end case;
  end case;
end
$$;
comment on function crm.run_verb(text, jsonb) is
  'Calls the verb with this name as crm_api, which owns this security definer function. Lists every verb that an '
  'endpoint for keys or links declares.';
