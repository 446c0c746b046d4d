import { createHash, timingSafeEqual } from "node:crypto";
import { inBackground } from "../_shared/runtime/background.ts";
import { ApiError, methodNotAllowed } from "../_shared/contract/errors.ts";
import { errorReply, jsonReply } from "../_shared/http/reply.ts";
import { dispatch } from "./dispatch.ts";

/**
 * Answers a poke: 202 at once, and the work goes on behind it. Only POST with the shared secret
 * (WEBHOOK_DISPATCHER_SECRET) as bearer token; where the secret is not set, nobody is let in.
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
  // Compared as digests: equal in length, so that not even the length of the secret can be timed.
  return timingSafeEqual(digest(request.headers.get("Authorization") ?? ""), digest(`Bearer ${secret}`));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
