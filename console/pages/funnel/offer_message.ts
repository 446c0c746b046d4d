/** The links with which a person writes to a customer. */

/**
 * A link that opens WhatsApp with a text for this phone number. Without a number, the person chooses a contact in
 * WhatsApp. A number without a country code counts as Brazilian.
 */
export function whatsAppTo(phone: string | null, text: string): string {
  const digits = (phone ?? "").replace(/\D/g, "").replace(/^0+/, "");
  const isNational = !/^\s*(\+|00)/.test(phone ?? "") && (digits.length === 10 || digits.length === 11);
  return `https://wa.me/${isNational ? "55" : ""}${digits}?text=${encodeURIComponent(text)}`;
}

/** A link that opens a new e-mail to this address. Without an address, the person types one. */
export function mailTo(email: string | null, subject: string, body: string): string {
  const query = `subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
  return `${addressLink(email ?? "")}?${query}`;
}

/** A link that opens an empty e-mail to this address. */
export function addressLink(email: string): string {
  return `mailto:${encodeURIComponent(email).replace("%40", "@")}`;
}
