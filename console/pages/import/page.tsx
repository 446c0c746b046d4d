import { useSignal } from "@preact/signals";
import { href, mayChange, useResource, workspace } from "../../app/mod.ts";
import type { CustomField } from "../../app/types.ts";
import { Loaded, Page } from "../../components/mod.ts";
import { ChooseFile, type OpenedFile } from "./choose_file.tsx";
import { contactFields, guessTargets, type Target } from "./columns.ts";
import { Columns } from "./columns_form.tsx";
import { Review } from "./review.tsx";
import { makeRows, type Row } from "./rows.ts";
import { Step } from "./step.tsx";
import { t } from "./strings.ts";
import { t as back } from "../../strings/strings.ts";

/** Imports contacts from a CSV: choose the file, check the columns, check the lines, import. */
export default function Import() {
  const fields = useResource<{ data: CustomField[] }>("app-v1-workspace/custom-fields");
  return (
    <Page title={t("title")} back={<a href={href("funil/")}>{back("deal.back")}</a>}>
      {workspace.value && !mayChange.value
        ? <p class="note">{t("role")}</p>
        : <Loaded resource={fields}>{({ data }) => <Steps custom={contactFields(data)} />}</Loaded>}
    </Page>
  );
}

function Steps({ custom }: { custom: CustomField[] }) {
  const file = useSignal<OpenedFile | null>(null);
  const targets = useSignal<Target[]>([]);
  const rows = useSignal<Row[] | null>(null);
  const restart = () => {
    file.value = null;
    rows.value = null;
  };
  if (file.value === null) {
    return (
      <Step title={t("file")}>
        <p>{t("text")}</p>
        <ChooseFile
          onOpened={(opened) => {
            targets.value = guessTargets(opened.csv.header, custom);
            file.value = opened;
          }}
        />
      </Step>
    );
  }
  const { csv } = file.value;
  if (rows.value === null) {
    return (
      <Step title={t("columns")}>
        <Columns
          file={file.value}
          custom={custom}
          targets={targets.value}
          onChange={(changed) => targets.value = changed}
          onCheck={() => rows.value = makeRows(csv.lines, targets.value, custom)}
          onBack={restart}
        />
      </Step>
    );
  }
  return (
    <Review
      file={file.value}
      rows={rows.value}
      custom={custom}
      targets={targets.value}
      onBack={() => rows.value = null}
      onRestart={restart}
    />
  );
}
