import { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import { declaredIn } from "../resources.ts";

/** Every declared record, found in the `record.ts` of the functions. */
export const records: CrmRecord[] = (await declaredIn("record.ts", CrmRecord)).map(({ value }) => value)
  .sort((a, b) => a.name.localeCompare(b.name));
