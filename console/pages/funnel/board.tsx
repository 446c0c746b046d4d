import { href } from "../../app/mod.ts";
import { Moment } from "../../components/mod.ts";
import { moneyText, numberText } from "../../format/shown.ts";
import { counted, t } from "../../strings/strings.ts";
import type { Card, Stage } from "./records.ts";
import { valueText } from "./words.ts";

/**
 * The stages side by side in one area, which can be scrolled with the keyboard.
 * @param pipeline the id in the address, passed on so that a deal's page can lead back; absent for the default pipeline
 */
export function Board({ name, pipeline, stages, arrived }: {
  name: string;
  pipeline: string | undefined;
  stages: readonly Stage[];
  arrived: ReadonlySet<string>;
}) {
  return (
    <>
      <p class="unseen" role="status">{arrivalText(stages, arrived)}</p>
      <div class="board" role="region" tabIndex={0} aria-label={t("funnel.board", { name })}>
        {stages.map((stage) => <Column key={stage.id} stage={stage} pipeline={pipeline} arrived={arrived} />)}
      </div>
    </>
  );
}

function Column({ stage, pipeline, arrived }: {
  stage: Stage;
  pipeline: string | undefined;
  arrived: ReadonlySet<string>;
}) {
  const { id, name, type, deals, deals_count: count, deals_count_is_partial: partial } = stage;
  const hidden = count - deals.length;
  const number = numberText(hidden);
  const sum = moneyText(stage.value_sum);
  return (
    <section class="stage" aria-labelledby={`stage-${id}`}>
      <header class="stage-head">
        <h2 id={`stage-${id}`} class="clipped" title={name}>{name}</h2>
        <p class="small">
          {partial ? t("funnel.count_partial", { n: numberText(count) }) : counted("funnel.count", count)}
          {(type === "won" || type === "lost") && ` · ${t("funnel.closed_days")}`}
        </p>
        <p>{partial ? t("funnel.sum_partial", { sum, n: numberText(count) }) : sum}</p>
      </header>
      <ul>
        {deals.map((deal) => (
          <DealCard key={deal.id} deal={deal} pipeline={pipeline} arrived={arrived.has(deal.id)} />
        ))}
        {deals.length === 0 && <li class="stage-end">{t("funnel.empty_stage")}</li>}
        {hidden > 0 && <li class="stage-end">{t("funnel.hidden", { n: partial ? `${number}+` : number })}
        </li>}
      </ul>
    </section>
  );
}

function DealCard({ deal, pipeline, arrived }: {
  deal: Card;
  pipeline: string | undefined;
  arrived: boolean;
}) {
  const { id, title, owner, company, contact, source, created_at } = deal;
  const value = valueText(deal);
  // A deal without a title of its own has the name of its contact or company.
  const people = [company, contact].flatMap((named) => named && named.name !== title ? [named.name] : []);
  return (
    <li class={arrived ? "card arrived" : "card"}>
      <a class="card-title clamped" title={title} href={href("funil/", { pipeline, negocio: id })}>
        {title}
      </a>
      {people.length > 0 && <p class="small">{people.join(" · ")}</p>}
      <p class={value === null ? "small" : undefined}>{value ?? t("funnel.no_value")}</p>
      {deal.proposal_accepted_at && (
        <p>
          <span class="tag good">{t("funnel.proposal_accepted")}</span>
        </p>
      )}
      {source && <p class="small">{t("funnel.source", { source })}</p>}
      <p class="card-foot small">
        <span class="clipped" title={owner?.name}>{owner?.name ?? t("funnel.no_owner")}</span>
        <Moment at={created_at} />
      </p>
    </li>
  );
}

/** What a screen reader announces about new cards. */
function arrivalText(stages: readonly Stage[], arrived: ReadonlySet<string>): string {
  return stages.flatMap((stage) =>
    stage.deals.filter(({ id }) => arrived.has(id)).map(({ title }) =>
      t("funnel.arrived", { title, stage: stage.name })
    )
  ).slice(0, 3).join(". ");
}
