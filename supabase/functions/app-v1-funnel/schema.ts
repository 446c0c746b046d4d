import { z } from "zod";
import { doc, named } from "../_shared/contract/doc.ts";
import { money, name, timestamp, uuid } from "../_shared/contract/fields.ts";
import { extended, field, object } from "../_shared/contract/object.ts";
import { Reference } from "../_shared/contract/reference.ts";

export const FunnelQuery = z.object({
  pipeline_id: uuid().optional().meta(
    doc("O pipeline; o padrão se ausente", "The pipeline; the default one if absent"),
  ),
});

const Card = object({
  id: field(uuid(), ["Identificador do negócio", "The deal's id"]),
  title: field(name(), ["Título", "Title", "Plano anual"]),
  value: field(money().nullable(), ["Valor", "Value", 1500]),
  recurring_value: field(money().nullable(), ["Valor mensal", "Monthly value", 300]),
  source: field(z.string().nullable(), ["De onde veio", "Where it came from", "site"]),
  owner: field(Reference.nullable(), ["Responsável", "Owner"]),
  contact: field(Reference.nullable(), ["Contato", "Contact"]),
  company: field(Reference.nullable(), ["Empresa cliente", "The customer's company"]),
  created_at: timestamp(),
  stage_entered_at: field(timestamp(), ["Desde quando está na etapa", "When it entered the stage"]),
  proposal_accepted_at: field(timestamp().nullable(), [
    "Quando o cliente aceitou uma proposta, a última se são várias; null: nenhuma",
    "When the customer accepted a proposal, the last one if several; null: none",
    null,
  ]),
}).meta(named("FunnelDeal", "Um negócio no funil", "A deal in the funnel"));

const Stage = object({
  id: field(uuid(), ["Identificador da etapa", "The stage's id"]),
  name: field(name(), ["Nome", "Name", "Proposta"]),
  type: field(z.string(), [
    "Tipo: pre-venda, venda, won, lost",
    "Kind: pre-venda, venda, won, lost",
    "venda",
  ]),
  position: field(z.int(), ["Ordem no pipeline", "Order in the pipeline", 2]),
  deals_count: field(z.int(), ["Negócios; conta os 1.000 mais novos", "Deals; counts the newest 1,000", 12]),
  deals_count_is_partial: field(z.boolean(), [
    "Se há mais de 1.000",
    "Whether there are more than 1,000",
    false,
  ]),
  value_sum: field(z.number(), ["Soma dos valores dos contados", "Sum of the counted deals' values", 18000]),
  deals: field(z.array(Card), [
    "Os 50 mais novos: abertos; nas etapas won e lost, também os fechados nos últimos 30 dias",
    "The newest 50: open ones; in the stages won and lost also those closed in the last 30 days",
  ]),
}).meta(named("FunnelStage", "Uma etapa do funil", "A stage of the funnel"));

const PipelineChoice = extended(Reference, {
  id: field(Reference.shape.id, ["Identificador do pipeline", "The pipeline's id"]),
  name: field(Reference.shape.name, ["Nome", "Name", "Vendas"]),
  is_default: field(z.boolean(), ["Se é o padrão", "Whether it is the default one", true]),
}).meta(named("PipelineChoice", "Um pipeline ativo", "An active pipeline"));

export const Funnel = object({
  as_of: field(timestamp(), ["De quando são os números", "When the figures were read"]),
  pipelines: field(z.array(PipelineChoice), ["Os pipelines ativos", "The active pipelines"]),
  pipeline: field(Reference.nullable(), [
    "O pipeline mostrado; null se nenhum está ativo",
    "The pipeline shown; null if none is active",
  ]),
  stages: field(z.array(Stage), [
    "As etapas ativas, e as inativas que têm negócios abertos, em ordem",
    "The active stages, and the inactive ones that have open deals, in order",
  ]),
}).meta(named("Funnel", "O funil de um pipeline", "The funnel of a pipeline"));
