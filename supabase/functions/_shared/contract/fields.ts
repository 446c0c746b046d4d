// Validation rules of values that several resources share, so that each has one definition.
import { z } from "zod";
import { doc } from "./doc.ts";

/** The number of code points, which is how JSON Schema and Postgres count characters: an emoji is one. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function characters(min: number, max: number) {
  return [
    (text: string) => {
      const count = countCharacters(text);
      return min <= count && count <= max;
    },
    {
      error: `Deve ter ${min > 0 ? `de ${min} a ${max}` : `até ${max}`} caracteres`,
      // Stops before later rules run: normalizing a text can take time quadratic in its length.
      abort: true,
    },
  ] as const;
}

/** Free text, stored unchanged. */
export function text(max: number, min = 0) {
  return z.string().refine(...characters(min, max)).meta({
    maxLength: max,
    ...(min > 0 && { minLength: min }),
  });
}

/** A name or title, trimmed: white space alone is not a name. */
export function name(max = 255) {
  return z.string().trim().refine(...characters(1, max)).meta({ minLength: 1, maxLength: max });
}

/** A UUID of any version, in any case. */
export const uuid = () => z.guid().toLowerCase().meta({ format: "uuid" });

/** An e-mail address, in lower case. */
export const email = () => z.string().trim().toLowerCase().max(320).pipe(z.email()).meta({ format: "email" });

/** An amount without a currency, stored with every decimal that was sent. */
export const money = () => z.number().min(0).max(1e15);

// Postgres has no year 0, and replies show a year with four digits.
const EARLIEST = Date.parse("0001-01-01T00:00:00Z");
const LATEST = Date.parse("9999-12-31T23:59:59.999Z");

/** A date and time with any offset, converted to UTC: Postgres cannot parse some valid offsets, such as +20:00. */
export const datetime = () =>
  z.iso.datetime({ offset: true })
    .refine((text) => {
      const at = Date.parse(text);
      // NaN passes: the rule above has already reported it as an invalid date.
      return !(at < EARLIEST || at > LATEST);
    }, "A data está fora do intervalo aceito")
    .transform((text) => new Date(text).toISOString());

/** A date that exists in the calendar. */
export const date = () =>
  z.iso.date().refine((text) => text >= "0001-01-01", "A data está fora do intervalo aceito");

/** Fields that the client defines: at most 50 keys and 10 KB as JSON (spec 8). */
export const customFields = () =>
  // The keys are counted before the record is read, which takes time for each of them.
  z.unknown()
    .refine((fields) => Object.keys(fields ?? {}).length <= 50, "Deve ter no máximo 50 chaves")
    .pipe(
      z.record(z.string(), z.unknown()).refine(
        (fields) => new TextEncoder().encode(JSON.stringify(fields)).length <= 10 * 1024,
        "Deve ter no máximo 10 KB",
      ),
    )
    .meta({ type: "object", additionalProperties: {}, maxProperties: 50 });

/** The campaign that a lead came from (spec 2.3). */
export const Utm = z.object({
  source: text(255).nullish(),
  medium: text(255).nullish(),
  campaign: text(255).nullish(),
  term: text(255).nullish(),
  content: text(255).nullish(),
}).meta({
  id: "Utm",
  ...doc("De que campanha um lead veio", "What campaign a lead came from"),
  fields: {
    source: doc("Origem do tráfego", "Source of the traffic", "google"),
    medium: doc("Meio", "Medium", "cpc"),
    campaign: doc("Campanha", "Campaign", "primavera"),
    term: doc("Palavra-chave", "Keyword"),
    content: doc("Variante do anúncio", "Variant of the advertisement"),
  },
});

/** A date and time as replies show it: UTC, milliseconds, `Z` (spec 1). */
export const timestamp = () => z.iso.datetime({ precision: 3 });

/** The reply of a POST that returns only the id of the new record. */
export const Created = z.object({ id: uuid() }).meta({
  id: "Created",
  ...doc("O identificador do novo registro", "The new record's id"),
});
