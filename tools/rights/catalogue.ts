// Reads functions and tables of our schemas from the catalogue of a database.

/** Runs a query without parameters, through postgres.js or PGlite. */
export type Query = (text: string) => Promise<object[]>;

/** A function of schema api, app or crm. */
export interface SqlFunction {
  /** `schema.name` */
  name: string;
  /** The name with the types of the arguments, as `grant` takes it. */
  signature: string;
  source: string;
  securityDefiner: boolean;
}

/** What Postgres evaluates and fires when a role uses a table. */
interface SqlTable {
  /** `crm.name` */
  name: string;
  /** Conditions of policies, which every statement evaluates. */
  policies: string[];
  /** Defaults, generated columns, checks, indexes and conditions of triggers, which only a write evaluates. */
  written: string[];
  /** The names of the functions of its triggers. */
  triggers: string[];
}

/** Reads every function of our schemas. */
export async function readFunctions(query: Query): Promise<SqlFunction[]> {
  return await query(`
    select
      p.pronamespace::regnamespace || '.' || p.proname as name,
      p.oid::regprocedure::text as signature,
      p.prosrc as source,
      p.prosecdef as "securityDefiner"
    from pg_proc p
    where p.pronamespace in ('api'::regnamespace, 'app'::regnamespace, 'crm'::regnamespace)
    order by 2`) as SqlFunction[];
}

/** Reads every table of schema crm. */
export async function readTables(query: Query): Promise<SqlTable[]> {
  return await query(`
    select
      c.oid::regclass::text as name,
      array(
        select concat(p.qual, ' ', p.with_check) from pg_policies p
        where p.schemaname = 'crm' and p.tablename = c.relname
      ) as policies,
      array(select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d where d.adrelid = c.oid)
        || array(select pg_get_constraintdef(k.oid) from pg_constraint k where k.conrelid = c.oid and k.contype = 'c')
        || array(select pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid = c.oid)
        || array(
          select (regexp_match(pg_get_triggerdef(t.oid), ' WHEN (.*) EXECUTE '))[1]
          from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal and t.tgqual is not null
        ) as written,
      array(
        select p.pronamespace::regnamespace || '.' || p.proname
        from pg_trigger t join pg_proc p on p.oid = t.tgfoid
        where t.tgrelid = c.oid and not t.tgisinternal
      ) as triggers
    from pg_class c
    where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p')
    order by 1`) as SqlTable[];
}
