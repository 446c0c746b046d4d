import type { GateName } from "../contract/declaration.ts";
import { ApiError } from "../contract/errors.ts";
import { bodyAllowance, type DoorReply } from "../postgres/door.ts";
import { BodyReader } from "./body_reader.ts";
import { PACES } from "./pace.ts";

/**
 * Reads a request's body. Beyond what `bodyAllowance` permits, the door first identifies the caller. If the door
 * refuses the caller, the rest of the body is not read.
 *
 * @param credential what the gate read from the request
 * @param identify makes the door identify the caller without running a verb
 * @returns the bytes, the error from reading them, or the door's reply if the door refused the caller
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

/** Whether the door refused the caller before the body was read. */
export function isTurnedAway(body: Uint8Array | ApiError | DoorReply): body is DoorReply {
  return !(body instanceof Uint8Array) && !(body instanceof ApiError);
}
