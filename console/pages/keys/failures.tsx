import type { OpenedKey } from "../../app/types.ts";
import { Chart, type Column } from "../../components/chart.tsx";
import { Fact } from "../../components/mod.ts";
import { hourText, numberText, shortDayText } from "../../format/shown.ts";
import { counted, t } from "../../strings/strings.ts";

type Failures = OpenedKey["failures"];

/** A column of a chart: the number of requests, and how many of them failed. `failures` is null if unknown. */
interface Period extends Column {
  requests: number;
  failures: number | null;
}

/** Days for each label of the axis: 30 days have five labels. */
const DAYS_LABELLED = 6;

/**
 * How many requests of a key failed, with which errors, and how near the key came to its limit.
 * @param code the error code by which the log below is filtered
 * @param onCode shows the requests that failed with a code, or all again for ""
 */
export function KeyFailures({ entry, code: chosen, onCode }: {
  entry: OpenedKey;
  code: string;
  onCode: (code: string) => void;
}) {
  const { codes, statuses, busiest_minute: busiest, limit_per_minute } = entry.failures;
  return (
    <section class="stack">
      <h2>{t("failures.title")}</h2>
      <dl class="facts">
        <Fact name={t("failures.failed")}>
          {statuses.length === 0
            ? t("failures.none")
            : classesOf(entry.failures).map((text) => <p key={text}>{text}</p>)}
        </Fact>
        <Fact name={t("failures.busiest")}>
          {t("failures.per_minute", {
            n: numberText(busiest?.requests ?? 0),
            limit: numberText(limit_per_minute),
          })}
          {busiest && <p class="small">{hourText(busiest.minute)}</p>}
        </Fact>
      </dl>
      {codes.length > 0 && (
        <div>
          <h3>{t("failures.codes")}</h3>
          <ul>
            {codes.map(({ code, status, count }) => (
              <li key={`${code} ${status}`}>
                <button
                  type="button"
                  class="link broken"
                  aria-pressed={code === chosen}
                  onClick={() => onCode(code === chosen ? "" : code)}
                >
                  <span>
                    <code>{code}</code> ({status}): {numberText(count)}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** The requests of a key by hour and by day, and how many of them failed. */
export function KeyCharts({ entry }: { entry: OpenedKey }) {
  const { since, time_zone } = entry.failures;
  return (
    <section class="section stack">
      <div class="columns">
        <Periods
          title={t("failures.hours")}
          words={textOf}
          none={t("failures.none_hours")}
          periods={hoursOf(entry)}
        />
        <Periods
          title={t("failures.days")}
          // Says nothing about failures, which are known for only 7 of the 30 days.
          words={(requests) => counted("failures.requests", requests)}
          none={t("failures.none_days")}
          periods={daysOf(entry)}
        />
      </div>
      <p class="hint">
        {t("failures.text", { zone: time_zone })}
        {since !== null && ` ${t("failures.partial", { moment: hourText(since) })}`}
      </p>
    </section>
  );
}

/** @param words describes the whole chart */
function Periods({ title, words, none, periods }: {
  title: string;
  words: (requests: number, failures: number) => string;
  none: string;
  periods: Period[];
}) {
  const known = periods.map(({ failures }) => failures ?? 0);
  const total = sumOf(periods.map(({ requests }) => requests));
  const rest = (isKnown: boolean) =>
    periods.map(({ requests, failures }) => (failures !== null) === isKnown ? requests - (failures ?? 0) : 0);
  return (
    <div>
      <div class="chart-head">
        <h2>{title}</h2>
        <span>{counted("failures.requests", total)}</span>
      </div>
      <Chart
        label={`${title}: ${words(total, sumOf(known))}`}
        none={none}
        series={[
          { values: known, kind: "failed" },
          { values: rest(true), kind: "accent" },
          { values: rest(false), kind: "unknown" },
        ]}
        columns={periods}
      />
    </div>
  );
}

/** `12 requisições, 3 falharam` */
function textOf(requests: number, failures: number | null): string {
  const failed = failures === null ? t("failures.unknown") : counted("failures.count", failures);
  return `${counted("failures.requests", requests)}, ${failed}`;
}

/**
 * The number of failures for each class of status: `Campos inválidos (422): 31`. 422 and 429 are separate classes,
 * because the key's owner can fix these.
 */
function classesOf({ statuses }: Pick<Failures, "statuses">): string[] {
  const counts = { "422": 0, "429": 0, "4xx": 0, "5xx": 0 };
  for (const { status, count } of statuses) {
    counts[status === 422 ? "422" : status === 429 ? "429" : status < 500 ? "4xx" : "5xx"] += count;
  }
  return (Object.keys(counts) as (keyof typeof counts)[]).filter((name) => counts[name] > 0)
    .toSorted((a, b) => counts[b] - counts[a])
    .map((name) => {
      const text = t(name === "4xx" ? "failures.other_4xx" : `requests.status_${name}`);
      return `${text}: ${numberText(counts[name])}`;
    });
}

/** For each hour: the calls that the rate limit counted, and the failures, if that part of the request log was read. */
function hoursOf({ hours: called, failures: { hours } }: OpenedKey): Period[] {
  return hours.map(({ hour, requests: logged, failures }, index) => {
    const requests = Math.max(called[index]?.calls ?? 0, logged ?? 0);
    return {
      name: hourText(hour),
      axis: shortDayText(hour),
      requests,
      failures,
      text: textOf(requests, failures),
    };
  });
}

/** For each day: the calls and the failures. On days older than the log only the calls are known; `failures` is 0. */
function daysOf({ days_30: called, failures: { days } }: OpenedKey): Period[] {
  return called.map(({ day, calls }, index) => {
    const logged = days[index - called.length + days.length];
    const requests = Math.max(calls, logged?.requests ?? 0);
    return {
      name: shortDayText(day),
      axis: shortDayText(called[index - index % DAYS_LABELLED]!.day),
      requests,
      failures: logged ? logged.failures : 0,
      text: logged ? textOf(requests, logged.failures) : counted("failures.requests", requests),
    };
  });
}

function sumOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
