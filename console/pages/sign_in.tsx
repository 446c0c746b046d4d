import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Failure, useAction } from "../app/mod.ts";
import { LanguageSelect } from "../app/menu.tsx";
import { ending, factorToProve, recoverPassword, signIn } from "../app/session.ts";
import { Button, Field, Page } from "../components/mod.ts";
import { Mark } from "../components/mark.tsx";
import { t } from "../strings/strings.ts";
import { SignInCode } from "./sign_in_code.tsx";

const ENDINGS = {
  expired: "failure.session",
  signing_out: "sign_in.ending",
  signed_out: "sign_in.ended",
  unconfirmed_sign_out: "sign_in.ended_unconfirmed",
} as const;

/** Signing in, and asking for a link to choose another password. */
export default function SignIn() {
  const email = useSignal("");
  const recovering = useSignal(false);
  return (
    <main class="content narrow">
      <p class="product">
        <Mark /> {t("sign_in.text")}
      </p>
      {factorToProve.value !== null
        ? <SignInCode />
        : recovering.value
        ? <Recover email={email} onBack={() => recovering.value = false} />
        : <WithPassword email={email} onForgotten={() => recovering.value = true} />}
      <div class="foot">
        <LanguageSelect />
      </div>
    </main>
  );
}

function WithPassword({ email, onForgotten }: { email: Signal<string>; onForgotten: () => void }) {
  const password = useSignal("");
  const { busy, failure, run } = useAction();
  // The next page loads while the person types.
  useEffect(() => void import("./keys/page.tsx").catch(() => {}), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    await run(() => signIn(email.value.trim(), password.value));
    if (failure.value) form.querySelector<HTMLInputElement>("[type=password]")?.select();
  };
  return (
    <Page title={t("sign_in.title")}>
      {ending.value && !failure.value && <p class="note" role="status">{t(ENDINGS[ending.value])}</p>}
      <form class="stack" onSubmit={submit}>
        <EmailField email={email} />
        <Field
          label={t("sign_in.password")}
          type="password"
          name="password"
          autocomplete="current-password"
          required
          value={password.value}
          onInput={({ currentTarget }) => password.value = currentTarget.value}
        />
        {failure.value && <p class="note failed" role="alert">{signInText(failure.value)}</p>}
        <div class="actions">
          <button type="submit" class="button primary" disabled={busy.value}>
            {t(busy.value ? "sign_in.busy" : "sign_in.title")}
          </button>
          <Button class="link" text={t("sign_in.forgotten")} onClick={onForgotten} />
        </div>
      </form>
    </Page>
  );
}

function Recover({ email, onBack }: { email: Signal<string>; onBack: () => void }) {
  const { busy, failure, run } = useAction();
  const sentTo = useSignal<string | null>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await recoverPassword(email.value.trim());
      sentTo.value = email.value.trim();
    });
  };
  return (
    <Page title={t("sign_in.forgotten")} text={t("sign_in.recover_text")}>
      {sentTo.value
        ? <p class="note" role="status">{t("sign_in.recover_sent", { email: sentTo.value })}</p>
        : (
          <form class="stack" onSubmit={submit}>
            <EmailField email={email} />
            {failure.value && <p class="note failed" role="alert">{signInText(failure.value)}</p>}
            <div class="actions">
              <button type="submit" class="button primary" disabled={busy.value}>
                {t(busy.value ? "app.sending" : "sign_in.recover_submit")}
              </button>
            </div>
          </form>
        )}
      <Button class="link" text={t("sign_in.back")} onClick={onBack} />
    </Page>
  );
}

function EmailField({ email }: { email: Signal<string> }) {
  return (
    <Field
      label={t("sign_in.email")}
      type="email"
      name="email"
      autocomplete="username"
      required
      value={email.value}
      onInput={({ currentTarget }) => email.value = currentTarget.value}
    />
  );
}

function signInText({ kind, code }: Failure): string {
  if (kind === "away") return t("sign_in.away");
  if (kind === "limited") return t("sign_in.limited");
  if (kind === "server") return t("sign_in.server");
  return t(code === "email_not_confirmed" ? "sign_in.unconfirmed" : "sign_in.wrong");
}
