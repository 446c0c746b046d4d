/** The kinds that `crm.kind_of` returns: each kind's name in messages, and the operation that shows such a record. */
export const FOUND_KINDS = {
  contact: { name: "um contato", operation: "GET /api-v1-contacts/:id" },
  company: { name: "uma empresa", operation: "GET /api-v1-companies/:id" },
  deal: { name: "um negócio", operation: "GET /api-v1-deals/:id" },
  activity: { name: "uma atividade", operation: "GET /api-v1-activities/:id" },
  note: { name: "uma anotação", operation: "GET /api-v1-notes/:id" },
  owner: { name: "um membro", operation: "GET /api-v1-workspace" },
  pipeline: { name: "um pipeline", operation: "GET /api-v1-pipelines" },
  stage: { name: "uma etapa", operation: "GET /api-v1-pipelines" },
  loss_reason: { name: "um motivo de perda", operation: "GET /api-v1-workspace" },
  webhook: { name: "uma assinatura de webhook", operation: "GET /api-v1-webhooks/:id" },
} as const;

export type FoundKind = keyof typeof FOUND_KINDS;
