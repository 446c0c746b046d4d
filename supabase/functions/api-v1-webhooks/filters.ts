import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import { uuid } from "../_shared/contract/fields.ts";
import { field, object, textsOf } from "../_shared/contract/object.ts";

/** Maximum ids or names in a filter, because each event of the workspace is compared with all of them. */
const MAX_VALUES = 20;

/** One id or a list of ids, without duplicates in the result. */
const ids = () =>
  z.union([uuid(), z.array(uuid()).min(1).max(MAX_VALUES)], {
    error: `Deve ser um UUID ou uma lista de 1 a ${MAX_VALUES} UUIDs`,
  }).transform((given) => [...new Set([given].flat())]).optional();

// The database checks the names (crm.changed_field_names).
const names = () => z.array(z.string()).min(1).max(MAX_VALUES).transform((names) => [...new Set(names)]);

const PIPELINE = [
  "O pipeline do negócio, ou do negócio da atividade, anotação ou proposta",
  "The pipeline of the deal, or of the deal of the activity, note or proposal",
] as const;
const STAGE = [
  "A etapa do negócio, como em pipeline_id; em deal.stage_changed, a nova etapa",
  "The stage of the deal, as for pipeline_id; in deal.stage_changed, the new stage",
] as const;
const OWNER = [
  "O responsável pelo objeto; pelo negócio, se anotação ou proposta",
  "The owner of the object; of its deal, for a note or proposal",
] as const;
const CHANGED = [
  "Nos eventos updated, ao menos um destes campos mudou; não restringe os outros eventos",
  "In updated events, at least one of these fields changed; does not restrict other events",
  ["stage_id", "value"],
] as const;

const given = object({
  pipeline_id: field(ids(), PIPELINE),
  stage_id: field(ids(), STAGE),
  owner_id: field(ids(), OWNER),
  changed_fields: field(names().optional(), CHANGED),
});

/** The filters in a body. Strict, because the receiver would get all events if a misspelt filter were ignored. */
export const Filters = given.strict().meta({
  fields: textsOf(given),
  ...named(
    "SubscriptionFilters",
    "Os eventos que a assinatura recebe: cada filtro é um id ou uma lista de até 20. Um filtro por pipeline, etapa ou " +
      "responsável exclui objetos sem esse campo",
    "The events that the subscription gets: each filter is an id or a list of up to 20. A filter by pipeline, stage or " +
      "owner excludes objects without that field",
  ),
});

/** The filters in a reply: always lists. */
export const StoredFilters = object({
  pipeline_id: field(z.array(uuid()).optional(), PIPELINE),
  stage_id: field(z.array(uuid()).optional(), STAGE),
  owner_id: field(z.array(uuid()).optional(), OWNER),
  changed_fields: field(z.array(z.string()).optional(), CHANGED),
}).meta(named("StoredFilters", "Os filtros de uma assinatura", "The filters of a subscription"));
