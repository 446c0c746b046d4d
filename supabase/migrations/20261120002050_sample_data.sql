-- Test events show a made-up object in the event's real shape (spec 6.2). The made-up values are the examples of the
-- OpenAPI documents; the functions that make them JSON are those of real events.

-- written by deno task records: samples
create function crm.sample_row(p_object_type text) returns jsonb
language sql immutable
as $$
  select case p_object_type
    when 'deal' then '{
      "id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "workspace_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "title": "Padaria Sol: plano anual",
      "status": "aberto",
      "value": 12500.5,
      "recurring_value": 990,
      "pipeline_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "stage_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "contact_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "company_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "owner_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "expected_close_date": "2026-12-15",
      "loss_reason_id": null,
      "loss_note": null,
      "source": "Formulário do site",
      "utm": {
        "source": "google",
        "medium": "cpc",
        "campaign": "primavera",
        "term": null,
        "content": null
      },
      "custom_fields": {
        "segmento": "alimentação"
      },
      "external_id": "pedido-2026-0042",
      "stage_changed_at": "2026-09-30T14:05:00.000Z",
      "last_activity_at": null,
      "won_at": null,
      "lost_at": null,
      "closed_at": null,
      "created_at": "2026-09-30T14:05:00.000Z",
      "updated_at": "2026-09-30T14:05:00.000Z"
    }'
    when 'activity' then '{
      "id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "workspace_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "deal_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "contact_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "owner_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "created_by_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "type": "reuniao",
      "title": "Apresentar a proposta",
      "description": "Levar a amostra",
      "due_at": "2026-10-15T14:00:00.000Z",
      "duration_minutes": 40,
      "is_online_meeting": true,
      "meeting_url": "https://meet.example.com/abc",
      "location": null,
      "status": "pendente",
      "completed_at": null,
      "is_overdue": false,
      "created_at": "2026-09-30T14:05:00.000Z",
      "updated_at": "2026-09-30T14:05:00.000Z"
    }'
    when 'contact' then '{
      "id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "workspace_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "name": "Ana Souza",
      "email": "ana@padariasol.com.br",
      "phone": "+55 11 91234-5678",
      "phone2": null,
      "whatsapp": "+55 11 91234-5678",
      "job_title": "Compradora",
      "company_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "owner_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "instagram": "@padariasol",
      "linkedin": null,
      "notes": null,
      "custom_fields": {
        "segmento": "alimentação"
      },
      "created_at": "2026-09-30T14:05:00.000Z",
      "updated_at": "2026-09-30T14:05:00.000Z"
    }'
    when 'company' then '{
      "id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "workspace_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "name": "Padaria Sol",
      "legal_name": "Padaria Sol Ltda.",
      "tax_id": "12ABC34501DE35",
      "domain": "padariasol.com.br",
      "website": "https://padariasol.com.br",
      "email": "contato@padariasol.com.br",
      "phone": "+55 11 91234-5678",
      "industry": "Alimentação",
      "employee_count": 40,
      "linkedin": null,
      "instagram": "@padariasol",
      "address": {
        "street": "Rua das Flores",
        "number": "100",
        "complement": null,
        "district": "Centro",
        "city": "Campinas",
        "state": "SP",
        "postal_code": "13010-000",
        "country": "BR"
      },
      "owner_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "notes": null,
      "custom_fields": {
        "segmento": "alimentação"
      },
      "created_at": "2026-09-30T14:05:00.000Z",
      "updated_at": "2026-09-30T14:05:00.000Z"
    }'
    when 'note' then '{
      "id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "deal_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "author_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "body": "Reunião: apresentação, 30 de setembro, 40 min\nDecisor presente: sim",
      "kind": "note",
      "source": "integration",
      "created_at": "2026-09-30T14:05:00.000Z",
      "updated_at": "2026-09-30T14:05:00.000Z"
    }'
    when 'proposal' then '{
      "id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "workspace_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "deal_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "title": "Plano anual",
      "value": 12500.5,
      "recurring_value": 990,
      "status": "enviada",
      "sent_at": null,
      "viewed_at": null,
      "accepted_at": null,
      "rejected_at": null,
      "rejection_reason": null,
      "expires_at": null,
      "created_at": "2026-09-30T14:05:00.000Z",
      "updated_at": "2026-09-30T14:05:00.000Z"
    }'
    else '{}'::jsonb
  end
$$;
comment on function crm.sample_row(text) is
  'The public fields of a made-up object of that type: those of the examples in the OpenAPI documents.';

create function crm.sample_state(p_event crm.event_type) returns jsonb
language sql immutable
as $$
  select case p_event
    when 'deal.won' then '{
      "status": "ganho",
      "won_at": "2026-09-30T14:05:00.000Z",
      "closed_at": "2026-09-30T14:05:00.000Z"
    }'
    when 'deal.lost' then '{
      "status": "perdido",
      "lost_at": "2026-09-30T14:05:00.000Z",
      "closed_at": "2026-09-30T14:05:00.000Z"
    }'
    when 'activity.overdue' then '{"due_at":"2026-09-30T14:05:00.000Z","is_overdue":true}'
    when 'proposal.viewed' then '{"status":"visualizada","viewed_at":"2026-09-30T14:05:00.000Z"}'
    when 'proposal.accepted' then '{"status":"aceita","accepted_at":"2026-09-30T14:05:00.000Z"}'
    when 'proposal.rejected' then '{"status":"recusada","rejected_at":"2026-09-30T14:05:00.000Z"}'
    when 'activity.completed' then '{"status":"concluida","completed_at":"2026-09-30T14:05:00.000Z"}'
    else '{}'::jsonb
  end
$$;
comment on function crm.sample_state(crm.event_type) is
  'The fields by which a made-up object shows that the event has happened.';

create function crm.sample_facts(p_event crm.event_type) returns jsonb
language sql immutable
as $$
  select case p_event
    when 'deal.stage_changed' then '{
      "previous_stage_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
      "previous_pipeline_id": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5"
    }'
    when 'deal.stale' then '{"days_without_movement":15,"threshold_days":14}'
    when 'activity.overdue' then '{"overdue_since":"2026-09-30T14:05:00.000Z"}'
    when 'contact.updated' then '{"changed_fields":["job_title","phone"]}'
    when 'company.updated' then '{"changed_fields":["employee_count","website"]}'
    when 'deal.updated' then '{"changed_fields":["expected_close_date","value"]}'
    when 'deal.reopened' then '{"changed_fields":["closed_at","lost_at","status"]}'
    when 'activity.updated' then '{"changed_fields":["due_at","owner_id"]}'
    when 'activity.completed' then '{"changed_fields":["completed_at","status"]}'
    when 'contact.merged' then '{"merged_contact_id":"0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5"}'
    else '{}'::jsonb
  end
$$;
comment on function crm.sample_facts(crm.event_type) is
  'Made-up facts of an event; an empty object if it has none.';
-- end of what is written

create function crm.sample_data(p_event crm.event_type) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  -- The object_id of a test event.
  v_id jsonb := '{"id": "00000000-0000-0000-0000-000000000000"}';
  v_object_type text := (select t.object_type from crm.event_types t where t.event = p_event);
  v_row jsonb := crm.sample_row(v_object_type) || crm.sample_state(p_event) || v_id;
  v_contact jsonb := crm.sample_row('contact') || jsonb_build_object('id', v_row -> 'contact_id');
  v_company jsonb := crm.sample_row('company') || jsonb_build_object('id', v_row -> 'company_id');
  v_object json;
  v_facts jsonb := crm.sample_facts(p_event);
begin
  if p_event = 'lead.received' then
    return crm.lead_data(
      jsonb_populate_record(null::crm.deals, v_row),
      jsonb_populate_record(null::crm.contacts, v_contact),
      jsonb_populate_record(null::crm.companies, v_company)
    );
  elsif p_event = 'contact.erased' then
    return v_id;
  end if;

  case v_object_type
    when 'deal' then v_object := crm.deal_json(jsonb_populate_record(null::crm.deals, v_row));
    when 'contact' then v_object := crm.contact_json(jsonb_populate_record(null::crm.contacts, v_row));
    when 'company' then v_object := crm.company_json(jsonb_populate_record(null::crm.companies, v_row));
    when 'activity' then v_object := crm.activity_json(jsonb_populate_record(null::crm.activities, v_row));
    when 'note' then v_object := crm.note_json(jsonb_populate_record(null::crm.notes, v_row));
    when 'proposal' then v_object := crm.proposal_json(jsonb_populate_record(null::crm.proposals, v_row));
  end case;
  return case when v_facts = '{}' then v_object else crm.with_fields(v_object, v_facts::json) end;
end
$$;
comment on function crm.sample_data(crm.event_type) is
  'The `data` of a test event: a made-up object and made-up facts in the shape of that event. The object''s id is the '
  'nil UUID, as the event''s object_id.';
