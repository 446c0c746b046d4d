import { href } from "../../app/settings.ts";
import type { OpenedKey } from "../../app/types.ts";
import { t } from "../../strings/strings.ts";

/** The webhooks that were created with a key. */
export function KeyWebhooks({ entry }: { entry: OpenedKey }) {
  if (entry.subscriptions.length === 0) return null;
  return (
    <section>
      <h2>{t("keys.webhooks")}</h2>
      <ul class="lines">
        {entry.subscriptions.map(({ id, target_url, is_active, event_types }) => (
          <li key={id}>
            <a class="clamped" title={target_url} href={href("webhooks/", { id })}>{target_url}</a>
            <p class="small">
              {!is_active && <span class="tag">{t("keys.webhook_inactive")}</span>} {event_types.join(", ")}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
