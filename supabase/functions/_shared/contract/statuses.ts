/** The states of records that more than one schema names. */

export const DEAL_STATUSES = ["aberto", "ganho", "perdido"] as const;

export const ACTIVITY_STATUSES = ["pendente", "concluida", "cancelada"] as const;

/** `expirada` is never stored: crm.proposal_status computes it. */
export const PROPOSAL_STATUSES = [
  "rascunho",
  "enviada",
  "visualizada",
  "aceita",
  "recusada",
  "expirada",
] as const;
