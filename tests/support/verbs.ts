import type { Sql } from "postgres";

/** A verb of schema app, read from the catalogue. */
export interface CatalogueVerb {
  name: string;
  required: string[];
  optional: string[];
  comment: string;
  source: string;
}

/** Every verb of schema app, by name, with the arguments that its body declares to crm.check_args. */
export async function readVerbs(sql: Sql): Promise<CatalogueVerb[]> {
  const rows = await sql<{ name: string; comment: string | null; source: string }[]>`
    select p.proname as name, obj_description(p.oid, 'pg_proc') as comment, p.prosrc as source
    from pg_proc p
    -- app.call runs the verbs and is not a verb itself.
    where p.pronamespace = 'app'::regnamespace and p.proname <> 'call' order by p.proname`;
  return rows.map(({ name, comment, source }) => {
    const [, required, optional] =
      /crm\.check_args\(\s*p_args,\s*'\{([^}]*)\}'(?:,\s*'\{([^}]*)\}')?\s*\)/.exec(source) ??
        [];
    if (required === undefined) throw new Error(`app.${name} does not check its arguments`);
    return {
      name,
      required: words(required),
      optional: words(optional ?? ""),
      comment: comment ?? "",
      source,
    };
  });
}

/** Splits `a, b (c, d)` into `a` and `b`: the text in brackets is dropped. */
export function words(list: string): string[] {
  return list.replace(/\([^)]*\)/g, "").split(",").map((word) => word.trim()).filter((word) => word !== "");
}
