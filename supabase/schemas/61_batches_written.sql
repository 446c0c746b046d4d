-- Written by deno task records.

create function crm.insert_together(p_record text, p_items jsonb[]) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_ids uuid[];
begin
  case p_record
    when 'activity' then
      with made as (
        insert into crm.activities (
          workspace_id, deal_id, contact_id, owner_id, created_by_id, type, title, description, due_at,
          duration_minutes, is_online_meeting, meeting_url, location, status
        )
        select
          crm.current_workspace_id(), t.deal_id, t.contact_id, t.owner_id, t.created_by_id, t.type, t.title,
          t.description, t.due_at, t.duration_minutes, t.is_online_meeting, t.meeting_url, t.location, t.status
        from unnest(array(select crm.activity_new(i -> 'args') from unnest(p_items) i)) t
        returning id
      )
      select array_agg(m.id) into v_ids from made m;
    when 'company' then
      with made as (
        insert into crm.companies (
          workspace_id, name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin,
          instagram, address, owner_id, notes, custom_fields, tags, external_id
        )
        select
          crm.current_workspace_id(), t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry,
          t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.tags,
          t.external_id
        from unnest(array(select crm.company_new(i -> 'args') from unnest(p_items) i)) t
        returning id
      )
      select array_agg(m.id) into v_ids from made m;
    when 'contact' then
      with made as (
        insert into crm.contacts (
          workspace_id, name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin,
          notes, custom_fields, tags, external_id
        )
        select
          crm.current_workspace_id(), t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id,
          t.owner_id, t.instagram, t.linkedin, t.notes, t.custom_fields, t.tags, t.external_id
        from unnest(array(select crm.contact_new(i -> 'args') from unnest(p_items) i)) t
        returning id
      )
      select array_agg(m.id) into v_ids from made m;
    when 'deal' then
      with made as (
        insert into crm.deals (
          workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
          expected_close_date, source, utm, custom_fields, tags, external_id
        )
        select
          crm.current_workspace_id(), t.title, t.value, t.recurring_value, t.pipeline_id, t.stage_id, t.contact_id,
          t.company_id, t.owner_id, t.expected_close_date, t.source, t.utm, t.custom_fields, t.tags, t.external_id
        from unnest(array(select crm.deal_new(i -> 'args') from unnest(p_items) i)) t
        returning id
      )
      select array_agg(m.id) into v_ids from made m;
    when 'note' then
      with made as (
        insert into crm.notes (
          workspace_id, deal_id, author_id, body, kind, source
        )
        select
          crm.current_workspace_id(), t.deal_id, t.author_id, t.body, t.kind, t.source
        from unnest(array(select crm.note_new(i -> 'args') from unnest(p_items) i)) t
        returning id
      )
      select array_agg(m.id) into v_ids from made m;
  end case;
  return v_ids;
end
$$;
comment on function crm.insert_together(text, jsonb[]) is
  'Creates the records of a batch by one insert, because half the time of an insert is a fixed cost. Returns their '
  'ids in order.';
