import { useResource } from "../../app/resource.ts";
import { href } from "../../app/settings.ts";
import type { ApiKey } from "../../app/types.ts";
import { mayChange } from "../../app/workspace.ts";
import { Empty } from "../../components/empty.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Moment } from "../../components/moment.tsx";
import { Page } from "../../components/page.tsx";
import { Sparkline } from "../../components/sparkline.tsx";
import { Table } from "../../components/table.tsx";
import { formatNumber } from "../../format/format.ts";
import { languageTag } from "../../strings/locale.ts";
import { t } from "../../strings/strings.ts";

/** Every key of the workspace. */
export function KeyList() {
  const keys = useResource<{ data: ApiKey[] }>("app-v1-keys");
  const create = mayChange.value && (
    <a class="button primary" href={href("chaves/", { nova: "1" })}>{t("keys.create")}</a>
  );
  return (
    <Page title={t("keys.title")} text={t("keys.text")} action={create}>
      <Loaded resource={keys}>
        {({ data }) =>
          data.length === 0 ? <Empty text={t("keys.empty")}>{create}</Empty> : (
            <Table
              label={t("keys.title")}
              rows={data}
              keyOf={({ id }) => id}
              href={({ id }) => href("chaves/", { id })}
              muted={({ state }) => state !== "active"}
              columns={[
                { title: t("keys.name"), cell: ({ name }) => <span class="broken">{name}</span> },
                { title: t("keys.prefix"), cell: ({ prefix }) => <code>{prefix}…</code> },
                { title: t("keys.scopes"), cell: ({ scopes }) => scopes.join(", ") },
                { title: t("keys.last_used"), cell: ({ last_used_at }) => <Moment at={last_used_at} /> },
                {
                  title: t("keys.calls"),
                  number: true,
                  cell: ({ calls }) => (
                    <span class="figure">
                      <Sparkline label="" series={[{ values: calls.days.map(({ calls }) => calls) }]} />
                      {formatNumber(calls.total_7_days, languageTag.value)}
                    </span>
                  ),
                },
              ]}
            />
          )}
      </Loaded>
    </Page>
  );
}
