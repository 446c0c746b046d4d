// What the app takes from the OpenAPI document, and its own texts in both languages.
import { webhooks as consoleTexts } from "../../../console/strings/webhooks.ts";
import { openApiDocument } from "../../../tools/openapi/document.ts";
import { bodyFields, queryFields } from "../../../tools/openapi/input_fields.ts";
import type { Language } from "../../../tools/openapi/language.ts";
import { type OpenApi, operationsOf, resolve } from "../../../tools/openapi/read_document.ts";
import type { ObjectType } from "../../../supabase/functions/_shared/contract/events.ts";
import { zapierField } from "./fields.ts";

type Text = readonly [pt: string, en: string];

const NOUNS: Record<ObjectType | "lead", Text> = {
  lead: ["Lead", "Lead"],
  contact: ["Contato", "Contact"],
  company: ["Empresa", "Company"],
  deal: ["Negócio", "Deal"],
  activity: ["Atividade", "Activity"],
  note: ["Anotação", "Note"],
  proposal: ["Proposta", "Proposal"],
};

/** The records that an action creates, with their resource. */
const CREATES = {
  lead: "leads",
  contact: "contacts",
  company: "companies",
  deal: "deals",
  activity: "activities",
  note: "notes",
};

/** The records that an action finds, each with the filters that its form offers, the most exact first. */
const SEARCHES = {
  contact: ["email", "phone", "external_id", "q"],
  company: ["name", "tax_id", "domain", "external_id", "q"],
  deal: ["external_id", "q", "contact_id", "company_id", "status", "pipeline_id", "stage_id", "owner_id"],
};

/** The kind of record whose custom fields a form shows. A lead's custom fields are stored on its deal. */
const CUSTOM_FIELDS: Record<string, string> = {
  lead: "deal",
  contact: "contact",
  company: "company",
  deal: "deal",
};

const TEXTS = {
  key: ["Chave de API", "API key"],
  keyHelp: [
    "Um administrador a cria no console, em Chaves. O guia do Zapier diz de quais permissões ela precisa.",
    "An administrator creates it in the console, under Keys. The Zapier guide names the scopes that it needs.",
  ],
  address: ["Endereço da API", "Address of the API"],
  addressHelp: ["Termina em /functions/v1.", "It ends in /functions/v1."],
  when: ["Dispara quando acontece: ", "Triggers when this happens: "],
  create: ["Criar ", "Create "],
  find: ["Buscar ", "Find "],
  findOrCreate: ["Buscar ou criar ", "Find or Create "],
  findHelp: [
    "Busca pelos campos preenchidos. Se todos estão vazios, não encontra nada.",
    "Searches by the fields that are filled in. If all are empty, it finds nothing.",
  ],
  findOrCreateHelp: [
    "Busca um registro e, se não encontra nenhum, cria um.",
    "Searches for a record, and creates one if it finds none.",
  ],
  id: ["Id", "Id"],
  idHelp: ["O id do registro, como vem nos gatilhos.", "The record's id, as the triggers give it."],
  idempotency: ["Chave de idempotência", "Idempotency key"],
  idempotencyHelp: [
    "O id do gatilho e um nome para este passo, como id-contato: repetir o passo em até 24 horas não cria outro registro.",
    "The trigger's id and a name for this step, such as id-contact: repeating it within 24 hours creates no other record.",
  ],
  unsigned: [
    "A entrega não foi assinada com o segredo da assinatura. Se o segredo foi trocado, desligue e ligue o Zap",
    "The delivery is not signed with the subscription's secret. If the secret was replaced, turn the Zap off and on",
  ],
  exhausted: [
    "A busca leu muitos registros e não encontrou nenhum. Preencha mais campos",
    "The search read many records and found none. Fill in more fields",
  ],
} satisfies Record<string, Text>;

/**
 * Returns the data that the app loads when it starts.
 *
 * @param baseUrl the address of the API that the connection's form suggests
 */
export function writtenFor(language: Language, baseUrl?: string) {
  const document = openApiDocument("api", language) as OpenApi;
  const of = (text: Text) => text[language === "en" ? 1 : 0];
  const t = (name: keyof typeof TEXTS) => of(TEXTS[name]);
  const operationOf = (resource: string, action: string) =>
    operationsOf(document).find(({ operation }) => operation.operationId === `${resource}.${action}`)!;
  const exampleOf = (resource: string, action: string, status: string) => {
    const { responses } = operationOf(resource, action).operation;
    return resolve(document, responses[status]!).content!["application/json"].example;
  };
  const about = (key: string, noun: keyof typeof NOUNS, label: string, description: string) => ({
    key,
    noun: of(NOUNS[noun]),
    display: { label, description },
  });

  const triggers = operationsOf(document).filter(({ event }) => event !== null).map(
    ({ event, operation }) => {
      const label = of(consoleTexts[`event.${event}` as "event.deal.won"]);
      const { event_id, delivery_id: _, ...example } = operation.requestBody!.content["application/json"]
        .example as Record<string, unknown>;
      return {
        ...about(
          event!.replace(".", "_"),
          example.object_type as ObjectType,
          label,
          `${t("when")}${label[0]!.toLowerCase()}${label.slice(1)}.`,
        ),
        event,
        sample: { id: event_id, ...example },
      };
    },
  );

  const creates = (Object.keys(CREATES) as (keyof typeof CREATES)[]).map((noun) => {
    const resource = CREATES[noun];
    const { path, operation } = operationOf(resource, "create");
    const label = t("create") + of(NOUNS[noun]);
    return {
      ...about(`create_${noun}`, noun, label, `${operation.summary}.`),
      path,
      customFieldsOf: CUSTOM_FIELDS[noun],
      inputFields: [
        ...bodyFields(document, operation).map(zapierField),
        { key: "idempotency_key", label: t("idempotency"), helpText: t("idempotencyHelp"), type: "string" },
      ],
      sample: exampleOf(resource, "create", "201"),
    };
  });

  const searches = (Object.keys(SEARCHES) as (keyof typeof SEARCHES)[]).map((noun) => {
    const resource = CREATES[noun];
    const { path, operation } = operationOf(resource, "list");
    const fields = queryFields(document, operation);
    return {
      ...about(`find_${noun}`, noun, t("find") + of(NOUNS[noun]), t("findHelp")),
      path,
      inputFields: [
        ...SEARCHES[noun].map((name) => zapierField(fields.find((field) => field.name === name)!)),
        { key: "id", label: t("id"), helpText: t("idHelp"), type: "string" },
      ],
      sample: (exampleOf(resource, "list", "200") as { data: unknown[] }).data[0],
    };
  });

  return {
    texts: { unsigned: t("unsigned"), exhausted: t("exhausted") },
    authentication: [
      { key: "api_key", type: "password", label: t("key"), helpText: t("keyHelp"), required: true },
      {
        key: "base_url",
        type: "string",
        label: t("address"),
        helpText: t("addressHelp"),
        required: true,
        placeholder: "https://<ref>.supabase.co/functions/v1",
        isNoSecret: true,
        ...(baseUrl && { default: baseUrl }),
      },
    ],
    triggers,
    searches,
    creates,
    searchOrCreates: searches.map(({ key, noun }) => ({
      key,
      display: { label: t("findOrCreate") + noun, description: t("findOrCreateHelp") },
      search: key,
      create: key.replace("find", "create"),
    })),
  };
}
