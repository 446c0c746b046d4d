import type { ApiKey } from "../../app/types.ts";
import { Moment } from "../../components/moment.tsx";
import { t } from "../../strings/strings.ts";
import { accessText, resourceText } from "./scopes.ts";

/** What is known about a key. */
export function KeyFacts({ entry }: { entry: ApiKey }) {
  const byResource = [...Map.groupBy(entry.scopes, (scope) => scope.split(":")[0]!)];
  return (
    <dl class="facts">
      <dt>{t("keys.state")}</dt>
      <dd>
        <span class={entry.state === "active" ? "tag good" : "tag failed"}>
          {t(`keys.state_${entry.state}`)}
        </span>{" "}
        {entry.revoked_at && <Moment at={entry.revoked_at} exact />}
      </dd>
      <dt>{t("keys.prefix")}</dt>
      <dd>
        <code>{entry.prefix}…</code>
      </dd>
      <dt>{t("keys.scopes")}</dt>
      <dd>
        <ul>
          {byResource.map(([name, scopes]) => (
            <li key={name}>
              {resourceText(name)}: {scopes.map(accessText).join(", ")}{" "}
              <code class="small">{scopes.join(" ")}</code>
            </li>
          ))}
        </ul>
      </dd>
      <dt>{t("keys.last_used")}</dt>
      <dd>
        <Moment at={entry.last_used_at} exact />
      </dd>
      <dt>{t("keys.created_at")}</dt>
      <dd>
        <Moment at={entry.created_at} exact />{" "}
        {t(entry.creator.is_active ? "keys.created_by" : "keys.created_by_inactive", {
          name: entry.creator.name,
        })}
      </dd>
      <dt>{t("keys.expiry")}</dt>
      <dd>{entry.expires_at ? <Moment at={entry.expires_at} exact /> : t("keys.expiry_never")}</dd>
      {entry.rotated_at && (
        <>
          <dt>{t("keys.rotated_at")}</dt>
          <dd>
            <Moment at={entry.rotated_at} exact />
          </dd>
        </>
      )}
      {entry.old_secret_expires_at && (
        <>
          <dt>{t("secret.old_until")}</dt>
          <dd>
            <Moment at={entry.old_secret_expires_at} exact />
          </dd>
        </>
      )}
    </dl>
  );
}
