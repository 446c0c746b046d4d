import type { funnel as portuguese } from "../pt/funnel.ts";
import type { Translated } from "../translate.ts";

export const funnel: Translated<typeof portuguese> = {
  "funnel.title": "Funnel",
  "funnel.text": "Deals by stage. A lead that arrives by the API appears here within seconds.",
  "funnel.pipeline": "Pipeline",
  "funnel.board": "Stages of the pipeline {name}",
  "funnel.count.one": "{n} deal",
  "funnel.count.many": "{n} deals",
  "funnel.count_partial": "more than {n} deals",
  "funnel.sum_partial": "{sum} in the newest {n}",
  "funnel.no_value": "no value",
  "funnel.no_owner": "no owner",
  "funnel.closed_days": "30 days",
  "funnel.hidden": "and {n} more",
  "funnel.empty_stage": "No deals",
  "funnel.empty": "No deals yet. A lead from your site appears here as soon as it arrives.",
  "funnel.empty_keys": "See the API keys",
  "funnel.no_pipeline": "This company has no active pipeline.",
  "funnel.fresh": "Refreshes by itself",
  "funnel.away": "No connection; showing what there was at {time}. It comes back by itself.",
  "funnel.slow": "The server is busy; showing what there was at {time}. Next try in {seconds} s.",
  "funnel.arrived": "{title} arrived in {stage}",
};
