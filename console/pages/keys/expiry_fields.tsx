import { call, draftOf } from "../../app/mod.ts";
import type { ApiKey } from "../../app/types.ts";
import { ActionDialog, Field, Moment, say, Select } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { type Expiry, expiryMoment, tomorrow } from "./expiry.ts";

const EXPIRIES: Expiry[] = ["", "30", "90", "365", "date"];

/** A choice of when a key expires, and the last day of a chosen date. */
interface Chosen {
  expiry: Expiry;
  day: string;
}

export function ExpiryFields({ label, value: { expiry, day }, refused, onChange }: {
  label: string;
  value: Chosen;
  refused: Record<string, string>;
  onChange: (changed: Partial<Chosen>) => void;
}) {
  return (
    <>
      <Select
        label={label}
        error={refused.expires_at}
        value={expiry}
        onChange={({ currentTarget }) =>
          onChange({ expiry: currentTarget.value as Expiry, day: day || tomorrow() })}
        options={EXPIRIES.map((value) => ({ value, text: t(`keys.expiry_${value || "never"}`) }))}
      />
      {expiry === "date" && (
        <Field
          label={t("keys.expiry_day")}
          type="date"
          min={tomorrow()}
          required
          value={day}
          onInput={({ currentTarget }) => onChange({ day: currentTarget.value || tomorrow() })}
        />
      )}
    </>
  );
}

export function Extend({ entry, path, onDone, onClose }: {
  entry: ApiKey;
  path: string;
  onDone: (key: ApiKey) => void;
  onClose: () => void;
}) {
  const draft = `key-expiry-${entry.id}`;
  const chosen = draftOf<Chosen>(draft, { expiry: "90", day: "" });
  return (
    <ActionDialog
      title={t(entry.expires_at ? "keys.extend" : "keys.extend_none")}
      yes={t("app.save")}
      draft={draft}
      onClose={onClose}
      onSubmit={async () => {
        const { expiry, day } = chosen.value;
        onDone(await call<ApiKey>("PATCH", path, { body: { expires_at: expiryMoment(expiry, day) } }));
        say(t("keys.extended"));
      }}
    >
      {(refused) => (
        <>
          <p class="clamped">{entry.name}</p>
          {entry.expires_at && (
            <p>
              {t("keys.expiry")}: <Moment at={entry.expires_at} exact />
            </p>
          )}
          <ExpiryFields
            label={t("keys.extend_from")}
            value={chosen.value}
            refused={refused}
            onChange={(changed) => chosen.value = { ...chosen.value, ...changed }}
          />
        </>
      )}
    </ActionDialog>
  );
}
