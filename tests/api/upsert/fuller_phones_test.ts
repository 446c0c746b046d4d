// An upsert does not replace a phone number with a less complete one, and says so in `differences`.
import assert from "node:assert/strict";
import { BATCH, upsert } from "../../support/batches.ts";
import { test } from "../../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";
const BY_ID = `${CONTACTS}/upsert?match_by=external_id`;

/** The stored number, the sent number, and whether the stored number is kept. */
const numbers: [stored: string, sent: string, stays: boolean][] = [
  ["+55 11 99876-5432", "99876-5432", true],
  ["+55 11 99876-5432", "11 9876-5432", true],
  ["+55 11 99876-5432", "+55 (11) 9876-5432", true],
  ["+55 11 99876-5432", "(11) 99876-5432", true],
  ["+55 11 99876-5432", "011 99876-5432", true],
  ["(11) 99876-5432", "99876-5432", true],
  ["(11) 99876-5432", "(11) 9876-5432", true],
  ["+44 (0)20 7946 0958", "020 7946 0958", true],
  ["+1 415 555 2671", "415-555-2671", true],
  ["(11) 99876-5432", "11998765432", false],
  ["(11) 99876-5432", "+55 11 99876-5432", false],
  ["99876-5432", "(11) 99876-5432", false],
  ["+55 11 99876-5432", "(21) 99876-5432", false],
  ["+55 11 99876-5432", "3333-4444", false],
  ["+55 11 3333-4444", "+55 11 93333-4444", false],
  ["+55 11 99876-5432", "sem telefone", false],
];

test("an upsert keeps each phone that is more complete than the sent one, names it in differences, and writes the rest", async ({ api }) => {
  for (const index of numbers.keys()) {
    // Each field gets a different pair of numbers, so that the test fails if the upsert compares different fields.
    const phones = ["phone", "phone2", "whatsapp"].map((field, shift) => {
      const [stored, sent, stays] = numbers[(index + 5 * shift) % numbers.length]!;
      return { field, stored, sent, stays };
    });
    const own = { external_id: `c-${index}`, name: "Ana" };
    const first = Object.fromEntries(phones.map(({ field, stored }) => [field, stored]));
    const then = Object.fromEntries(phones.map(({ field, sent }) => [field, sent]));
    await api.post(CONTACTS, { ...own, ...first });
    const { status, body } = await api.post(BY_ID, { ...own, ...then, job_title: "Compradora" });
    assert.equal(status, 200);
    for (const { field, stored, sent, stays } of phones) {
      assert.equal(body[field], stays ? stored : sent, `${sent} after ${stored}`);
    }
    assert.deepEqual(body.differences, phones.filter(({ stays }) => stays).map(({ field }) => field));
    assert.equal(body.job_title, "Compradora");
  }
});

test("an upsert by phone finds a contact by its number without the country code, and keeps the full number", async ({ api }) => {
  const { body: { id } } = await api.post(CONTACTS, { name: "Ana", phone: "+55 11 99876-5432" });
  const upsert = `${CONTACTS}/upsert?match_by=phone`;
  const found = await api.post(upsert, { name: "Ana", phone: "11 99876-5432" });
  assert.deepEqual([found.body.id, found.body.phone], [id, "+55 11 99876-5432"]);
  assert.deepEqual([found.body.matched_by, found.body.differences], ["phone", ["phone"]]);

  const without = await api.post(upsert, { name: "Ana", phone: "99876-5432" });
  assert.equal(without.status, 201, "no area code is guessed");
  assert.equal(without.headers.get("X-Possible-Duplicate"), id);
});

test("PATCH writes whatever number it is sent, and null clears a number in an upsert", async ({ api }) => {
  const contact = { name: "Ana", external_id: "c", phone: "+55 11 99876-5432" };
  const { body: { id } } = await api.post(CONTACTS, contact);
  const patched = await api.patch(`${CONTACTS}/${id}`, { phone: "99876-5432" });
  assert.equal(patched.body.phone, "99876-5432");
  const cleared = await api.post(BY_ID, { external_id: "c", phone: null });
  assert.deepEqual([cleared.body.phone, cleared.body.differences], [null, []]);
});

test("an upsert keeps a company's more complete phone, also in a batch, whose result names it", async ({ api }) => {
  const company = { name: "Padaria", domain: "padaria.com.br", phone: "+55 11 3333-4444" };
  await api.post("/api-v1-companies", company);
  const shorter = { ...company, phone: "3333-4444" };
  const { body } = await api.post("/api-v1-companies/upsert?match_by=domain", shorter);
  assert.deepEqual([body.phone, body.differences], [company.phone, ["phone"]]);

  await api.post(CONTACTS, { name: "Ana", email: "ana@x.com", phone: "+55 11 99876-5432" });
  const batch = await api.post(BATCH, {
    items: [
      upsert("email", { email: "ana@x.com", phone: "99876-5432" }),
      upsert("email", { email: "ana@x.com", name: "Ana Lima" }),
    ],
  });
  assert.deepEqual(batch.body.results.map(({ differences }: { differences?: string[] }) => differences), [
    ["phone"],
    undefined,
  ]);
});
