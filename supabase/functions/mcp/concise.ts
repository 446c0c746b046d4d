// Shortens replies, because every word costs a model tokens.
import { isObject, type Json, type JsonObject } from "../_shared/contract/json.ts";
import type { LocalTime } from "./local_time.ts";

/** Fields that lists leave out; the reply for a single record has them. */
const LEFT_OUT_OF_LISTS = ["updated_at", "utm", "custom_fields", "source"];

/** Matches the times that lists shorten to days. A time that a person plans, such as `due_at`, is kept. */
const PAST = /^(?!due_).*_at$/;

/** A page of records, shortened: references become names, and past times become days. */
export function conciseList(
  { data, ...others }: { data: JsonObject[]; meta: JsonObject },
  time: LocalTime,
): Json {
  return { data: data.map((record) => listed(record, time)), ...short(others) as JsonObject };
}

/** The value without nulls, empty objects and `workspace_id`, at every depth. */
export function short(value: Json): Json {
  if (Array.isArray(value)) return value.map(short);
  if (!isObject(value)) return value;
  return Object.fromEntries(kept(value).map(([name, part]) => [name, short(part)]));
}

function kept(record: JsonObject): [string, Json][] {
  return Object.entries(record).filter(([name, value]) =>
    value !== null && name !== "workspace_id" && !(isObject(value) && Object.keys(value).length === 0)
  );
}

function listed(record: JsonObject, time: LocalTime): JsonObject {
  // Drops `company_id` if `company` is there, because an id costs a model as much as ten words.
  const fields = kept(record).filter(([name]) =>
    !LEFT_OUT_OF_LISTS.includes(name) && !(name.endsWith("_id") && isObject(record[name.slice(0, -3)]))
  );
  const moments = fields.filter(([name]) => name.endsWith("_at"));
  return Object.fromEntries(
    fields
      // `created_at` is dropped if the record has another time.
      .filter(([name]) => name !== "created_at" || moments.length === 1)
      .map(([name, value]) => [name, listedValue(name, value, time)]),
  );
}

function listedValue(name: string, value: Json, time: LocalTime): Json {
  if (typeof value === "string" && PAST.test(name)) return time.dayOf(new Date(value));
  // Shows a reference by name; the reply for a single record has its id.
  if (isObject(value) && typeof value["id"] === "string" && typeof value["name"] === "string") {
    return value["name"];
  }
  return short(value);
}
