import { useSignal } from "@preact/signals";
import { numberText } from "../../format/shown.ts";
import { type Csv, decode, parseCsv, UnreadableLine } from "./csv.ts";
import { t } from "./strings.ts";

/** Large enough for 20,000 contacts; small enough to check in a minute. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_LINES = 20_000;

export interface OpenedFile {
  name: string;
  csv: Csv;
}

/** The field for the file, which can also be dropped on it. Says what is wrong with a file that cannot be imported. */
export function ChooseFile({ onOpened }: { onOpened: (file: OpenedFile) => void }) {
  const error = useSignal<string | null>(null);
  const isOver = useSignal(false);
  const open = async (file: File | undefined) => {
    if (!file) return;
    const opened = await read(file);
    if (typeof opened === "string") error.value = opened;
    else onOpened(opened);
  };
  return (
    <div
      class={`drop ${isOver.value ? "over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => isOver.value = false}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        void open(event.dataTransfer?.files[0]);
      }}
    >
      {/* The browser's own button would be in the browser's language. */}
      <label class="button primary">
        {t("file.label")}
        <input
          type="file"
          class="unseen"
          accept=".csv,.txt,text/csv"
          aria-describedby="file-hint file-error"
          aria-invalid={error.value !== null}
          onChange={({ currentTarget }) => {
            void open(currentTarget.files?.[0]);
            // Cleared, so that the same file can be chosen again after it was corrected.
            currentTarget.value = "";
          }}
        />
      </label>
      <p id="file-error" class="field-error" role="alert">{error.value}</p>
      <ul id="file-hint" class="hint">
        <li>{t("file.hint")}</li>
        <li>{t("file.excel")}</li>
        <li>{t("file.private")}</li>
      </ul>
    </div>
  );
}

/** Reads the file; returns a text that says why if it cannot be imported. */
async function read(file: File): Promise<OpenedFile | string> {
  if (file.size > MAX_BYTES) return t("file.bytes");
  const bytes = new Uint8Array(await file.arrayBuffer());
  // The beginnings of .xlsx (a ZIP) and .xls.
  if ((bytes[0] === 0x50 && bytes[1] === 0x4b) || (bytes[0] === 0xd0 && bytes[1] === 0xcf)) {
    return t("file.excel_itself");
  }
  try {
    const csv = parseCsv(decode(bytes));
    if (csv.lines.length === 0) return t("file.empty");
    return csv.lines.length > MAX_LINES
      ? t("file.lines", { n: numberText(csv.lines.length) })
      : { name: file.name, csv };
  } catch (thrown) {
    if (thrown instanceof UnreadableLine) return t(`file.${thrown.why}`, { line: thrown.line });
    throw thrown;
  }
}
