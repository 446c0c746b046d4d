import { z } from "zod";
import { datetime, uuid } from "./fields.ts";
import { withCode } from "./with_code.ts";

/** Records on a page when the call has no `limit` (spec 4.0). */
export const DEFAULT_LIMIT = 50;
/** Maximum of records on a page; a larger `limit` is reduced to it (spec 4.0). */
const MAX_LIMIT = 200;

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
  updated_since: datetime().optional(),
});

/** The query of a list: the common parameters and these filters. */
export function listQuery<Filters extends z.ZodRawShape>(filters: Filters) {
  return ListQuery.extend(filters);
}

/** The envelope of a list (spec 4.0). */
export function pageOf<Record extends z.ZodType>(record: Record) {
  return z.object({
    data: z.array(record),
    meta: z.object({ next_cursor: uuid().nullable(), has_more: z.boolean() }),
  });
}
