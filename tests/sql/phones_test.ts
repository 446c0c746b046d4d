// Which spellings of phone numbers mean the same number, and which do not.
import assert from "node:assert/strict";
import { create, ids } from "../support/record_fixtures.ts";
import { assertError } from "../support/client.ts";
import { sql, test } from "../support/scenario.ts";

/** The number in E.164, or as it is stored if its country is unknown. Then its spellings. */
const NUMBERS: [number: string | null, ...spellings: string[]][] = [
  // Mobile phones: nine digits.
  [
    "+5511977771234",
    "(11) 97777-1234",
    "11977771234",
    "11 9 7777 1234",
    "011 97777-1234",
    "0 15 11 97777-1234",
    "0xx11 97777-1234",
    "+55 11 97777-1234",
    "+55 (11) 97777.1234",
    "(+55) 11 97777-1234",
    "+55 (011) 97777-1234",
    "+55 0 15 11 97777-1234",
    "5511977771234",
    "55 11 97777 1234",
    "055 11 97777-1234",
    "0055 11 97777-1234",
    "+0055 11 97777-1234",
    "\u00a0+55\u00a011\u00a097777\u20111234",
  ],
  // Landlines, and mobile phones from before the ninth digit: eight digits.
  ["+551133334444", "(11) 3333-4444", "0xx11 3333-4444", "01133334444", "+551133334444"],
  ["+551177771234", "(11) 7777-1234", "+55 11 7777-1234", "+55 11 7777７-1234"],
  // Numbers with the area code 55, which is not the country code 55.
  ["+5555977771234", "(55) 97777-1234", "055 97777-1234", "+55 55 97777-1234", "5555977771234"],
  ["+555532221234", "(55) 3222-1234", "5532221234", "555532221234"],
  // Numbers without an area code.
  ["+558001234567", "0800 123 4567", "0800-1234567", "+55 800 123 4567", "+55 0800 123 4567"],
  ["+55800123456", "0800 123 456"],
  ["40041234", "4004-1234"],
  ["190", "190"],
  ["999991234", "99999-1234"],
  // Numbers of other countries.
  ["+15551234567", "+1 (555) 123-4567", "(+1) 555 123 4567", "001 555 123 4567"],
  ["+351912345678", "+351 912 345 678", "00351 912345678"],
  ["+442079460018", "+44 20 7946 0018", "+44 (0)20 7946 0018"],
  ["+5491112345678", "+54 9 11 1234-5678"],
  // Numbers without a country code: no Brazilian number has eleven digits whose third is 5.
  ["15551234567", "1 555 123 4567"],
  // Texts with two numbers, with an extension, or without a number.
  ["1197777123411977771235", "11 97777-1234 / 11 97777-1235"],
  ["11333344441234", "(11) 3333-4444 ramal 1234"],
  ["00", "00"],
  [null, "", "+", "a combinar", "１２３"],
];

Deno.test("crm.e164 reads all spellings of a phone number as the same number, and no two numbers as the same", async () => {
  for (const [number, ...spellings] of NUMBERS) {
    for (const spelling of spellings) {
      const [row] = await sql<{ read: string | null; again: string | null }[]>`
        select crm.e164(${spelling}) as read, crm.e164(crm.e164(${spelling})) as again`;
      assert.deepEqual({ ...row }, { read: number, again: number }, spelling);
    }
  }
});

test("GET /api-v1-contacts filters by phone in any spelling, and needs a digit", async ({ workspace: { key }, api }) => {
  const path = "/api-v1-contacts";
  const mobile = await create(key, path, { name: "Ana", phone: "(11) 97777-1234" });
  const other = await create(key, path, { name: "Bia", phone: "+1 555 123-4567" });
  await create(key, path, { name: "Caio" });
  const find = async (phone: string, more = "") =>
    ids(await api.get(`${path}?phone=${encodeURIComponent(phone)}${more}`));
  for (const spelling of ["(11) 97777-1234", "+5511977771234", "011977771234", "0055 11 97777 1234"]) {
    assert.deepEqual(await find(spelling), [mobile.id], spelling);
    assert.deepEqual(await find(spelling, "&updated_since=2000-01-01"), [mobile.id], spelling);
  }
  assert.deepEqual(await find("001 555 123 4567"), [other.id]);
  assert.deepEqual(await find("97777-1234"), []);
  for (const phone of ["", "a combinar", "+"]) {
    const refused = await api.get(`${path}?phone=${encodeURIComponent(phone)}`);
    assertError(refused, "validation_error", ["phone"]);
  }
});
