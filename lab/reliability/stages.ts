/** What a dispatcher can be doing when it is killed, in the order of an attempt. */
export const STAGES = ["after claim", "in TLS", "after sending", "before recording", "in recording"] as const;

export type Stage = typeof STAGES[number];

/** The end that a dispatcher is started for: at this stage, once it has claimed so many deliveries. */
export interface Death {
  stage: Stage;
  claimed: number;
}

/** What a dispatcher prints just before it dies of a {@link Death}. */
export interface LastWords {
  killed: Stage;
  /** The delivery that was at that stage; null in TLS, where it cannot be told. */
  delivery_id: string | null;
}
