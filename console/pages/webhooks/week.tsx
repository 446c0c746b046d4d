import { type Series, Sparkline, totalsOf } from "../../components/sparkline.tsx";
import type { Day } from "./records.ts";
import { weekText } from "./words.ts";
import { numberText } from "../../format/shown.ts";

export function weekSeries(days: readonly Day[]): Series[] {
  return [
    { values: days.map(({ delivered }) => delivered), kind: "accent" },
    { values: days.map(({ waiting }) => waiting), kind: "waiting" },
    { values: days.map(({ failed }) => failed), kind: "failed" },
  ];
}

/** The deliveries of seven days by outcome, as small columns, and their number. */
export function Week({ days }: { days: readonly Day[] }) {
  const series = weekSeries(days);
  return (
    <span class="figure">
      <Sparkline label={weekText(days)} series={series} />
      {numberText(totalsOf(series).reduce((sum, total) => sum + total, 0))}
    </span>
  );
}
