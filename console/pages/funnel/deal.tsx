import { href, now, useResource } from "../../app/mod.ts";
import { ChangedFields } from "../../components/changed_fields.tsx";
import { Fact, Loaded, Moment, Page } from "../../components/mod.ts";
import { dayText } from "../../format/shown.ts";
import { happened, t, textNamed } from "../../strings/strings.ts";
import { addressLink } from "./offer_message.ts";
import { Proposals } from "./proposals.tsx";
import type { OpenedDeal, Person } from "./records.ts";
import { MOST, Row, Rows } from "./rows.tsx";
import { activityState, valueText } from "./words.ts";

const TONES = { aberto: "", ganho: "good", perdido: "failed" } as const;

/**
 * One deal: what is known about it, and its proposals, which can be created and sent.
 * @param pipeline the id in the board's address; absent for the default pipeline
 */
export function Deal({ id, pipeline }: { id: string; pipeline: string | undefined }) {
  const resource = useResource<OpenedDeal>(`app-v1-funnel/deals/${encodeURIComponent(id)}`);
  return (
    <Page
      title={resource.data.value?.title ?? t("deal.single")}
      back={<a href={href("funil/", { pipeline })}>{t("deal.back")}</a>}
      text={resource.data.value && <Summary deal={resource.data.value} />}
    >
      <Loaded resource={resource} rows={8}>
        {(deal) => (
          <>
            <div class="columns">
              <Facts deal={deal} />
              <People deal={deal} />
            </div>
            <Proposals
              deal={deal}
              reload={resource.reload}
              onChange={(change) => {
                // Read the shown data now, because another call may have changed it meanwhile.
                const shown = resource.data.peek() ?? deal;
                resource.set({ ...shown, proposals: change(shown.proposals) });
              }}
            />
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
                    {happened(event)}{" "}
                    <span class="small">
                      <ChangedFields fields={changed_fields} />
                    </span>
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

function Summary({ deal }: { deal: OpenedDeal }) {
  return (
    <>
      <strong>{valueText(deal) ?? t("funnel.no_value")}</strong>{" "}
      <span class={`tag ${TONES[deal.status]}`}>{t(`deal.${deal.status}`)}</span>
    </>
  );
}

function Facts({ deal }: { deal: OpenedDeal }) {
  const { stage, pipeline, loss_reason, loss_note, expected_close_date: expected } = deal;
  return (
    <dl class="facts">
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
      <Fact name={t("deal.owner")}>{deal.owner.name}</Fact>
      {deal.source && <Fact name={t("deal.source")}>{deal.source}</Fact>}
      {deal.tags.length > 0 && <Fact name={t("deal.tags")}>{deal.tags.join(", ")}</Fact>}
      {expected && <Fact name={t("deal.expected")}>{dayText(expected)}</Fact>}
      <Fact name={t("deal.created_at")} at={deal.created_at} />
    </dl>
  );
}

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

/** Shows a Brazilian number without marks as `(11) 91234-5678`, and any other number as it was written. */
function phoneText(phone: string): string {
  return phone.replace(/^(?:\+?55)?([1-9]{2})(9\d{4}|[2-5]\d{3})(\d{4})$/, "($1) $2-$3");
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
          <a href={addressLink(email)}>{email}</a>
        </p>
      )}
      {phone && (
        <p>
          <a href={`tel:${phone.replace(/[^+\d]/g, "")}`}>{phoneText(phone)}</a>
        </p>
      )}
    </>
  );
}
