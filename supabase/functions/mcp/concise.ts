// Shortens replies for a model, which pays for every word of them.
import { isObject, type Json, type JsonObject } from "../_shared/contract/json.ts";
import type { LocalTime } from "./local_time.ts";

/** Fields that a list of records leaves out: the reply of one record has them. */
const LEFT_OUT_OF_LISTS = ["updated_at", "utm", "custom_fields", "source"];

/** A moment that the database sets. What a person plans, such as `due_at`, keeps its time. */
const PAST = /^(?!due_).*_at$/;

/** A page of records: they show other records by name alone, and days instead of moments. */
export function conciseList(
  { data, ...others }: { data: JsonObject[]; meta: JsonObject },
  time: LocalTime,
): Json {
  return { data: data.map((record) => listed(record, time)), ...short(others) as JsonObject };
}

/** A value without nulls, empty objects and the workspace's id. */
export function short(value: Json): Json {
  if (Array.isArray(value)) return value.map(short);
  if (!isObject(value)) return value;
  return Object.fromEntries(kept(value).map(([name, part]) => [name, short(part)]));
}

/** The fields that say something. */
function kept(record: JsonObject): [string, Json][] {
  return Object.entries(record).filter(([name, value]) =>
    value !== null && name !== "workspace_id" && !(isObject(value) && Object.keys(value).length === 0)
  );
}

function listed(record: JsonObject, time: LocalTime): JsonObject {
  // Not the id of a record that is shown by name: an id costs a model as much as ten words.
  const fields = kept(record).filter(([name]) =>
    !LEFT_OUT_OF_LISTS.includes(name) && !(name.endsWith("_id") && isObject(record[name.slice(0, -3)]))
  );
  const moments = fields.filter(([name]) => name.endsWith("_at"));
  return Object.fromEntries(
    fields
      // The newest comes first anyway.
      .filter(([name]) => name !== "created_at" || moments.length === 1)
      .map(([name, value]) => [name, listedValue(name, value, time)]),
  );
}

function listedValue(name: string, value: Json, time: LocalTime): Json {
  if (typeof value === "string" && PAST.test(name)) return time.dayOf(new Date(value));
  // A reference: its id is in the reply of one record.
  if (isObject(value) && typeof value["id"] === "string" && typeof value["name"] === "string") {
    return value["name"];
  }
  return short(value);
}
