import { z } from "zod";
import { doc } from "./doc.ts";
import { datetime, timestamp, uuid } from "./fields.ts";
import { withCode } from "./with_code.ts";

/** Records on a page when the call has no `limit` (spec 4.0). */
export const DEFAULT_LIMIT = 50;
/** Maximum of records on a page; a larger `limit` is reduced to it (spec 4.0). */
export const MAX_LIMIT = 200;

/** The parameters of every list (spec 4.0); `listQuery({ … })` adds a resource's filters. */
export const ListQuery = z.object({
  limit: z.string()
    // Any number of digits: a value that no integer type holds is still "a larger value" (spec 4.0).
    .regex(/^0*[1-9][0-9]*$/, "Deve ser um número inteiro, 1 ou maior")
    .transform((limit) => Math.min(Number(limit), MAX_LIMIT))
    .default(DEFAULT_LIMIT)
    .meta({ type: "integer", minimum: 1, default: DEFAULT_LIMIT }),
  cursor: z.string()
    .refine((text) => uuid().safeParse(text).success, withCode("invalid_cursor", "Deve ser um UUID"))
    .optional()
    .meta({ format: "uuid" }),
  since: datetime().optional(),
  until: datetime().optional(),
  updated_since: datetime().optional(),
});

/** The query of a list: the common parameters and these filters. */
export function listQuery<Filters extends z.ZodRawShape>(filters: Filters) {
  return ListQuery.extend(filters);
}

/** Most values of a parameter that takes several. */
const MAX_VALUES = 10;

/**
 * One or several values, separated by commas, each by the rule of one. A value cannot have a comma. The result has every
 * value once.
 */
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

const PageMeta = z.object({ next_cursor: uuid().nullable(), has_more: z.boolean() }).meta({
  id: "PageMeta",
  ...doc("Onde a lista continua", "Where the list continues"),
});

// synced_until only where the call has updated_since and no cursor: the mark of a run is that of its first page.
const SyncedPageMeta = PageMeta.extend({ synced_until: timestamp().optional() }).meta({
  id: "SyncedPageMeta",
  ...doc(
    "Onde a lista continua, e até quando se leu",
    "Where the list continues, and until when it was read",
  ),
});

/** The envelope of a list (spec 4.0). */
export function pageOf<Record extends z.ZodType>(record: Record) {
  return z.object({ data: z.array(record), meta: PageMeta });
}

/** The envelope of a list that takes `updated_since`. */
export function syncedPageOf<Record extends z.ZodType>(record: Record) {
  return z.object({ data: z.array(record), meta: SyncedPageMeta });
}
