import type { ReadonlySignal } from "@preact/signals";
import { queryOf, useResource } from "../../app/mod.ts";
import type { LoggedRequest, Page } from "../../app/types.ts";
import { Button, Field, Loaded, Moment, Select } from "../../components/mod.ts";
import { Lines } from "../../components/lines.tsx";
import { t } from "../../strings/strings.ts";

/** The id of the heading, to which the page moves when a person chooses an error code. */
export const REQUESTS_ID = "requests";
const STATUSES = ["", "4xx", "422", "429", "5xx", "2xx"] as const;

/** Which requests are shown; "" for any. */
export interface RequestFilter {
  status: string;
  code: string;
  /** How the path begins. */
  path: string;
}

export const ANY_REQUEST: RequestFilter = { status: "", code: "", path: "" };

/**
 * The requests of a key in the last 7 days, with the error of each that failed.
 * @param path the path of the key below the functions' URL
 */
export function KeyRequests({ path, filter: { value: filter }, change }: {
  path: string;
  filter: ReadonlySignal<RequestFilter>;
  change: (changed: Partial<RequestFilter>) => void;
}) {
  const list = `${path}/requests?${queryOf({ ...filter })}`;
  const first = useResource<Page<LoggedRequest>>(list);
  return (
    <section class="section">
      <div class="section-head">
        <h2 id={REQUESTS_ID} tabIndex={-1}>{t("requests.title")}</h2>
        <Button text={t("requests.refresh")} onClick={() => first.reload()} />
      </div>
      <p class="hint">{t("requests.text")}</p>
      <div class="filters">
        <Select
          label={t("requests.status")}
          value={filter.status}
          onChange={({ currentTarget }) => change({ status: currentTarget.value })}
          options={STATUSES.map((value) => ({ value, text: t(`requests.status_${value || "all"}`) }))}
        />
        <Field
          label={t("requests.code")}
          placeholder="validation_error"
          maxLength={60}
          value={filter.code}
          onChange={({ currentTarget }) => change({ code: currentTarget.value.trim() })}
        />
        <Field
          label={t("requests.path")}
          placeholder="/api-v1-leads"
          maxLength={255}
          value={filter.path}
          onChange={({ currentTarget }) => change({ path: currentTarget.value.trim() })}
        />
      </div>
      <Loaded resource={first}>
        {(page) => (
          <Lines
            key={list}
            list={list}
            first={page}
            none={(mayFollow) => <p class="quiet">{t(mayFollow ? "requests.none_yet" : "requests.none")}</p>}
          >
            {(row: LoggedRequest) => <Row key={row.request_id} row={row} />}
          </Lines>
        )}
      </Loaded>
    </section>
  );
}

function Row(
  { row: { request_id, started_at, method, path, status, duration_ms, error } }: { row: LoggedRequest },
) {
  return (
    <li>
      <p class="broken">
        <span class={status < 400 ? "tag good" : "tag failed"}>{status}</span> <code>{method} {path}</code>
      </p>
      {error && (
        <div class="broken">
          <p>
            <code>{error.code}</code> {error.message}
          </p>
          <ul>
            {error.details?.map(({ field, message, choices }, index) => (
              <li key={index}>
                <code>{field || t("requests.body")}</code>: {message}
                {choices?.map(({ id, name }) => (
                  <p key={id} class="small">
                    {name} <code>{id}</code>
                  </p>
                ))}
              </li>
            ))}
          </ul>
        </div>
      )}
      <p class="small broken">
        <Moment at={started_at} exact /> · {duration_ms} ms · X-Request-Id <code>{request_id}</code>
      </p>
    </li>
  );
}
