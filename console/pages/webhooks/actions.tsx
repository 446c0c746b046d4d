import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { call } from "../../app/api.ts";
import { asFailure, type Failure } from "../../app/failure.ts";
import { href } from "../../app/settings.ts";
import { mayChange, workspace } from "../../app/workspace.ts";
import { ask } from "../../components/ask.tsx";
import { FailureNote } from "../../components/failure_note.tsx";
import { say } from "../../components/toast.tsx";
import { counted, t } from "../../strings/strings.ts";
import type { Webhook } from "./records.ts";

/** What a manager may do with a webhook; nothing for a salesperson. */
export function WebhookActions({ webhook, onChanged, onSent, onSecret }: {
  webhook: Webhook;
  onChanged: (webhook: Webhook) => void;
  /** Deliveries are on their way. */
  onSent: () => void;
  onSecret: (secret: string) => void;
}) {
  const { route } = useLocation();
  const busy = useSignal<"test" | "reactivate" | "other" | null>(null);
  const failure = useSignal<Failure | null>(null);
  // Its place is kept until the role is known, so that the deliveries below it do not move.
  if (workspace.value === undefined) return <div class="actions foot-actions actions-place" />;
  if (!mayChange.value) return null;
  const { id, is_active, target_url } = webhook;
  const path = `app-v1-webhooks/${id}`;

  const run = async (what: NonNullable<typeof busy.value>, work: () => Promise<void>) => {
    if (busy.value !== null) return;
    busy.value = what;
    failure.value = null;
    try {
      await work();
    } catch (thrown) {
      failure.value = asFailure(thrown);
    } finally {
      busy.value = null;
    }
  };
  const test = () =>
    run("test", async () => {
      const { delivery_id, held } = await call<{ delivery_id: string; held: boolean }>(
        "POST",
        `${path}/test`,
      );
      say(t(held ? "webhook.tested_held" : "webhook.tested"));
      onSent();
      route(href("webhooks/", { id, entrega: delivery_id }));
    });
  const reactivate = () =>
    run("reactivate", async () => {
      const { resumed, ...active } = await call<Webhook & { resumed: number }>("POST", `${path}/reactivate`);
      onChanged(active);
      onSent();
      say(resumed === 0 ? t("webhook.reactivated_none") : counted("webhook.reactivated", resumed));
    });
  const rotate = () =>
    run("other", async () => {
      const sure = await ask({
        title: t("webhook.rotate_title"),
        text: <p>{t("webhook.rotate_text")}</p>,
        yes: t("webhook.rotate_yes"),
        dangerous: true,
      });
      if (!sure) return;
      const { secret, ...rotated } = await call<Webhook & { secret: string }>("POST", `${path}/rotate`);
      onChanged(rotated);
      onSecret(secret);
    });
  const deactivate = () =>
    run("other", async () => {
      const sure = await ask({
        title: t("webhook.deactivate_title"),
        text: <p class="broken">{t("webhook.deactivate_text", { url: target_url })}</p>,
        yes: t("webhook.deactivate"),
        dangerous: true,
      });
      if (!sure) return;
      await call<void>("DELETE", path);
      onChanged({ ...webhook, is_active: false });
      say(t("webhook.deactivated"));
    });

  return (
    <>
      {failure.value && <FailureNote failure={failure.value} />}
      <div class="actions foot-actions">
        {is_active
          ? (
            <button type="button" class="button primary" aria-disabled={busy.value !== null} onClick={test}>
              {t(busy.value === "test" ? "webhook.testing" : "webhook.test")}
            </button>
          )
          : (
            <button
              type="button"
              class="button primary"
              aria-disabled={busy.value !== null}
              onClick={reactivate}
            >
              {t(busy.value === "reactivate" ? "webhook.reactivating" : "webhook.reactivate")}
            </button>
          )}
        <button type="button" class="button" onClick={rotate}>{t("webhook.rotate")}</button>
        {is_active && (
          <button type="button" class="button dangerous" onClick={deactivate}>
            {t("webhook.deactivate")}
          </button>
        )}
      </div>
    </>
  );
}
