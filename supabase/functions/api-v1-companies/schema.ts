import { named } from "../_shared/contract/doc.ts";
import { extended } from "../_shared/contract/object.ts";
import { merged } from "../_shared/contract/operation.ts";
import { company } from "./record.ts";

export const MergedCompany = extended(company.reply, merged)
  .meta(named("MergedCompany", "A empresa que fica", "The company that stays"));
