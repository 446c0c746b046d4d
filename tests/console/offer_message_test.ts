import assert from "node:assert/strict";
import { mailTo, whatsAppTo } from "../../console/pages/funnel/offer_message.ts";

Deno.test("A link to WhatsApp has the number with its country code, and the whole text", () => {
  const text = "Olá & até: https://crm.example/proposta/#abc";
  const numbers = {
    "+55 (11) 91234-5678": "5511912345678",
    "(11) 91234-5678": "5511912345678",
    "011 3123-4567": "551131234567",
    "5511912345678": "5511912345678",
    "+1 415 555 2671": "14155552671",
    "+49 30 123456": "4930123456",
    "0049 30 123456": "4930123456",
  };
  for (const [phone, number] of Object.entries(numbers)) {
    const url = new URL(whatsAppTo(phone, text));
    assert.deepEqual([url.host, url.pathname], ["wa.me", `/${number}`], phone);
    assert.equal(url.searchParams.get("text"), text);
    assert.equal(url.hash, "");
  }
  assert.equal(new URL(whatsAppTo(null, text)).pathname, "/");
});

Deno.test("A link to an e-mail encodes its address, subject and text", () => {
  const text = "Olá\nhttps://crm.example/proposta/#abc";
  const url = new URL(mailTo("a&b@padariasol.example", "Proposta: 50%", text));
  assert.equal(url.pathname, "a%26b@padariasol.example");
  assert.equal(url.searchParams.get("subject"), "Proposta: 50%");
  assert.equal(url.searchParams.get("body"), text);
  assert.equal(url.hash, "");
  assert.equal(new URL(mailTo(null, "a", "b")).pathname, "");
});
