import { z } from "zod";
import type { CrmRecord } from "../../../supabase/functions/_shared/contract/record.ts";
import { type Field, isEquality } from "../../../supabase/functions/_shared/contract/record_fields.ts";
import { records } from "../../../tools/records/records.ts";

/** The records of which a workspace may have many. */
export const seeded = records.filter(({ about }) => about.sql?.includes("list"));

const closed = (won: string, lost: string) => `bench.pick(k, null, ${won}, ${lost})`;
const MADE = "bench.made_at(k)";

/** SQL of columns that differ from the usual values, for row `k` of workspace `w`, which has `each` rows. */
const PARTICULAR: Record<string, Record<string, string>> = {
  contacts: {
    email: "bench.pick(k, 'few', 'many', k::text) || '@contato.com'",
    phone: "'+55 11 ' || k",
    // Half of the contacts have a company. 10 % of all contacts share one e-mail and are in company 10. Another 10 %,
    // with different e-mails, are in company 11. The other contacts with a company are spread over seven companies.
    company_id: `case when k <= 120 or k % 10 < 5 then
      bench.id(w, bench.pick(k, 1, 10, case k % 10 when 1 then 11 else 12 + k % 7 end)) end`,
  },
  companies: {
    name: "'Empresa ' || bench.pick(k, 'few', 'many', k::text)",
    // The oldest 12 % were changed last, all at once, as by an import.
    updated_at:
      `case when k <= each * 0.12 then timestamptz '2026-01-01' else bench.made_at(k + k * 7919 % 1000) end`,
  },
  deals: {
    value: "k",
    pipeline_id: "bench.id(w, bench.pick(k, 2, 1, 1))",
    stage_id: "bench.id(w, bench.pick(k, 5, 1, 2 + k % 3))",
    stage_changed_at: MADE,
    moved_at: MADE,
    closed_at: closed(MADE, MADE),
    won_at: closed(MADE, "null"),
    lost_at: closed("null", MADE),
  },
  activities: {
    created_by_id: "bench.id(w, 1)",
    type: "bench.pick(k, 'visita', 'ligacao', 'tarefa')",
    due_at: `${MADE} + case when k % 10 = 0 then interval '100 years' else interval '7 days' end`,
    // The oldest 12 % were never done.
    status: "case when k <= each * 0.12 or k % 10 = 0 then 'pendente' else 'concluida' end",
    completed_at: `case when k <= each * 0.12 or k % 10 = 0 then null else ${MADE} end`,
  },
  notes: {
    // Every second note belongs to the same deal.
    deal_id: "bench.id(w, case when k <= 120 then 1 when k % 2 = 0 then 10 else k end)",
    author_id: "bench.id(w, 1)",
    kind: "case when k <= 300 then 'observation' else 'note' end",
    source: "'integration'",
  },
};

const USUAL: Record<string, string> = {
  id: "bench.id(w, k)",
  workspace_id: "bench.workspace_id(w)",
  archived_at: "bench.archived_at(k)",
  created_at: MADE,
  updated_at: "bench.made_at(k + k * 7919 % 1000)",
};

/**
 * SQL that inserts rows of a record: $1 and $2 are the first and the last row over all workspaces (see bench.rows), $3
 * is the number of workspaces. A column with a filter has one value in the oldest 120 rows, another in every tenth
 * later row, and a different value in each remaining row (bench.pick in seed.sql).
 */
export function insertRows(record: CrmRecord): string {
  const { table } = record.about;
  const columns: Record<string, string | undefined> = {
    workspace_id: USUAL["workspace_id"],
    ...Object.fromEntries(
      Object.entries(record.fields).map(([name, field]) => [name, usualValue(name, field, table)]),
    ),
    ...PARTICULAR[table],
  };
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  return `
    insert into crm.${table} (${given.map(([name]) => name).join(", ")})
    select ${given.map(([, value]) => value).join(", ")}
    from bench.rows($1, $2, $3), (values ($2::bigint / $3::bigint)) as size (each)`;
}

/** SQL of the usual value; undefined: the column's default, or null. */
function usualValue(name: string, field: Field, table: string): string | undefined {
  const { filter, references, sql, presence, stored, shape } = field;
  if (!stored) return undefined;
  if (USUAL[name]) return USUAL[name];
  if (references?.table === "members") return "bench.id(w, bench.pick(k, 2, 3, 1))";
  if (
    references && references.table !== table && seeded.some(({ about }) => about.table === references.table)
  ) {
    return "bench.id(w, bench.pick(k, 1, 10, k))";
  }
  if (name === "tags") return "array[bench.pick(k, 'few', 'many', 'own ' || k)]";
  if (name === "custom_fields") {
    return "jsonb_build_object('plano', bench.pick(k, 'few', 'many', k::text), 'lojas', k)";
  }
  if (filter?.unique) return "bench.imported(k)";
  if (sql !== "text") return undefined;
  if (filter && isEquality(filter)) {
    const words = shape instanceof z.ZodEnum ? shape.options as string[] : [];
    const [few, many, own] = words.length === 0
      ? ["'few'", "'many'", "k::text"]
      : [0, 1, 2].map((n) => `'${words[n] ?? words.at(-1)}'`);
    return `bench.pick(k, ${few}, ${many}, ${own})`;
  }
  return presence === "optional" ? undefined : `'${name} ' || k`;
}
