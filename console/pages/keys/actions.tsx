import { useSignal } from "@preact/signals";
import { call, draftOf } from "../../app/mod.ts";
import type { ApiKey, RevokedKey } from "../../app/types.ts";
import { ActionDialog, Field, say } from "../../components/mod.ts";
import { counted, t } from "../../strings/strings.ts";
import { NetworksField, networksOf } from "./networks.tsx";

interface Action<Done extends unknown[]> {
  entry: ApiKey;
  /** Path of the key below the functions' URL. */
  path: string;
  onDone: (key: ApiKey, ...more: Done) => void;
  onClose: () => void;
}

export function Rename({ entry, path, onDone, onClose }: Action<[]>) {
  const draft = `key-name-${entry.id}`;
  const name = draftOf(draft, entry.name);
  return (
    <ActionDialog
      title={t("keys.rename")}
      yes={t("app.save")}
      draft={draft}
      onClose={onClose}
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

export function Networks({ entry, path, onDone, onClose }: Action<[]>) {
  const draft = `key-networks-${entry.id}`;
  const text = draftOf(draft, entry.allowed_networks.join(", "));
  return (
    <ActionDialog
      title={t("keys.networks_change")}
      yes={t("app.save")}
      draft={draft}
      onClose={onClose}
      onSubmit={async () => {
        onDone(await call<ApiKey>("PATCH", path, { body: { allowed_networks: networksOf(text.value) } }));
        say(t("keys.networks_saved"));
      }}
    >
      {(refused) => (
        <NetworksField
          value={text.value}
          refused={refused}
          onInput={(typed) => text.value = typed}
        />
      )}
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
        const body = { keep_webhooks: keeps.value };
        const { ended_subscriptions, kept_subscriptions: _, ...changed } = await call<RevokedKey>(
          "POST",
          `${path}/revoke`,
          { body },
        );
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
