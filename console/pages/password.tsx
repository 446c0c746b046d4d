import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { factorToProve, linkType, person, savePassword } from "../app/session.ts";
import { href, useAction } from "../app/mod.ts";
import { FailureNote, Field, focusRefused, Page, say } from "../components/mod.ts";
import { t } from "../strings/strings.ts";
import { SignInCode } from "./sign_in_code.tsx";

const MIN_CHARACTERS = 8;

/** The page on which a person who followed the link of an invitation or a recovery chooses a password. */
export default function Password() {
  return (
    <main class="content narrow">
      <Content />
    </main>
  );
}

function Content() {
  if (linkType === "invalid") {
    return (
      <Page title={t("password.expired")} text={t("password.expired_text")}>
        <a class="button primary" href={href(person.value ? "chaves/" : "entrar/")}>
          {t(person.value ? "app.to_keys" : "sign_in.back")}
        </a>
      </Page>
    );
  }
  return factorToProve.value !== null ? <SignInCode /> : <ChoosePassword />;
}

function ChoosePassword() {
  const { route } = useLocation();
  const password = useSignal("");
  const { busy, failure, run } = useAction();
  const short = useSignal(false);
  const refusal = short.value
    ? t("password.short")
    : failure.value?.code === "same_password"
    ? t("password.same")
    : failure.value?.code === "weak_password"
    ? t("password.weak")
    : undefined;
  const submit = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    failure.value = null;
    short.value = password.value.length < MIN_CHARACTERS;
    if (short.value) return focusRefused(form);
    await run(async () => {
      await savePassword(password.value);
      say(t("password.saved"));
      // A person who has gone to another page meanwhile stays there.
      if (form.isConnected) route(href("chaves/"), true);
    });
  };
  return (
    <Page title={t("password.title")} text={t("password.text", { email: person.value?.email ?? "" })}>
      <form class="stack" onSubmit={submit}>
        {/* Password managers read the e-mail address here; they ignore an input of type hidden. */}
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
          error={refusal}
          type="password"
          autocomplete="new-password"
          required
          value={password.value}
          onInput={({ currentTarget }) => password.value = currentTarget.value}
        />
        {failure.value && !refusal && <FailureNote failure={failure.value} />}
        <div class="actions">
          <button type="submit" class="button primary" disabled={busy.value}>
            {t(busy.value ? "app.saving" : "password.submit")}
          </button>
          {linkType === null && <a class="button" href={href("chaves/")}>{t("app.cancel")}</a>}
        </div>
      </form>
    </Page>
  );
}
