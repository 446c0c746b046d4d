import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { asFailure, type Failure } from "../app/failure.ts";
import { linkType, person, savePassword } from "../app/session.ts";
import { href } from "../app/settings.ts";
import { FailureNote } from "../components/failure_note.tsx";
import { Field } from "../components/field.tsx";
import { focusRefused } from "../components/focus_refused.ts";
import { Page } from "../components/page.tsx";
import { say } from "../components/toast.tsx";
import { t } from "../strings/strings.ts";

const FEWEST_CHARACTERS = 8;

/** Where an invitation and a forgotten password end: the person chooses a password. */
export default function Password() {
  const { route } = useLocation();
  const password = useSignal("");
  const busy = useSignal(false);
  const refusal = useSignal<string | undefined>(undefined);
  const failure = useSignal<Failure | null>(null);

  if (linkType === "invalid") {
    return (
      <main class="content narrow">
        <Page title={t("password.expired")} text={t("password.expired_text")}>
          <a class="button primary" href={href(person.value ? "chaves/" : "entrar/")}>
            {t(person.value ? "app.to_keys" : "sign_in.back")}
          </a>
        </Page>
      </main>
    );
  }
  const submit = async (event: Event) => {
    event.preventDefault();
    failure.value = null;
    refusal.value = password.value.length < FEWEST_CHARACTERS ? t("password.short") : undefined;
    if (refusal.value) return focusRefused(event.currentTarget);
    busy.value = true;
    try {
      await savePassword(password.value);
      say(t("password.saved"));
      route(href("chaves/"), true);
    } catch (thrown) {
      const failed = asFailure(thrown);
      if (failed.code === "same_password") refusal.value = t("password.same");
      else if (failed.code === "weak_password") refusal.value = t("password.weak");
      else failure.value = failed;
    } finally {
      busy.value = false;
    }
  };
  return (
    <main class="content narrow">
      <Page title={t("password.title")} text={t("password.text", { email: person.value?.email ?? "" })}>
        <form class="stack" onSubmit={submit}>
          {/* For password managers, which ignore an input of type hidden. */}
          <input
            class="unseen"
            type="email"
            autocomplete="username"
            aria-hidden="true"
            tabIndex={-1}
            readOnly
            value={person.value?.email ?? ""}
          />
          <Field
            label={t("password.field")}
            hint={t("password.hint")}
            error={refusal.value}
            type="password"
            autocomplete="new-password"
            required
            value={password.value}
            onInput={({ currentTarget }) => password.value = currentTarget.value}
          />
          {failure.value && <FailureNote failure={failure.value} />}
          <div class="actions">
            <button type="submit" class="button primary" disabled={busy.value}>
              {t(busy.value ? "app.saving" : "password.submit")}
            </button>
            {linkType === null && <a class="button" href={href("chaves/")}>{t("app.cancel")}</a>}
          </div>
        </form>
      </Page>
    </main>
  );
}
