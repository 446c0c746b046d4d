import { parseDatetime } from "../../supabase/functions/_shared/contract/datetime.ts";

/**
 * Converts a moment in any form that the API takes, also a date alone, into the one that verbs take. Another text is
 * returned as it is, for the verb to refuse.
 */
export function toMoment(text: string | undefined): string | undefined {
  return text === undefined ? undefined : parseDatetime(text) ?? text;
}
