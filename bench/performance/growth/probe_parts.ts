// What probes are made of.

/**
 * A call to measure. Arguments are expressions of SQL, for the `r`-th call to a workspace with `total` records of the
 * resource and `companies` companies and deals; seed.sql defines the rows.
 */
export interface Probe {
  /** As in the table of endpoints: `api-v1-contacts`, `GET /`. */
  resource: string;
  route: string;
  args: Record<string, string>;
  /** The number of records that a list must return at every size; 50 is a full page. */
  finds?: number;
  /** Among many records the page ends early, after the rows that one call looks through. */
  early?: true;
  /** The fewest records among which it is measured: fewer would end before one call has looked through its rows. */
  least?: number;
  /** It cannot be repeated on the same record. */
  once?: true;
  /** Why it takes longer among more records, as it may: it is measured, and has no figure. */
  grows?: string;
}

const FULL = 50;
/** Any record. */
export const ANY = "bench.id(0, bench.anywhere(r, total))";
/** Another record for each call. */
export const OWN = "bench.id(0, bench.own(r, total))";
/** A record to which only the oldest records refer. */
export const FEW = "bench.id(0, 1)";
/** A record to which every tenth record refers. */
export const MANY = "bench.id(0, 10)";
/** The external_id of one of every hundred rows, which alone have one. */
export const IMPORTED = "'erp-' || bench.anywhere(r, total) / 100 * 100 + 3";

/** A list by several filters, which must return a full page. */
export const page = (args: Record<string, string>) => ({ route: "GET /", args, finds: FULL });

/** A list whose filter matches many records, the oldest: a full page among few, none among many. */
export const old = (args: Record<string, string>) => ({ ...page(args), early: true as const });

/** A list whose filters each match many records, but hardly ever the same. */
export const never = (args: Record<string, string>) => ({
  ...page(args),
  early: true as const,
  least: 100_000,
});

/** Lists by one filter; each value must return a full page. */
export function pages(filter: string, ...values: string[]): Omit<Probe, "resource">[] {
  return values.map((value) => page({ [filter]: value }));
}

/** The values of a filter that takes several. */
export const words = (...values: string[]) => `'${JSON.stringify(values)}'::jsonb`;

/** A list by a value of which there is one. */
export const single = (filter: string, value: string) => ({
  route: "GET /",
  args: { [filter]: value },
  finds: 1,
});

/** A list that has fewer records than a page, by several filters. */
export const few = (finds: number, args: Record<string, string>) => ({ route: "GET /", args, finds });

/** One record. */
export const read = { route: "GET /:id", args: { id: ANY } };

/** A new record. */
export const create = (args: Record<string, string>) => ({ route: "POST /", args });

/** A change of another record for each call. */
export const update = (args: Record<string, string>) => ({ route: "PATCH /:id", args: { id: OWN, ...args } });

/** A record that is found by a value of its own, or created. */
export const upsert = (by: string, value: string, args: Record<string, string>) => ({
  route: "POST /upsert",
  args: { match_by: `'${by}'`, [by]: value, ...args },
});

/** A batch of these items, which are expressions of jsonb. */
export const batch = (...items: string[]) => ({
  route: "POST /batch",
  args: { items: `jsonb_build_array(${items.join(", ")})`, atomic: "false" },
});

/** An item of a batch, whose arguments are expressions of SQL. */
export function item(op: string, args: Record<string, string>): string {
  const fields = Object.entries(args).map(([name, value]) => `'${name}', ${value}`);
  return `jsonb_build_object('op', '${op}', 'args', jsonb_build_object(${fields.join(", ")}))`;
}
