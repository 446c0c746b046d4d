import { call } from "./call.js";
import { customFieldOf, customFields } from "./choices.js";

/** An action that creates a record. */
export function createOf({ path, customFieldsOf, inputFields, sample, ...about }) {
  return {
    ...about,
    operation: {
      inputFields: customFieldsOf ? [...inputFields, customFields(customFieldsOf)] : inputFields,
      perform(z, bundle) {
        const { idempotency_key, ...values } = bundle.inputData;
        return call(z, bundle, "POST", path, {
          body: bodyOf(inputFields, values),
          ...(idempotency_key && { headers: { "Idempotency-Key": idempotency_key } }),
        });
      },
      sample,
    },
  };
}

/** How many pages a search reads before it gives up. */
const MOST_PAGES = 20;

/** An action that finds records by the fields that are filled in. */
export function searchOf({ path, inputFields, sample, ...about }, texts) {
  return {
    ...about,
    operation: {
      inputFields,
      async perform(z, bundle) {
        const { id, ...values } = bundle.inputData;
        if (id) return await read(z, bundle, `${path}/${encodeURIComponent(id)}`);
        const filters = Object.entries(bodyOf(inputFields, values)).map((
          [name, value],
        ) => [name, String(value)]);
        // Without a filter the list would have all records, so an empty e-mail would find somebody else.
        if (filters.length === 0) return [];
        const params = { ...Object.fromEntries(filters), limit: 10 };
        // An empty page may precede the first match. Without reading on, "find or create" would create a duplicate.
        for (let page = 0; page < MOST_PAGES; page++) {
          const { data, meta } = await call(z, bundle, "GET", path, { params });
          if (data.length > 0 || !meta.has_more) return data;
          params.cursor = meta.next_cursor;
        }
        throw new z.errors.Error(texts.exhausted, "search_exhausted");
      },
      sample,
    },
  };
}

async function read(z, bundle, path) {
  try {
    return [await call(z, bundle, "GET", path)];
  } catch (error) {
    if (error.name === "AppError" && JSON.parse(error.message).status === 404) return [];
    throw error;
  }
}

/** Builds a request body from the values of a form; leaves out empty ones. */
function bodyOf(fields, values) {
  const body = {};
  const put = (parent, name, value, isDate) => {
    if (value === undefined || value === null || value === "" || value.length === 0) return;
    // The editor sends a moment of the chosen day, in the user's time zone. The API takes only the date.
    (parent ? body[parent] ??= {} : body)[name] = isDate ? String(value).slice(0, 10) : value;
  };
  for (const { key, meta: { parent, isDate } = {} } of fields) {
    put(parent, parent ? key.slice(parent.length + 1) : key, values[key], isDate);
  }
  for (const [name, value] of Object.entries(values)) {
    const custom = customFieldOf(name);
    if (custom) put("custom_fields", custom.key, value, custom.type === "date");
  }
  return body;
}
