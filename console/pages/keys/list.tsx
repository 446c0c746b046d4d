import { href, mayChange, role, settled, useResource } from "../../app/mod.ts";
import type { ApiKey } from "../../app/types.ts";
import { Empty, Filtered, Loaded, Moment, Page, Table } from "../../components/mod.ts";
import { Sparkline } from "../../components/sparkline.tsx";
import { numberText } from "../../format/shown.ts";
import { counted, t } from "../../strings/strings.ts";
import { scopesText } from "./scopes.ts";
import { FirstSteps } from "./first_steps.tsx";
import { KeyTag } from "./state.tsx";

const KEYS_PATH = "app-v1-keys";
/** Maximum keys that the functions return; the filter finds no others. */
const MOST_KEYS = 500;
/** Failed requests are counted up to this number. */
const MOST_FAILED = 1_000;

/** Every key of the workspace, and a link to the apps that act for people. */
export function KeyList() {
  const keys = useResource<{ data: ApiKey[] }>(KEYS_PATH);
  const create = mayChange.value && (
    <a class="button primary" href={href("chaves/", { nova: "1" })}>{t("keys.create")}</a>
  );
  return (
    <Page title={t("keys.title")} text={t("keys.text")} action={create}>
      <Loaded resource={keys}>
        {({ data }) => (
          <>
            <FirstSteps />
            {data.length === 0
              ? (
                <Empty text={t(role.value === "vendedor" ? "keys.empty_read_only" : "keys.empty")}>
                  {create}
                </Empty>
              )
              : <KeyTable keys={data} />}
          </>
        )}
      </Loaded>
      {/* Shown after the keys arrived, because their list would push the link down. */}
      {keys.data.value && settled.value && (
        <p class="section">
          {t("apps.text")} <a href={href("chaves/", { aplicativos: "1" })}>{t("apps.title")}</a>
        </p>
      )}
    </Page>
  );
}

function KeyTable({ keys }: { keys: ApiKey[] }) {
  return (
    <>
      {keys.length >= MOST_KEYS && <p class="note">{t("keys.most", { n: numberText(keys.length) })}</p>}
      <Filtered rows={keys} textOf={({ name, prefix }) => `${name} ${prefix}`}>
        {(rows) => (
          <Table
            label={t("keys.title")}
            rows={rows}
            keyOf={({ id }) => id}
            href={({ id }) => href("chaves/", { id })}
            muted={({ state }) => state !== "active"}
            columns={[
              {
                title: t("keys.name"),
                cell: (key) => (
                  <span class="with-tag">
                    <span class="clamped" title={key.name}>{key.name}</span> <KeyTag entry={key} />
                  </span>
                ),
              },
              { title: t("keys.prefix"), cell: ({ prefix }) => <code>{prefix}…</code> },
              {
                title: t("keys.scopes"),
                small: true,
                cell: ({ scopes }) => <span>{scopesText(scopes)}</span>,
              },
              { title: t("keys.last_used"), cell: ({ last_used_at }) => <Moment at={last_used_at} /> },
              {
                title: t("keys.calls"),
                number: true,
                cell: ({ calls }) => (
                  <span class="figure">
                    <Sparkline label="" series={[{ values: calls.days.map(({ calls }) => calls) }]} />
                    <span>{numberText(calls.total_7_days)}</span>
                    {calls.failed_7_days > 0 && (
                      <span class="failed small">
                        {calls.failed_7_days === MOST_FAILED
                          ? t("keys.failed_most", { n: numberText(MOST_FAILED) })
                          : counted("keys.failed", calls.failed_7_days)}
                      </span>
                    )}
                  </span>
                ),
              },
            ]}
          />
        )}
      </Filtered>
    </>
  );
}
