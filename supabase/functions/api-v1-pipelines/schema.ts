import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { timestamp, uuid } from "../_shared/contract/fields.ts";

/** A step of a pipeline (spec 2.5). */
export const Stage = z.object({
  id: uuid(),
  name: z.string(),
  position: z.number(),
  type: z.string(),
  is_active: z.boolean(),
}).meta({
  id: "Stage",
  ...doc("Uma etapa de um pipeline", "A step of a pipeline"),
  fields: {
    name: doc("Nome", "Name", "Prospecção"),
    position: doc("Ordem no funil", "Order in the funnel", 1),
    type: doc("Tipo: pre-venda, venda, won ou lost", "Type: pre-venda, venda, won or lost", "pre-venda"),
  },
});

/** A sales funnel with its stages in order (spec 2.5). */
export const Pipeline = z.object({
  id: uuid(),
  workspace_id: uuid(),
  name: z.string(),
  is_default: z.boolean(),
  is_active: z.boolean(),
  created_at: timestamp(),
  stages: z.array(Stage),
}).meta({
  id: "Pipeline",
  ...doc("Um funil de vendas com as suas etapas", "A sales funnel with its stages"),
  fields: {
    name: doc("Nome", "Name", "Vendas"),
    is_default: doc("Se é o padrão do workspace", "Whether it is the workspace's default", true),
    stages: doc("As etapas, na ordem do funil", "The stages, in the funnel's order"),
  },
});

export const PipelineList = z.object({ data: z.array(Pipeline) });
