import { useSignal } from "@preact/signals";
import {
  call,
  clearDraft,
  draftOf,
  mayAdminister,
  useAction,
  useResource,
  workspace,
} from "../../app/mod.ts";
import type { CustomField } from "../../app/types.ts";
import {
  ActionDialog,
  Button,
  FailureNote,
  Field,
  Loaded,
  say,
  Select,
  Table,
  TextArea,
} from "../../components/mod.ts";
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
    say(t("account.saved"));
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
        {mayAdminister.value && <Button text={t("fields.define")} onClick={() => edited.value = "new"} />}
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
              columns={[
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
                      {t(`fields.type_${type}`)}{" "}
                      {archived_at && <span class="tag">{t("fields.archived")}</span>}
                      {choices && (
                        <div class="small clamped" title={choices.join(", ")}>{choices.join(", ")}</div>
                      )}
                    </div>
                  ),
                },
              ]}
              actions={mayAdminister.value && ((field) => (
                <span class="row-actions">
                  <Button
                    class="link"
                    text={t("app.edit")}
                    of={field.label}
                    onClick={() => edited.value = field}
                  />
                  <Button
                    class="link"
                    text={t(field.archived_at ? "fields.restore" : "fields.archive")}
                    of={field.label}
                    onClick={() => setArchived(field)}
                  />
                </span>
              ))}
            />
          )}
      </Loaded>
      {edited.value !== null && (
        <EditField
          field={edited.value === "new" ? null : edited.value}
          onDone={replace}
          onClose={() => edited.value = null}
        />
      )}
    </section>
  );
}

/** Sorts fields by kind of record, then fields in use before archived fields, then by age, oldest first. */
function sorted(fields: CustomField[]): CustomField[] {
  const place = ({ object_type, archived_at, id }: CustomField) =>
    `${OBJECTS.indexOf(object_type)} ${archived_at ?? ""} ${id}`;
  return fields.toSorted((one, other) => place(one) < place(other) ? -1 : 1);
}

/** Defines a field, or changes the label and the choices of an existing field. */
function EditField({ field, onDone, onClose }: {
  field: CustomField | null;
  onDone: (field: CustomField) => void;
  onClose: () => void;
}) {
  const name = field ? `custom-field-${field.id}` : "custom-field";
  const draft = draftOf<Record<"object_type" | "key" | "label" | "type" | "choices", string>>(name, {
    object_type: field?.object_type ?? "contact",
    key: field?.key ?? "",
    label: field?.label ?? "",
    type: field?.type ?? "text",
    choices: (field?.choices ?? []).join("\n"),
  });
  const change = (changed: Partial<typeof draft.value>) => draft.value = { ...draft.value, ...changed };
  const { object_type, key, label, type, choices } = draft.value;
  const kind = field?.type ?? type;
  const hasChoices = kind === "choice" || kind === "choices";
  const save = async () => {
    const changed = {
      ...((field || label.trim()) && { label: label.trim() }),
      ...(hasChoices && { choices: linesOf(choices) }),
    };
    onDone(
      field
        ? await call<CustomField>("PATCH", `${PATH}/${field.id}`, { body: changed })
        : await call<CustomField>("POST", PATH, { body: { object_type, key: key.trim(), type, ...changed } }),
    );
    clearDraft(name);
  };
  return (
    <ActionDialog
      title={field?.key ?? t("fields.define")}
      yes={t(field ? "app.save" : "fields.define")}
      // What was typed for a new field stays until the field is defined.
      draft={field ? name : undefined}
      onClose={onClose}
      onSubmit={save}
    >
      {!field && (
        <>
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
        </>
      )}
      <Field
        label={t("fields.label")}
        required={field !== null}
        maxLength={120}
        value={label}
        onInput={({ currentTarget }) => change({ label: currentTarget.value })}
      />
      {!field && (
        <Select
          label={t("fields.type")}
          options={TYPES.map((value) => ({ value, text: t(`fields.type_${value}`) }))}
          value={type}
          onInput={({ currentTarget }) => change({ type: currentTarget.value })}
        />
      )}
      {hasChoices && (
        <TextArea
          label={t("fields.choices")}
          rows={5}
          required
          value={choices}
          onInput={({ currentTarget }) => change({ choices: currentTarget.value })}
        />
      )}
    </ActionDialog>
  );
}

/** The lines that are not empty, each once. */
function linesOf(text: string): string[] {
  return [...new Set(text.split("\n").map((line) => line.trim()).filter((line) => line !== ""))];
}
