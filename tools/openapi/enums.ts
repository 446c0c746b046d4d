import { z } from "zod";
import { ACTIONS, CHANGED_OBJECTS } from "../../supabase/functions/app-v1-activity/schema.ts";
import { Key } from "../../supabase/functions/app-v1-keys/schema.ts";
import { ALERT_KINDS, SEARCHED_TYPES } from "../../supabase/functions/app-v1-workspace/schema.ts";
import { activity } from "../../supabase/functions/api-v1-activities/record.ts";
import { Change, HIGHLIGHTS } from "../../supabase/functions/api-v1-changes/schema.ts";
import { company } from "../../supabase/functions/api-v1-companies/record.ts";
import { contact } from "../../supabase/functions/api-v1-contacts/record.ts";
import { deal } from "../../supabase/functions/api-v1-deals/record.ts";
import { DETAIL_EXPANSIONS } from "../../supabase/functions/api-v1-deals/schema.ts";
import { Health } from "../../supabase/functions/api-v1-health/schema.ts";
import { LeadResult } from "../../supabase/functions/api-v1-leads/schema.ts";
import { FOUND_TYPES } from "../../supabase/functions/api-v1-search/schema.ts";
import { DELIVERY_STATES, NOT_QUEUED_REASONS } from "../../supabase/functions/api-v1-webhooks/delivery.ts";
import { subscription } from "../../supabase/functions/api-v1-webhooks/record.ts";
import { proposal } from "../../supabase/functions/proposals/record.ts";
import { FIELD_TYPES } from "../../supabase/functions/_shared/contract/custom_fields.ts";
import { LIKENESSES } from "../../supabase/functions/_shared/contract/duplicates.ts";
import { type Doc, doc, type FieldDocs } from "../../supabase/functions/_shared/contract/doc.ts";
import { EVENT_TYPES } from "../../supabase/functions/_shared/contract/events.ts";
import { NAMING_OBJECTS, Operation } from "../../supabase/functions/_shared/contract/operation.ts";
import { ROLES } from "../../supabase/functions/_shared/contract/roles.ts";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { TIMELINE_TYPES } from "../../supabase/functions/_shared/contract/timeline.ts";
import { sortWords } from "../../supabase/functions/_shared/contract/record.ts";
import { records } from "../records/records.ts";

interface NamedEnum {
  words: readonly string[];
  text: Doc;
}

/** The words of an enumeration field, also of a nullable one; null for a field of another type. */
function wordsIn(schema: z.ZodObject, field: string): readonly string[] | null {
  let shape: unknown = schema.shape[field];
  while (shape instanceof z.ZodNullable) shape = shape.unwrap();
  return shape instanceof z.ZodEnum ? shape.options as string[] : null;
}

function wordsOf(schema: z.ZodObject, field: string): readonly string[] {
  const words = wordsIn(schema, field);
  if (words === null) throw new Error(`The field "${field}" has no words`);
  return words;
}

const LIKENESS = doc("O que registros têm em comum", "What records have in common");

/**
 * The names of enumerations, so that generators make one type for each. An enumeration is recognized by its list of
 * values, wherever it is used. An enumeration that is missing here is named for its record and field (`NoteKind`). If
 * it belongs to no record, the task that writes the documents fails.
 */
const ENUMS: Readonly<Record<string, NamedEnum>> = {
  DealStatus: {
    words: wordsOf(deal.reply, "status"),
    text: doc("A situação de um negócio", "The state of a deal"),
  },
  CustomFieldType: {
    words: FIELD_TYPES,
    text: doc("O tipo dos valores de um campo definido", "The type of the values of a defined field"),
  },
  ActivityStatus: {
    words: wordsOf(activity.reply, "status"),
    text: doc("A situação de uma atividade", "The state of an activity"),
  },
  ProposalStatus: {
    words: wordsOf(proposal.reply, "status"),
    text: doc("A situação de uma proposta", "The state of a proposal"),
  },
  Archived: {
    words: ["false", "true", "any"],
    text: doc(
      "true: só os arquivados; false: só os outros; any: todos",
      "true: only archived ones; false: only the others; any: all",
    ),
  },
  ...Object.fromEntries(records.flatMap(({ about, expansions, sorts }): [string, NamedEnum][] => [
    [`${about.schema}Expansion`, {
      words: Object.keys(expansions),
      text: doc("O que expand pode mostrar", "What expand can show"),
    }],
    // Records without sort columns of their own share the name `Sort`.
    [`${about.sorts ? about.schema : ""}Sort`, {
      words: sortWords(sorts),
      text: doc("A ordem de uma lista", "The order of a list"),
    }],
  ])),
  DealDetailExpansion: {
    words: DETAIL_EXPANSIONS,
    text: doc("O que expand pode mostrar num negócio", "What expand can show in a deal's detail"),
  },
  DealGrouping: {
    words: deal.about.summary!,
    text: doc("Como uma soma de negócios é agrupada", "How a summary of deals is grouped"),
  },
  ContactMatch: {
    words: wordsOf(contact.upsertQuery, "match_by"),
    text: doc("O campo pelo qual um contato é procurado", "The field by which a contact is looked for"),
  },
  CompanyMatch: {
    words: wordsOf(company.upsertQuery, "match_by"),
    text: doc("O campo pelo qual uma empresa é procurada", "The field by which a company is looked for"),
  },
  LeadDifference: {
    words: (LeadResult.shape.differences.element as z.ZodEnum).options as string[],
    text: doc(
      "Um campo do lead que o contato tem com outro valor",
      "A field of the lead for which the contact has another value",
    ),
  },
  EventType: { words: EVENT_TYPES, text: doc("O nome de um evento", "The name of an event") },
  ChangeObjectType: {
    words: wordsOf(Change, "object_type"),
    text: doc("O tipo do objeto de uma alteração", "The type of a change's object"),
  },
  ChangeAction: {
    words: wordsOf(Change, "action"),
    text: doc("O que uma alteração fez: o evento", "What a change did: the event"),
  },
  CompanyLikeness: { words: LIKENESSES.company, text: LIKENESS },
  ContactLikeness: { words: LIKENESSES.contact, text: LIKENESS },
  FoundType: {
    words: FOUND_TYPES,
    text: doc("O tipo de um registro encontrado", "The type of a found record"),
  },
  TimelineType: {
    words: TIMELINE_TYPES,
    text: doc("O que é uma entrada da linha do tempo", "What an entry of a timeline is"),
  },
  Highlight: {
    words: HIGHLIGHTS,
    text: doc("O que houve com um negócio", "What happened to a deal"),
  },
  ActorType: {
    words: wordsOf(Change.shape.actor, "type"),
    text: doc("Quem fez uma alteração", "Who made a change"),
  },
  DeliveryState: {
    words: DELIVERY_STATES,
    text: doc(
      "pending aguarda uma tentativa; held aguarda a assinatura ou o workspace voltar a enviar; cancelled aguardava " +
        "quando a assinatura foi removida",
      "pending waits for an attempt; held waits until the subscription or the workspace may send again; cancelled was " +
        "waiting when the subscription was deleted",
    ),
  },
  NotQueuedReason: {
    words: NOT_QUEUED_REASONS,
    text: doc(
      "not_found: a assinatura não tem esta entrega; queue_full: a fila não tem lugar para ela",
      "not_found: the subscription has no such delivery; queue_full: the queue has no room for it",
    ),
  },
  DeactivatedReason: {
    words: wordsOf(subscription.reply, "deactivated_reason"),
    text: doc(
      "deleted: foi removida; failures: uma entrega falhou 5 vezes; key_revoked: a chave que a criou foi revogada",
      "deleted: it was deleted; failures: a delivery failed 5 times; key_revoked: the key that created it was revoked",
    ),
  },
  OperationKind: {
    words: wordsOf(Operation, "kind"),
    text: doc(
      "Um apagamento, ou uma união de contatos ou de empresas",
      "An erasure, or a merge of contacts or of companies",
    ),
  },
  OperationState: {
    words: wordsOf(Operation, "state"),
    text: doc(
      "À espera, em andamento, concluída, ou parada depois de dez falhas",
      "Waiting, under way, done, or stopped after ten failures",
    ),
  },
  OperationError: {
    words: wordsOf(Operation, "error"),
    text: doc("Um código de erro", "An error code"),
  },
  NamingObject: {
    words: NAMING_OBJECTS,
    text: doc("O tipo de um registro que cita a pessoa", "The kind of a record that names the person"),
  },
  HealthStatus: {
    words: wordsOf(Health, "status"),
    text: doc("Se o serviço pode atender", "Whether the service can answer"),
  },
  DatabaseStatus: {
    words: wordsOf(Health.shape.database, "status"),
    text: doc("Se o banco de dados responde", "Whether the database answers"),
  },
  WebhooksStatus: {
    words: wordsOf(Health, "webhooks"),
    text: doc(
      "degraded: há entregas à espera há mais de um minuto, e nada as envia",
      "degraded: deliveries have waited for over a minute and nothing sends them",
    ),
  },
  Role: {
    words: ROLES,
    text: doc(
      "O papel de um membro: vendedor, gestor ou admin; cada um tem também os direitos do anterior",
      "A member's role: vendedor, gestor or admin; each also has the rights of the one before",
    ),
  },
  KeyState: {
    words: wordsOf(Key, "state"),
    text: doc(
      "Se uma chave funciona, venceu ou foi revogada",
      "Whether a key works, has expired or was revoked",
    ),
  },
  Scope: {
    words: SCOPES,
    text: doc("O que uma chave ou um aplicativo pode fazer", "What a key or an app may do"),
  },
  AlertKind: {
    words: ALERT_KINDS,
    text: doc("O que alguém precisa resolver", "What somebody has to fix"),
  },
  SearchedType: {
    words: SEARCHED_TYPES,
    text: doc("O que a busca do console encontra", "What the search of the console finds"),
  },
  Action: { words: ACTIONS, text: doc("O que alguém fez", "What somebody did") },
  ChangedObjectType: {
    words: CHANGED_OBJECTS,
    text: doc("O tipo do objeto da ação", "The kind of object that the action changed"),
  },
};

const BY_WORDS = new Map(
  Object.entries(ENUMS).map(([name, named]) => [named.words.join(), { name, ...named }]),
);

for (const { reply } of records) {
  const { id, fields = {} } = reply.meta() as { id: string; fields?: FieldDocs };
  for (const field of Object.keys(reply.shape)) {
    const words = wordsIn(reply, field);
    const text = fields[field];
    if (!words || !text || BY_WORDS.has(words.join())) continue;
    const { description, description_en } = text;
    const name = `${id}_${field}`.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    BY_WORDS.set(words.join(), { name, words, text: { description, description_en } });
  }
}

/** The enumeration with these words, and its name; null if there is none. */
export function enumOf(words: readonly unknown[]): NamedEnum & { name: string } | null {
  return BY_WORDS.get(words.join()) ?? null;
}
