import { z } from "zod";
import { CHOICES } from "./batch.ts";
import { doc, named } from "./doc.ts";
import { uuid } from "./fields.ts";
import { Choice } from "./reference.ts";

/** An item of `error.details` (spec 7). */
export const ErrorDetail = z.object({
  field: z.string(),
  message: z.string(),
  id: uuid().optional(),
  choices: z.array(Choice).optional(),
}).meta({
  ...named("ErrorDetail", "Um campo com problema", "An invalid field"),
  fields: {
    field: doc("Nome do campo ou parâmetro", "Name of the field or parameter", "email"),
    message: doc(
      "O que é aceito, em português",
      "What is allowed, in Portuguese",
      "Deve ser um e-mail válido",
    ),
    id: doc(
      "O registro de que o erro trata, se há um",
      "The record that the error is about, where there is one",
    ),
    choices: CHOICES,
  },
});
