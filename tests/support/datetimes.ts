import fc from "fast-check";

/** Valid texts, each with the moment that it means: what `writtenMoments` does not make. */
export const READ: readonly (readonly [text: string, moment: string])[] = [
  // RFC 3339.
  ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"],
  ["2026-01-31T09:00:00-03:00", "2026-01-31T12:00:00.000Z"],
  ["2026-01-31T12:00:00-00:00", "2026-01-31T12:00:00.000Z"],
  // Texts without an offset, or without a time.
  ["2026-01-31T12:00:00", "2026-01-31T12:00:00.000Z"],
  ["2026-01-31T12:00:00.5", "2026-01-31T12:00:00.500Z"],
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ["0001-01-01", "0001-01-01T00:00:00.000Z"],
  ["0099-12-31", "0099-12-31T00:00:00.000Z"],
  // Times without seconds or without minutes, and offsets without minutes.
  ["2026-01-31T12:34", "2026-01-31T12:34:00.000Z"],
  ["2026-01-31T09:34-03:00", "2026-01-31T12:34:00.000Z"],
  ["2026-01-31T12Z", "2026-01-31T12:00:00.000Z"],
  ["2026-01-31T09-03", "2026-01-31T12:00:00.000Z"],
  ["2026-01-31T09:00:00-03", "2026-01-31T12:00:00.000Z"],
  // Fractions: digits after the milliseconds are dropped.
  ["2026-01-31T12:00:00.1Z", "2026-01-31T12:00:00.100Z"],
  ["2026-01-31T12:00:00.123999999-00:00", "2026-01-31T12:00:00.123Z"],
  ["9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999Z"],
  // The basic format of ISO 8601.
  ["20260131T120000Z", "2026-01-31T12:00:00.000Z"],
  ["20260131T0900-0300", "2026-01-31T12:00:00.000Z"],
  ["20260131", "2026-01-31T00:00:00.000Z"],
  // A space in place of T, as databases print it.
  ["2026-01-31 12:34", "2026-01-31T12:34:00.000Z"],
  ["2026-01-31 09:00:00.123456-03", "2026-01-31T12:00:00.123Z"],
  // A query string turned the plus sign into a space.
  ["2026-01-31 12:00:00 00", "2026-01-31T12:00:00.000Z"],
  // The end of a day, and a leap second.
  ["2026-01-31T24:00", "2026-02-01T00:00:00.000Z"],
  ["20260131T240000.000Z", "2026-02-01T00:00:00.000Z"],
  ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
  ["2016-12-31T20:59:60.25-03:00", "2017-01-01T00:00:00.250Z"],
  // The last moment.
  ["9999-12-31T22:59:59.999-01:00", "9999-12-31T23:59:59.999Z"],
];

/** Texts that are refused. */
export const REFUSED: readonly string[] = [
  ...["", " ", "amanhã", "now", "infinity"],
  // Dates that are not in the calendar, and times that are not on the clock.
  ..."2026-02-30 2027-02-29T00:00:00Z 2026-13-01 2026-00-10 2026-01-00 2026-04-31T12:00:00Z".split(" "),
  ..."2026-01-31T25:00:00Z 2026-01-31T24:00:01Z 2026-01-31T24:00:00.1Z 2026-01-31T12:60:00Z".split(" "),
  ..."2026-01-31T12:00:61Z 2026-01-31T12:00:60Z 2016-12-31T23:59:60-03:00".split(" "),
  ..."2026-01-31T12:00:00+24:00 2026-01-31T12:00:00-03:60".split(" "),
  // Outside the years 1 to 9999.
  ..."0000-12-31 0001-01-01T00:00:00+01:00 9999-12-31T23:59:59-01:00 9999-12-31T24:00:00Z".split(" "),
  ..."10000-01-01 +002026-01-31 -2026-01-31".split(" "),
  // Other formats.
  ..."01/31/2026 31/01/2026 31-01-2026 2026/01/31 2026-1-31 2026-01 2026 2026-W05-6 2026-031".split(" "),
  ..."2026-0131 202601-31 1769860800 1769860800000".split(" "),
  "Sat, 31 Jan 2026 12:00:00 GMT",
  // Texts that differ a little from a valid format.
  ..."2026-01-31T 2026-01-31Z 2026-01-31+03:00 2026-01-31T12:0000Z 2026-01-31T1200:00Z".split(" "),
  ..."2026-01-31T12:5.5Z 2026-01-31T12:00.5Z 2026-01-31T12:00:00.Z 2026-01-31T12:00:00-3".split(" "),
  ..."2026-01-31T12:00:00-03:0 2026-01-31T12:00:00[America/Sao_Paulo] 2026-01-31T12:00:00ZZ".split(" "),
  ...["2026-01-31 12", "2026-01-31 1200", "2026-01-31T12 03", "2026-01-31T12:00 ", " 2026-01-31"],
  ...["2026-01-31\n", "2026-01-31  12:00:00", "2026-01-31T12:00:00 -03:00", "２０２６-01-31"],
  `2026-01-31T12:00:00.${"0".repeat(64)}Z`,
];

/** A moment with milliseconds, and a text for it in one of the valid formats, with any offset. */
export function writtenMoments(): fc.Arbitrary<{ moment: string; text: string }> {
  const moments = fc.date({
    min: new Date("0001-01-02T00:00:00.000Z"),
    max: new Date("9999-12-30T23:59:59.999Z"),
    noInvalidDate: true,
  });
  const form = fc.record({
    offset: fc.option(fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 })),
    basicDate: fc.boolean(),
    basicTime: fc.boolean(),
    offsetColon: fc.boolean(),
    separator: fc.constantFrom("T", "t", " "),
    point: fc.constantFrom(".", ","),
    more: fc.stringMatching(/^\d{0,6}$/),
    zulu: fc.constantFrom("Z", "z", "", "+00:00"),
    plus: fc.constantFrom("+", " "),
    minus: fc.constantFrom("-", "\u2212"),
  });
  return fc.tuple(moments, form).map(([at, form]) => {
    const local = new Date(at.getTime() + (form.offset ?? 0) * 60_000).toISOString();
    const [date, time] = [local.slice(0, 10), local.slice(11, 23)];
    const basicTime = form.basicTime && form.separator !== " ";
    const text = (form.basicDate ? date.replaceAll("-", "") : date) + form.separator +
      (basicTime ? time.replaceAll(":", "") : time).replace(".", form.point) + form.more +
      (form.offset === null ? form.zulu : offsetText(form.offset, form));
    return { moment: at.toISOString(), text };
  });
}

function offsetText(offset: number, form: { offsetColon: boolean; plus: string; minus: string }): string {
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const digits = [hours, minutes].map((part) => String(part).padStart(2, "0"));
  return (offset < 0 ? form.minus : form.plus) + digits.join(form.offsetColon ? ":" : "");
}
