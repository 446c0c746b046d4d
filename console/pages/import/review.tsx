import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { asFailure, Failure } from "../../app/failure.ts";
import { guard } from "../../app/leaving.ts";
import { href } from "../../app/settings.ts";
import type { CustomField } from "../../app/types.ts";
import { FailureNote } from "../../components/failure_note.tsx";
import { formatNumber } from "../../format/format.ts";
import { languageTag } from "../../strings/locale.ts";
import type { OpenedFile } from "./choose_file.tsx";
import type { Target } from "./columns.ts";
import { failedCsv, namesOf, type Outcome, outcomeOf, outcomeOfFault, STATES } from "./outcomes.ts";
import { Outcomes } from "./outcomes_table.tsx";
import type { Row } from "./rows.ts";
import { Step } from "./step.tsx";
import { sendRows } from "./send.ts";
import { counted, t } from "./strings.ts";

type Known = ReadonlyMap<Row, Outcome>;

/** Checks the lines without writing, shows what would happen to each, and imports them. */
export function Review({ file, rows, custom, targets, onBack, onRestart }: {
  file: OpenedFile;
  rows: Row[];
  custom: CustomField[];
  targets: Target[];
  onBack: () => void;
  onRestart: () => void;
}) {
  const nameOf = namesOf(file, targets, custom);
  const checked = useSignal<Known>(
    new Map(rows.flatMap((row) => row.fault ? [[row, outcomeOfFault(row.fault, nameOf)]] : [])),
  );
  const imported = useSignal<Known>(new Map());
  /** Whether the import was begun. */
  const isImport = useSignal(false);
  const running = useSignal<AbortController | null>(null);
  const isStopping = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  // The batch that is on its way ends first.
  const stop = () => {
    isStopping.value = true;
    running.peek()?.abort();
  };

  const toImport = rows.filter((row) => isWritten(checked.value.get(row)));
  const run = async () => {
    const known = isImport.peek() ? imported : checked;
    const left = (isImport.peek() ? toImport : rows).filter((row) => row.item && !known.peek().has(row));
    const abort = new AbortController();
    running.value = abort;
    isStopping.value = false;
    failure.value = null;
    try {
      await sendRows(left, {
        isDry: !isImport.peek(),
        signal: abort.signal,
        onResults: (sent, results) => {
          const next = new Map(known.peek());
          sent.forEach((row, at) =>
            next.set(
              row,
              outcomeOf(results[at]!, nameOf, isImport.peek() ? checked.peek().get(row) : undefined),
            )
          );
          known.value = next;
        },
      });
    } catch (thrown) {
      // Both calls may be repeated, so the note need not warn of a change that was perhaps made.
      failure.value = new Failure({ ...asFailure(thrown), writing: false });
    } finally {
      if (running.peek() === abort) running.value = null;
    }
  };
  useEffect(() => {
    void run();
    return () => running.peek()?.abort();
  }, [isImport.value]);

  const isChecked = rows.every((row) => checked.value.has(row));
  const isDone = isImport.value && toImport.every((row) => imported.value.has(row));
  useGuard(isImport.value && !isDone);

  const outcomes = new Map([...checked.value, ...imported.value]);
  // While an import is not complete: only what has happened, and what the check refused.
  const settledOutcomes = isImport.value
    ? [...outcomes].flatMap(([row, known]) => imported.value.has(row) || !isWritten(known) ? known : [])
    : [...outcomes.values()];
  const failed = rows.flatMap((row) => {
    const outcome = outcomes.get(row);
    return outcome?.state === "failed" ? [{ row, outcome }] : [];
  });
  const [done, all] = isImport.value
    ? [imported.value.size, toImport.length]
    : [checked.value.size, rows.length];
  const isRunning = running.value !== null;
  return (
    <Step title={t(isImport.value ? "import" : "check")}>
      <p role="status">
        {isImport.value
          ? t(isDone ? "import.done" : isRunning ? "import.running" : "import.stopped")
          : t(isChecked ? "check.done" : isRunning ? "check.running" : "check.stopped")}
      </p>
      {failure.value && <FailureNote failure={failure.value} />}
      {!(isImport.value ? isDone : isChecked) && (
        <div class="field">
          <progress class="progress" max={all} value={done} aria-label={t("import")} />
          <span class="small">{t("import.progress", { done: shown(done), all: shown(all) })}</span>
        </div>
      )}
      {(isChecked || isImport.value) && <Counts outcomes={settledOutcomes} />}
      <div class="actions">
        {isRunning
          ? (
            <button type="button" class="button" disabled={isStopping.value} onClick={stop}>
              {t(isStopping.value ? "import.stopping" : "import.stop")}
            </button>
          )
          : isDone
          ? (
            <>
              <button type="button" class="button" onClick={onRestart}>{t("import.again")}</button>
              <a class="button" href={href("atividade/", { ver: "eventos" })}>{t("import.events")}</a>
            </>
          )
          : isImport.value || !isChecked
          ? <button type="button" class="button primary" onClick={run}>{t("import.continue")}</button>
          : toImport.length > 0
          ? (
            <button type="button" class="button primary" onClick={() => isImport.value = true}>
              {counted("check.import", toImport.length)}
            </button>
          )
          : <p>{t("check.nothing")}</p>}
        {!isImport.value && <button type="button" class="button" onClick={onBack}>{t("check.back")}</button>}
      </div>
      {failed.length > 0 && (isDone || (isChecked && !isImport.value)) && (
        <div class="note">
          <p>{t("failed.hint")}</p>
          <button type="button" class="button" onClick={() => download(file, failedCsv(file, failed))}>
            {t("failed.download")}
          </button>
        </div>
      )}
      {(isChecked || isImport.value) && <Outcomes rows={rows} outcomes={outcomes} done={imported.value} />}
    </Step>
  );
}

const shown = (n: number) => formatNumber(n, languageTag.value);

/** Whether the import writes the line: it leaves out what was refused and what is the same already. */
function isWritten(outcome: Outcome | undefined): boolean {
  return outcome?.state === "created" || outcome?.state === "updated";
}

function Counts({ outcomes }: { outcomes: Outcome[] }) {
  return (
    <ul class="counts">
      {STATES.map((state) => {
        const n = outcomes.filter((outcome) => outcome.state === state).length;
        return (
          <li key={state} class={`tag ${state === "failed" && n > 0 ? "failed" : ""}`}>
            {counted(`count.${state}`, n)}
          </li>
        );
      })}
    </ul>
  );
}

/** Asks before the person leaves while lines are left. */
function useGuard(active: boolean): void {
  useEffect(() => {
    if (!active) return;
    guard.value = () => ({
      title: t("leave"),
      text: t("leave.text"),
      yes: t("leave.yes"),
      no: t("leave.no"),
      dangerous: true,
    });
    return () => guard.value = null;
  }, [active]);
}

function download({ name }: OpenedFile, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name.replace(/\.(csv|txt)$/i, "")}.${t("failed.file")}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
