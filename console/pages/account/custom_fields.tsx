import { useSignal } from "@preact/signals";
import { call } from "../../app/api.ts";
import { clearDraft, draftOf } from "../../app/drafts.ts";
import { useResource } from "../../app/resource.ts";
import type { CustomField } from "../../app/types.ts";
import { useAction } from "../../app/use_action.ts";
import { mayAdminister, workspace } from "../../app/workspace.ts";
import { ActionDialog } from "../../components/action_dialog.tsx";
import { FailureNote } from "../../components/failure_note.tsx";
import { Field, Select, TextArea } from "../../components/field.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { t } from "../../strings/strings.ts";

const PATH = "app-v1-workspace/custom-fields";
const OBJECTS = ["contact", "company", "deal"] as const;
const TYPES = ["text", "number", "money", "date", "boolean", "choice", "choices", "link"] as const;

/** The custom fields that the workspace has defined. Admins define, change and archive them. */
export function CustomFields() {
  const fields = useResource<{ data: CustomField[] }>(PATH);
  const edited = useSignal<CustomField | "new" | null>(null);
  const { failure, run } = useAction();
  const replace = (changed: CustomField) => {
    const others = fields.data.value?.data.filter(({ id }) => id !== changed.id) ?? [];
    fields.set({ data: [...others, changed] });
  };
  const setArchived = ({ id, archived_at }: CustomField) =>
    run(async () =>
      replace(await call<CustomField>("POST", `${PATH}/${id}/${archived_at ? "restore" : "archive"}`))
    );
  if (workspace.value === undefined) return null;
  return (
    <section class="section">
      <header class="section-head">
        <h2>{t("fields.title")}</h2>
        {mayAdminister.value && (
          <button type="button" class="button" onClick={() => edited.value = "new"}>
            {t("fields.define")}
          </button>
        )}
      </header>
      <p class="hint">{t("fields.text")}</p>
      {failure.value && <FailureNote failure={failure.value} />}
      <Loaded resource={fields}>
        {({ data }) =>
          data.length === 0 ? <p>{t("fields.none")}</p> : (
            <Table
              label={t("fields.title")}
              rows={sorted(data)}
              keyOf={({ id }) => id}
              muted={({ archived_at }) => archived_at !== null}
              columns={columns(mayAdminister.value, (field) => edited.value = field, setArchived)}
            />
          )}
      </Loaded>
      {edited.value === "new" && <DefineField onDone={replace} onClose={() => edited.value = null} />}
      {edited.value !== null && edited.value !== "new" && (
        <EditField
          field={edited.value}
          onDone={replace}
          onClose={() => edited.value = null}
        />
      )}
    </section>
  );
}

/** Sorts fields by kind of record, then fields in use before archived ones, then the oldest first. */
function sorted(fields: CustomField[]): CustomField[] {
  const place = ({ object_type, archived_at, id }: CustomField) =>
    `${OBJECTS.indexOf(object_type)} ${archived_at ?? ""} ${id}`;
  return fields.toSorted((one, other) => place(one) < place(other) ? -1 : 1);
}

function columns(
  mayEdit: boolean,
  edit: (field: CustomField) => void,
  setArchived: (field: CustomField) => void,
): Column<CustomField>[] {
  const shown: Column<CustomField>[] = [
    {
      title: t("fields.label"),
      cell: ({ label, key }) => (
        <div class="broken">
          <strong class="clamped" title={label}>{label}</strong>
          <div class="small clamped" title={key}>{key}</div>
        </div>
      ),
    },
    { title: t("fields.object"), cell: ({ object_type }) => t(`fields.of_${object_type}`) },
    {
      title: t("fields.type"),
      cell: ({ type, choices, archived_at }) => (
        <div>
          {t(`fields.type_${type}`)} {archived_at && <span class="tag">{t("fields.archived")}</span>}
          {choices && <div class="small clamped" title={choices.join(", ")}>{choices.join(", ")}</div>}
        </div>
      ),
    },
  ];
  if (!mayEdit) return shown;
  return [...shown, {
    title: t("fields.actions"),
    quiet: true,
    number: true,
    cell: (field) => {
      const verb = t(field.archived_at ? "fields.restore" : "fields.archive");
      return (
        <span class="row-actions">
          <button
            type="button"
            class="link"
            aria-label={`${t("fields.edit")}: ${field.label}`}
            onClick={() => edit(field)}
          >
            {t("fields.edit")}
          </button>
          <button
            type="button"
            class="link"
            aria-label={`${verb}: ${field.label}`}
            onClick={() => setArchived(field)}
          >
            {verb}
          </button>
        </span>
      );
    },
  }];
}

interface DialogProps {
  onDone: (field: CustomField) => void;
  onClose: () => void;
}

const NEW = "custom-field";

function DefineField({ onDone, onClose }: DialogProps) {
  const draft = draftOf(NEW, { object_type: "contact", key: "", label: "", type: "text", choices: "" });
  const change = (changed: Partial<typeof draft.value>) => draft.value = { ...draft.value, ...changed };
  const { object_type, key, label, type, choices } = draft.value;
  const hasChoices = type === "choice" || type === "choices";
  return (
    <ActionDialog
      title={t("fields.define")}
      yes={t("fields.define")}
      onClose={onClose}
      onSubmit={async () => {
        const body = {
          object_type,
          key: key.trim(),
          ...(label.trim() && { label: label.trim() }),
          type,
          ...(hasChoices && { choices: linesOf(choices) }),
        };
        onDone(await call<CustomField>("POST", PATH, { body }));
        clearDraft(NEW);
      }}
    >
      <Select
        label={t("fields.object")}
        options={OBJECTS.map((value) => ({ value, text: t(`fields.of_${value}`) }))}
        value={object_type}
        onInput={({ currentTarget }) => change({ object_type: currentTarget.value })}
      />
      <Field
        label={t("fields.key")}
        hint={t("fields.key_hint")}
        required
        maxLength={60}
        value={key}
        onInput={({ currentTarget }) => change({ key: currentTarget.value })}
      />
      <LabelField label={label} onChange={(label) => change({ label })} />
      <Select
        label={t("fields.type")}
        options={TYPES.map((value) => ({ value, text: t(`fields.type_${value}`) }))}
        value={type}
        onInput={({ currentTarget }) => change({ type: currentTarget.value })}
      />
      {hasChoices && <ChoicesField choices={choices} onChange={(choices) => change({ choices })} />}
    </ActionDialog>
  );
}

function EditField({ field, onDone, onClose }: DialogProps & { field: CustomField }) {
  const name = `custom-field-${field.id}`;
  const draft = draftOf(name, { label: field.label, choices: (field.choices ?? []).join("\n") });
  const close = () => {
    clearDraft(name);
    onClose();
  };
  return (
    <ActionDialog
      title={field.key}
      yes={t("app.save")}
      onClose={close}
      onSubmit={async () => {
        const body = {
          label: draft.value.label.trim(),
          ...(field.choices && { choices: linesOf(draft.value.choices) }),
        };
        onDone(await call<CustomField>("PATCH", `${PATH}/${field.id}`, { body }));
      }}
    >
      <LabelField
        label={draft.value.label}
        required
        onChange={(label) => draft.value = { ...draft.value, label }}
      />
      {field.choices && (
        <ChoicesField
          choices={draft.value.choices}
          onChange={(choices) => draft.value = { ...draft.value, choices }}
        />
      )}
    </ActionDialog>
  );
}

function LabelField({ label, required = false, onChange }: {
  label: string;
  required?: boolean;
  onChange: (label: string) => void;
}) {
  return (
    <Field
      label={t("fields.label")}
      required={required}
      maxLength={120}
      value={label}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

function ChoicesField({ choices, onChange }: { choices: string; onChange: (choices: string) => void }) {
  return (
    <TextArea
      label={t("fields.choices")}
      rows={5}
      required
      value={choices}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** The lines that are not empty, each once. */
function linesOf(text: string): string[] {
  return [...new Set(text.split("\n").map((line) => line.trim()).filter((line) => line !== ""))];
}
