const STEP = 8;
const BAR = 6;
const HEIGHT = 24;

/**
 * A chart of small columns, oldest first; several series are stacked. `label` says the same in words; it is empty if
 * the page shows these words beside the chart.
 */
export function Sparkline({ series, label, wide }: {
  series: { values: number[]; kind?: "accent" | "failed" | "waiting" }[];
  label: string;
  /** Fills the width of its container. */
  wide?: boolean;
}) {
  const count = Math.max(...series.map(({ values }) => values.length));
  const totals = Array.from({ length: count }, (_, index) => sumAt(series.length, index));
  const most = Math.max(1, ...totals);
  function sumAt(upTo: number, index: number): number {
    return series.slice(0, upTo).reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
  }
  return (
    <svg
      class={wide ? "sparkline wide" : "sparkline"}
      viewBox={`0 0 ${count * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true })}
    >
      <path class="sparkline-base" d={`M0 ${HEIGHT - 0.5}H${count * STEP}`} />
      {series.map(({ values, kind }, which) => (
        <path
          key={which}
          class={`sparkline-bars ${kind ?? "accent"}`}
          d={values.map((value, index) => {
            if (value === 0) return "";
            const below = sumAt(which, index) / most * (HEIGHT - 2);
            // Even one call among thousands must be visible.
            const height = Math.max(1.5, value / most * (HEIGHT - 2));
            return `M${index * STEP + 1} ${round(HEIGHT - 1 - below)}v${round(-height)}h${BAR}v${
              round(height)
            }z`;
          }).join("")}
        />
      ))}
    </svg>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
