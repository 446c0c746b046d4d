import type { Sql } from "postgres";
import { hasTable } from "../../../local/sql.ts";
import { type Check, type Finding, fine } from "../check.ts";

/** The partition jobs run every hour. A run gives up if its table is in use, so a few runs may do nothing. */
const GRACE = "6 hours";
/** If a default partition has more rows than this, crm.manage_partitions() moves none of them. */
const MOVABLE = 100_000;

interface Table {
  /** `crm.events` */
  name: string;
  key: string;
  /** Which of today and tomorrow have no partition. */
  missing: string[];
  /** How many partitions should have been dropped by now. */
  overdue: number;
  kept: number;
}

/**
 * Every partitioned table has partitions for today and tomorrow, no rows in its default partition, and no partition
 * that should have been dropped.
 */
export const partitions: Check = {
  name: "partitions",
  async look({ sql }) {
    if (!await hasTable(sql, "crm.events")) return fine("the tables come with the migrations");
    const findings: Finding[] = [];
    for (const table of await readTables(sql)) {
      findings.push(...findDays(table), ...await findDefault(sql, table));
    }
    return { findings };
  },
};

function readTables(sql: Sql) {
  return sql<Table[]>`
    select
      p.partrelid::regclass::text as name,
      a.attname as key,
      array(
        select day::date::text
        from generate_series(0, 1) n
        cross join lateral (select (now() at time zone 'UTC')::date + n as day) d
        where to_regclass(p.partrelid::regclass || to_char(day, '_YYYY_MM_DD')) is null
        order by day
      ) as missing,
      (
        select count(*)::int from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = p.partrelid
          and to_date(substring(c.relname from '_(\\d{4}_\\d\\d_\\d\\d)$'), 'YYYY_MM_DD')
            < (now() at time zone 'UTC' - make_interval(days => k.kept) - ${GRACE}::interval)::date
      ) as overdue,
      k.kept
    from pg_partitioned_table p
    cross join lateral (select crm.kept_days(p.partrelid) as kept) k
    join pg_class c on c.oid = p.partrelid
    join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
    where c.relnamespace = to_regnamespace('crm')
    order by 1
  `;
}

function manage(table: string) {
  return { sql: `select crm.manage_partitions('${table}');` };
}

function findDays({ name, missing, overdue, kept }: Table): Finding[] {
  const findings: Finding[] = [];
  if (missing.length > 0) {
    findings.push({
      message: `${name} has no partition for ${missing.join(" and ")}: new rows go into ${name}_default`,
      remedy: manage(name),
    });
  }
  if (overdue > 0) {
    const [count, are] = overdue === 1 ? ["A partition", "is"] : [`${overdue} partitions`, "are"];
    findings.push({
      message: `${count} of ${name} ${are} older than ${kept} days, and should have been dropped`,
      remedy: manage(name),
    });
  }
  return findings;
}

async function findDefault(sql: Sql, { name, key }: Table): Promise<Finding[]> {
  const [{ count, ahead }] = await sql.unsafe<[{ count: number; ahead: number }]>(`
    select
      count(*)::int as count,
      count(*) filter (
        where r.id >= crm.uuid_v7_floor(((now() at time zone 'UTC')::date + 8)::timestamp at time zone 'UTC')
      )::int as ahead
    from (select ${key} as id from ${name}_default limit ${MOVABLE + 1}) r
  `);
  if (count > MOVABLE) {
    return [{
      message:
        `${name}_default has over ${MOVABLE} rows: the job does not move so many, and makes no partition`,
      remedy: {
        advice:
          "The rows are safe, and reads find them. At a quiet time stop the functions, because writes wait about a " +
          `second per ${MOVABLE} rows, and run: select crm.manage_partitions('${name}', p_max_rows => 1000000000);`,
      },
    }];
  }
  const findings: Finding[] = [];
  if (count > ahead) {
    findings.push({
      message: `${name}_default has ${count - ahead} rows that belong in the partitions of their days`,
      remedy: manage(name),
    });
  }
  if (ahead > 0) {
    findings.push({
      message: `${name}_default has ${ahead} rows of days that are more than a week ahead`,
      remedy: {
        advice:
          "The database's clock was ahead when they were written. Nothing to do: the job moves each row when its day " +
          "is a week ahead",
      },
    });
  }
  return findings;
}
