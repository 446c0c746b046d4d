/** The links with which a person writes to a customer. */

/**
 * Opens WhatsApp with a text for this phone number; without one, the person chooses the contact there. A number without
 * a country code is Brazilian.
 */
export function whatsAppTo(phone: string | null, text: string): string {
  const digits = (phone ?? "").replace(/\D/g, "").replace(/^0+/, "");
  const isNational = !/^\s*(\+|00)/.test(phone ?? "") && (digits.length === 10 || digits.length === 11);
  return `https://wa.me/${isNational ? "55" : ""}${digits}?text=${encodeURIComponent(text)}`;
}

/** Opens a new e-mail to this address; without one, the person writes it there. */
export function mailTo(email: string | null, subject: string, body: string): string {
  const query = `subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
  return `${addressLink(email ?? "")}?${query}`;
}

/** Opens a new e-mail to this address. */
export function addressLink(email: string): string {
  return `mailto:${encodeURIComponent(email).replace("%40", "@")}`;
}
