/** The outcome of each line: what the check predicts, and what the import did. */
import type { CustomField } from "../../app/types.ts";
import { writeCsv } from "./csv.ts";
import { ADDED, type Target } from "./columns.ts";
import type { OpenedFile } from "./choose_file.tsx";
import type { Fault, Row } from "./rows.ts";
import type { Result } from "./send.ts";
import { named, t } from "./strings.ts";

export const STATES = ["created", "updated", "same", "failed"] as const;
export type State = typeof STATES[number];

export interface Outcome {
  state: State;
  /** What would change, or why the line was refused. */
  details: string[];
}

/** Names a field by its column's heading in the file, or by the console's name if it has no column. */
export type NameOf = (field: string) => string;

export function namesOf({ csv }: OpenedFile, targets: Target[], custom: CustomField[]): NameOf {
  return (field) => {
    const target = field.replace(/^custom_fields\./, "custom:").replace(/^tags$/, "add_tags")
      .replace(/^(add_tags)\b.*/, "$1");
    const heading = csv.header[targets.indexOf(target as Target)];
    if (heading) return heading;
    const label = custom.find(({ key }) => target === `custom:${key}`)?.label;
    return label ?? named(`target.${target}`) ?? field;
  };
}

export function outcomeOfFault(fault: Fault, nameOf: NameOf): Outcome {
  const text = fault.kind === "cells"
    ? t("fault.cells", fault)
    : fault.kind === "no_key"
    ? t("fault.no_key")
    : t("fault.repeated", { field: nameOf(fault.by), line: fault.line });
  return { state: "failed", details: [text] };
}

/**
 * The outcome of a line that was sent.
 * @param foreseen what the check predicted, shown instead of the reply's changes: if the first reply was lost and the
 * line was sent again, the second reply does not say what the first call changed
 */
export function outcomeOf(
  { status, error, changes }: Result,
  nameOf: NameOf,
  foreseen: Outcome | undefined,
): Outcome {
  if (error) {
    const details = error.details?.map(({ field, message }) => {
      const name = field.replace(/^items\[\d+\]\.?/, "");
      return name === "" ? message : `${nameOf(name)}: ${message}`;
    });
    return { state: "failed", details: details ?? [error.message] };
  }
  if (status === 201) return { state: "created", details: [] };
  if (foreseen) return foreseen;
  const empty = t("rows.nothing");
  return {
    state: changes?.length === 0 ? "same" : "updated",
    details: (changes ?? []).map(({ field, from, to }) =>
      `${nameOf(field)}: ${from ?? empty} → ${to ?? empty}`
    ),
  };
}

/** The failed lines as a CSV that can be corrected and imported: the file's columns, the line number, the reason. */
export function failedCsv({ csv }: OpenedFile, failed: { row: Row; outcome: Outcome }[]): string {
  // If lines of such a CSV fail again, the columns for line and reason are not added twice.
  const kept = csv.header.flatMap((heading, at) =>
    heading === ADDED.line || heading === ADDED.reason ? [] : [at]
  );
  return writeCsv([
    [...kept.map((at) => csv.header[at]!), ADDED.line, ADDED.reason],
    ...failed.map(({ row, outcome }) => [
      ...kept.map((at) => row.cells[at] ?? ""),
      String(row.line),
      outcome.details.join("; "),
    ]),
  ], csv.delimiter);
}
