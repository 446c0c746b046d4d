import { parseDatetime } from "../../supabase/functions/_shared/contract/datetime.ts";

/**
 * Converts a moment from any form that the API accepts, such as a date, to the form that verbs accept. Returns other text
 * unchanged, so that the verb refuses it.
 */
export function toMoment(text: string | undefined): string | undefined {
  return text === undefined ? undefined : parseDatetime(text) ?? text;
}
