import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import {
  activeFactor,
  beginFactor,
  type NewFactor,
  removeFactor,
  typeCode,
} from "../../app/second_factor.ts";
import { asFailure, useAction } from "../../app/mod.ts";
import { ActionDialog, ask, Button, CopyButton, FailureNote, say } from "../../components/mod.ts";
import { CodeField } from "../../components/code_field.tsx";
import { t } from "../../strings/strings.ts";

/** Turns two-step verification on and off, and calls `onChange` afterwards. */
export function TwoSteps({ onChange }: { onChange: () => unknown }) {
  /** The factor that is on; undefined until it was read. */
  const active = useSignal<string | null | undefined>(undefined);
  const begun = useSignal<NewFactor | null>(null);
  const { busy, failure, run } = useAction();
  const read = () => run(async () => void (active.value = await activeFactor()));
  useEffect(() => void read(), []);
  const begin = () => run(async () => void (begun.value = await beginFactor()));
  const remove = async (id: string) => {
    const sure = await ask({
      title: t("two_steps.off_title"),
      text: <p>{t("two_steps.off_text")}</p>,
      yes: t("two_steps.off"),
      dangerous: true,
    });
    if (!sure) return;
    await run(async () => {
      await removeFactor(id);
      active.value = null;
      say(t("two_steps.is_off"));
      onChange();
    });
  };
  const id = active.value;
  return (
    <section class="section">
      <header class="section-head">
        <h2>
          {t("code.title")} {id && <span class="tag good">{t("two_steps.on_tag")}</span>}
          {id === null && <span class="tag">{t("two_steps.off_tag")}</span>}
        </h2>
        {id === null && <Button text={t("two_steps.on")} aria-disabled={busy.value} onClick={begin} />}
        {id && <Button text={t("two_steps.off")} aria-disabled={busy.value} onClick={() => remove(id)} />}
      </header>
      <p class="hint">{t("two_steps.text")}</p>
      {failure.value && <FailureNote failure={failure.value} {...(id === undefined && { onRetry: read })} />}
      {begun.value && (
        <TurnOn
          factor={begun.value}
          onDone={() => {
            active.value = begun.value!.id;
            say(t("two_steps.is_on"));
            onChange();
          }}
          onClose={() => begun.value = null}
        />
      )}
    </section>
  );
}

/** Shows the secret for the person's phone, and asks for the code that the phone then shows. */
function TurnOn({ factor: { id, totp }, onDone, onClose }: {
  factor: NewFactor;
  onDone: () => void;
  onClose: () => void;
}) {
  const code = useSignal("");
  const isWrong = useSignal(false);
  const submit = async (): Promise<"more" | void> => {
    isWrong.value = false;
    try {
      await typeCode(id, code.value);
    } catch (thrown) {
      const failure = asFailure(thrown);
      if (failure.code !== "mfa_verification_failed") throw failure;
      isWrong.value = true;
      return "more";
    }
    onDone();
  };
  return (
    <ActionDialog
      title={t("two_steps.on_title")}
      yes={t("two_steps.on")}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{t("two_steps.scan")}</p>
      <img
        class="qr"
        width="200"
        height="200"
        alt={t("two_steps.qr")}
        src={`data:image/svg+xml,${encodeURIComponent(totp.qr_code)}`}
      />
      <p class="broken">
        {t("two_steps.secret")} <code>{totp.secret}</code> <CopyButton text={totp.secret} quiet />
      </p>
      <CodeField code={code} error={isWrong.value ? t("code.wrong") : undefined} autoFocus />
      <p class="hint">{t("two_steps.ends")}</p>
    </ActionDialog>
  );
}
