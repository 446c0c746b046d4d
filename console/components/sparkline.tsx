const STEP = 8;
const BAR = 6;
const HEIGHT = 24;

/** One value for each column. The values of several series are stacked. */
export interface Series {
  values: number[];
  kind?: "accent" | "failed" | "waiting" | "unknown";
}

/** The height of each column: the sum of its parts. */
export function totalsOf(series: Series[]): number[] {
  const count = Math.max(...series.map(({ values }) => values.length));
  return Array.from(
    { length: count },
    (_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  );
}

/**
 * A chart of small columns, oldest first; several series are stacked. `label` describes the chart in words; it is empty
 * if the page shows these words beside the chart.
 */
export function Sparkline({ series, label, wide }: {
  series: Series[];
  label: string;
  /** Fills the width of its container. */
  wide?: boolean;
}) {
  const totals = totalsOf(series);
  const most = Math.max(1, ...totals);
  return (
    <svg
      class={wide ? "sparkline wide" : "sparkline"}
      viewBox={`0 0 ${totals.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true })}
    >
      <path class="sparkline-base" d={`M0 ${HEIGHT - 0.5}H${totals.length * STEP}`} />
      {series.map(({ values, kind }, which) => {
        const lower = totalsOf([{ values: totals.map(() => 0) }, ...series.slice(0, which)]);
        return (
          <path
            key={which}
            class={`sparkline-bars ${kind ?? "accent"}`}
            d={values.map((value, index) => {
              if (value === 0) return "";
              const below = lower[index]! / most * (HEIGHT - 2);
              // Even one call among thousands must be visible.
              const height = Math.max(1.5, value / most * (HEIGHT - 2));
              return `M${index * STEP + 1} ${round(HEIGHT - 1 - below)}v${round(-height)}h${BAR}v${
                round(height)
              }z`;
            }).join("")}
          />
        );
      })}
    </svg>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
