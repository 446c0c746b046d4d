import type { ComponentChildren } from "preact";
import { useAction } from "../app/use_action.ts";
import { t } from "../strings/strings.ts";
import { Dialog } from "./dialog.tsx";
import { FailureNote } from "./failure_note.tsx";

/**
 * A dialog that changes something: its fields, and one deliberate press. It stays open with what was typed if the
 * change fails, and closes after `onSubmit` has resolved.
 */
export function ActionDialog({ title, children, yes, dangerous, onSubmit, onClose }: {
  title: string;
  children: ComponentChildren;
  yes: string;
  dangerous?: boolean;
  /** Rejects with a Failure. */
  onSubmit: () => Promise<void>;
  onClose: () => void;
}) {
  const { busy, failure, run } = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await run(onSubmit)) onClose();
  };
  return (
    <Dialog title={title} onClose={() => busy.value || onClose()}>
      <form class="stack" onSubmit={submit}>
        {children}
        {failure.value && <FailureNote failure={failure.value} />}
        <div class="actions end">
          <button type="button" class="button" onClick={onClose} disabled={busy.value}>
            {t("app.cancel")}
          </button>
          <button type="submit" class={`button ${dangerous ? "danger" : "primary"}`} disabled={busy.value}>
            {busy.value ? t("app.saving") : yes}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
