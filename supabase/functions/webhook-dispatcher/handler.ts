import { createHash, timingSafeEqual } from "node:crypto";
import { inBackground } from "../_shared/runtime/background.ts";
import { ApiError, methodNotAllowed } from "../_shared/contract/errors.ts";
import { errorReply, jsonReply } from "../_shared/http/reply.ts";
import { dispatch } from "./dispatch.ts";

/**
 * Handles a poke: returns 202 at once, and dispatches in the background. It accepts only POST with the shared secret
 * (WEBHOOK_DISPATCHER_SECRET) as bearer token; while the secret is not set, it rejects every request.
 */
export function handlePoke(request: Request): Response {
  if (request.method !== "POST") return errorReply(methodNotAllowed(["POST"]));
  if (!isAuthorized(request)) return errorReply(new ApiError("invalid_api_key"));
  inBackground(dispatch());
  return jsonReply(202, JSON.stringify({ accepted: true }));
}

function isAuthorized(request: Request): boolean {
  const secret = Deno.env.get("WEBHOOK_DISPATCHER_SECRET");
  if (!secret) return false;
  // Compares digests, which have equal lengths, so that timing does not reveal even the length of the secret.
  return timingSafeEqual(digest(request.headers.get("Authorization") ?? ""), digest(`Bearer ${secret}`));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
