import { useSignal } from "@preact/signals";
import { draftOf, useResource } from "../../app/mod.ts";
import type { Member } from "../../app/types.ts";
import { Fact, Field, Select } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import type { Funnel } from "../funnel/records.ts";
import type { Webhook } from "./records.ts";

const FILTERS = ["pipeline_id", "stage_id", "owner_id", "changed_fields"] as const;
type Filter = typeof FILTERS[number];

/** The options of a webhook in the form. A filter has ids or names, joined by commas; "" means no filter. */
export interface Options extends Record<Filter, string> {
  idsOnly: boolean;
  header: string;
  /** The new value of the header; "" if it does not change. */
  value: string;
}

/** The present options of a webhook; without an argument, the options of a new webhook. */
export function optionsOf(webhook?: Webhook): Options {
  const filters = FILTERS.map((filter) => [filter, webhook?.filters?.[filter]?.join() ?? ""]);
  return {
    ...Object.fromEntries(filters) as Record<Filter, string>,
    idsOnly: webhook?.payload === "ids",
    header: webhook?.header?.name ?? "",
    value: "",
  };
}

/**
 * The values of a form with options, and a function that changes some. What the person changed is kept as a draft,
 * except the value of the header, because it is a secret.
 */
export function useOptionsDraft<Form extends Options>(
  name: string,
  initial: Form,
): [Form, (changed: Partial<Form>) => void] {
  const draft = draftOf<Partial<Form>>(name, {});
  const secret = useSignal("");
  const change = ({ value = secret.peek(), ...changed }: Partial<Form>) => {
    secret.value = value;
    draft.value = { ...draft.peek(), ...changed };
  };
  return [{ ...initial, ...draft.value, value: secret.value }, change];
}

/** The options as fields of a request body. The header is left out if it did not change. */
export function bodyOf({ idsOnly, header, value, ...filters }: Options, before = "") {
  return {
    // An empty filter becomes undefined, so that JSON leaves it out.
    filters: Object.fromEntries(
      FILTERS.map((filter) => [filter, filters[filter].match(/[^\s,]+/g) ?? undefined]),
    ),
    payload: idsOnly ? "ids" : "full",
    ...((value || header !== before) && { header: header ? { name: header, value } : null }),
  };
}

export function OptionFields({ options, errors, onChange }: {
  options: Options;
  /** Messages of the refused call, by field. */
  errors: Record<string, string>;
  onChange: (changed: Partial<Options>) => void;
}) {
  const choices = useChoices(true, options.pipeline_id);
  const errorOf = (field: string) => errors[Object.keys(errors).find((name) => name.startsWith(field))!];
  const text = (label: string, field: string, name: Filter | "header" | "value", hint?: string) => (
    <Field
      label={label}
      hint={hint}
      name={field}
      error={errorOf(field)}
      autocomplete="off"
      spellcheck={false}
      value={options[name]}
      onInput={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
    />
  );
  return (
    <>
      {FILTERS.map((filter) => {
        const label = t(`options.${filter}`);
        const field = `filters.${filter}`;
        if (filter === "changed_fields") return text(label, field, filter);
        const among = choices[filter];
        const ids = options[filter];
        // The present value may not be in the list: several ids, which only the API can set, or an unknown id.
        const others = ids && !among.some(({ id }) => id === ids)
          ? [{ id: ids, name: namesOf(ids, among) }]
          : [];
        return (
          <Select
            label={label}
            name={field}
            // When the choice of another pipeline clears the stage, the message about the stage disappears too.
            error={ids ? errorOf(field) : undefined}
            value={ids}
            onChange={({ currentTarget: { value } }) =>
              onChange(filter === "pipeline_id" ? { pipeline_id: value, stage_id: "" } : { [filter]: value })}
            options={[{ id: "", name: t("deliveries.all") }, ...among, ...others].map(({ id, name }) => ({
              value: id,
              text: name,
            }))}
          />
        );
      })}
      <label class="check">
        <input
          type="checkbox"
          checked={options.idsOnly}
          onChange={({ currentTarget }) => onChange({ idsOnly: currentTarget.checked })}
        />
        <span>{t("options.ids")}</span>
      </label>
      {text(t("options.header"), "header.name", "header")}
      {options.header && text(t("options.value"), "header.value", "value", t("options.value_hint"))}
    </>
  );
}

/** The options of a webhook that differ from the defaults. */
export function OptionFacts({ webhook: { filters, payload, header } }: { webhook: Webhook }) {
  const choices = useChoices(filters !== null, filters?.pipeline_id?.join());
  return (
    <>
      {FILTERS.map((filter) =>
        filters?.[filter] && (
          <Fact name={t(`options.${filter}`)}>{namesOf(filters[filter].join(), choices[filter])}</Fact>
        )
      )}
      {payload === "ids" && <Fact name={t("options.ids")}>{t("changed.true")}</Fact>}
      {header && <Fact name={t("options.header")}>{header.name}</Fact>}
    </>
  );
}

/** The records that filters can name. The stages belong to the filter's first pipeline, or to the default one. */
function useChoices(wanted: boolean, pipelines = ""): Record<Filter, { id: string; name: string }[]> {
  const [pipeline] = pipelines.split(",");
  const path = `app-v1-funnel${pipeline && `?pipeline_id=${pipeline}`}`;
  const funnel = useResource<Funnel>(wanted ? path : null).data.value;
  const members = useResource<{ data: Member[] }>(wanted ? "app-v1-members" : null).data.value;
  return {
    pipeline_id: funnel?.pipelines ?? [],
    stage_id: funnel?.stages ?? [],
    owner_id: members?.data ?? [],
    changed_fields: [],
  };
}

/** The names for ids that are joined by commas; an id without a known name stays as it is. */
const namesOf = (ids: string, among: { id: string; name: string }[]) =>
  ids.split(",").map((id) => among.find((choice) => choice.id === id)?.name ?? id).join(", ");
