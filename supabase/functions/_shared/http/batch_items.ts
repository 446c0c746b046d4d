// Validates the items of a batch one by one, each by the rules of the call for a single record.
import { z } from "zod";
import { batchBody } from "../contract/batch.ts";
import type { BatchOperations } from "../contract/declaration.ts";
import { ApiError, type FieldError } from "../contract/errors.ts";
import { itemField } from "../contract/item_field.ts";
import { STRICT_APPLIED } from "./preference.ts";
import { isObject, type Json, type JsonObject, MAX_DETAILS, storableText } from "../contract/json.ts";
import type { JsonBody } from "./json_body.ts";
import { MAX_UNKNOWN_FIELDS, validateBody, type ValidBody } from "./validation.ts";

/** Maximum characters of a field's name in an item's result, because the result is stored for 24 hours. */
const MAX_FIELD_LENGTH = 255;

/** The schema of the body, without the schema of its items. */
const Envelope = batchBody(z.unknown());

/**
 * Validates the body of a batch. An invalid item becomes an error in the arguments, so that the other items are carried
 * out. The whole call fails if the envelope or an item of an atomic batch is invalid. It also fails if `parseJsonBody`
 * found 100 errors and stopped: later items may then have values that Postgres cannot store.
 *
 * @param options see {@link validateBody}
 */
export function validateBatch(
  operations: BatchOperations,
  { value, fieldErrors }: JsonBody,
  options: { strict: boolean },
): ValidBody | ApiError {
  const ofItems = fieldErrors.length < MAX_DETAILS
    ? fieldErrors.filter(({ field }) => /^items\.\d/.test(field))
    : [];
  const envelope = validateBody(Envelope, {
    value,
    fieldErrors: fieldErrors.filter((error) => !ofItems.includes(error)),
  }, options);
  const isInvalid = envelope instanceof ApiError;
  // Items are validated even if the envelope is invalid, so that one reply names every error.
  const items = (Envelope.shape.items.safeParse(value["items"]).data ?? []) as Json[];
  const isAtomic = !isInvalid && envelope.args["atomic"] === true;
  const ignored = isInvalid ? [] : [...envelope.ignored];
  const validated = items.map((item, index) => {
    const unknownAtMost = Math.max(0, MAX_UNKNOWN_FIELDS - ignored.length);
    const ofItem = errorsUnder(`items.${index}`, ofItems);
    const valid = validateItem(operations, item, index, ofItem, {
      ...options,
      // In a strict call the maximum applies to each item, because an item's unknown fields are errors of the item.
      ...(!options.strict && { unknownAtMost }),
    });
    if (!(valid instanceof ApiError)) ignored.push(...valid.ignored);
    return valid;
  });
  const invalid = validated.filter((item) => item instanceof ApiError);
  const errors = isInvalid ? [envelope, ...invalid] : invalid;
  const shares = shareDetails(errors);
  if (isInvalid || (isAtomic && invalid.length > 0)) {
    const details = errors.flatMap((error) => shares.get(error)!).slice(0, MAX_DETAILS);
    return new ApiError("validation_error", details, undefined, options.strict ? STRICT_APPLIED : {});
  }
  return {
    args: {
      atomic: isAtomic,
      items: validated.map((item) =>
        item instanceof ApiError ? asResult(item, shares.get(item)!) : item.args
      ),
    },
    ignored,
  };
}

/**
 * The details that each error may show, at most 100 in all: the first detail of each error, then further details in
 * order.
 */
function shareDetails(errors: readonly ApiError[]): Map<ApiError, readonly FieldError[]> {
  let left = MAX_DETAILS - errors.length;
  return new Map(errors.map((error) => {
    const details = error.details!.slice(0, 1 + Math.max(0, left));
    left -= details.length - 1;
    return [error, details];
  }));
}

/** Validates one item. The returned `args` are the operation's name and the arguments of its verb. */
function validateItem(
  operations: BatchOperations,
  item: Json,
  index: number,
  fieldErrors: FieldError[],
  options: { strict: boolean; unknownAtMost?: number },
): ValidBody | ApiError {
  if (!isObject(item)) return invalid([{ field: itemField(index), message: "Deve ser um objeto" }]);
  const { op } = item;
  const operation = typeof op === "string" && Object.hasOwn(operations, op) ? operations[op] : undefined;
  const ofData = errorsUnder("data", fieldErrors);
  const ofItem = fieldErrors.filter(({ field }) => !field.startsWith("data."));
  const own = validateBody(operation?.item ?? unknownOperation(operations), {
    // `data` is validated below, by its own schema.
    value: isObject(item["data"]) ? { ...item, data: {} } : item,
    fieldErrors: ofItem,
  }, options);
  const schema = operation?.data;
  const data = operation !== undefined && schema === undefined
    ? NO_DATA
    : schema && isObject(item["data"])
    ? validateBody(schema, { value: item["data"], fieldErrors: ofData }, options)
    : null;
  const details = [own, data].flatMap((part) => part instanceof ApiError ? part.details! : [])
    .map((detail) => ({ ...detail, field: itemField(index, detail.field) }));
  if (own instanceof ApiError || data instanceof ApiError) return invalid(details);
  const { op: _, data: __, ...named } = own.args;
  return {
    args: { op: op!, args: { ...data!.args, ...named } },
    ignored: [
      ...own.ignored.map((field) => itemField(index, field)),
      ...data!.ignored.map((field) => itemField(index, field)),
    ],
  };
}

/** The valid `data` of an operation that takes no data. */
const NO_DATA: ValidBody = { args: {}, ignored: [] };

function unknownOperation(operations: BatchOperations): z.ZodType {
  return z.object({ op: z.enum(Object.keys(operations)), data: z.record(z.string(), z.unknown()) });
}

/** The errors below a path, with their paths relative to it. */
function errorsUnder(path: string, errors: FieldError[]): FieldError[] {
  return errors.filter(({ field }) => field.startsWith(`${path}.`))
    .map((error) => ({ ...error, field: error.field.slice(path.length + 1) }));
}

function invalid(details: FieldError[]): ApiError {
  return new ApiError("validation_error", details);
}

/**
 * The result of an invalid item, in the form in which the verb returns results. The result passes through Postgres, so
 * characters that Postgres cannot store are replaced.
 */
function asResult({ code, message }: ApiError, details: readonly FieldError[]): JsonObject {
  const storable = details.map((detail) => ({
    ...detail,
    field: storableText(detail.field.slice(0, MAX_FIELD_LENGTH)),
    message: storableText(detail.message),
  }));
  return { error: { code, message, details: storable } };
}
