import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { asFailure, Failure, href, useGuard } from "../../app/mod.ts";
import type { CustomField } from "../../app/types.ts";
import { Button, FailureNote } from "../../components/mod.ts";
import { numberText } from "../../format/shown.ts";
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
  // Filled in place, because copying 20,000 entries after each batch would take longer than the call itself.
  const checked = useRef(
    new Map(rows.flatMap((row) => row.fault ? [[row, outcomeOfFault(row.fault, nameOf)]] : [])),
  ).current;
  const imported = useRef(new Map<Row, Outcome>()).current;
  const isImport = useSignal(false);
  const done = useSignal(checked.size);
  const running = useSignal<AbortController | null>(null);
  const isStopping = useSignal(false);
  const failure = useSignal<Failure | null>(null);

  /** The lines that the import writes: those for which the check predicts a new or changed contact. */
  const toWrite = () => rows.filter((row) => ["created", "updated"].includes(checked.get(row)?.state ?? ""));

  const run = async () => {
    const isDry = !isImport.peek();
    const known = isDry ? checked : imported;
    const left = (isDry ? rows : toWrite()).filter((row) => row.item && !known.has(row));
    const abort = new AbortController();
    running.value = abort;
    isStopping.value = false;
    failure.value = null;
    done.value = known.size;
    try {
      await sendRows(left, {
        isDry,
        signal: abort.signal,
        onResults: (sent, results) => {
          sent.forEach((row, at) =>
            known.set(row, outcomeOf(results[at]!, nameOf, isDry ? undefined : checked.get(row)))
          );
          done.value = known.size;
        },
      });
    } catch (thrown) {
      // `writing: false`, so that the note does not warn against repeating: an upsert may be repeated.
      failure.value = new Failure({ ...asFailure(thrown), writing: false });
    } finally {
      running.value = null;
    }
  };
  // A batch that was already sent is still completed.
  const stop = () => {
    isStopping.value = true;
    running.peek()?.abort();
  };
  useEffect(() => {
    void run();
    return () => running.peek()?.abort();
  }, [isImport.value]);

  const all = useMemo(
    () => (isImport.value ? toWrite() : rows).length,
    [isImport.value],
  );
  const isDone = done.value === all;
  useGuard(isImport.value && !isDone, () => ({
    title: t("leave"),
    text: t("leave.text"),
    yes: t("leave.yes"),
    no: t("leave.no"),
    dangerous: true,
  }));
  const step = isImport.value ? "import" : "check";
  const state = running.value !== null ? "running" : isDone ? "done" : "stopped";
  const back = !isImport.value && <Button text={t("check.back")} onClick={onBack} />;
  return (
    <Step title={t(step)}>
      <p role="status">{t(`${step}.${state}`)}</p>
      {failure.value && <FailureNote failure={failure.value} />}
      {state === "done"
        ? (
          <Result file={file} rows={rows} checked={checked} imported={imported}>
            {isImport.value
              ? (
                <>
                  <Button text={t("import.again")} onClick={onRestart} />
                  <a class="button" href={href("atividade/", { ver: "eventos" })}>{t("import.events")}</a>
                </>
              )
              : (
                <>
                  <ImportButton lines={toWrite().length} onClick={() => isImport.value = true} />
                  {back}
                </>
              )}
          </Result>
        )
        : (
          <>
            <div class="field">
              <progress class="progress" max={all} value={done.value} aria-label={t(step)} />
              <span class="small">
                {t("import.progress", { done: numberText(done.value), all: numberText(all) })}
              </span>
            </div>
            <div class="actions">
              {state === "stopped"
                ? <Button class="button primary" text={t("import.continue")} onClick={run} />
                : (
                  <Button
                    text={t(isStopping.value ? "import.stopping" : "import.stop")}
                    disabled={isStopping.value}
                    onClick={stop}
                  />
                )}
              {back}
            </div>
          </>
        )}
    </Step>
  );
}

function ImportButton({ lines, onClick }: { lines: number; onClick: () => void }) {
  if (lines === 0) return <p>{t("check.nothing")}</p>;
  return <Button class="button primary" text={counted("check.import", lines)} onClick={onClick} />;
}

/** What happens, or has happened, to each line. */
function Result({ file, rows, checked, imported, children }: {
  file: OpenedFile;
  rows: Row[];
  checked: Known;
  imported: Known;
  children: ComponentChildren;
}) {
  const outcomes = new Map([...checked, ...imported]);
  const failed = rows.flatMap((row) => {
    const outcome = outcomes.get(row)!;
    return outcome.state === "failed" ? [{ row, outcome }] : [];
  });
  return (
    <>
      <ul class="counts">
        {STATES.map((state) => {
          const n = rows.filter((row) => outcomes.get(row)!.state === state).length;
          return (
            <li key={state} class={`tag ${state === "failed" && n > 0 ? "failed" : ""}`}>
              {counted(`count.${state}`, n)}
            </li>
          );
        })}
      </ul>
      <div class="actions">{children}</div>
      {failed.length > 0 && (
        <div class="note">
          <p>{t("failed.hint")}</p>
          <Button text={t("failed.download")} onClick={() => download(file, failedCsv(file, failed))} />
        </div>
      )}
      <Outcomes rows={rows} outcomes={outcomes} done={imported} />
    </>
  );
}

function download({ name }: OpenedFile, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name.replace(/\.(csv|txt)$/i, "")}.${t("failed.file")}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
