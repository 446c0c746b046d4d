import { dataOf, OBJECTS } from "../openapi/events.ts";
import type { Language } from "../openapi/language.ts";
import { doc } from "../../supabase/functions/_shared/contract/doc.ts";
import {
  EVENT_TYPES,
  EVENTS,
  type EventType,
  type ObjectType,
} from "../../supabase/functions/_shared/contract/events.ts";
import { replaceSection, sitePages, table, textIn } from "./page.ts";

const HEAD: Record<Language, string[]> = {
  pt: ["evento", "object_type", "quando acontece", "`data`"],
  en: ["event", "object_type", "when", "`data`"],
};

const NAMES = {
  deal: doc("o negócio", "the deal"),
  activity: doc("a atividade", "the activity"),
  contact: doc("o contato", "the contact"),
  company: doc("a empresa", "the company"),
  note: doc("a anotação", "the note"),
  proposal: doc("a proposta", "the proposal"),
} satisfies Record<ObjectType, unknown>;

/** Writes the table of events into the pages on webhooks, in both languages. */
export const webhooksPages = sitePages("webhooks", (page, language) => {
  const rows = EVENT_TYPES.map((type) => {
    const { object, when } = EVENTS[type];
    return [`\`${type}\``, object, textIn(when, language), dataText(type, language)];
  });
  return replaceSection(page, "events", table(HEAD[language], rows));
});

/** The object and the fields that the event adds: "the deal, `previous_stage_id`". Without an object: all fields. */
function dataText(type: EventType, language: Language): string {
  const { object } = EVENTS[type];
  const own = Object.keys(OBJECTS[object].shape);
  const fields = Object.keys(dataOf(type).shape);
  const isObject = own.every((field) => fields.includes(field));
  const added = isObject ? fields.filter((field) => !own.includes(field)) : fields;
  return [...(isObject ? [textIn(NAMES[object], language)] : []), ...added.map((field) => `\`${field}\``)]
    .join(", ");
}
