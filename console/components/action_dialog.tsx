import type { ComponentChildren } from "preact";
import { useAction } from "../app/use_action.ts";
import { t } from "../strings/strings.ts";
import { Dialog } from "./dialog.tsx";
import { FailureNote } from "./failure_note.tsx";
import { useSecretGuard } from "./secret_box.tsx";

/**
 * A dialog with a form that changes something. If the change fails, the dialog stays open and keeps what was typed.
 * After a success it closes, unless `onSubmit` resolved with "more".
 */
export function ActionDialog({ title, children, yes, no, dangerous, hasSecret, onSubmit, onClose }: {
  title: string;
  children: ComponentChildren;
  yes: string;
  no?: string;
  dangerous?: boolean;
  /** Whether the reply has a secret, which is lost if the person leaves before it arrives. */
  hasSecret?: boolean;
  /**
   * Makes the change. Rejects with a Failure; resolves with "more" if the person must press the button again to
   * continue.
   */
  onSubmit: () => Promise<"more" | void>;
  onClose: () => void;
}) {
  const { busy, failure, run } = useAction();
  useSecretGuard(hasSecret === true && busy.value);
  const submit = async (event: Event) => {
    event.preventDefault();
    let rest: "more" | void;
    const done = await run(async () => {
      rest = await onSubmit();
    });
    if (done && rest! !== "more") onClose();
  };
  return (
    <Dialog title={title} onClose={() => busy.value || onClose()}>
      <form class="stack" onSubmit={submit}>
        {children}
        {failure.value && <FailureNote failure={failure.value} />}
        <div class="actions end">
          <button type="button" class="button" onClick={onClose} disabled={busy.value}>
            {no ?? t("app.cancel")}
          </button>
          <button type="submit" class={`button ${dangerous ? "danger" : "primary"}`} disabled={busy.value}>
            {busy.value ? t("app.saving") : yes}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
