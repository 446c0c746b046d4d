import { createHash, timingSafeEqual } from "node:crypto";
import { inBackground } from "../_shared/runtime/background.ts";
import { ApiError, methodNotAllowed } from "../_shared/contract/errors.ts";
import { errorReply, jsonReply } from "../_shared/http/reply.ts";
import { dispatch } from "./dispatch.ts";

/**
 * Handles a poke: returns 202 at once and dispatches in the background. Accepts only POST with the shared secret as
 * bearer token. Environment: WEBHOOK_DISPATCHER_SECRET, without which every request is refused.
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
  // Compares digests of equal length, so that the time does not reveal the length of the secret.
  return timingSafeEqual(digest(request.headers.get("Authorization") ?? ""), digest(`Bearer ${secret}`));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
