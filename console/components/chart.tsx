import { useSignal } from "@preact/signals";
import { numberText } from "../format/shown.ts";
import { t } from "../strings/strings.ts";
import { Fact } from "./fact.tsx";
import { type Series, Sparkline, totalsOf } from "./sparkline.tsx";

/** A label is shown if its part of the axis is at least this fraction, in which a date fits. */
const LABELLED = 0.13;

export interface Column {
  /** `28/11, 14:00` */
  name: string;
  /** The label of the axis below the column. Adjacent columns with the same label share it. */
  axis: string;
  /** `12 requisições, 3 falharam` */
  text: string;
}

/**
 * A chart with axes. Below it stands the value of one column: the highest, or the one that the person chose with the
 * pointer, a finger or the arrow keys. `label` describes the chart in words; `none` is shown if all values are 0.
 */
export function Chart({ label, none, series, columns }: {
  label: string;
  none: string;
  series: Series[];
  columns: Column[];
}) {
  const chosen = useSignal<number | null>(null);
  const totals = totalsOf(series);
  const most = Math.max(...totals);
  if (most === 0) return <p class="chart-none quiet">{none}</p>;

  const index = chosen.value ?? totals.lastIndexOf(most);
  const { name, text } = columns[index]!;
  const said = `${name}: ${text}`;
  const point = ({ currentTarget, clientX }: PointerEvent & { currentTarget: HTMLElement }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const under = Math.floor((clientX - left) / width * columns.length);
    chosen.value = Math.min(columns.length - 1, Math.max(0, under));
  };
  return (
    <div>
      <p class="small" aria-hidden="true">{numberText(most)}</p>
      <div
        class="chart-plot"
        onPointerDown={point}
        onPointerMove={point}
        onPointerLeave={() => chosen.value = null}
      >
        <Sparkline wide label={label} series={series} />
        {chosen.value !== null && (
          <span
            class="chart-chosen"
            style={{ left: percent(index, columns), width: percent(1, columns) }}
          />
        )}
        {/* For the keyboard and screen readers: arrow keys move a slider, and screen readers read its value. */}
        <input
          type="range"
          aria-label={label}
          aria-valuetext={said}
          min={0}
          max={columns.length - 1}
          value={index}
          onFocus={() => chosen.value = index}
          onBlur={() => chosen.value = null}
          onInput={({ currentTarget }) => chosen.value = Number(currentTarget.value)}
        />
      </div>
      <div class="small chart-axis" aria-hidden="true">
        {axisOf(columns).map(({ text, span }, part) => (
          <span key={part} style={{ width: percent(span, columns) }}>
            {span / columns.length >= LABELLED && text}
          </span>
        ))}
      </div>
      <p class="hint clipped" title={said}>{said}</p>
      <details>
        <summary>{t("chart.numbers")}</summary>
        <dl class="facts">
          {columns.map(({ name, text }, column) => ({ name, text, total: totals[column] }))
            .filter(({ total }) => total !== 0).reverse()
            .map(({ name, text }) => <Fact key={name} name={name}>{text}</Fact>)}
        </dl>
      </details>
    </div>
  );
}

function percent(columns: number, { length }: Column[]): string {
  return `${columns / length * 100}%`;
}

/** The labels of the axis, each with the number of columns above it. */
function axisOf(columns: Column[]): { text: string; span: number }[] {
  const parts: { text: string; span: number }[] = [];
  for (const { axis } of columns) {
    const last = parts.at(-1);
    if (last?.text === axis) last.span++;
    else parts.push({ text: axis, span: 1 });
  }
  return parts;
}
