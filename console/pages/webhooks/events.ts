import type { EventType } from "../../../supabase/functions/_shared/contract/events.ts";
import { TEXTS } from "../../strings/texts.ts";

export type { EventType };

/** A group of events in the form: the kind of their object. */
type EventGroup = EventType extends `${infer Group}.${string}` ? Group : never;

/**
 * Every event, in the order of the texts, which is also the order in the form. Only a type is imported
 * from the catalogue, whose schemas would add zod to the bundle.
 */
export const ALL_EVENTS = Object.keys(TEXTS).flatMap((key) =>
  key.match(/^event\.(.+)$/)?.[1] ?? []
) as EventType[];

export const EVENT_GROUPS = [...Map.groupBy(ALL_EVENTS, (event) => event.split(".")[0] as EventGroup)]
  .map(([group, events]) => ({ group, events }));
