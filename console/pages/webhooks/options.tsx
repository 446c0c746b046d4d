import { useResource } from "../../app/resource.ts";
import type { Member } from "../../app/types.ts";
import { Fact } from "../../components/fact.tsx";
import { Field, Select } from "../../components/field.tsx";
import { t } from "../../strings/strings.ts";
import type { Funnel } from "../funnel/records.ts";
import type { Webhook } from "./records.ts";

/** What a person chooses besides address and events. Ids are joined by commas; an empty text is no choice. */
export interface Options {
  pipeline: string;
  stage: string;
  owner: string;
  fields: string;
  idsOnly: boolean;
  header: string;
  /** The new value of the header. */
  value: string;
}

/** The present options of a webhook; those of a new one without it. */
export function optionsOf(webhook?: Webhook): Options {
  const { pipeline_id = [], stage_id = [], owner_id = [], changed_fields = [] } = webhook?.filters ?? {};
  return {
    pipeline: pipeline_id.join(),
    stage: stage_id.join(),
    owner: owner_id.join(),
    fields: changed_fields.join(", "),
    idsOnly: webhook?.payload === "ids",
    header: webhook?.header?.name ?? "",
    value: "",
  };
}

/** The options in a body. The header is left out if it stays as it is. */
export function bodyOf({ pipeline, stage, owner, fields, idsOnly, header, value }: Options, before = "") {
  return {
    filters: {
      pipeline_id: listOf(pipeline),
      stage_id: listOf(stage),
      owner_id: listOf(owner),
      changed_fields: listOf(fields),
    },
    payload: idsOnly ? "ids" : "full",
    ...((value || header !== before) && { header: header ? { name: header, value } : null }),
  };
}

/** The words of a text, or undefined, so that an empty filter is not in the body. */
const listOf = (text: string) => text.match(/[^\s,]+/g) ?? undefined;

/** Fields for the options. */
export function OptionFields({ options, before, errors, onChange }: {
  options: Options;
  /** The name of the header that is stored. */
  before?: string;
  /** Messages of the refused call, by field. */
  errors: Record<string, string>;
  onChange: (options: Options) => void;
}) {
  const { pipeline, stage, owner } = options;
  const choices = useChoices(true, pipeline);
  const set = (changed: Partial<Options>) => onChange({ ...options, ...changed });
  const errorOf = (field: string) =>
    Object.entries(errors).find(([name]) => name === field || name.startsWith(`${field}.`))?.[1];
  const select = (
    label: string,
    field: string,
    ids: string,
    among: Choice[],
    choose: (ids: string) => void,
  ) => (
    <Select
      label={label}
      error={errorOf(`filters.${field}`)}
      value={ids}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
      options={[
        { value: "", text: t("deliveries.all") },
        ...among.map(({ id, name }) => ({ value: id, text: name })),
        // Several, or one that is not offered: only the API can choose these.
        ...(ids !== "" && !among.some(({ id }) => id === ids)
          ? [{ value: ids, text: namesOf(ids.split(","), among) }]
          : []),
      ]}
    />
  );
  const text = (label: string, field: string, name: "fields" | "header" | "value", hint?: string) => (
    <Field
      label={label}
      hint={hint}
      error={errorOf(field)}
      autocomplete="off"
      spellcheck={false}
      value={options[name]}
      onInput={({ currentTarget }) => set({ [name]: currentTarget.value })}
    />
  );
  return (
    <>
      {select(t("funnel.pipeline"), "pipeline_id", pipeline, choices.pipelines, (pipeline) =>
        set({ pipeline, stage: "" }))}
      {(pipeline || stage) &&
        select(t("options.stage"), "stage_id", stage, choices.stages, (stage) =>
          set({ stage }))}
      {select(t("options.owner"), "owner_id", owner, choices.members, (owner) =>
        set({ owner }))}
      {text(t("options.fields"), "filters.changed_fields", "fields")}
      <label class="check">
        <input
          type="checkbox"
          checked={options.idsOnly}
          onChange={({ currentTarget }) =>
            set({ idsOnly: currentTarget.checked })}
        />
        <span>{t("options.ids")}</span>
      </label>
      {text(t("options.header"), "header.name", "header")}
      {options.header &&
        text(t("options.value"), "header.value", "value", before && t("options.value_hint"))}
    </>
  );
}

/** The options of a webhook that differ from those of a new one. */
export function OptionFacts({ webhook: { filters, payload, header } }: { webhook: Webhook }) {
  const { pipeline_id, stage_id, owner_id, changed_fields } = filters ?? {};
  const { pipelines, stages, members } = useChoices(filters !== null, pipeline_id?.join() ?? "");
  return (
    <>
      {pipeline_id && <Fact name={t("funnel.pipeline")}>{namesOf(pipeline_id, pipelines)}</Fact>}
      {stage_id && <Fact name={t("options.stage")}>{namesOf(stage_id, stages)}</Fact>}
      {owner_id && <Fact name={t("options.owner")}>{namesOf(owner_id, members)}</Fact>}
      {changed_fields && <Fact name={t("options.fields")}>{changed_fields.join(", ")}</Fact>}
      {payload === "ids" && <Fact name={t("options.ids")}>{t("changed.true")}</Fact>}
      {header && <Fact name={t("options.header")}>{header.name}</Fact>}
    </>
  );
}

/** A record that a filter can name. */
interface Choice {
  id: string;
  name: string;
}

/** What filters can name. The stages are those of the pipeline, or of the default one. */
function useChoices(wanted: boolean, pipeline: string) {
  const one = pipeline !== "" && !pipeline.includes(",");
  const funnel = useResource<Funnel>(
    wanted ? `app-v1-funnel${one ? `?pipeline_id=${pipeline}` : ""}` : null,
  ).data.value;
  const members = useResource<{ data: Member[] }>(wanted ? "app-v1-members" : null).data.value?.data;
  return { pipelines: funnel?.pipelines ?? [], stages: funnel?.stages ?? [], members: members ?? [] };
}

/** The names of records; the id of one that is not among them. */
const namesOf = (ids: string[], among: Choice[]) =>
  ids.map((id) => among.find((choice) => choice.id === id)?.name ?? id).join(", ");
