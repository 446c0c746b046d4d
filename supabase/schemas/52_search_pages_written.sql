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
