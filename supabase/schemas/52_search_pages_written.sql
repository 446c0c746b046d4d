-- Written by deno task records.

create function crm.text_changed(p_event crm.event_type, p_facts jsonb) returns text
language sql immutable as $$
  select case p_event
    when 'company.created' then 'company'
    when 'company.updated' then
      case when p_facts -> 'changed_fields' ?| array['name', 'legal_name', 'tax_id', 'domain', 'email', 'external_id', 'phone', 'tags', 'custom_fields']
        then 'company'
      end
    when 'contact.created' then 'contact'
    when 'contact.updated' then
      case when p_facts -> 'changed_fields' ?| array['name', 'email', 'job_title', 'external_id', 'phone', 'phone2', 'whatsapp', 'tags', 'custom_fields']
        then 'contact'
      end
    when 'deal.created' then 'deal'
    when 'deal.updated' then
      case when p_facts -> 'changed_fields' ?| array['title', 'external_id', 'tags', 'custom_fields']
        then 'deal'
      end
  end
$$;
comment on function crm.text_changed(crm.event_type, jsonb) is
  'The kind of the record whose searched text, tags or custom fields an event changes; null if it changes none.';

create function crm.keep_texts(p_workspace_id uuid, p_record text, p_ids uuid[]) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  v_rows crm.record_keys[];
begin
  if p_record <> all ('{company,contact,deal}') then return; end if;
  perform crm.lock_texts_of(p_workspace_id);
  case p_record
    when 'company' then
      v_rows := array(
        select row(t.id, t.tags, t.custom_fields, crm.company_text(t))::crm.record_keys from crm.companies t
        where t.workspace_id = p_workspace_id and t.id = any (p_ids)
      );
    when 'contact' then
      v_rows := array(
        select row(t.id, t.tags, t.custom_fields, crm.contact_text(t))::crm.record_keys from crm.contacts t
        where t.workspace_id = p_workspace_id and t.id = any (p_ids)
      );
    when 'deal' then
      v_rows := array(
        select row(t.id, t.tags, t.custom_fields, crm.deal_text(t))::crm.record_keys from crm.deals t
        where t.workspace_id = p_workspace_id and t.id = any (p_ids)
      );
  end case;
  insert into crm.search_texts as kept (workspace_id, record, id, text)
  select p_workspace_id, p_record, r.id, r.search_text from unnest(v_rows) r
  on conflict (workspace_id, record, id) do update set text = excluded.text where kept.text <> excluded.text;
  perform crm.keep_values(p_workspace_id, p_record, v_rows);
end
$$;
comment on function crm.keep_texts(uuid, text, uuid[]) is
  'Writes the current searched texts and indexed values of records. Does nothing for a kind of records without '
  'search.';
