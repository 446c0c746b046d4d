import { z } from "zod";
import { doc, named } from "../_shared/contract/doc.ts";
import { EVENT_TYPES, EVENTS, isEventType, type ObjectType } from "../_shared/contract/events.ts";
import { datetime, timestamp, uuid, withCode } from "../_shared/contract/fields.ts";
import { field, object } from "../_shared/contract/object.ts";
import { ListQuery } from "../_shared/contract/pagination.ts";

const OBJECT_TYPES = [...new Set(EVENT_TYPES.map((event) => EVENTS[event].object))] as [ObjectType];

/** The form of a cursor. `crm.feed_cursor_of` checks its content. */
const CURSOR = /^[A-Za-z0-9_-]{64}$/;

const names = (list: string) => list.split(",").map((name) => name.trim());

/** The query of GET /. Unlike in other lists, the cursor also contains the time up to which the client has read. */
export const EventQuery = ListQuery.pick({ limit: true }).extend({
  cursor: z.string()
    .refine(
      (text) => CURSOR.test(text),
      withCode("invalid_cursor", "Deve ser o meta.next_cursor de uma resposta desta lista"),
    )
    .optional()
    .meta({
      pattern: CURSOR.source,
      ...doc(
        "O meta.next_cursor da resposta anterior, mesmo que o has_more dela fosse false",
        "The previous reply's meta.next_cursor, even if its has_more was false",
      ),
    }),
  event_types: z.string()
    .refine(
      (list) => names(list).every(isEventType),
      withCode("invalid_event_type", `Deve ter eventos de ${EVENT_TYPES.join(", ")}, separados por vírgulas`),
    )
    .transform((list) => [...new Set(names(list))])
    .optional()
    .meta({
      type: "array",
      items: { type: "string", enum: EVENT_TYPES },
      minItems: 1,
      ...doc(
        "Só estes eventos, separados por vírgulas",
        "Only these events, separated by commas",
        ["deal.won", "deal.lost"],
      ),
    }),
  object_id: uuid().optional().meta(doc("Só os deste objeto", "Only those of this object")),
  since: datetime().optional().meta(
    doc(
      "Só o que houve a partir deste momento: ISO 8601, em UTC se não tiver fuso; uma data sem hora é o começo do dia",
      "Only what happened at or after this moment: ISO 8601, in UTC unless it has an offset; a date alone is the " +
        "start of the day",
    ),
  ),
});

/** An event. The schema of `data` depends on the type (tools/openapi/events.ts). */
export const Event = object({
  id: field(uuid(), [
    "Identificador do evento, o event_id das entregas por webhook",
    "The event's id, which webhook deliveries have as event_id",
  ]),
  event: field(z.enum(EVENT_TYPES), ["O evento", "The event", "deal.won"]),
  workspace_id: uuid(),
  object_type: field(z.enum(OBJECT_TYPES), ["O tipo do objeto", "The object's type", "deal"]),
  object_id: field(uuid(), ["O identificador do objeto", "The object's id"]),
  data: field(z.record(z.string(), z.unknown()).nullable(), [
    "O objeto como está agora, com o que o evento acrescenta: os campos do data do webhook deste evento; null se não " +
    "puder ser montado",
    "The object as it is now, with what the event adds: the fields of data in this event's webhook; null if it cannot " +
    "be built",
    { id: "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5", title: "Padaria Sol", status: "ganho" },
  ]),
  occurred_at: field(timestamp(), ["Quando aconteceu", "When it happened"]),
  actor_id: field(uuid().nullable(), [
    "Quem fez a mudança, como actor.id em GET /api-v1-changes",
    "Who made the change, as actor.id in GET /api-v1-changes",
  ]),
}).meta(named("Event", "Algo que aconteceu", "Something that happened"));

/** The reply to GET /. Unlike in other lists, `next_cursor` is never null: a later call with it gets the new events. */
export const EventPage = z.object({
  data: z.array(Event),
  meta: object({
    next_cursor: field(z.string().regex(CURSOR), [
      "De onde continuar, agora ou depois; nunca null",
      "Where to continue, now or later; never null",
      "AioQc6bmfw5fCaWVfGWVA0i_m08UKrRcAZmgtFwufTGPQjtqkNHH5QAAAZmgtFyg",
    ]),
    has_more: field(z.boolean(), [
      "Se há mais para ler agora; uma página pode ter menos eventos que limit, ou nenhum, e ainda haver mais",
      "Whether there is more to read now; a page may have fewer events than limit, or none, although there are more",
    ]),
  }).meta(named("EventPageMeta", "Onde a lista continua", "Where the list continues")),
});
