import { parseDatetime } from "../_shared/contract/datetime.ts";
import type { Json } from "../_shared/contract/json.ts";

/** Formats days, and adds offsets, in the time zone of a workspace. */
export class LocalTime {
  readonly #days: Intl.DateTimeFormat;
  readonly #offsets: Intl.DateTimeFormat;

  /** @param timeZone an IANA name, such as `America/Sao_Paulo` */
  constructor(readonly timeZone: string) {
    // The Swedish locale, because it formats dates as ISO 8601.
    this.#days = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" });
    this.#offsets = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  }

  /** The day of a moment: `2026-11-27`. */
  dayOf(moment: Date): string {
    return this.#days.format(moment);
  }

  /**
   * Adds the time zone's offset at that time to a date and time that has none. Returns any other value unchanged; the
   * API refuses a value that it does not accept.
   */
  withOffset(value: Json): Json {
    const asUtc = typeof value === "string" && WITHOUT_OFFSET.test(value) ? parseDatetime(value) : null;
    if (asUtc === null) return value;
    const moment = new Date(asUtc);
    const offset = this.#offsetAt(moment);
    // `offset` was looked up as if the text were UTC. Near a change of offset it may be wrong, so look it up again.
    return asUtc.slice(0, -1) +
      (this.#offsetAt(new Date(moment.getTime() - minutesOf(offset) * 60_000)) || "Z");
  }

  /** The offset at a moment, such as `-03:00`; empty for UTC. */
  #offsetAt(moment: Date): string {
    const name = this.#offsets.formatToParts(moment).find(({ type }) => type === "timeZoneName")!.value;
    // Cuts off the seconds of offsets before 1914: ISO 8601 has no place for them.
    return name.replace("GMT", "").slice(0, 6);
  }
}

/** Matches every form of a date and time that the API accepts, if it has no offset. */
const WITHOUT_OFFSET = /^[\d-]+(?:[Tt ][\d:.,]+)?$/;

function minutesOf(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(":").map(Number);
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
