import type { z } from "zod";
import type { OpenedDeal as OpenedDealSchema } from "../../../supabase/functions/app-v1-funnel/deal.ts";
import type { LinkedProposal as LinkedProposalSchema } from "../../../supabase/functions/app-v1-funnel/proposal.ts";
import type { Funnel as FunnelSchema } from "../../../supabase/functions/app-v1-funnel/schema.ts";

export type Funnel = z.output<typeof FunnelSchema>;
/** A column: its newest 50 deals. */
export type Stage = Funnel["stages"][number];
/** A deal in the column of its stage. */
export type Card = Stage["deals"][number];
/** A deal with what belongs to it: the newest 20 of each kind. */
export type OpenedDeal = z.output<typeof OpenedDealSchema>;
export type Proposal = OpenedDeal["proposals"][number];
/** A proposal with its new link, which only this reply shows. */
export type LinkedProposal = z.output<typeof LinkedProposalSchema>;
export type Activity = OpenedDeal["activities"][number];
export type Person = NonNullable<OpenedDeal["contact"]>;
