-- Written by deno task records.

create function crm.sample_row(p_object_type text) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case p_object_type
    when 'deal' then '{
      "id":"01a0e82c-9612-7f96-8c94-f287038f6943", "workspace_id":"019cae6b-6600-721a-8323-0e03772a58af",
      "title":"Padaria Sol: plano anual", "status":"aberto", "value":12500.5, "recurring_value":990,
      "pipeline_id":"019cae6b-6600-723b-8f0d-244a4cb62c85", "stage_id":"019cae6b-6600-7ecd-8137-8bc9dc130008",
      "contact_id":"01a0e82c-9612-7093-8e7d-5fdbaacfa924", "company_id":"01a0e82c-9612-7f16-88cc-dd91548c5a8c",
      "owner_id":"019cae6b-6600-7e31-8ab6-43c44f7a0ec8", "expected_close_date":"2026-10-30",
      "source":"Formulário do site", "utm":{"source":"google","medium":"cpc","campaign":"primavera"},
      "custom_fields":{"segmento":"alimentação"}, "tags":["cliente-novo"], "external_id":"form-2026-0042",
      "stage_changed_at":"2026-10-01T12:00:00.480Z", "last_activity_at":"2026-10-01T12:40:00.000Z",
      "created_at":"2026-09-28T13:20:31.250Z", "updated_at":"2026-10-01T12:00:00.480Z"
    }'
    when 'activity' then '{
      "id":"01a0f77a-9100-7065-8186-3bf5d902262b", "workspace_id":"019cae6b-6600-721a-8323-0e03772a58af",
      "deal_id":"01a0e82c-9612-7f96-8c94-f287038f6943", "contact_id":"01a0e82c-9612-7093-8e7d-5fdbaacfa924",
      "owner_id":"019cae6b-6600-7e31-8ab6-43c44f7a0ec8", "created_by_id":"019cae6b-6600-7e31-8ab6-43c44f7a0ec8",
      "type":"reuniao", "title":"Apresentar a proposta", "description":"Levar a amostra",
      "due_at":"2026-10-08T14:00:00.000Z", "duration_minutes":40, "is_online_meeting":true,
      "meeting_url":"https://meet.example.com/abc", "status":"pendente", "is_overdue":false,
      "created_at":"2026-10-01T12:40:00.000Z", "updated_at":"2026-10-01T12:40:00.000Z"
    }'
    when 'contact' then '{
      "id":"01a0e82c-9612-7093-8e7d-5fdbaacfa924", "workspace_id":"019cae6b-6600-721a-8323-0e03772a58af",
      "name":"Ana Souza", "email":"ana@padariasol.com.br", "phone":"+55 19 91234-5678", "whatsapp":"+55 19 91234-5678",
      "job_title":"Compradora", "company_id":"01a0e82c-9612-7f16-88cc-dd91548c5a8c",
      "owner_id":"019cae6b-6600-7e31-8ab6-43c44f7a0ec8", "instagram":"@padariasol",
      "custom_fields":{"segmento":"alimentação"}, "tags":["cliente-novo"], "external_id":"cliente-1042",
      "created_at":"2026-09-28T13:20:31.250Z", "updated_at":"2026-09-28T13:20:31.250Z"
    }'
    when 'company' then '{
      "id":"01a0e82c-9612-7f16-88cc-dd91548c5a8c", "workspace_id":"019cae6b-6600-721a-8323-0e03772a58af",
      "name":"Padaria Sol", "legal_name":"Padaria Sol Ltda.", "tax_id":"12ABC34501DE35", "domain":"padariasol.com.br",
      "website":"https://padariasol.com.br", "email":"contato@padariasol.com.br", "phone":"+55 19 3234-5678",
      "industry":"Alimentação", "employee_count":40, "instagram":"@padariasol",
      "address":{"street":"Rua das Flores","number":"100","district":"Centro","city":"Campinas","state":"SP","postal_code":"13010-000","country":"BR"},
      "owner_id":"019cae6b-6600-7e31-8ab6-43c44f7a0ec8", "custom_fields":{"segmento":"alimentação"},
      "tags":["cliente-novo"], "external_id":"erp-207", "created_at":"2026-09-28T13:20:31.250Z",
      "updated_at":"2026-09-28T13:20:31.250Z"
    }'
    when 'note' then '{
      "id":"01a0f2d6-5d50-7edb-8465-624291e4053c", "deal_id":"01a0e82c-9612-7f96-8c94-f287038f6943",
      "author_id":"019cae6b-6600-7e31-8ab6-43c44f7a0ec8",
      "body":"Reunião: apresentação, 30 de setembro, 40 min\nDecisor presente: sim", "kind":"note",
      "source":"integration", "created_at":"2026-09-30T15:02:10.000Z", "updated_at":"2026-09-30T15:02:10.000Z"
    }'
    when 'proposal' then '{
      "id":"01a0f788-4ca0-7ecd-8137-8bc9dc130008", "workspace_id":"019cae6b-6600-721a-8323-0e03772a58af",
      "deal_id":"01a0e82c-9612-7f96-8c94-f287038f6943", "title":"Plano anual", "value":12500.5, "recurring_value":990,
      "status":"enviada", "sent_at":"2026-10-01T13:00:00.000Z", "expires_at":"2026-10-31T23:59:59.000Z",
      "created_at":"2026-10-01T12:55:00.000Z", "updated_at":"2026-10-01T13:00:00.000Z"
    }'
    when 'lead' then '{
      "first_name":"Ana", "last_name":"Souza", "email":"ana@padariasol.com.br", "phone":"+55 19 91234-5678",
      "company_name":"Padaria Sol", "external_id":"form-2026-0042", "value":12500.5, "recurring_value":990,
      "source":"Formulário do site", "utm":{"source":"google","medium":"cpc","campaign":"primavera"},
      "custom_fields":{"segmento":"alimentação"}
    }'
    else '{}'::jsonb
  end;
end
$$;
comment on function crm.sample_row(text) is
  'The public fields of a made-up object of that type, or of a submitted lead, from the examples in the OpenAPI '
  'documents.';

create function crm.sample_state(p_event crm.event_type) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case p_event
    when 'deal.stage_changed' then '{"last_activity_at":null}'
    when 'deal.won' then '{
      "status":"ganho", "stage_id":"019cae6b-6600-772a-8c68-ec9bcdf7a8a1",
      "stage_changed_at":"2026-10-09T12:30:00.000Z", "won_at":"2026-10-09T12:30:00.000Z",
      "closed_at":"2026-10-09T12:30:00.000Z", "updated_at":"2026-10-09T12:30:00.000Z"
    }'
    when 'deal.lost' then '{
      "status":"perdido", "stage_id":"019cae6b-6600-776f-875e-6129fe30135b",
      "stage_changed_at":"2026-10-09T12:30:00.000Z", "loss_reason_id":"019cae6b-6600-7afd-8e23-aa4248234701",
      "loss_note":"Escolheu outro fornecedor", "lost_at":"2026-10-09T12:30:00.000Z",
      "closed_at":"2026-10-09T12:30:00.000Z", "updated_at":"2026-10-09T12:30:00.000Z"
    }'
    when 'activity.overdue' then '{"is_overdue":true}'
    when 'proposal.viewed' then '{
      "status":"visualizada", "viewed_at":"2026-10-02T11:05:44.000Z", "updated_at":"2026-10-02T11:05:44.000Z"
    }'
    when 'deal.created' then '{
      "stage_id":"019cae6b-6600-7aef-8305-ec9888267c39", "stage_changed_at":"2026-09-28T13:20:31.250Z",
      "last_activity_at":null, "updated_at":"2026-09-28T13:20:31.250Z"
    }'
    when 'proposal.accepted' then '{
      "status":"aceita", "viewed_at":"2026-10-02T11:05:44.000Z", "accepted_at":"2026-10-08T15:10:27.000Z",
      "updated_at":"2026-10-08T15:10:27.000Z"
    }'
    when 'proposal.rejected' then '{
      "status":"recusada", "viewed_at":"2026-10-02T11:05:44.000Z", "rejected_at":"2026-10-08T15:10:27.000Z",
      "rejection_reason":"Preço acima do orçamento", "updated_at":"2026-10-08T15:10:27.000Z"
    }'
    when 'contact.updated' then '{
      "job_title":"Diretora", "phone":"+55 19 99876-5432", "updated_at":"2026-10-05T17:20:09.300Z"
    }'
    when 'company.updated' then '{
      "employee_count":45, "website":"https://www.padariasol.com.br", "updated_at":"2026-10-05T17:20:09.300Z"
    }'
    when 'deal.updated' then '{
      "value":14000, "expected_close_date":"2026-11-15", "updated_at":"2026-10-05T17:20:09.300Z"
    }'
    when 'deal.reopened' then '{
      "stage_id":"019cae6b-6600-776f-875e-6129fe30135b", "stage_changed_at":"2026-10-09T12:30:00.000Z",
      "updated_at":"2026-10-12T11:00:00.000Z"
    }'
    when 'activity.updated' then '{
      "due_at":"2026-10-09T14:00:00.000Z", "owner_id":"01a0f2d6-5d50-7e8a-8a23-4b4c121b44f5",
      "updated_at":"2026-10-05T17:20:09.300Z"
    }'
    when 'activity.completed' then '{
      "status":"concluida", "completed_at":"2026-10-08T14:45:00.000Z", "updated_at":"2026-10-08T14:45:00.000Z"
    }'
    when 'contact.merged' then '{"updated_at":"2026-10-05T17:20:09.300Z"}'
    else '{}'::jsonb
  end;
end
$$;
comment on function crm.sample_state(crm.event_type) is
  'The fields of a made-up object that show that the event has happened.';

create function crm.sample_facts(p_event crm.event_type) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case p_event
    when 'deal.stage_changed' then '{
      "previous_stage_id":"019cae6b-6600-7aef-8305-ec9888267c39",
      "previous_pipeline_id":"019cae6b-6600-723b-8f0d-244a4cb62c85"
    }'
    when 'deal.stale' then '{"days_without_movement":15,"threshold_days":14}'
    when 'activity.overdue' then '{"overdue_since":"2026-10-08T14:00:00.000Z"}'
    when 'contact.updated' then '{"changed_fields":["job_title","phone"]}'
    when 'company.updated' then '{"changed_fields":["employee_count","website"]}'
    when 'deal.updated' then '{"changed_fields":["expected_close_date","value"]}'
    when 'deal.reopened' then '{"changed_fields":["closed_at","loss_note","loss_reason_id","lost_at","status"]}'
    when 'deal.contact_added' then '{"added_contact_id":"01a0f2d6-5d50-7943-84a6-fd90039f598b","role":"decisor"}'
    when 'deal.contact_removed' then '{"removed_contact_id":"01a0f2d6-5d50-7943-84a6-fd90039f598b"}'
    when 'activity.updated' then '{"changed_fields":["due_at","owner_id"]}'
    when 'activity.completed' then '{"changed_fields":["completed_at","status"]}'
    when 'contact.merged' then '{"merged_contact_id":"01a0f2d6-5d50-7943-84a6-fd90039f598b"}'
    else '{}'::jsonb
  end;
end
$$;
comment on function crm.sample_facts(crm.event_type) is 'Made-up facts of an event; an empty object if it has none.';

create function crm.changed_field_names() returns text[]
language sql immutable as $$
  select array[
    'address', 'archived_at', 'closed_at', 'company_id', 'completed_at', 'contact_id', 'created_at', 'created_by_id',
    'custom_fields', 'deal_id', 'description', 'domain', 'due_at', 'duration_minutes', 'email', 'employee_count',
    'erased_at', 'expected_close_date', 'external_id', 'industry', 'instagram', 'is_online_meeting', 'job_title',
    'last_activity_at', 'legal_name', 'linkedin', 'location', 'loss_note', 'loss_reason_id', 'lost_at', 'meeting_url',
    'merged_into_id', 'name', 'notes', 'owner_id', 'phone', 'phone2', 'pipeline_id', 'recurring_value', 'source',
    'stage_changed_at', 'stage_id', 'status', 'tags', 'tax_id', 'title', 'type', 'utm', 'value', 'website', 'whatsapp',
    'won_at'
  ]
$$;
comment on function crm.changed_field_names() is
  'The names that changed_fields of an updated event can have, whatever the object, in alphabetical order.';
