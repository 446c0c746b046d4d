import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { record } from "../_shared/contract/record.ts";
import * as field from "../_shared/contract/record_fields.ts";

const isActive = () => field.flag({ presence: "required", written: "by the database" });

/** A step of a pipeline (spec 2.5). */
export const stage = record("stage", {
  table: "stages",
  schema: "Stage",
  text: doc("Uma etapa de um pipeline", "A step of a pipeline"),
}, {
  id: field.readOnlyId(),
  name: field.readOnlyText({ text: doc("Nome", "Name", "Prospecção"), presence: "required" }),
  position: field.readOnlyNumber({ text: doc("Ordem no funil", "Order in the funnel", 1) }, z.number()),
  type: field.readOnlyText({
    text: doc("Tipo: pre-venda, venda, won ou lost", "Type: pre-venda, venda, won or lost", "pre-venda"),
    presence: "required",
  }),
  is_active: isActive(),
});

/** A sales funnel with its stages in order (spec 2.5). */
export const pipeline = record("pipeline", {
  table: "pipelines",
  schema: "Pipeline",
  text: doc("Um funil de vendas com as suas etapas", "A sales funnel with its stages"),
}, {
  id: field.readOnlyId(),
  workspace_id: field.readOnlyId(),
  name: field.readOnlyText({ text: doc("Nome", "Name", "Vendas"), presence: "required" }),
  is_default: field.flag({
    text: doc("Se é o padrão do workspace", "Whether it is the workspace's default", true),
    presence: "required",
    written: "by the database",
  }),
  is_active: isActive(),
  created_at: field.autoTimestamp(),
  stages: field.computed("json", "crm.stages_of(t)", z.array(stage.reply), {
    text: doc("As etapas, na ordem do funil", "The stages, in the funnel's order"),
  }),
});

/** The reply to the list, which has no pages (spec 4.4). */
export const PipelineList = z.object({ data: z.array(pipeline.reply) });
