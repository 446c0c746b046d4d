/**
 * The client of the CRM API. Keep the API key on a server, never in a web page or an app.
 *
 * @module
 */
export { Crm } from "./crm.ts";
export { CrmError, type CrmErrorCode, type CrmErrorInit } from "./error.ts";
export { type Reply, replyOf } from "./reply.ts";
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from "./verify_webhook.ts";
export { List, type PageOf } from "./list.ts";
export type { BatchOptions, Progress } from "./batch.ts";
export type {
  CallOptions,
  CreateOptions,
  CrmOptions,
  ReadAgainOptions,
  ReadOptions,
  Retry,
  UpdateOptions,
} from "./http.ts";
export type { Synced, SyncOptions } from "./sync.ts";
export type { Batch, Get } from "./methods.ts";
export type * from "./operations.ts";
export type * from "./types.ts";
