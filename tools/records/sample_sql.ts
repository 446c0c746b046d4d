// The objects in test events: the examples of the OpenAPI documents, as rows.
import { dataExample, OBJECTS, objectSchemas } from "../openapi/events.ts";
import { exampleOf } from "../openapi/examples.ts";
import { eventOfStory } from "../openapi/story/story.ts";
import { LeadSubmission } from "../../supabase/functions/api-v1-leads/schema.ts";
import { EVENT_TYPES, EVENTS } from "../../supabase/functions/_shared/contract/events.ts";
import { columns, commented, WIDTH } from "./sql_text.ts";

/** The functions with the rows, states and facts from which crm.sample_data builds an object. */
export function sampleSql(): string {
  const schemas = objectSchemas();
  const rows = Object.entries({ ...OBJECTS, lead: LeadSubmission }).map(([object, schema]) =>
    [object, withoutNulls(exampleOf(schemas.add(schema, "output"), schemas, "output") as object)] as const
  );
  const states = EVENT_TYPES.map((type) => [type, eventOfStory(type, EVENTS[type].object).state] as const);
  const facts = EVENT_TYPES.map((type) => {
    const data = dataExample(type, schemas);
    return [
      type,
      Object.fromEntries(Object.keys(EVENTS[type].facts).map((name) => [name, data[name]])),
    ] as const;
  });
  return [
    caseSql({
      name: "sample_row",
      argument: "p_object_type text",
      cases: rows,
      text:
        "The public fields of a made-up object of that type, or of a submitted lead, from the examples in the OpenAPI " +
        "documents.",
    }),
    caseSql({
      name: "sample_state",
      argument: "p_event crm.event_type",
      cases: states,
      text: "The fields of a made-up object that show that the event has happened.",
    }),
    caseSql({
      name: "sample_facts",
      argument: "p_event crm.event_type",
      cases: facts,
      text: "Made-up facts of an event; an empty object if it has none.",
    }),
  ].join("\n\n");
}

/** A field that the row lacks is null too. */
const withoutNulls = (object: object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

function caseSql({ name, argument, cases, text }: {
  name: string;
  argument: string;
  cases: readonly (readonly [string, unknown])[];
  text: string;
}): string {
  const [parameter] = argument.split(" ");
  const shown = cases.filter(([, value]) => Object.keys(value as object).length > 0);
  return commented(
    `create function crm.${name}(${argument}) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case ${parameter}
${shown.map(([key, value]) => literal(`    when '${key}' then `, value)).join("\n")}
    else '{}'::jsonb
  end;
end
$$;`,
    text,
  );
}

/** A JSON literal after the beginning of its line, with as many fields in a line as fit. */
function literal(beginning: string, value: unknown): string {
  const flat = JSON.stringify(value);
  const fields = Object.entries(value as object).map(([name, value]) =>
    JSON.stringify({ [name]: value }).slice(1, -1)
  );
  const text = beginning.length + flat.length + 2 <= WIDTH ? flat : `{\n${columns(fields, 6)}\n    }`;
  return `${beginning}'${text.replaceAll("'", "''")}'`;
}
