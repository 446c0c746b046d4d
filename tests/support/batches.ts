// Shared by the tests of POST …/batch.
import { MAX_BATCH_ITEMS } from "../../supabase/functions/_shared/contract/batch.ts";
import type { Reply } from "./client.ts";
import { keyEndpoints } from "./resources.ts";

/** The path of the batch endpoint of contacts, for tests of behaviour that all batches share. */
export const BATCH = "/api-v1-contacts/batch";

/** The batch endpoint of every resource that has one. */
export const batches = keyEndpoints.filter(({ route }) => route.path === "/batch");

export const create = (data: unknown) => ({ op: "create", data });

export const update = (id: string, data: unknown) => ({ op: "update", id, data });

export const upsert = (match_by: string, data: unknown) => ({ op: "upsert", match_by, data });

/** Makes 100 items, the most that a batch may have. */
export const full = (item: (index: number) => unknown) =>
  Array.from({ length: MAX_BATCH_ITEMS }, (_, index) => item(index));

export const statuses = ({ body }: Reply): number[] =>
  body.results.map(({ status }: { status: number }) => status);
