import { useSignal } from "@preact/signals";
import { typeCode } from "../app/second_factor.ts";
import { factorToProve, signOut } from "../app/session.ts";
import { useAction } from "../app/mod.ts";
import { Button, FailureNote, focusRefused, Page } from "../components/mod.ts";
import { CodeField } from "../components/code_field.tsx";
import { t } from "../strings/strings.ts";

/** The second step of signing in: the code of the person's second factor. */
export function SignInCode() {
  const code = useSignal("");
  const { busy, failure, run } = useAction();
  const isWrong = failure.value?.code === "mfa_verification_failed";
  const submit = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget;
    await run(() => typeCode(factorToProve.value!, code.value));
    if (failure.peek()) focusRefused(form);
  };
  return (
    <Page title={t("code.title")} text={t("code.text")}>
      <form class="stack" onSubmit={submit}>
        <CodeField code={code} error={isWrong ? t("code.wrong") : undefined} />
        {failure.value && !isWrong && <FailureNote failure={failure.value} />}
        <div class="actions">
          <button type="submit" class="button primary" disabled={busy.value}>
            {t(busy.value ? "sign_in.busy" : "sign_in.title")}
          </button>
          <Button class="link" text={t("sign_in.back")} onClick={() => signOut()} />
        </div>
      </form>
    </Page>
  );
}
