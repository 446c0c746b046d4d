import { useSignal } from "@preact/signals";
import { href, mayChange, refreshWorkspace, role, useResource } from "../../app/mod.ts";
import type { ApiKey, OpenedKey, RotatedKey } from "../../app/types.ts";
import { Button, Loaded, Page } from "../../components/mod.ts";
import { RotateSecret } from "../../components/rotate_secret.tsx";
import { counted, t } from "../../strings/strings.ts";
import { Networks, Rename, Revoke } from "./actions.tsx";
import { KeyFacts, KeyWebhooks } from "./facts.tsx";
import { duplicateKey } from "./draft.ts";
import { Extend } from "./expiry_fields.tsx";
import { KeyCharts, KeyFailures } from "./failures.tsx";
import { ANY_REQUEST, KeyRequests, type RequestFilter, REQUESTS_ID } from "./requests.tsx";
import { DEFINE } from "./scopes.ts";
import { KeySecret } from "./secret.tsx";
import { isUnused } from "./state.tsx";

/** One key: actions, facts and why its requests fail; below them its requests as charts and as a list. */
export function KeyOpened({ id }: { id: string }) {
  const path = `app-v1-keys/${encodeURIComponent(id)}`;
  const resource = useResource<OpenedKey>(path);
  const action = useSignal<"rename" | "extend" | "networks" | "rotate" | "revoke" | null>(null);
  const secret = useSignal<string | null>(null);
  const ended = useSignal<number | null>(null);
  const filter = useSignal<RequestFilter>(ANY_REQUEST);
  const change = (changed: Partial<RequestFilter>) => filter.value = { ...filter.peek(), ...changed };
  const key = resource.data.value;
  const open = (name: NonNullable<typeof action.value>) => () => action.value = name;
  const merge = (changed: ApiKey) => {
    if (resource.data.value) resource.set({ ...resource.data.value, ...changed });
    void resource.reload();
    // The change may have ended an alert about the key.
    void refreshWorkspace(true);
  };
  const dialog = { path, onDone: merge, onClose: () => void (action.value = null) };
  return (
    <Page title={key?.name ?? t("keys.single")} back={<a href={href("chaves/")}>{t("keys.back")}</a>}>
      <Loaded resource={resource} rows={6}>
        {(key) => (
          <>
            {secret.value && (
              <KeySecret title={t("keys.value_new")} value={secret.value} scopes={key.scopes} />
            )}
            {ended.value !== null && (
              <p class="note" role="status">
                {t("keys.revoked_done")} {ended.value > 0 && counted("keys.webhooks_ended", ended.value)}
              </p>
            )}
            {isUnused(key) && <p class="note waits">{t("keys.unused_text")}</p>}
            {mayChange.value && (
              <div class="actions head-actions">
                {key.state !== "revoked" && (
                  <Button
                    text={t(key.expires_at ? "keys.extend" : "keys.extend_none")}
                    onClick={open("extend")}
                  />
                )}
                {key.state === "active" && (role.value === "admin" || !key.scopes.includes(DEFINE)) && (
                  <Button text={t("secret.rotate")} onClick={open("rotate")} />
                )}
                <details class="more-actions">
                  <summary class="button">{t("keys.more_actions")}</summary>
                  <div class="actions">
                    <Button text={t("keys.rename")} onClick={open("rename")} />
                    {key.state !== "revoked" && (
                      <Button text={t("keys.networks_change")} onClick={open("networks")} />
                    )}
                    <a class="button" href={href("chaves/", { nova: "1" })} onClick={() => duplicateKey(key)}>
                      {t("keys.duplicate")}
                    </a>
                  </div>
                </details>
                {key.state !== "revoked" && (
                  <Button class="button dangerous" text={t("keys.revoke")} onClick={open("revoke")} />
                )}
              </div>
            )}
            <div class="columns">
              <KeyFacts entry={key} />
              <div class="stack">
                <KeyFailures
                  entry={key}
                  code={filter.value.code}
                  onCode={(code) => {
                    filter.value = { ...ANY_REQUEST, code };
                    document.getElementById(REQUESTS_ID)?.focus();
                  }}
                />
                <KeyWebhooks entry={key} />
              </div>
            </div>
            {action.value === "rename" && <Rename entry={key} {...dialog} />}
            {action.value === "extend" && <Extend entry={key} {...dialog} />}
            {action.value === "networks" && <Networks entry={key} {...dialog} />}
            {action.value === "rotate" && (
              <RotateSecret<RotatedKey>
                texts="keys"
                {...dialog}
                replacing={key.old_secret_expires_at !== null}
                onDone={({ key: value, ...changed }) => {
                  secret.value = value;
                  merge(changed);
                }}
              />
            )}
            {action.value === "revoke" && (
              <Revoke
                entry={key}
                {...dialog}
                onDone={(changed, count) => {
                  ended.value = count;
                  secret.value = null;
                  merge(changed);
                }}
              />
            )}
            <KeyCharts entry={key} />
            <KeyRequests path={path} filter={filter} change={change} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
