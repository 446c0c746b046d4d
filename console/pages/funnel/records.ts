// What the function app-v1-funnel replies.

interface Named {
  id: string;
  name: string;
}

/** A deal on its stage. */
export interface Card {
  id: string;
  title: string;
  value: number | null;
  owner: Named | null;
  contact: Named | null;
  company: Named | null;
  created_at: string;
  stage_entered_at: string;
}

/** A column: its newest 50 deals. */
export interface Stage extends Named {
  type: "pre_venda" | "venda" | "won" | "lost";
  position: number;
  /** Of the newest 1,000 deals, as is value_sum. */
  deals_count: number;
  deals_count_is_partial: boolean;
  value_sum: number;
  deals: Card[];
}

/** A pipeline as it is at one moment. */
export interface Funnel {
  as_of: string;
  pipelines: (Named & { is_default: boolean })[];
  pipeline: Named | null;
  stages: Stage[];
}
