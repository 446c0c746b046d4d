import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { text, timestamp, uuid } from "../_shared/contract/fields.ts";
import { listQuery } from "../_shared/contract/pagination.ts";
import { noteFields } from "./docs.ts";

/** `note`: something that happened; `observation`: free context (spec 2.2). */
const kind = () => z.enum(["note", "observation"]);

/** Body of POST (spec 4.3). */
export const NewNote = z.object({
  deal_id: uuid(),
  body: text(10_000, 1),
  kind: kind().nullish(),
}).meta({
  id: "NewNote",
  ...doc("Uma nota a criar", "A note to create"),
  fields: noteFields,
});

/** A note as every reply gives it (spec 2.2). */
export const Note = z.object({
  id: uuid(),
  deal_id: uuid(),
  author_id: uuid(),
  body: z.string(),
  kind: kind(),
  source: z.enum(["user", "automation", "agent", "integration"]),
  created_at: timestamp(),
  updated_at: timestamp(),
}).meta({
  id: "Note",
  ...doc("Uma nota de um negócio", "A note of a deal"),
  fields: noteFields,
});

/** Query of the list: always that of one deal (spec 4.3). */
export const NoteFilter = listQuery({
  deal_id: uuid(),
  kind: kind().optional().meta(doc("Só notas deste tipo", "Only notes of this kind")),
});
