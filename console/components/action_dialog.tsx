import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { clearDraft } from "../app/drafts.ts";
import { useAction } from "../app/use_action.ts";
import { t } from "../strings/strings.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FailureNote } from "./failure_note.tsx";
import { useSecretGuard } from "./secret_box.tsx";

const NONE: Record<string, string> = {};

/**
 * A dialog with a form that changes something. If the change fails, the dialog stays open and keeps what was typed.
 * After a success it closes, unless `onSubmit` resolved with "more".
 */
export function ActionDialog({ title, children, yes, no, dangerous, hasSecret, draft, onSubmit, onClose }: {
  title: string;
  /** The form. `refused` has the message for each refused field, until the person edits the field. */
  children: ComponentChildren | ((refused: Record<string, string>) => ComponentChildren);
  yes: string;
  no?: string;
  dangerous?: boolean;
  /** Whether the reply has a secret. Until the reply arrives, leaving the page needs a confirmation. */
  hasSecret?: boolean;
  /** The name of the form's draft, which is deleted when the dialog closes. */
  draft?: string | undefined;
  /**
   * Makes the change. Rejects with a Failure; resolves with "more" if the person must press the button again to
   * continue.
   */
  onSubmit: () => Promise<"more" | void>;
  onClose: () => void;
}) {
  const { busy, failure, run } = useAction();
  const refused = useSignal(NONE);
  useSecretGuard(hasSecret === true && busy.value);
  const close = () => {
    if (draft !== undefined) clearDraft(draft);
    onClose();
  };
  /** Drops the message for the edited field, or all messages if the input has no name. */
  const forget = ({ target }: Event) => {
    const { name } = target as HTMLInputElement;
    // Delayed: a render between the `input` and `change` events of a checkbox would undo the click.
    setTimeout(() =>
      refused.value = Object.fromEntries(
        Object.entries(refused.value).filter(([field]) => !field.startsWith(name)),
      )
    );
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    let rest: "more" | void;
    const done = await run(async () => {
      rest = await onSubmit();
    });
    refused.value = failure.peek()?.fields ?? NONE;
    if (done && rest! !== "more") close();
  };
  return (
    <Dialog title={title} onClose={() => busy.value || close()}>
      <form class="stack" onSubmit={submit} onInput={forget}>
        {typeof children === "function" ? children(refused.value) : children}
        {failure.value && <FailureNote failure={failure.value} />}
        <div class="actions end">
          <Button text={no ?? t("app.cancel")} onClick={close} disabled={busy.value} />
          <button
            type="submit"
            class={`button ${dangerous ? "danger" : "primary"}`}
            aria-disabled={busy.value}
          >
            {busy.value ? t("app.saving") : yes}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
