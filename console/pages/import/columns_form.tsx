import { useSignal } from "@preact/signals";
import type { CustomField } from "../../app/types.ts";
import { Button, Table } from "../../components/mod.ts";
import { numberText } from "../../format/shown.ts";
import type { OpenedFile } from "./choose_file.tsx";
import { FIELDS, type Target, withTarget } from "./columns.ts";
import { t } from "./strings.ts";

/** Lets the person choose the field for each column. */
export function Columns({ file, custom, targets, onChange, onCheck, onBack }: {
  file: OpenedFile;
  custom: CustomField[];
  targets: Target[];
  onChange: (targets: Target[]) => void;
  onCheck: () => void;
  onBack: () => void;
}) {
  const error = useSignal<string | null>(null);
  const { csv } = file;
  const rows = targets.map((target, at) => ({
    at,
    target,
    heading: csv.header[at] || t("columns.unnamed", { n: at + 1 }),
  }));
  const check = (event: Event) => {
    event.preventDefault();
    const has = (...wanted: Target[]) => wanted.some((target) => targets.includes(target));
    error.value = !has("external_id", "email", "phone")
      ? t("columns.no_key")
      : has("company_tax_id") && !has("company")
      ? t("columns.no_company")
      : null;
    if (error.value === null) onCheck();
  };
  return (
    <form class="stack" onSubmit={check}>
      <p class="broken">
        {t("columns.text", { file: file.name, n: numberText(csv.lines.length) })}
      </p>
      <Table
        label={t("columns")}
        rows={rows}
        keyOf={({ at }) => String(at)}
        columns={[
          {
            title: t("columns.column"),
            cell: ({ heading }) => <strong class="clamped" title={heading}>{heading}</strong>,
          },
          {
            title: t("columns.sample"),
            cell: ({ at }) => <span class="broken">{sampleOf(csv.lines, at)}</span>,
          },
          {
            title: t("columns.target"),
            cell: ({ at, target, heading }) => (
              <select
                class="input"
                aria-label={t("columns.target_of", { column: heading })}
                value={target}
                onChange={({ currentTarget }) =>
                  onChange(withTarget(targets, at, currentTarget.value as Target))}
              >
                <option value="">{t("target.none")}</option>
                {FIELDS.map((field) => <option key={field} value={field}>{t(`target.${field}`)}</option>)}
                {custom.map(({ key, label }) => <option key={key} value={`custom:${key}`}>{label}</option>)}
              </select>
            ),
          },
        ]}
      />
      {error.value && <p class="field-error" role="alert">{error.value}</p>}
      <div class="actions">
        <button type="submit" class="button primary">{t("columns.check")}</button>
        <Button text={t("columns.other_file")} onClick={onBack} />
      </div>
    </form>
  );
}

function sampleOf(lines: { cells: string[] }[], at: number): string {
  const found = lines.find(({ cells }) => cells[at]?.trim())?.cells[at]?.trim() ?? "";
  return found.length > 60 ? `${found.slice(0, 60)}…` : found;
}
