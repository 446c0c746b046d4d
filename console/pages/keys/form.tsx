import { useSignal } from "@preact/signals";
import { call, href, mayChange, role, useAction } from "../../app/mod.ts";
import type { CreatedKey } from "../../app/types.ts";
import { FailureNote, Field, focusRefused, Page } from "../../components/mod.ts";
import { useSecretGuard } from "../../components/secret_box.tsx";
import { t } from "../../strings/strings.ts";
import { clearNewKey, type NewKeyDraft, newKeyDraft } from "./draft.ts";
import { expiryMoment } from "./expiry.ts";
import { ExpiryFields } from "./expiry_fields.tsx";
import { NetworksField, networksOf } from "./networks.tsx";
import { ScopeFields } from "./scope_fields.tsx";
import { DEFINE, SCOPES } from "./scopes.ts";
import { KeySecret } from "./secret.tsx";

export function KeyForm() {
  const draft = newKeyDraft();
  const { busy, failure, run } = useAction();
  const missing = useSignal<"name" | "scopes" | null>(null);
  const created = useSignal<CreatedKey | null>(null);
  useSecretGuard(busy.value);
  const back = <a href={href("chaves/")}>{t("keys.back")}</a>;

  if (created.value) {
    const { id, name, key, scopes } = created.value;
    return (
      <Page title={t("keys.created", { name })} back={back}>
        <KeySecret title={t("keys.value")} value={key} scopes={scopes} />
        <a class="button" href={href("chaves/", { id })}>{t("keys.open")}</a>
      </Page>
    );
  }
  if (role.value !== null && !mayChange.value) {
    return (
      <Page title={t("keys.create")} back={back}>
        <p>{t("role.read_only")}</p>
      </Page>
    );
  }

  const { name, expiry, day, networks } = draft.value;
  const offered: string[] = SCOPES.filter((scope) => scope !== DEFINE || role.value === "admin");
  // The draft may come from another person's key, with scopes that this person may not give.
  const scopes = draft.value.scopes.filter((scope) => offered.includes(scope));
  const change = (changed: Partial<NewKeyDraft>) => {
    draft.value = { ...draft.value, ...changed };
    missing.value = null;
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    failure.value = null;
    missing.value = name.trim() === "" ? "name" : scopes.length === 0 ? "scopes" : null;
    if (missing.value) return focusRefused(form);
    await run(async () => {
      const body = {
        name: name.trim(),
        scopes,
        expires_at: expiryMoment(expiry, day),
        allowed_networks: networksOf(networks),
      };
      const key = await call<CreatedKey>("POST", "app-v1-keys", { body });
      clearNewKey();
      // From now on a reload shows the key: an empty form would suggest that no key was created.
      if (form.isConnected) history.replaceState(null, "", href("chaves/", { id: key.id }));
      created.value = key;
    });
    if (failure.peek()) focusRefused(form);
  };
  const refused = failure.value?.fields ?? {};
  return (
    <Page title={t("keys.create")} back={back}>
      <form class="stack form" onSubmit={submit} noValidate>
        <Field
          label={t("keys.name")}
          hint={t("keys.name_hint")}
          error={missing.value === "name" ? t("keys.name_missing") : refused.name}
          maxLength={255}
          value={name}
          onInput={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <ScopeFields
          legend={t("keys.scopes")}
          scopes={scopes}
          offered={offered}
          onChange={(scopes) => change({ scopes })}
          error={missing.value === "scopes" ? t("keys.scopes_missing") : refused.scopes}
        />
        <ExpiryFields label={t("keys.expiry")} value={{ expiry, day }} refused={refused} onChange={change} />
        <NetworksField value={networks} refused={refused} onInput={(networks) => change({ networks })} />
        <div class="actions foot-actions">
          {failure.value && <FailureNote failure={failure.value} />}
          <button type="submit" class="button primary" disabled={busy.value}>
            {t(busy.value ? "app.creating" : "keys.create")}
          </button>
          <a class="button" href={href("chaves/")} onClick={clearNewKey}>{t("app.cancel")}</a>
        </div>
      </form>
    </Page>
  );
}
