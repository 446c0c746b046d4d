import { doc } from "../_shared/contract/doc.ts";
import { merged } from "../_shared/contract/operation.ts";
import { company } from "./record.ts";

export const MergedCompany = company.reply.extend(merged.shape).meta({
  id: "MergedCompany",
  ...doc("A empresa que fica", "The company that stays"),
  fields: { ...company.texts(), ...merged.texts },
});
