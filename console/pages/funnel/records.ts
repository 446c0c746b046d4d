import type { z } from "zod";
import type { Funnel as FunnelSchema } from "../../../supabase/functions/app-v1-funnel/schema.ts";

/** What the function app-v1-funnel replies: a pipeline as it is at one moment. */
export type Funnel = z.output<typeof FunnelSchema>;
/** A column: its newest 50 deals. */
export type Stage = Funnel["stages"][number];
/** A deal on its stage. */
export type Card = Stage["deals"][number];
