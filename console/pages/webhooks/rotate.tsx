import { useSignal } from "@preact/signals";
import { call } from "../../app/api.ts";
import { ActionDialog } from "../../components/action_dialog.tsx";
import { type Overlap, OverlapChoice, overlapText, USUAL_OVERLAP } from "../../components/overlap.tsx";
import { t } from "../../strings/strings.ts";
import type { Webhook } from "./records.ts";

/** Gives a webhook a new secret, with the overlap that the person chooses. */
export function Rotate({ webhook, path, onDone, onClose }: {
  webhook: Webhook;
  path: string;
  onDone: (webhook: Webhook, secret: string) => void;
  onClose: () => void;
}) {
  const overlap = useSignal<Overlap>(USUAL_OVERLAP);
  return (
    <ActionDialog
      title={t("webhook.rotate")}
      yes={t("webhook.rotate_yes")}
      dangerous={overlap.value === 0}
      onClose={onClose}
      onSubmit={async () => {
        const { secret, ...rotated } = await call<Webhook & { secret: string }>("POST", `${path}/rotate`, {
          body: { overlap_seconds: overlap.value },
        });
        onDone(rotated, secret);
      }}
    >
      <OverlapChoice
        overlap={overlap}
        label={t("webhook.overlap")}
        meaning={t(overlap.value === 0 ? "webhook.overlap_none_text" : "webhook.overlap_text", {
          overlap: overlapText(overlap.value),
        })}
      />
      {webhook.old_secret_until && <p class="note waits">{t("webhook.overlap_older")}</p>}
    </ActionDialog>
  );
}
