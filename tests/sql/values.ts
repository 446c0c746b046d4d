// Chooses values that the schemas of a record's fields accept.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Field } from "../../supabase/functions/_shared/contract/record_fields.ts";

/** Candidates for values, each valid for some schema. The first that a field accepts is not the field's default. */
const CANDIDATES: unknown[] = [
  ...["Texto novo", "Outro texto", "12ABC34501DE35", "98XYZ76543AB21"],
  ...["novo@exemplo.com.br", "outro@exemplo.com.br"],
  ...["https://exemplo.com.br/novo", "https://exemplo.com.br/outro"],
  ...["2026-12-24", "2026-12-25", "2026-12-24T10:00:00.000Z", "2026-12-25T10:00:00.000Z"],
  ...["observation", "note", "concluida", "cancelada", "aberto", "ganho"],
  ...[7, 8, true, false, ["nova"], ["outra"]],
  ...[{ source: "novo" }, { source: "outro" }, { street: "Rua Nova" }, { street: "Rua Velha" }],
  ...[{ chave: "nova" }, { chave: "outra" }],
];

/**
 * Returns two different values that a schema accepts and does not transform, and by which a list can be filtered.
 *
 * @throws AssertionError if no two candidates are valid; then add two candidates for the new kind of schema
 */
function twoValues({ rule, filter }: Field, name: string): [unknown, unknown] {
  const valid = CANDIDATES.filter((value) => {
    const parsed = rule!.safeParse(value);
    return parsed.success && isDeepStrictEqual(parsed.data, value) &&
      (filter === null || filter.rule.safeParse(value).success);
  });
  // A free text accepts more than two candidates; the first two suffice.
  const [first, second] = valid;
  assert.ok(
    first !== undefined && second !== undefined,
    `Two values for "${name}" are missing among the candidates`,
  );
  return [first, second];
}

/** Ids that the fields of a record can refer to, by table. */
export type Ids = Readonly<Record<string, [string, string]>>;

/** Chooses two values for a field; for a reference, ids of records that exist. */
export function valuesOf(name: string, field: Field, ids: Ids): [unknown, unknown] {
  const table = field.references?.table ?? { pipeline_id: "pipelines" }[name];
  return table ? ids[table]! : twoValues(field, name);
}
