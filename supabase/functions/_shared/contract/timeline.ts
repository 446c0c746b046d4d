import { z } from "zod";
import { activity } from "../../api-v1-activities/record.ts";
import { deal } from "../../api-v1-deals/record.ts";
import { note } from "../../api-v1-notes/record.ts";
import { doc, named } from "./doc.ts";
import { timestamp, uuid } from "./fields.ts";
import { extended, field, object } from "./object.ts";
import { ListQuery, pageOf } from "./pagination.ts";
import { Reference } from "./reference.ts";

export const TIMELINE_TYPES = ["deal", "stage_change", "activity", "note"] as const;

const TimelineDeal = extended(Reference, {
  status: field((deal.reply.shape["status"] as z.ZodType).nullable(), [
    "Situação; sem o escopo deals:read, null, como também o valor",
    "Status; without the scope deals:read, status and value are null",
    "aberto",
  ]),
  value: (deal.reply.shape["value"] as z.ZodType).nullable(),
}).meta(named("TimelineDeal", "Um negócio, como está agora", "A deal, as it is now"));

const TimelineEntry = object({
  id: field(uuid(), [
    "O id do negócio, da atividade, da anotação ou do evento",
    "The id of the deal, activity, note or event",
  ]),
  type: field(z.enum(TIMELINE_TYPES), ["O que é", "What it is", "note"]),
  occurred_at: field(timestamp(), [
    "Quando foi criado, ou quando mudou de etapa",
    "When it was created, or when it changed stage",
  ]),
  deal: field(TimelineDeal, ["O negócio", "The deal"]),
  activity: activity.reply.nullable(),
  note: note.reply.nullable(),
  from_stage: field(z.string().nullable(), [
    "A etapa de onde o negócio saiu",
    "The stage that the deal left",
    null,
  ]),
  to_stage: field(z.string().nullable(), [
    "A etapa para onde o negócio foi",
    "The stage that the deal moved to",
    null,
  ]),
}).meta(
  named(
    "TimelineEntry",
    "O que houve com um contato ou uma empresa",
    "What happened with a contact or company",
  ),
);

/**
 * Declares a record's timeline, without its scope. The verb leaves out entries that the key has no scope to read.
 *
 * @param name the record's name; the verb is `<name>_timeline`
 */
export const timelineOf = (name: string) => ({
  summary: doc(
    "O que houve: negócios, mudanças de etapa, atividades e anotações, do mais novo ao mais antigo",
    "What happened: deals, moves to another stage, activities and notes, newest first",
  ),
  query: ListQuery.pick({ limit: true, cursor: true }),
  reply: pageOf(TimelineEntry),
  verb: `${name}_timeline`,
});
