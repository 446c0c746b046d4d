import { href } from "../../app/mod.ts";
import type { ApiKey, OpenedKey } from "../../app/types.ts";
import { Fact, Moment } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { accessText, resourcesOf, resourceText } from "./scopes.ts";

export function KeyFacts({ entry }: { entry: ApiKey }) {
  return (
    <dl class="facts">
      <Fact name={t("keys.state")}>
        <span class={entry.state === "active" ? "tag good" : "tag failed"}>
          {t(`keys.state_${entry.state}`)}
        </span>{" "}
        {entry.revoked_at && <Moment at={entry.revoked_at} exact />}
      </Fact>
      <Fact name={t("keys.prefix")}>
        <code>{entry.prefix}…</code>
      </Fact>
      <Fact name={t("keys.scopes")}>
        <ul>
          {resourcesOf(entry.scopes).map(({ name, scopes }) => (
            <li key={name}>
              {resourceText(name)}: {scopes.map(accessText).join(", ")}{" "}
              {scopes.map((scope) => <code key={scope} class="small scope">{scope}</code>)}
            </li>
          ))}
        </ul>
      </Fact>
      <Fact name={t("keys.last_used")} at={entry.last_used_at} />
      <Fact name={t("keys.created_at")}>
        <Moment at={entry.created_at} exact />{" "}
        {t(entry.creator.is_active ? "keys.created_by" : "keys.created_by_inactive", {
          name: entry.creator.name,
        })}
      </Fact>
      <Fact name={t("keys.expiry")}>
        {entry.expires_at ? <Moment at={entry.expires_at} exact /> : t("keys.expiry_never")}
      </Fact>
      <Fact name={t("keys.networks")}>
        {entry.allowed_networks.length === 0
          ? t("keys.networks_all")
          : entry.allowed_networks.map((network) => (
            <p key={network}>
              <code>{network}</code>
            </p>
          ))}
      </Fact>
      {entry.rotated_at && <Fact name={t("keys.rotated_at")} at={entry.rotated_at} />}
      {entry.old_secret_expires_at && <Fact name={t("secret.old_until")} at={entry.old_secret_expires_at} />}
    </dl>
  );
}

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
