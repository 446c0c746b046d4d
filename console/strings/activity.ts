export const activity = {
  "activity.text": [
    "Quem fez o quê nesta empresa, e o que aconteceu com os registros.",
    "Who did what in this company, and what happened to its records.",
  ],
  "activity.views": ["O que ver", "What to see"],
  "activity.view_actions": ["Pessoas", "People"],
  "activity.view_events": ["Eventos", "Events"],
  "activity.empty": [
    "Nada ainda. Aqui aparece quem criou, trocou ou revogou o quê.",
    "Nothing yet. Here you see who created, replaced or revoked what.",
  ],
  "activity.operator": ["O suporte", "Support"],

  "events.text": [
    "O que aconteceu nos últimos 90 dias, e quais webhooks receberam cada evento (as entregas são guardadas por 30 dias).",
    "What happened in the last 90 days, and which webhooks got each event (deliveries are kept for 30 days).",
  ],
  "events.record": ["Id do registro", "Id of the record"],
  "events.until": ["Até o dia", "Until day"],
  "events.none": ["Nenhum evento.", "No event."],
  "events.none_yet": [
    "Nenhum evento entre os 5.000 mais novos. Toque em Mostrar mais.",
    "No event among the newest 5,000. Press Show more.",
  ],
  "events.nameless": ["registro sem nome", "record without a name"],
  "events.changed": ["campos: {fields}", "fields: {fields}"],

  "did.unknown": ["{actor} fez “{action}” em {object}", "{actor} did “{action}” to {object}"],
  "did.workspace_updated": ["{actor} alterou a empresa: {changes}", "{actor} changed the company: {changes}"],
  "did.member_invited": ["{actor} convidou {object}", "{actor} invited {object}"],
  "did.member_invited_again": ["{actor} convidou {object} de novo", "{actor} invited {object} again"],
  "did.member_updated": [
    "{actor} alterou o membro {object}: {changes}",
    "{actor} changed the member {object}: {changes}",
  ],
  "did.member_signed_in": ["{object} entrou pela primeira vez", "{object} signed in for the first time"],
  "did.invitation_accepted": ["{object} aceitou o convite", "{object} accepted the invitation"],
  "did.invitation_declined": ["{object} recusou o convite", "{object} declined the invitation"],
  "did.member_left": ["{object} saiu da empresa", "{object} left the company"],
  "did.key_created": ["{actor} criou a chave {object}", "{actor} created the key {object}"],
  "did.key_networks_changed": [
    "{actor} mudou as redes da chave {object}",
    "{actor} changed the networks of the key {object}",
  ],
  "did.key_expiry_changed": [
    "{actor} mudou a validade da chave {object}",
    "{actor} changed when the key {object} expires",
  ],
  "did.key_renamed": ["{actor} mudou o nome de uma chave para {object}", "{actor} renamed a key to {object}"],
  "did.key_renamed_from": [
    "{actor} mudou o nome da chave {previous} para {object}",
    "{actor} renamed the key {previous} to {object}",
  ],
  "did.key_rotated": [
    "{actor} trocou o segredo da chave {object}",
    "{actor} replaced the secret of the key {object}",
  ],
  "did.key_rotated_overlap": [
    "{actor} trocou o segredo da chave {object}; o antigo valeu por mais {overlap}",
    "{actor} replaced the secret of the key {object}; the old one worked for another {overlap}",
  ],
  "did.key_revoked": ["{actor} revogou a chave {object}", "{actor} revoked the key {object}"],
  "did.key_revoked_webhooks.one": ["{n} webhook parou com ela", "{n} webhook stopped with it"],
  "did.key_revoked_webhooks.many": ["{n} webhooks pararam com ela", "{n} webhooks stopped with it"],
  "did.grant_created": ["{actor} autorizou o aplicativo {object}", "{actor} gave the app {object} access"],
  "did.grant_revoked": ["{actor} revogou o aplicativo {object}", "{actor} revoked the app {object}"],
  "did.webhook_created": ["{actor} criou o webhook {object}", "{actor} created the webhook {object}"],
  "did.webhook_updated": ["{actor} mudou o webhook {object}", "{actor} changed the webhook {object}"],
  "did.webhook_deactivated": [
    "{actor} desativou o webhook {object}",
    "{actor} deactivated the webhook {object}",
  ],
  "did.webhook_stopped": [
    "O webhook {object} parou: uma entrega falhou cinco vezes",
    "The webhook {object} stopped: a delivery failed five times",
  ],
  "did.webhook_tested": ["{actor} enviou um teste para {object}", "{actor} sent a test to {object}"],
  "did.webhook_reactivated": [
    "{actor} reativou o webhook {object}",
    "{actor} reactivated the webhook {object}",
  ],
  "did.webhook_rotated": [
    "{actor} trocou o segredo do webhook {object}",
    "{actor} replaced the secret of the webhook {object}",
  ],
  "did.webhook_rotated_overlap": [
    "{actor} trocou o segredo do webhook {object}; o antigo valeu por mais {overlap}",
    "{actor} replaced the secret of the webhook {object}; the old one worked for another {overlap}",
  ],
  "did.webhook_recovered": [
    "{actor} recuperou eventos para o webhook {object}",
    "{actor} recovered events for the webhook {object}",
  ],
  "did.delivery_redelivered": [
    "{actor} reenviou a entrega {object}",
    "{actor} sent the delivery {object} again",
  ],
  "did.deliveries_redelivered": [
    "{actor} reenviou entregas do webhook {object}",
    "{actor} sent deliveries of the webhook {object} again",
  ],
  "did.custom_field_created": ["{actor} definiu o campo {object}", "{actor} defined the field {object}"],
  "did.custom_field_updated": ["{actor} alterou o campo {object}", "{actor} changed the field {object}"],
  "did.custom_field_archived": ["{actor} arquivou o campo {object}", "{actor} archived the field {object}"],
  "did.custom_field_restored": [
    "{actor} voltou a usar o campo {object}",
    "{actor} put the field {object} back into use",
  ],
  "did.proposal_created": ["{actor} criou a proposta {object}", "{actor} created the proposal {object}"],
  "did.proposal_link_replaced": [
    "{actor} trocou o link da proposta {object}",
    "{actor} replaced the link of the proposal {object}",
  ],
  "did.proposal_sent": ["{actor} enviou a proposta {object}", "{actor} sent the proposal {object}"],

  "changed.to": ["{field} de {from} para {to}", "{field} from {from} to {to}"],
  "changed.name": ["nome", "name"],
  "changed.role": ["papel", "role"],
  "changed.is_active": ["acesso", "access"],
  "changed.stale_after_days": ["dias até um negócio contar como parado", "days until a deal is stale"],
  "changed.time_zone": ["fuso horário", "time zone"],
  "changed.refuses_undefined_fields": ["recusa de campos não definidos", "refusal of undefined fields"],
  "changed.suspended": ["suspensão", "suspension"],
  "changed.public_api": ["API", "API"],
  "changed.rate_limit_per_minute": ["limite por minuto", "limit a minute"],
  "changed.true": ["ligado", "on"],
  "changed.false": ["desligado", "off"],
} as const;
