import { useSignal } from "@preact/signals";
import { Button, Select, Table } from "../../components/mod.ts";
import { t as shared } from "../../strings/strings.ts";
import { type Outcome, type State, STATES } from "./outcomes.ts";
import type { Row } from "./rows.ts";
import { t } from "./strings.ts";

/** The number of rows that are shown at first, and that each press of the button adds. */
const ROWS = 100;

/** The outcome of each line, or only of the lines with the chosen result. */
export function Outcomes({ rows, outcomes, done }: {
  rows: Row[];
  outcomes: ReadonlyMap<Row, Outcome>;
  done: ReadonlyMap<Row, Outcome>;
}) {
  const chosen = useSignal<State | "">("");
  const most = useSignal(ROWS);
  const of = (state: State) => rows.filter((row) => outcomes.get(row)?.state === state);
  const fitting = chosen.value === "" ? rows : of(chosen.value);
  const options = [
    { value: "", text: t("rows.all", { n: rows.length }) },
    ...STATES.map((state) => ({
      value: state,
      text: `${t(`state.${state}`)} (${of(state).length})`,
    })),
  ];
  return (
    <>
      <div class="filter">
        <Select
          label={t("rows.show")}
          value={chosen.value}
          options={options}
          onChange={({ currentTarget }) => {
            chosen.value = currentTarget.value as State | "";
            most.value = ROWS;
          }}
        />
      </div>
      <Table
        label={t("rows")}
        rows={fitting.slice(0, most.value)}
        keyOf={({ line }) => String(line)}
        columns={[
          {
            title: t("rows.contact"),
            cell: ({ name }) => <span class="clamped" title={name}>{name}</span>,
          },
          { title: t("rows.line"), number: true, cell: ({ line }) => <span>{line}</span> },
          {
            title: t("rows.result"),
            cell: (row) => <StateTag outcome={outcomes.get(row)} isDone={done.has(row)} />,
          },
          {
            title: t("rows.detail"),
            cell: (row) => {
              const details = outcomes.get(row)?.details ?? [];
              return details.length > 0 && (
                <ul class="small broken">{details.map((detail) => <li key={detail}>{detail}</li>)}</ul>
              );
            },
          },
        ]}
      />
      {fitting.length > most.value && (
        <div class="actions more">
          <Button text={shared("app.more")} onClick={() => most.value += ROWS} />
        </div>
      )}
    </>
  );
}

function StateTag({ outcome, isDone }: { outcome: Outcome | undefined; isDone: boolean }) {
  if (outcome === undefined) return null;
  const { state } = outcome;
  const tone = state === "failed" ? "failed" : isDone ? "good" : "";
  return <span class={`tag ${tone}`}>{t(`${isDone ? "done" : "state"}.${state}`)}</span>;
}
