import { noBody } from "./endpoint.ts";
import { syncedPageOf } from "./pagination.ts";
import type { CrmRecord } from "./record.ts";

/**
 * The declarations of a record's usual endpoints, without summary, scope and errors. Each names its verb in SQL, for
 * example `contact_list`. batch.ts has the declaration of `POST /batch`.
 */
export function endpointsOf(record: CrmRecord) {
  const { name, reply, shown, query, detailQuery, create, update, upsertQuery, upsert, upserted } = record;
  return {
    list: { query, reply: syncedPageOf(shown), verb: `${name}_list` },
    get: { query: detailQuery, reply: shown, verb: `${name}_get`, etag: true },
    create: { body: create, reply, status: 201, verb: `${name}_create`, etag: true, idempotent: true },
    update: { body: update, reply, verb: `${name}_update`, etag: true },
    upsert: {
      query: upsertQuery,
      body: upsert,
      reply: upserted,
      status: 201,
      verb: `${name}_upsert`,
      idempotent: true,
      etag: true,
    },
    archive: { ...noBody, reply, verb: `${name}_archive`, etag: true },
    restore: { ...noBody, reply, verb: `${name}_restore`, etag: true },
  } as const;
}
