import type { Mail } from "./mail.ts";
import type { Notice } from "./notices.ts";

/** What went wrong, by the prefix of the reason (failure.ts). */
const FAILURES: readonly [prefix: string, text: string][] = [
  ["timeout_", "o receptor não respondeu a tempo"],
  ["dns_", "o nome do receptor não foi encontrado"],
  ["tls_", "a conexão segura com o receptor falhou"],
  ["connect", "não foi possível falar com o receptor"],
  ["host_", "não foi possível falar com o receptor"],
  ["target_", "o endereço do receptor não é permitido"],
  ["body_", "o corpo da entrega ficou grande demais"],
];

/**
 * The mail about a subscription that became inactive.
 *
 * @param consoleUrl the address of the console, without a trailing slash; "": the mail has no link
 */
export function noticeMail(notice: Notice, consoleUrl: string): Mail {
  const { host, origin, pathname } = new URL(notice.target_url);
  const page = `${consoleUrl}/webhooks/?id=${notice.subscription_id}`;
  return {
    subject: `Webhook desativado: ${host}`,
    // Leaves out the URL's query, which may contain a token.
    text: `O webhook para ${origin}${pathname}, da empresa ${notice.workspace_name}, foi desativado em \
${momentText(notice)}, porque uma entrega falhou cinco vezes.

O último erro: ${reasonText(notice)}.

Desde então nada é enviado a esse endereço. Os eventos ficam guardados por 30 dias: corrija o receptor, reative o \
webhook e recupere o que ele não recebeu.
${consoleUrl === "" ? "" : `\n${page}\n`}`,
  };
}

function reasonText({ last_status, last_reason }: Notice): string {
  if (last_status !== null) return `o receptor respondeu com o status HTTP ${last_status}`;
  if (last_reason === null) return "desconhecido";
  const text = FAILURES.find(([prefix]) => last_reason.startsWith(prefix))?.[1] ??
    "o receptor não deu uma resposta válida";
  return `${text} (${last_reason})`;
}

function momentText({ deactivated_at, time_zone }: Notice): string {
  const format = new Intl.DateTimeFormat("pt-BR", {
    dateStyle: "short",
    timeStyle: "short",
    timeZone: time_zone,
  });
  return `${format.format(deactivated_at * 1000)} (${time_zone})`;
}
