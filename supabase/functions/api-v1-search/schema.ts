import { z } from "zod";
import { doc, named } from "../_shared/contract/doc.ts";
import { search, uuid } from "../_shared/contract/fields.ts";
import { field, object } from "../_shared/contract/object.ts";
import { ListQuery, several } from "../_shared/contract/pagination.ts";
import { Reference } from "../_shared/contract/reference.ts";

export const FOUND_TYPES = ["company", "contact", "deal"] as const;

export const SearchQuery = ListQuery.pick({ limit: true }).extend({
  q: search().meta(doc(
    "Todas estas palavras, em qualquer ordem, sem distinguir acentos e maiúsculas",
    "All of these words, in any order, ignoring accents and case",
    "padaria",
  )),
  types: several(z.enum(FOUND_TYPES)).optional().meta(
    doc("Só estes tipos, separados por vírgulas", "Only these types, separated by commas"),
  ),
});

const Found = object({
  type: field(z.enum(FOUND_TYPES), ["O tipo do registro", "The type of the record", "contact"]),
  id: uuid(),
  name: field(z.string(), ["O nome, ou o título do negócio", "The name, or the deal's title", "Ana Souza"]),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  company: Reference.nullable(),
  status: field(z.string().nullable(), ["A situação do negócio", "The deal's state", null]),
  value: z.number().nullable(),
}).meta(named("Found", "Um registro encontrado", "A record that was found"));

/** The results of a search, best match first. */
export const SearchResult = object({
  data: field(z.array(Found), [
    "Primeiro os registros com esse nome, depois os que começam com ele, os outros e, por fim, os encontrados pela " +
    "empresa",
    "First the records with this name, then those that begin with it, the others, and last those found by their " +
    "company",
  ]),
}).meta(named("SearchResult", "O que a busca encontrou", "What the search found"));
