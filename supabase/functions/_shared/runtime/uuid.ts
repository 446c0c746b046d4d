const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID of any version, in any case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A UUIDv7 (RFC 9562) for now, as `crm.uuid_v7()` makes them: 48 bits of milliseconds, then 74 random bits. */
export function uuidV7(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  // The variant is the same in version 4, so the rest of a random UUID is as it has to be.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
