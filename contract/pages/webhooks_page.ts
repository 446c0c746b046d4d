import { dataOf, OBJECTS } from "../../openapi/events.ts";
import { EVENT_TYPES, EVENTS, type EventType } from "../../supabase/functions/_shared/contract/events.ts";
import { type Page, replaceSection, table } from "./page.ts";

/** docs/webhooks.md: the table of events. */
export const webhooksPage: Page = {
  file: "docs/webhooks.md",
  write(page) {
    const rows = EVENT_TYPES.map((type) => {
      const { object, when } = EVENTS[type];
      return [`\`${type}\``, object, when.description_en, dataText(type)];
    });
    const head = ["event", "object_type", "when", "`data`"];
    return Promise.resolve(replaceSection(page, "events", table(head, rows)));
  },
};

/** For example "the deal, `previous_stage_id`"; only the fields, if `data` is not the object with additions. */
function dataText(type: EventType): string {
  const { object } = EVENTS[type];
  const own = Object.keys(OBJECTS[object].shape);
  const fields = Object.keys(dataOf(type).shape);
  const isObject = own.every((field) => fields.includes(field));
  const added = isObject ? fields.filter((field) => !own.includes(field)) : fields;
  return [...(isObject ? [`the ${object}`] : []), ...added.map((field) => `\`${field}\``)].join(", ");
}
