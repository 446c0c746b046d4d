/** A moment split into day and time, to be shown relative to today. */
export interface Clock {
  day: "today" | "yesterday" | "tomorrow" | "other";
  /** `20/11`; with the year if it is not the current one. */
  date: string;
  /** The time; today's with seconds, to tell deliveries apart. */
  time: string;
}

/** Splits a moment into day, date and time, relative to `now` (milliseconds), in the reader's time zone. */
export function clockOf(moment: string, now: number, language: string): Clock {
  const at = new Date(moment);
  const today = new Date(now);
  const days = Math.round((midnight(at) - midnight(today)) / 86_400_000);
  const day = days === 0 ? "today" : days === -1 ? "yesterday" : days === 1 ? "tomorrow" : "other";
  const year = at.getFullYear() === today.getFullYear() ? {} : { year: "numeric" as const };
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, options).format(at);
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

function midnight(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}
