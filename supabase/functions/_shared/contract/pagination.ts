import { z } from "zod";
import { named } from "./doc.ts";
import { datetime, timestamp, uuid, withCode } from "./fields.ts";

/** Records on a page if the call has no `limit` (spec 4.0). */
export const DEFAULT_LIMIT = 50;
/** Maximum records on a page; a larger `limit` counts as this one (spec 4.0). */
export const MAX_LIMIT = 200;

/** The id after which the next page continues (spec 4.0). */
export const cursor = () =>
  z.string()
    .refine((text) => uuid().safeParse(text).success, withCode("invalid_cursor", "Deve ser um UUID"))
    .meta({ format: "uuid" });

/** The parameters of every list (spec 4.0). */
export const ListQuery = z.object({
  limit: z.string()
    // Any number of digits, because spec 4.0 accepts every value above the maximum.
    .regex(/^0*[1-9][0-9]*$/, "Deve ser um número inteiro, 1 ou maior")
    .transform((limit) => Math.min(Number(limit), MAX_LIMIT))
    .default(DEFAULT_LIMIT)
    .meta({ type: "integer", minimum: 1, default: DEFAULT_LIMIT }),
  cursor: cursor().optional(),
  since: datetime().optional(),
  until: datetime().optional(),
  updated_since: datetime().optional(),
});

const MAX_VALUES = 10;

/** A parameter with 1 to 10 values separated by commas, each validated by `rule`. The result has no duplicates. */
export function several(rule: z.ZodType) {
  const words = rule instanceof z.ZodEnum ? rule.options : null;
  return z.string()
    .transform((list, { issues }): string[] => {
      const fail = (message: string) => issues.push({ code: "custom", input: list, message });
      const values = new Set<string>();
      for (const text of list.split(",", MAX_VALUES + 1)) {
        const value = rule.safeParse(text.trim());
        if (value.success) values.add(value.data as string);
        else if (words === null) fail(`"${text.trim()}" não é um valor possível`);
        else fail(`"${text.trim()}" não é um de ${words.map((word) => `"${word}"`).join(", ")}`);
      }
      if (values.size > MAX_VALUES) fail(`Deve ter até ${MAX_VALUES} valores`);
      return [...values];
    })
    .meta({
      type: "array",
      items: { type: "string", ...(words === null ? rule.meta() : { enum: words }) },
      minItems: 1,
      maxItems: MAX_VALUES,
    });
}

export const PageMeta = z.object({ next_cursor: uuid().nullable(), has_more: z.boolean() }).meta(
  named("PageMeta", "Onde a lista continua", "Where the list continues"),
);

// The first page of a list with updated_since has synced_until: the value of updated_since for the client's next run.
const SyncedPageMeta = PageMeta.extend({ synced_until: timestamp().optional() }).meta(
  named(
    "SyncedPageMeta",
    "Onde a lista continua, e onde começa a próxima sincronização",
    "Where the list continues, and where the next synchronisation begins",
  ),
);

export function pageOf<Record extends z.ZodType>(record: Record) {
  return z.object({ data: z.array(record), meta: PageMeta });
}

export function syncedPageOf<Record extends z.ZodType>(record: Record) {
  return z.object({ data: z.array(record), meta: SyncedPageMeta });
}
