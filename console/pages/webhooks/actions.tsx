import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { call, href, mayChange, refreshWorkspace, useAction, workspace } from "../../app/mod.ts";
import { ActionDialog, ask, Button, FailureNote, say, Select } from "../../components/mod.ts";
import { RotateSecret } from "../../components/rotate_secret.tsx";
import { t } from "../../strings/strings.ts";
import { EditWebhook } from "./edit.tsx";
import type { EventType } from "./events.ts";
import { type Reactivation, Recover } from "./recover.tsx";
import type { Webhook } from "./records.ts";
import { hasStopped } from "./states.ts";
import { eventText } from "./words.ts";

/** The actions for a webhook; a salesperson sees none. */
export function WebhookActions({ webhook, onChanged, onSent, onSecret }: {
  webhook: Webhook;
  onChanged: (webhook: Webhook) => void;
  /** Called after deliveries were sent. */
  onSent: () => void;
  onSecret: (secret: string) => void;
}) {
  const { route } = useLocation();
  const { busy, failure, run } = useAction();
  const dialog = useSignal<"test" | "recover" | "rotate" | "edit" | null>(null);
  const reactivation = useSignal<Reactivation | null>(null);
  // Reserves the space until the role is known, so that the deliveries below do not move.
  if (workspace.value === undefined) return <div class="actions head-actions actions-place" />;
  if (!mayChange.value) return null;
  const { id, is_active, target_url, event_types } = webhook;
  const path = `app-v1-webhooks/${id}`;
  const close = () => dialog.value = null;
  const open = (name: NonNullable<typeof dialog.value>) => () => {
    reactivation.value = null;
    dialog.value = name;
  };

  const test = async (event_type: EventType) => {
    const here = location.href;
    const { delivery_id, held } = await call<{ delivery_id: string; held: boolean }>(
      "POST",
      `${path}/test`,
      { body: { event_type } },
    );
    say(t(held ? "webhook.tested_held" : "webhook.tested"));
    onSent();
    // A person who has gone to another page meanwhile stays there.
    if (location.href === here) route(href("webhooks/", { id, entrega: delivery_id }));
  };
  const reactivate = () =>
    run(async () => {
      const { resumed, ...active } = await call<Webhook & { resumed: number }>("POST", `${path}/reactivate`);
      reactivation.value = { stoppedAt: webhook.deactivated_at, resumed };
      dialog.value = "recover";
      onChanged(active);
      onSent();
      void refreshWorkspace(true);
    });
  const deactivate = () =>
    run(async () => {
      const sure = await ask({
        title: t("webhook.deactivate_title"),
        text: <p class="broken">{t("webhook.deactivate_text", { url: target_url })}</p>,
        yes: t("webhook.deactivate"),
        dangerous: true,
      });
      if (!sure) return;
      await call<void>("DELETE", path);
      say(t("webhook.deactivated"));
      onChanged({
        ...webhook,
        is_active: false,
        deactivated_reason: "deleted",
        deactivated_at: new Date().toISOString(),
      });
      onSent();
      void refreshWorkspace(true);
    });

  const [only] = event_types.length === 1 ? event_types : [];
  const button = (text: string, onClick: () => void, kind = "") => (
    <Button class={`button ${kind}`} text={text} aria-disabled={busy.value} onClick={onClick} />
  );
  return (
    <>
      {failure.value && <FailureNote failure={failure.value} />}
      <div class="actions head-actions">
        {is_active
          ? button(t("webhook.test"), only ? () => run(() => test(only)) : open("test"), "primary")
          : button(t(busy.value ? "webhook.reactivating" : "webhook.reactivate"), reactivate, "primary")}
        {button(t("webhook.edit"), open("edit"))}
        {button(t("secret.rotate"), open("rotate"))}
        {is_active && button(t("webhook.recover"), open("recover"))}
        {/* Also shown for a webhook that failures stopped: deactivating an unneeded webhook ends its alert. */}
        {(is_active || hasStopped(webhook)) &&
          button(t("webhook.deactivate"), deactivate, "dangerous")}
      </div>
      {dialog.value === "edit" && <EditWebhook webhook={webhook} onDone={onChanged} onClose={close} />}
      {dialog.value === "test" && <TestEvent events={event_types} onSubmit={test} onClose={close} />}
      {dialog.value === "recover" && (
        <Recover
          path={path}
          createdAt={webhook.created_at}
          reactivation={reactivation.value}
          onSent={onSent}
          onClose={close}
        />
      )}
      {dialog.value === "rotate" && (
        <RotateSecret<Webhook & { secret: string }>
          texts="webhook"
          path={path}
          replacing={webhook.old_secret_until !== null}
          onDone={({ secret, ...rotated }) => {
            onChanged(rotated);
            onSecret(secret);
          }}
          onClose={close}
        />
      )}
    </>
  );
}

function TestEvent({ events, onSubmit, onClose }: {
  events: readonly EventType[];
  onSubmit: (event: EventType) => Promise<void>;
  onClose: () => void;
}) {
  const chosen = useSignal(events[0]!);
  return (
    <ActionDialog
      title={t("webhook.test")}
      yes={t("app.send")}
      onSubmit={() => onSubmit(chosen.value)}
      onClose={onClose}
    >
      <p>{t("webhook.test_text")}</p>
      <Select
        label={t("deliveries.event")}
        value={chosen.value}
        onChange={({ currentTarget }) => chosen.value = currentTarget.value as EventType}
        options={events.map((event) => ({ value: event, text: eventText(event) }))}
      />
    </ActionDialog>
  );
}
