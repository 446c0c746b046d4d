import { z } from "zod";
import { choices } from "./batch.ts";
import { named } from "./doc.ts";
import { uuid } from "./fields.ts";
import { field, object } from "./object.ts";

/** An item of `error.details` (spec 7). */
export const ErrorDetail = object({
  field: field(z.string(), ["Nome do campo ou parâmetro", "Name of the field or parameter", "email"]),
  message: field(z.string(), [
    "O que é aceito, em português",
    "What is allowed, in Portuguese",
    "Deve ser um e-mail válido",
  ]),
  id: field(uuid().optional(), [
    "O registro de que o erro trata, se há um",
    "The record that the error is about, if there is one",
  ]),
  choices,
}).meta(named("ErrorDetail", "Um campo com problema", "An invalid field"));
