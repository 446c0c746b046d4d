// Validation rules for values that several resources have.
import { z } from "zod";
import { parseDatetime } from "./datetime.ts";
import { named } from "./doc.ts";
import type { ErrorCode } from "./errors.ts";
import { field, object } from "./object.ts";

/**
 * Options of a zod check that has its own error code, such as `invalid_cursor`. If all failed checks of a request have
 * their own code, the reply has the first of these codes; otherwise the reply has validation_error.
 */
export function withCode(code: ErrorCode, message: string) {
  return { params: { code }, error: message };
}

/**
 * The number of code points, because JSON Schema and Postgres count these. In JavaScript's `length` an emoji can count
 * as two.
 */
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
      // Rejects a long text before later rules normalize it, because normalizing can take quadratic time.
      abort: true,
    },
  ] as const;
}

/** Maximum characters of a stored web address (spec 2.6). */
export const MAX_URL_LENGTH = 2048;

/** Free text, stored unchanged. */
export function text(max: number, min = 0) {
  return z.string().refine(...characters(min, max)).meta({
    maxLength: max,
    ...(min > 0 && { minLength: min }),
  });
}

/** A name or title, trimmed, with at least one character. */
export function name(max = 255) {
  return z.string().trim().refine(...characters(1, max)).meta({ minLength: 1, maxLength: max });
}

/** Words to search for: `min` to 100 characters, at least one of them neither white space nor a combining mark. */
export function search(min = 2) {
  return z.string().trim().refine(...characters(min, 100))
    .refine((text) => /[^\p{M}\s]/u.test(text), "Deve ter letras ou dígitos")
    .meta({ minLength: min, maxLength: 100 });
}

/** A UUID of any version, in any case. */
export const uuid = () => z.guid().toLowerCase().meta({ format: "uuid" });

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
/**
 * The addresses of RFC 5321, except quoted names and address literals, which web forms refuse too. zod's own pattern
 * refuses valid addresses such as `a&b@x.com`, and the top-level domain `xn--p1ai`. `crm.parse_argument` has this
 * pattern too.
 */
const EMAIL = new RegExp(
  `^(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$`,
);

/** Changed to lower case only after the check: in lower case the Kelvin sign (U+212A) is the letter k. */
export const email = () =>
  z.string().trim().max(254).pipe(z.email({ pattern: EMAIL }).toLowerCase()).meta({ format: "email" });

/** An amount without a currency, 0 to 1e15: in whole units from {@link MAX_CENTS} (json.ts) on. */
export const money = () => z.number().min(0).max(1e15);

/** A date and time in any common form of ISO 8601 ({@link parseDatetime}), converted to UTC. */
export const datetime = () =>
  z.string().meta({ format: "date-time" }).transform((text, { issues }) => {
    const at = parseDatetime(text);
    if (at !== null) return at;
    issues.push({
      code: "custom",
      input: text,
      message:
        "Deve ser uma data e hora ISO 8601 existente, por exemplo 2026-01-31, 2026-01-31T12:00:00Z ou " +
        "2026-01-31T09:00-03:00",
    });
    return z.NEVER;
  });

export const date = () =>
  z.iso.date().refine((text) => !text.startsWith("0000"), "A data está fora do intervalo aceito");

/** Fields that the client defines: at most 50 keys and 10 KB as JSON (spec 8). */
export const customFields = () =>
  // Counts the keys first, because validating the record takes time for each key.
  z.unknown()
    .refine((fields) => Object.keys(fields ?? {}).length <= 50, "Deve ter no máximo 50 chaves")
    .pipe(
      z.record(z.string(), z.unknown()).refine(
        (fields) => new TextEncoder().encode(JSON.stringify(fields)).length <= 10 * 1024,
        "Deve ter no máximo 10 KB",
      ),
    )
    .meta({ type: "object", additionalProperties: {}, maxProperties: 50 });

/** A tag: 1 to 60 characters, without commas, because commas separate the tags of a filter. */
export const tag = () =>
  name(60).refine((text) => !text.includes(","), "Não pode ter vírgula").meta({
    minLength: 1,
    maxLength: 60,
  });

/** At most 50 tags. If tags differ only in case or Unicode normalization, the first one is kept. */
export const tags = () =>
  z.array(tag()).max(50).transform((tags) => {
    const keys = tags.map((tag) => tag.normalize().toLowerCase());
    return tags.filter((_, index) => keys.indexOf(keys[index]!) === index);
  });

/** Maximum custom fields by which one call filters. */
const MAX_CUSTOM_FILTERS = 10;

/** Values and bounds of custom fields, by key: the parameters `custom[key]`, `custom[key][gte]`, `custom[key][lte]`. */
export const customFilter = () =>
  z.record(
    z.string(),
    z.object({ eq: z.string(), gte: z.string(), lte: z.string() }).partial().refine(
      ({ eq, gte, lte }) => eq === undefined || (gte ?? lte) === undefined,
      "Um valor ou um intervalo, não ambos",
    ),
  ).refine(
    (keys) => Object.keys(keys).length <= MAX_CUSTOM_FILTERS,
    `Deve ter até ${MAX_CUSTOM_FILTERS} campos`,
  ).meta({ type: "object", additionalProperties: {}, maxProperties: MAX_CUSTOM_FILTERS });

/** Up to 2,048 characters, because advertisers put whole addresses into these parameters. */
const utmValue = () => text(MAX_URL_LENGTH).nullish();

/** The advertising campaign of a lead (spec 2.3). */
export const Utm = object({
  source: field(utmValue(), ["Origem do tráfego", "Source of the traffic", "google"]),
  medium: field(utmValue(), ["Meio", "Medium", "cpc"]),
  campaign: field(utmValue(), ["Campanha", "Campaign", "primavera"]),
  term: field(utmValue(), ["Palavra-chave", "Keyword"]),
  content: field(utmValue(), ["Variante do anúncio", "Variant of the advertisement"]),
}).meta(named("Utm", "De que campanha um lead veio", "The campaign that a lead came from"));

/** A date and time in a reply: UTC, milliseconds, `Z` (spec 1). */
export const timestamp = () => z.iso.datetime({ precision: 3 });
