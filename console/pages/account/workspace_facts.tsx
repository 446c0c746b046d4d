import { useSignal } from "@preact/signals";
import { call, draftOf, mayAdminister, openWorkspace, WORKSPACE_PATH } from "../../app/mod.ts";
import type { Workspace } from "../../app/types.ts";
import { ActionDialog, Button, Fact, Field, say, Select } from "../../components/mod.ts";
import { dayText, numberText } from "../../format/shown.ts";
import { counted, t } from "../../strings/strings.ts";

const USAGE = [
  "calls_today",
  "calls_7_days",
  "active_keys",
  "active_webhooks",
  "active_members",
  "waiting_deliveries",
] as const;

export function WorkspaceFacts({ workspace: read }: { workspace: Workspace }) {
  const editing = useSignal(false);
  const api = read.suspended ? "suspended" : read.public_api ? "on" : "off";
  return (
    <div class="columns">
      <section class="stack">
        <div class="section-head">
          <h2>{t("account.workspace")}</h2>
          {mayAdminister.value && <Button text={t("app.edit")} onClick={() => editing.value = true} />}
        </div>
        <dl class="facts">
          <Fact name={t("account.name")}>{read.name}</Fact>
          <Fact name={t("account.since")}>{dayText(read.created_at)}</Fact>
          <Fact name={t("account.api")}>
            <span class={api === "on" ? "tag good" : "tag waits"}>{t(`account.api_${api}`)}</span>
          </Fact>
          <Fact name={t("account.limit")}>
            {t("account.limit_value", { n: numberText(read.rate_limit_per_minute) })}
          </Fact>
          <Fact name={t("account.stale")}>{counted("account.stale_value", read.stale_after_days)}</Fact>
          <Fact name={t("account.time_zone")}>{zoneText(read.time_zone)}</Fact>
          <Fact name={t("account.undefined")}>
            {t(read.refuses_undefined_fields ? "account.undefined_refused" : "account.undefined_kept")}
          </Fact>
        </dl>
        {editing.value && <EditWorkspace workspace={read} onClose={() => editing.value = false} />}
      </section>
      <section class="stack">
        <div class="section-head">
          <h2>{t("account.usage")}</h2>
        </div>
        <dl class="facts">
          {USAGE.map((name) => (
            <Fact key={name} name={t(`account.${name}`)}>
              {numberText(read.usage[name])}
            </Fact>
          ))}
        </dl>
      </section>
    </div>
  );
}

function EditWorkspace({ workspace: read, onClose }: { workspace: Workspace; onClose: () => void }) {
  const name = `workspace-${read.id}`;
  // Keep and send only what this person changes, so that what another person saves meanwhile is not overwritten.
  const draft = draftOf<
    Partial<Pick<Workspace, "name" | "stale_after_days" | "time_zone" | "refuses_undefined_fields">>
  >(name, {});
  const change = (changed: typeof draft.value) => draft.value = { ...draft.value, ...changed };
  const shown = { ...read, ...draft.value };
  return (
    <ActionDialog
      title={t("account.workspace")}
      yes={t("app.save")}
      draft={name}
      onClose={onClose}
      onSubmit={async () => {
        if (Object.keys(draft.value).length === 0) return;
        openWorkspace(await call<Workspace>("PATCH", WORKSPACE_PATH, { body: draft.value }));
        say(t("account.saved"));
      }}
    >
      <Field
        label={t("account.name")}
        required
        maxLength={255}
        value={shown.name}
        onInput={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <Field
        label={t("account.stale_field")}
        hint={t("account.stale_hint")}
        type="number"
        inputMode="numeric"
        min={1}
        max={3650}
        required
        value={shown.stale_after_days}
        onInput={({ currentTarget }) => change({ stale_after_days: currentTarget.valueAsNumber })}
      />
      <Select
        label={t("account.time_zone")}
        hint={t("account.time_zone_hint")}
        options={timeZones(read.time_zone)}
        value={shown.time_zone}
        onInput={({ currentTarget }) => change({ time_zone: currentTarget.value })}
      />
      <Select
        label={t("account.undefined")}
        options={[
          { value: "false", text: t("account.undefined_kept") },
          { value: "true", text: t("account.undefined_refused") },
        ]}
        value={String(shown.refuses_undefined_fields)}
        onInput={({ currentTarget }) => change({ refuses_undefined_fields: currentTarget.value === "true" })}
      />
    </ActionDialog>
  );
}

/** A time zone as people read it: `America/Sao Paulo`. */
function zoneText(zone: string): string {
  return zone.replaceAll("_", " ");
}

/** The time zones that the browser knows, and the present zone, which the browser may not know. */
function timeZones(present: string): { value: string; text: string }[] {
  const zones = new Set([present, ...Intl.supportedValuesOf("timeZone")]);
  return [...zones].sort().map((value) => ({ value, text: zoneText(value) }));
}
