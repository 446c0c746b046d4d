const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID of any version, in any case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A new UUIDv7 (RFC 9562), like `crm.uuid_v7()`: 48 bits of milliseconds, then 74 random bits. */
export function uuidV7(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  // Versions 4 and 7 have the same variant bits, so the rest of a random UUID fits.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
