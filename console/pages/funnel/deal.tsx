import type { ComponentChildren } from "preact";
import { now } from "../../app/clock.ts";
import { useResource } from "../../app/resource.ts";
import { href } from "../../app/settings.ts";
import { Fact } from "../../components/fact.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Moment } from "../../components/moment.tsx";
import { Page } from "../../components/page.tsx";
import { formatDay } from "../../format/format.ts";
import { languageTag } from "../../strings/locale.ts";
import { t, textNamed } from "../../strings/strings.ts";
import type { OpenedDeal, Person } from "./records.ts";
import { activityState, proposalMoments, proposalState, type StateText, valueText } from "./words.ts";

/** The most rows of a kind that the reply has. */
const MOST = 20;
const TONES = { aberto: "", ganho: "good", perdido: "failed" } as const;

/**
 * One deal, to be read.
 * @param pipeline the id in the board's address; absent for the default pipeline
 */
export function Deal({ id, pipeline }: { id: string; pipeline: string | undefined }) {
  const resource = useResource<OpenedDeal>(`app-v1-funnel/deals/${encodeURIComponent(id)}`);
  return (
    <Page
      title={resource.data.value?.title ?? t("deal.single")}
      text={<a href={href("funil/", pipeline ? { pipeline } : {})}>{t("deal.back")}</a>}
    >
      <Loaded resource={resource} rows={8}>
        {(deal) => (
          <>
            <div class="columns">
              <Facts deal={deal} />
              <People deal={deal} />
            </div>
            <Rows title={t("deal.proposals")} none={t("deal.no_proposals")} rows={deal.proposals}>
              {(proposal) => {
                const value = valueText(proposal);
                const { rejection_reason: reason } = proposal;
                return (
                  <Row
                    key={proposal.id}
                    title={proposal.title}
                    state={proposalState(proposal, now.value)}
                    small={[...(value ? [value] : []), ...proposalMoments(proposal, now.value)]}
                    text={reason && t("proposal.reason", { reason })}
                  />
                );
              }}
            </Rows>
            <Rows title={t("deal.activities")} none={t("deal.no_activities")} rows={deal.activities}>
              {(activity) => (
                <Row
                  key={activity.id}
                  title={activity.title}
                  state={activityState(activity, now.value)}
                  small={[textNamed(`activity_type.${activity.type}`) ?? activity.type, activity.owner.name]}
                  text={activity.description}
                />
              )}
            </Rows>
            <Rows title={t("deal.notes")} none={t("deal.no_notes")} rows={deal.notes}>
              {({ id, body, author, created_at }) => (
                <li key={id}>
                  <p class="written">{body}</p>
                  <p class="small broken">
                    {author.name} · <Moment at={created_at} />
                  </p>
                </li>
              )}
            </Rows>
            <Rows
              title={t("deal.events")}
              none={t("deal.no_events")}
              rows={deal.events}
              more={
                <a href={href("atividade/", { ver: "eventos", registro: deal.id })}>{t("deal.all_events")}</a>
              }
            >
              {({ id, event, changed_fields, occurred_at }) => (
                <li key={id} class="line">
                  <p class="broken">
                    {textNamed(`event.${event}`) ?? event}
                    {changed_fields.length > 0 && (
                      <span class="small">
                        {" · "}
                        {t("events.changed", { fields: changed_fields.join(", ") })}
                      </span>
                    )}
                  </p>
                  <span class="small">
                    <Moment at={occurred_at} />
                  </span>
                </li>
              )}
            </Rows>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ deal }: { deal: OpenedDeal }) {
  const { status, stage, pipeline, loss_reason, loss_note, expected_close_date: expected } = deal;
  return (
    <dl class="facts">
      <Fact name={t("deal.state")}>
        <span class={`tag ${TONES[status]}`}>{t(`deal.${status}`)}</span>
      </Fact>
      {deal.closed_at && <Fact name={t("deal.closed_at")} at={deal.closed_at} />}
      {(loss_reason || loss_note) && (
        <Fact name={t("deal.loss")}>
          <p>{loss_reason?.name}</p>
          {loss_note && <p class="written">{loss_note}</p>}
        </Fact>
      )}
      <Fact name={t("deal.stage")}>
        {t("deal.stage_of", { stage: stage.name, pipeline: pipeline.name })}
      </Fact>
      <Fact name={t("deal.stage_since")} at={deal.stage_entered_at} />
      <Fact name={t("deal.value")}>{valueText(deal) ?? t("funnel.no_value")}</Fact>
      <Fact name={t("deal.owner")}>{deal.owner.name}</Fact>
      {deal.source && <Fact name={t("deal.source")}>{deal.source}</Fact>}
      {deal.tags.length > 0 && <Fact name={t("deal.tags")}>{deal.tags.join(", ")}</Fact>}
      {expected && <Fact name={t("deal.expected")}>{formatDay(expected, languageTag.value)}</Fact>}
      <Fact name={t("deal.created_at")} at={deal.created_at} />
    </dl>
  );
}

/** The contacts and the company. */
function People({ deal: { contact, other_contacts: others, company } }: { deal: OpenedDeal }) {
  return (
    <section class="stack">
      <h2>{t("deal.people")}</h2>
      {contact || company || others.length > 0
        ? (
          <dl class="facts">
            {contact && (
              <Fact name={t("deal.contact")}>
                <PersonLines person={contact} />
              </Fact>
            )}
            {company && <Fact name={t("deal.company")}>{company.name}</Fact>}
            {others.map((person) => (
              <Fact key={person.id} name={t("deal.other_contact")}>
                <PersonLines person={person} />
              </Fact>
            ))}
          </dl>
        )
        : <p class="quiet">{t("deal.no_people")}</p>}
      {others.length === MOST && <p class="hint">{t("deal.some")}</p>}
    </section>
  );
}

function PersonLines({ person: { name, role, email, phone } }: { person: Person }) {
  return (
    <>
      <p>
        {name}
        {role && <span class="small">{` · ${role}`}</span>}
      </p>
      {email && (
        <p>
          <a href={`mailto:${encodeURIComponent(email).replace("%40", "@")}`}>{email}</a>
        </p>
      )}
      {phone && (
        <p>
          <a href={`tel:${phone.replace(/[^+\d]/g, "")}`}>{phone}</a>
        </p>
      )}
    </>
  );
}

/** A section with the newest rows of a kind, or a sentence that there are none. */
function Rows<Item>({ title, none, rows, more, children }: {
  title: string;
  none: string;
  rows: readonly Item[];
  more?: ComponentChildren;
  children: (row: Item) => ComponentChildren;
}) {
  return (
    <section class="section">
      <div class="section-head">
        <h2>{title}</h2>
        {more}
      </div>
      {rows.length === 0 && <p class="quiet">{none}</p>}
      {rows.length > 0 && <ul class="lines">{rows.map(children)}</ul>}
      {rows.length === MOST && <p class="hint">{t("deal.newest")}</p>}
    </section>
  );
}

function Row({ title, state, small, text }: {
  title: string;
  state: StateText;
  small: string[];
  text: string | null;
}) {
  return (
    <li>
      <div class="line">
        <p class="broken">
          <strong>{title}</strong>
        </p>
        <span>
          <span class={`tag ${state.tone}`}>{state.text}</span>
        </span>
      </div>
      {small.length > 0 && <p class="small broken">{small.join(" · ")}</p>}
      {text && <p class="written">{text}</p>}
    </li>
  );
}
