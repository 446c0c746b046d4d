import { useLocation } from "preact-iso/router";
import { href, queryOf, settled, useResource } from "../../app/mod.ts";
import type { Page as PageOf, ShownEvent } from "../../app/types.ts";
import { dayEnd, dayIn, hostOf } from "../../format/format.ts";
import { ChangedFields } from "../../components/changed_fields.tsx";
import { Field, Loaded, Moment, Select } from "../../components/mod.ts";
import { Lines } from "../../components/lines.tsx";
import { happened, t, textNamed } from "../../strings/strings.ts";
import { ALL_EVENTS } from "../webhooks/events.ts";

const TONES = {
  delivered: "good",
  failed: "failed",
  pending: "waits",
  held: "waits",
  cancelled: "",
} as const;

/** The events, newest first, and which webhooks got each. The filter is in the address, so that people can share it. */
export function Events() {
  const { query, route } = useLocation();
  const filter = { evento: query.evento ?? "", registro: query.registro ?? "", ate: dayIn(query.ate) };
  const choose = (changed: Partial<typeof filter>) =>
    route(href("atividade/", { ver: "eventos", ...filter, ...changed }), true);
  const list = `app-v1-activity/events?${
    queryOf({ event: filter.evento, object_id: filter.registro, until: filter.ate && dayEnd(filter.ate) })
  }`;
  // A day begins and ends in the workspace's time zone, which is not known before the workspace was read.
  const first = useResource<PageOf<ShownEvent>>(filter.ate && !settled.value ? null : list);
  return (
    <>
      <p class="hint">{t("events.text")}</p>
      <div class="filters">
        <Select
          label={t("deliveries.event")}
          value={filter.evento}
          onChange={({ currentTarget }) => choose({ evento: currentTarget.value })}
          options={[
            { value: "", text: t("deliveries.all") },
            ...ALL_EVENTS.map((event) => ({
              value: event,
              text: `${textNamed(`event.${event}`)} · ${event}`,
            })),
          ]}
        />
        <Field
          label={t("events.record")}
          placeholder="01a0e82c-9612-7f16-88cc-dd91548c5a8c"
          value={filter.registro}
          onChange={({ currentTarget }) => choose({ registro: currentTarget.value.trim() })}
        />
        <Field
          label={t("events.until")}
          type="date"
          value={filter.ate}
          onChange={({ currentTarget }) => choose({ ate: currentTarget.value })}
        />
      </div>
      <Loaded resource={first} rows={8}>
        {(page) => (
          <Lines
            key={list}
            list={list}
            first={page}
            none={(mayFollow) => <p class="quiet">{t(mayFollow ? "events.none_yet" : "events.none")}</p>}
          >
            {(event: ShownEvent) => <Line key={event.id} event={event} />}
          </Lines>
        )}
      </Loaded>
    </>
  );
}

function Line({ event }: { event: ShownEvent }) {
  const { object_id, object_name, changed_fields, deliveries, is_test } = event;
  const outcomes = deliveries.map(({ name, target_url, ...delivery }) => ({
    ...delivery,
    name: name ?? hostOf(target_url),
  })).toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <li>
      <div class="line">
        <div>
          <p class="clamped">
            <strong>{happened(event.event)}</strong>
            {": "}
            {is_test
              ? <span class="tag">{t("deliveries.test")}</span>
              : (
                <a href={href("atividade/", { ver: "eventos", registro: object_id })}>
                  {object_name ?? t("events.nameless")}
                </a>
              )}
          </p>
          <p class="small broken">
            <Moment at={event.occurred_at} exact /> · <code>{event.event}</code>{" "}
            <ChangedFields fields={changed_fields} />
          </p>
        </div>
        {outcomes.length > 0 && (
          <ul class="outcomes">
            {outcomes.map(({ id, name, subscription_id, state }) => (
              <li key={id}>
                <a
                  class="clipped"
                  href={href("webhooks/", { id: subscription_id, entrega: id })}
                >
                  {name}
                </a>{" "}
                <span class={`tag ${TONES[state]}`}>{t(`filter_state.${state}`)}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}
