// The texts of the customer's page. They are separate, so that the page need not load the console's texts.

const pt = {
  offer: "Proposta de",
  loading: "Carregando a proposta…",
  once: "Valor",
  monthly: "Por mês",
  perMonth: "por mês",
  sentAt: "Enviada em",
  validUntil: "Válida até",
  accept: "Aceitar",
  decline: "Recusar",
  confirmTitle: (seller: string) => `Aceitar a proposta de ${seller}?`,
  confirmText: "A resposta vale na hora e não pode ser mudada depois.",
  confirm: "Aceitar a proposta",
  back: "Voltar",
  declineTitle: "Recusar a proposta",
  reason: "Motivo (opcional)",
  reasonHint: (seller: string) => `${seller} lê o que você escrever. A resposta não pode ser mudada depois.`,
  reasonLeft: (left: number) => left === 1 ? "resta 1 caractere" : `restam ${left} caracteres`,
  reasonOver: (over: number) => over === 1 ? "1 caractere a mais" : `${over} caracteres a mais`,
  confirmDecline: "Recusar a proposta",
  sending: "Enviando…",
  accepted: "Proposta aceita",
  acceptedAt: (at: string) => `Aceita em ${at}.`,
  acceptedNext: (seller: string) =>
    `${seller} já pode ver a sua resposta. Se quiser, guarde ou imprima esta página.`,
  declined: "Proposta recusada",
  declinedAt: (at: string) => `Recusada em ${at}.`,
  reasonGiven: "Motivo",
  elsewhere: "A resposta foi dada em outro aparelho enquanto esta página estava aberta. É ela que vale.",
  expired: "Esta proposta expirou",
  expiredAt: (at: string) => `O prazo para responder terminou em ${at}.`,
  expiredNext: "Se ainda tem interesse, peça uma nova a quem a enviou.",
  missing: "Este link não abre nenhuma proposta",
  missingNext:
    "Confira se o link foi copiado inteiro. Se a proposta foi enviada de novo, vale só o link mais recente.",
  suspended: "Esta proposta está indisponível no momento",
  suspendedNext: "Fale com quem a enviou. Nada do que já foi respondido se perde.",
  failed: {
    network: "Sem conexão com a internet",
    busy: "Muitas tentativas em pouco tempo",
    server: "O serviço não respondeu como devia",
  },
  readAgain: {
    network: "A proposta abre sozinha quando a conexão voltar.",
    busy: (seconds: number) => `Espere ${seconds} segundos e tente de novo.`,
    server: "Tente de novo em instantes. Nada foi respondido.",
  },
  answerAgain: {
    network:
      "Não sabemos se a sua resposta chegou. Tente de novo: responder outra vez a mesma coisa não muda nada.",
    busy: (seconds: number) => `A resposta não foi registrada. Espere ${seconds} segundos e tente de novo.`,
    server: "A resposta pode não ter sido registrada. Tente de novo: repetir a mesma resposta não muda nada.",
  },
  retry: "Tentar de novo",
  requestId: "Código do pedido, para o suporte:",
  copy: "Copiar",
  copied: "Copiado",
  foot: "Página enviada por um CRM em nome do vendedor",
  other: "English",
};

export type Strings = typeof pt;

const en: Strings = {
  offer: "Proposal from",
  loading: "Loading the proposal…",
  once: "Price",
  monthly: "Monthly",
  perMonth: "a month",
  sentAt: "Sent on",
  validUntil: "Valid until",
  accept: "Accept",
  decline: "Decline",
  confirmTitle: (seller) => `Accept the proposal from ${seller}?`,
  confirmText: "The answer counts at once and cannot be changed later.",
  confirm: "Accept the proposal",
  back: "Back",
  declineTitle: "Decline the proposal",
  reason: "Reason (optional)",
  reasonHint: (seller) => `${seller} reads what you write. The answer cannot be changed later.`,
  reasonLeft: (left) => left === 1 ? "1 character left" : `${left} characters left`,
  reasonOver: (over) => over === 1 ? "1 character too many" : `${over} characters too many`,
  confirmDecline: "Decline the proposal",
  sending: "Sending…",
  accepted: "Proposal accepted",
  acceptedAt: (at) => `Accepted on ${at}.`,
  acceptedNext: (seller) => `${seller} can see your answer. Keep or print this page if you like.`,
  declined: "Proposal declined",
  declinedAt: (at) => `Declined on ${at}.`,
  reasonGiven: "Reason",
  elsewhere:
    "It was answered on another device while this page was open. That answer is the one that counts.",
  expired: "This proposal has expired",
  expiredAt: (at) => `The time to answer ended on ${at}.`,
  expiredNext: "If you are still interested, ask whoever sent it for a new one.",
  missing: "This link opens no proposal",
  missingNext:
    "Check that the whole link was copied. If the proposal was sent again, only the newest link works.",
  suspended: "This proposal is not available right now",
  suspendedNext: "Talk to whoever sent it. Nothing that was answered is lost.",
  failed: {
    network: "No internet connection",
    busy: "Too many tries in a short time",
    server: "The service did not answer as it should",
  },
  readAgain: {
    network: "The proposal opens by itself once the connection is back.",
    busy: (seconds) => `Wait ${seconds} seconds and try again.`,
    server: "Try again in a moment. Nothing was answered.",
  },
  answerAgain: {
    network:
      "We cannot tell whether your answer arrived. Try again: giving the same answer twice changes nothing.",
    busy: (seconds) => `The answer was not recorded. Wait ${seconds} seconds and try again.`,
    server: "The answer may not have been recorded. Try again: giving the same answer twice changes nothing.",
  },
  retry: "Try again",
  requestId: "Request code, for support:",
  copy: "Copy",
  copied: "Copied",
  foot: "Sent by a CRM on behalf of the seller",
  other: "Português",
};

/** A language as `Intl` and `<html lang>` name it. */
export type Language = "pt-BR" | "en";

export const STRINGS: Record<Language, Strings> = { "pt-BR": pt, en };

/** The language chosen in this browser; else English for English browsers, Portuguese for all others. */
export function firstLanguage(chosen: string | null, browser: string): Language {
  return (chosen ?? browser).toLowerCase().startsWith("en") ? "en" : "pt-BR";
}
