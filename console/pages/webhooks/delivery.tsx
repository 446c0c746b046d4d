import { useEffect, useRef } from "preact/hooks";
import { href, mayChange, now, useResource } from "../../app/mod.ts";
import { CopyButton, Fact, Loaded } from "../../components/mod.ts";
import { t, textNamed } from "../../strings/strings.ts";
import { Ladder } from "./ladder.tsx";
import { prettyJson } from "./pretty_json.ts";
import type { Delivery, OpenDelivery } from "./records.ts";
import { Resend } from "./resend.tsx";
import { Signature } from "./signature.tsx";
import { EventName } from "./delivery_table.tsx";
import { type Sending, stateOfDelivery, waits } from "./states.ts";
import { deliveryStateText, objectText } from "./words.ts";

/** One delivery: its attempts, headers, body and ids. */
export function OpenedDelivery({ id, listed, sending, closeHref, onSent }: {
  id: string;
  /**
   * The same delivery as the list shows it; when it changes, the details are read again. Null if it is not in the list.
   */
  listed: Delivery | null;
  sending: Sending;
  closeHref: string;
  onSent: (delivery: Delivery) => void;
}) {
  const delivery = useResource<OpenDelivery>(`app-v1-deliveries/${encodeURIComponent(id)}`);
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    heading.current!.focus({ preventScroll: true });
    // When the delivery closes, its row in the list gets the focus back.
    return () => document.querySelector<HTMLElement>(`a[href$="entrega=${CSS.escape(id)}"]`)?.focus();
  }, []);

  const shown = delivery.data.value;
  useEffect(() => {
    // On a phone the delivery is below the facts about the webhook, where it may be out of sight.
    const { top } = heading.current!.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) heading.current!.scrollIntoView({ block: "start" });
  }, [shown === undefined]);
  const changed = listed && shown && (listed.state !== shown.state || listed.attempts !== shown.attempts);
  useEffect(() => {
    if (changed) void delivery.reload();
  }, [listed?.state, listed?.attempts]);

  const gone = delivery.failure.value?.code === "not_found" && shown === undefined;
  return (
    <section class="delivery stack" aria-labelledby="delivery-title">
      <div class="section-head">
        <h2 id="delivery-title" ref={heading} tabIndex={-1}>
          {shown ? <EventName delivery={shown} /> : t("delivery.open")}
          {shown?.object_name && <span class="object-name">{shown.object_name}</span>}
        </h2>
        <a class="button small-button" href={closeHref}>{t("app.close")}</a>
      </div>
      {gone ? <p>{t("delivery.gone")}</p> : (
        <Loaded resource={delivery} rows={6}>
          {(read) => <Opened delivery={read} sending={sending} onSent={onSent} />}
        </Loaded>
      )}
    </section>
  );
}

function Opened({ delivery, sending, onSent }: {
  delivery: OpenDelivery;
  sending: Sending;
  onSent: (delivery: Delivery) => void;
}) {
  const { id, event_id, object_id, object_name, created_at, occurred_at, body, body_as_sent, headers } =
    delivery;
  const timestamp = headers.find(({ name }) => name.toLowerCase() === "x-service-timestamp");
  const state = stateOfDelivery(delivery, sending);
  const meaning = textNamed(`delivery_meaning.${state.is}`);
  return (
    <>
      <div class="actions">
        <span class={`state ${state.tone}`}>{deliveryStateText(state)}</span>
        {mayChange.value && sending !== "stopped" && !waits(delivery) && (
          <Resend delivery={delivery} onSent={onSent} />
        )}
      </div>
      {meaning && <p class="hint">{meaning}</p>}
      <section>
        <h3>{t("delivery.attempts")}</h3>
        <Ladder delivery={delivery} sending={sending} now={now.value} />
      </section>
      <dl class="facts">
        <Id name={t("delivery.id")} id={id} />
        <Id name={t("deliveries.event")} id={event_id} />
        {object_name && (
          <Fact name={objectText(delivery.object_type)}>
            <a class="broken" href={href("atividade/", { ver: "eventos", registro: object_id })}>
              {object_name}
            </a>
          </Fact>
        )}
        <Id name={`${objectText(delivery.object_type)} (id)`} id={object_id} />
        <Fact name={t("deliveries.when")} at={occurred_at} />
        <Fact name={t("webhooks.created")} at={created_at} />
      </dl>
      <section>
        <div class="section-head">
          <h3>{t("delivery.body")}</h3>
          {body !== null && <CopyButton text={body} label={t("delivery.body")} quiet />}
        </div>
        <p class="hint">
          {t(
            body === null
              ? "delivery.body_none"
              : body_as_sent === null
              ? "delivery.body_text"
              : body_as_sent
              ? "delivery.body_sent"
              : "delivery.body_changed",
          )}
        </p>
        {body !== null && (
          <pre
            class="snippet"
            tabIndex={0}
            role="region"
            aria-label={t("delivery.body")}
          >{prettyJson(body)}</pre>
        )}
      </section>
      <details>
        <summary>{t("delivery.headers")}</summary>
        <dl class="headers">
          {headers.map(({ name, value }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      </details>
      {body !== null && timestamp && <Signature body={body} timestamp={timestamp.value} />}
    </>
  );
}

function Id({ name, id }: { name: string; id: string }) {
  return (
    <Fact name={name}>
      <code>{id}</code> <CopyButton text={id} label={name} quiet />
    </Fact>
  );
}
