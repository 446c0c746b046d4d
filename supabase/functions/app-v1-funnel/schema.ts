import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { money, name, timestamp, uuid } from "../_shared/contract/fields.ts";
import { Reference } from "../_shared/contract/reference.ts";

export const FunnelQuery = z.object({
  pipeline_id: uuid().optional().meta(
    doc("O pipeline; o padrão se ausente", "The pipeline; the default one if absent"),
  ),
});

const Card = z.object({
  id: uuid(),
  title: name(),
  value: money().nullable(),
  owner: Reference.nullable(),
  contact: Reference.nullable(),
  company: Reference.nullable(),
  created_at: timestamp(),
  stage_entered_at: timestamp(),
}).meta({
  id: "FunnelDeal",
  ...doc("Um negócio no funil", "A deal in the funnel"),
  fields: {
    id: doc("Identificador do negócio", "The deal's id"),
    title: doc("Título", "Title", "Plano anual"),
    value: doc("Valor", "Value", 1500),
    owner: doc("Responsável", "Owner"),
    contact: doc("Contato", "Contact"),
    company: doc("Empresa cliente", "The customer's company"),
    stage_entered_at: doc("Desde quando está na etapa", "When it entered the stage"),
  },
});

const Stage = z.object({
  id: uuid(),
  name: name(),
  type: z.string(),
  position: z.int(),
  deals_count: z.int(),
  deals_count_is_partial: z.boolean(),
  value_sum: z.number(),
  deals: z.array(Card),
}).meta({
  id: "FunnelStage",
  ...doc("Uma etapa do funil", "A stage of the funnel"),
  fields: {
    id: doc("Identificador da etapa", "The stage's id"),
    name: doc("Nome", "Name", "Proposta"),
    type: doc("Tipo: pre-venda, venda, won, lost", "Kind: pre-venda, venda, won, lost", "venda"),
    position: doc("Ordem no pipeline", "Order in the pipeline", 2),
    deals_count: doc("Negócios; conta os 1.000 mais novos", "Deals; counts the newest 1,000", 12),
    deals_count_is_partial: doc("Se há mais de 1.000", "Whether there are more than 1,000", false),
    value_sum: doc("Soma dos valores dos contados", "Sum of the counted deals' values", 18000),
    deals: doc(
      "Os 50 mais novos: abertos; nas etapas won e lost, também os fechados nos últimos 30 dias",
      "The newest 50: open ones; in the stages won and lost also those closed in the last 30 days",
    ),
  },
});

const PipelineChoice = Reference.extend({ is_default: z.boolean() }).meta({
  id: "PipelineChoice",
  ...doc("Um pipeline ativo", "An active pipeline"),
  fields: {
    id: doc("Identificador do pipeline", "The pipeline's id"),
    name: doc("Nome", "Name", "Vendas"),
    is_default: doc("Se é o padrão", "Whether it is the default one", true),
  },
});

export const Funnel = z.object({
  as_of: timestamp(),
  pipelines: z.array(PipelineChoice),
  pipeline: Reference.nullable(),
  stages: z.array(Stage),
}).meta({
  id: "Funnel",
  ...doc("O funil de um pipeline", "The funnel of a pipeline"),
  fields: {
    as_of: doc("De quando são os números", "When the figures were read"),
    pipelines: doc("Os pipelines ativos", "The active pipelines"),
    pipeline: doc(
      "O pipeline mostrado; null se nenhum está ativo",
      "The pipeline shown; null if none is active",
    ),
    stages: doc("As etapas ativas, em ordem", "The active stages, in order"),
  },
});
