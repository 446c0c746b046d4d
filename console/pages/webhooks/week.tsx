import { Sparkline } from "../../components/sparkline.tsx";
import type { Day } from "./records.ts";
import { weekText } from "./words.ts";

/** The deliveries of seven days by outcome, as small columns. */
export function Week({ days, wide = false }: { days: readonly Day[]; wide?: boolean }) {
  return (
    <Sparkline
      wide={wide}
      label={weekText(days)}
      series={[
        { values: days.map(({ delivered }) => delivered), kind: "accent" },
        { values: days.map(({ waiting }) => waiting), kind: "waiting" },
        { values: days.map(({ failed }) => failed), kind: "failed" },
      ]}
    />
  );
}
