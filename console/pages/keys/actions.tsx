import { useSignal } from "@preact/signals";
import { call } from "../../app/api.ts";
import { clearDraft, draftOf } from "../../app/drafts.ts";
import { asFailure } from "../../app/failure.ts";
import type { ApiKey } from "../../app/types.ts";
import { ActionDialog } from "../../components/action_dialog.tsx";
import { Field } from "../../components/field.tsx";
import { say } from "../../components/toast.tsx";
import { counted, t } from "../../strings/strings.ts";
import { type Expiry, expiryMoment } from "./expiry.ts";
import { ExpiryFields } from "./expiry_fields.tsx";
import { NetworksField, networksOf } from "./networks.tsx";

interface Action<Done extends unknown[]> {
  entry: ApiKey;
  /** Path of the key below the functions' URL. */
  path: string;
  onDone: (key: ApiKey, ...more: Done) => void;
  onClose: () => void;
}

/** The dialog that renames a key. */
export function Rename({ entry, path, onDone, onClose }: Action<[]>) {
  const draft = `key-name-${entry.id}`;
  const name = draftOf(draft, entry.name);
  const close = () => {
    clearDraft(draft);
    onClose();
  };
  return (
    <ActionDialog
      title={t("keys.rename")}
      yes={t("app.save")}
      onClose={close}
      onSubmit={async () => {
        onDone(await call<ApiKey>("PATCH", path, { body: { name: name.value.trim() } }));
        say(t("keys.renamed"));
      }}
    >
      <Field
        label={t("keys.name")}
        maxLength={255}
        required
        value={name.value}
        onInput={({ currentTarget }) => name.value = currentTarget.value}
      />
    </ActionDialog>
  );
}

/** The dialog that changes the networks from which a key may be used. */
export function Networks({ entry, path, onDone, onClose }: Action<[]>) {
  const draft = `key-networks-${entry.id}`;
  const text = draftOf(draft, entry.allowed_networks.join(", "));
  const refused = useSignal<Record<string, string>>({});
  const close = () => {
    clearDraft(draft);
    onClose();
  };
  return (
    <ActionDialog
      title={t("keys.networks_change")}
      yes={t("app.save")}
      onClose={close}
      onSubmit={async () => {
        try {
          onDone(await call<ApiKey>("PATCH", path, { body: { allowed_networks: networksOf(text.value) } }));
        } catch (thrown) {
          refused.value = asFailure(thrown).fields;
          throw thrown;
        }
        say(t("keys.networks_saved"));
      }}
    >
      <NetworksField
        value={text.value}
        refused={refused.value}
        onInput={(typed) => {
          text.value = typed;
          refused.value = {};
        }}
      />
    </ActionDialog>
  );
}

/** The dialog that lets a key work for longer, or again. */
export function Extend({ path, onDone, onClose }: Action<[]>) {
  const value = useSignal({ expiry: "90" as Expiry, day: "" });
  return (
    <ActionDialog
      title={t("keys.extend")}
      yes={t("app.save")}
      onClose={onClose}
      onSubmit={async () => {
        const { expiry, day } = value.value;
        onDone(await call<ApiKey>("PATCH", path, { body: { expires_at: expiryMoment(expiry, day) } }));
        say(t("keys.extended"));
      }}
    >
      <p>{t("keys.extend_text")}</p>
      <ExpiryFields
        choices={["30", "90", "365", "date"]}
        value={value.value}
        onChange={(changed) => value.value = { ...value.value, ...changed }}
      />
    </ActionDialog>
  );
}

/** The dialog that revokes a key. It says how many of the key's webhooks stop with it. */
export function Revoke({ entry, path, onDone, onClose }: Action<[ended: number]>) {
  const keeps = useSignal(false);
  const webhooks = entry.active_webhooks;
  return (
    <ActionDialog
      title={t("keys.revoke_title")}
      yes={t("keys.revoke_yes")}
      dangerous
      onClose={onClose}
      onSubmit={async () => {
        const { ended_subscriptions, kept_subscriptions: _, ...changed } = await call<
          ApiKey & { ended_subscriptions: unknown[]; kept_subscriptions: unknown[] }
        >("POST", `${path}/revoke`, { body: { keep_webhooks: keeps.value } });
        onDone(changed, ended_subscriptions.length);
      }}
    >
      <p class="clamped">{entry.name}</p>
      <p>{t("keys.revoke_text")}</p>
      {webhooks > 0 && (
        <>
          <p>{counted(keeps.value ? "keys.webhooks_stay" : "keys.webhooks_end", webhooks)}</p>
          <label class="check">
            <input type="checkbox" checked={keeps.value} onChange={() => keeps.value = !keeps.value} />
            {t("keys.keep_webhooks")}
          </label>
        </>
      )}
    </ActionDialog>
  );
}
