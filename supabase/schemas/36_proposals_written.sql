-- Written by deno task records.

create type api.proposal as (
  id uuid, workspace_id uuid, deal_id uuid, title text, value numeric, recurring_value numeric, status text,
  sent_at text, viewed_at text, accepted_at text, rejected_at text, rejection_reason text, expires_at text,
  created_at text, updated_at text
);
comment on type api.proposal is 'A proposal: its public fields, in order.';

create function crm.proposal_json(t crm.proposals) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.deal_id, t.title, t.value, t.recurring_value, crm.proposal_status(t), crm.iso(t.sent_at),
    crm.iso(t.viewed_at), crm.iso(t.accepted_at), crm.iso(t.rejected_at), t.rejection_reason, crm.iso(t.expires_at),
    crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.proposal)
$$;
comment on function crm.proposal_json(crm.proposals) is 'A row as public JSON, with the fields of api.proposal.';

create type api.proposal_view as (
  id uuid, title text, value numeric, recurring_value numeric, status text, sent_at text, expires_at text,
  accepted_at text, rejected_at text, rejection_reason text
);
comment on type api.proposal_view is 'A proposal as its customer sees it: its public fields, in order.';

create function crm.proposal_view_json(t crm.proposals) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.title, t.value, t.recurring_value, crm.proposal_status(t), crm.iso(t.sent_at), crm.iso(t.expires_at),
    crm.iso(t.accepted_at), crm.iso(t.rejected_at), t.rejection_reason
  )::api.proposal_view)
$$;
comment on function crm.proposal_view_json(crm.proposals) is
  'A row as public JSON, with the fields of api.proposal_view.';
