import assert from "node:assert/strict";
import {
  dayEnd,
  dayIn,
  formatDay,
  formatMoment,
  formatMoney,
  formatNumber,
  formatRelative,
  localMoment,
  momentAt,
  setZone,
} from "../../console/format/format.ts";
import { clockOf } from "../../console/pages/webhooks/times.ts";
import { expiryMoment, tomorrow } from "../../console/pages/keys/expiry.ts";

// Replaces non-breaking spaces, because the kind that Intl writes depends on its version.
const spaced = (text: string) => text.replace(/\s/g, " ");

Deno.test("Numbers, amounts and days are formatted for each language", () => {
  assert.equal(formatNumber(1204, "pt-BR"), "1.204");
  assert.equal(formatNumber(1204, "en"), "1,204");
  assert.equal(spaced(formatMoney(12500.5, "pt-BR")), "R$ 12.500,50");
  assert.equal(formatMoney(12500.5, "en"), "R$12,500.50");
  assert.equal(formatDay("2026-11-21", "pt-BR"), "21/11/2026");
});

Deno.test("A relative time is rounded down, and is a date from 30 days on", () => {
  const now = Date.parse("2026-11-21T12:00:00.000Z");
  const at = (seconds: number) => new Date(now - seconds * 1000).toISOString();
  const words = (seconds: number) => spaced(formatRelative(at(seconds), now, "pt-BR")).replace(/\.$/, "");
  assert.equal(words(3), "agora");
  assert.equal(words(-3), "agora");
  assert.equal(words(59), "há 59 seg");
  assert.equal(words(179), "há 2 min");
  assert.equal(words(3 * 3600 + 3599), "há 3 h");
  assert.equal(words(47 * 3600), "há 1 dia");
  assert.equal(words(29 * 86_400), "há 29 dias");
  assert.equal(words(30 * 86_400), "22/10/2026");
  assert.equal(words(-1800), "em 30 min");
  assert.equal(formatRelative(at(179), now, "en"), "2 min. ago");
});

Deno.test("A new key expires after some days, at the end of a date, or never", () => {
  const now = Date.parse("2026-11-21T12:00:00.000Z");
  assert.equal(expiryMoment("", "", now), null);
  assert.equal(expiryMoment("90", "", now), "2027-02-19T12:00:00.000Z");
  assert.equal(expiryMoment("date", "2026-12-31", now), new Date("2026-12-31T23:59:59").toISOString());
  assert.match(tomorrow(now), /^2026-11-2[123]$/);
  assert.ok(Date.parse(expiryMoment("date", tomorrow(now), now)!) > now);
});

Deno.test("Days and times are those of the workspace's time zone, also while its clocks change", () => {
  try {
    const late = "2026-11-22T01:30:00.000Z";
    for (const [zone, day] of [["America/Sao_Paulo", "21/11/2026"], ["Asia/Tokyo", "22/11/2026"]] as const) {
      setZone(zone);
      assert.equal(formatDay(late, "pt-BR"), day);
      assert.match(formatMoment(late, "pt-BR"), new RegExp(`^${day}`));
      assert.equal(momentAt(localMoment(Date.parse(late))), late);
    }
    setZone("America/Sao_Paulo");
    assert.equal(momentAt("2026-11-21T23:59:59.999"), "2026-11-22T02:59:59.999Z");
    assert.equal(clockOf(late, Date.parse("2026-11-22T12:00:00Z"), "pt-BR").day, "yesterday");
    setZone("America/New_York");
    // The hour from 2 to 3 does not exist on this day.
    assert.equal(momentAt("2026-03-08T01:30"), "2026-03-08T06:30:00.000Z");
    assert.equal(momentAt("2026-03-08T03:30"), "2026-03-08T07:30:00.000Z");
    assert.match(dayEnd("0026-11-21"), /^0026-11-22T/, "a year of two digits is no error");
    assert.deepEqual(["2026-11-21", "ontem", "2026-13-41", undefined].map(dayIn), ["2026-11-21", "", "", ""]);
  } finally {
    setZone(undefined);
  }
});
