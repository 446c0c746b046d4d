import { Buffer } from "node:buffer";

const HIDDEN = "[…]";
const MAX_LENGTH = 1024;
/** A part with fewer characters is not replaced on its own: it may be a common word. */
const MIN_PART = 6;
/** A text that ends with this many first characters of a secret was probably cut inside the secret. */
const MIN_CUT = 4;

/**
 * Replaces the secrets in a receiver's answer, because receivers echo requests in their errors. Also finds secrets as
 * JSON, HTML and URLs spell them, and a secret that the end of the text cuts off.
 *
 * @param secrets the signing secrets, and the value of the subscription's own header, such as `Bearer …`
 */
export function withoutSecrets(answer: string, secrets: readonly string[]): string {
  const spellings = [...new Set(secrets.flatMap(partsOf).flatMap(spellingsOf))]
    .filter((spelling) => spelling !== "")
    // Longest first: if a shorter value inside a longer one were replaced first, the rest would stay visible.
    .sort((a, b) => b.length - a.length);
  if (spellings.length === 0) return answer;
  const any = spellings.map((spelling) => spelling.replaceAll(/[^A-Za-z0-9]/g, "\\$&")).join("|");
  const text = answer.replaceAll(new RegExp(any, "gi"), HIDDEN);
  const cut = Math.max(0, ...spellings.map((spelling) => cutLength(text, spelling)));
  const shown = cut === 0 ? text : text.slice(0, -cut) + HIDDEN;
  // Cuts the text again, because a replacement may be longer than the secret. Also drops half a surrogate pair at the
  // end, which would be invalid in JSON.
  return shown.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, "");
}

/** The value and the words after its scheme. For `Basic` also the decoded credentials and their password. */
function partsOf(value: string): string[] {
  const words = value.split(/\s+/);
  const parts = words.length > 1 ? words.slice(1) : [];
  if (/^basic$/i.test(words[0]!)) {
    const credentials = Buffer.from(words[1] ?? "", "base64").toString();
    parts.push(credentials, credentials.slice(credentials.indexOf(":") + 1));
  }
  return [value, ...parts.filter((part) => part.length >= MIN_PART)];
}

function spellingsOf(part: string): string[] {
  const html = part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const json = JSON.stringify(part).slice(1, -1);
  return [
    part,
    json,
    json.replaceAll("/", "\\/"),
    html,
    html.replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
    html.replaceAll('"', "&#34;").replaceAll("'", "&#039;"),
    encodeURIComponent(part),
    encodeURIComponent(part).replaceAll("%20", "+"),
  ];
}

/** How many characters at the end of `text` are the beginning of `secret`; 0 if fewer than MIN_CUT. */
function cutLength(text: string, secret: string): number {
  const end = text.toLowerCase();
  const lower = secret.toLowerCase();
  for (let length = Math.min(lower.length - 1, end.length); length >= MIN_CUT; length--) {
    if (end.endsWith(lower.slice(0, length))) return length;
  }
  return 0;
}
