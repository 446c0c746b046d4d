import { wallTime } from "../../format/format.ts";

/** A moment split into day and time, to be shown relative to today. */
export interface Clock {
  day: "today" | "yesterday" | "tomorrow" | "other";
  /** `20/11`; with the year if it is not the current one. */
  date: string;
  /** The time; for today with seconds, to tell deliveries apart. */
  time: string;
}

/** Splits a moment into day, date and time in the workspace's time zone, relative to `now` (milliseconds). */
export function clockOf(moment: string, now: number, language: string): Clock {
  const [at, today] = [wallTime(Date.parse(moment)), wallTime(now)];
  const days = (Date.parse(at.slice(0, 10)) - Date.parse(today.slice(0, 10))) / 86_400_000;
  const day = days === 0 ? "today" : days === -1 ? "yesterday" : days === 1 ? "tomorrow" : "other";
  const year = at.slice(0, 4) === today.slice(0, 4) ? {} : { year: "numeric" as const };
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" }).format(Date.parse(`${at}Z`));
  return {
    day,
    date: format({ day: "2-digit", month: "2-digit", ...year }),
    time: format({
      hour: "2-digit",
      minute: "2-digit",
      hour12: false,
      ...(day === "today" && { second: "2-digit" as const }),
    }),
  };
}
