import { parseDatetime } from "../_shared/contract/datetime.ts";
import type { Json } from "../_shared/contract/json.ts";

/** Formats days, and adds offsets, in the time zone of a workspace. */
export class LocalTime {
  readonly #days: Intl.DateTimeFormat;
  readonly #offsets: Intl.DateTimeFormat;

  /** @param timeZone an IANA name, such as `America/Sao_Paulo` */
  constructor(readonly timeZone: string) {
    // The Swedish locale formats dates as ISO 8601.
    this.#days = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" });
    this.#offsets = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  }

  /** The day of a moment: `2026-11-27`. */
  dayOf(moment: Date): string {
    return this.#days.format(moment);
  }

  /** A date and time for the API. If it has no offset, the time zone's offset at that time is added. */
  withOffset(value: Json): Json {
    if (typeof value !== "string") return value;
    // A text in one of the API's forms can be followed by Z only if it has no offset, and by a time only if it has none.
    const text = parseDatetime(`${value}T00:00Z`) === null ? value : `${value}T00:00`;
    const utc = parseDatetime(`${text}Z`);
    if (utc === null) return value;
    const moment = new Date(utc);
    const offset = this.#offsetAt(moment);
    // `offset` was looked up as if the text were UTC. Near a change of offset it may be wrong, so look it up again.
    return text + (this.#offsetAt(new Date(moment.getTime() - minutesOf(offset) * 60_000)) || "Z");
  }

  /** The offset at a moment, such as `-03:00`; empty for UTC. */
  #offsetAt(moment: Date): string {
    const name = this.#offsets.formatToParts(moment).find(({ type }) => type === "timeZoneName")!.value;
    return name.replace("GMT", "");
  }
}

function minutesOf(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(":").map(Number);
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
