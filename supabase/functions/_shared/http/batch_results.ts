// Adds statuses and error texts, which SQL does not know, to the results of a batch.
import {
  completeDetails,
  ERRORS,
  type FieldError,
  isErrorCode,
  type RaisedField,
} from "../contract/errors.ts";
import { itemField } from "../contract/item_field.ts";
import { log } from "../runtime/log.ts";

/** One result in the verb's reply. An error that SQL raised has no texts yet. */
interface RaisedResult {
  index: number;
  status?: number;
  id?: string;
  error?: { code: string; message?: string; details?: RaisedField[] | FieldError[] | null };
}

/** Adds status and texts to the failed items of a batch, also in a replayed reply. */
export function completeResults(reply: { results?: unknown }) {
  const results = reply.results as RaisedResult[];
  return { results: results.map((result) => result.error === undefined ? result : completed(result)) };
}

function completed({ index, error }: RaisedResult) {
  const { code: raised, message, details } = error!;
  const code = isErrorCode(raised) ? raised : "internal_error";
  if (code !== raised) log("unknown_error_code", { code: raised, item: index });
  const { status } = ERRORS[code];
  if (message !== undefined) return { index, status, error };
  const fields = completeDetails(code, details as RaisedField[] | null)
    ?.map((detail) => ({ ...detail, field: itemField(index, detail.field) }));
  return {
    index,
    status,
    error: { code, message: ERRORS[code].message, ...(fields && { details: fields }) },
  };
}
