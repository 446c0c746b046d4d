import type { GateName } from "../contract/declaration.ts";
import { ApiError } from "../contract/errors.ts";
import { bodyAllowance, type DoorReply } from "../postgres/door.ts";
import { BodyReader } from "./body_reader.ts";
import { PACES } from "./pace.ts";

/**
 * Reads a body as far as its sender may have it read: a stranger with a large body is identified first, and may be turned
 * away.
 *
 * @param credential as the door gets it
 * @param identify asks the door who calls, and nothing else
 * @returns the bytes, the error of reading them, or the reply by which the door turned the caller away
 */
export async function readAdmittedBody(
  request: Request,
  gate: GateName,
  credential: string,
  maxBytes: number,
  identify: () => Promise<DoorReply>,
): Promise<Uint8Array | ApiError | DoorReply> {
  const reader = new BodyReader(request, maxBytes);
  const allowance = bodyAllowance(credential, PACES[gate].isBusy);
  if (allowance === "none" || (allowance === "small" && !await reader.readSmall())) {
    const door = await identify();
    if (door.error) return door;
  }
  return await reader.readAll();
}

/** Whether the door turned the caller away before its body was read. */
export function isTurnedAway(body: Uint8Array | ApiError | DoorReply): body is DoorReply {
  return !(body instanceof Uint8Array) && !(body instanceof ApiError);
}
