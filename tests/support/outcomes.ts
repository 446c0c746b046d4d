import type postgres from "postgres";

/** An outcome as crm.delivery_record takes it; a success if it has no reason. */
export interface Outcome {
  workspace_id: string;
  delivery_id: string;
  lease_token: string | number;
  status?: number;
  reason?: string;
}

/** What crm.delivery_record did with an outcome. */
export interface Recorded {
  lease_token: string;
  attempt: number;
  state: "pending" | "delivered" | "failed";
  deactivated: boolean;
}

/** Records outcomes in one statement, as a dispatcher does; returns no row for an outcome whose lease was lost. */
export async function recordOutcomes(sql: postgres.ISql, outcomes: Outcome[]): Promise<Recorded[]> {
  const json = JSON.stringify(outcomes.map((outcome) => ({ ...outcome, duration_ms: 5 })));
  return [...await sql<Recorded[]>`select * from crm.delivery_record(${json}::text::json)`];
}
