import pg from "pg";
import { startCluster } from "./performance/growth/sizes.ts";
import { insertRows } from "./performance/growth/seed.ts";
import { contact } from "../supabase/functions/api-v1-contacts/record.ts";
import { hashCredential } from "../supabase/functions/_shared/contract/credentials.ts";
import { GATES } from "../supabase/functions/_shared/http/gates.ts";
import { SCOPES } from "../supabase/functions/_shared/contract/scopes.ts";
await using cluster = await startCluster();
const results: Record<string, Record<string, number[]>> = {};
for (const n of [1000, 100_000, 1_000_000]) {
  const url = await cluster.createDatabase(`c${n}`);
  const c = new pg.Client({ connectionString: url });
  await c.connect();
  await c.query(
    "begin; set local session_replication_role = replica; set local maintenance_work_mem='512MB'",
  );
  await c.query("select bench.seed_workspaces(1,1000,$1)", [[...SCOPES]]);
  const keys = Array.from(
    { length: 18 },
    (_, i) => `'t${i}', bench.pick(k,'few','many',(k * ${i + 3})::text)`,
  ).join(",");
  const sql = insertRows(contact).replace(
    /jsonb_build_object\('plano'.*?'lojas', k\)/s,
    `jsonb_build_object('plano', bench.pick(k,'few','many',k::text),'lojas',k,${keys})`,
  );
  await c.query(sql, [1, n, 1]);
  await c.query(
    "insert into crm.search_texts (workspace_id, record, id, text) select workspace_id,'contact',id,crm.contact_text(x) from crm.contacts x",
  );
  await c.query(`insert into crm.custom_fields (workspace_id, object_type, key, label, type, index_below)
    select bench.workspace_id(0),'contact',k,k,case k when 'lojas' then 'number' else 'text' end,null from unnest(array['plano','lojas']||array(select 't'||i from generate_series(0,17) i)) k`);
  await c.query(`insert into crm.record_values (workspace_id, record, field, value, id)
    select r.workspace_id,'contact',v.field,v.value,r.id from crm.contacts r cross join lateral (
     select 'tags', (crm.tag_keys(r.tags))[1] union all select 'custom_fields.'||c.key,(crm.value_keys(c.value))[1] from jsonb_each(r.custom_fields) c) v(field,value)
     order by 1,2,3,4,5`);
  await c.query("update crm.search_progress set position = crm.feed_position() + 1");
  await c.query("commit");
  await c.query("vacuum (freeze, analyze)");
  await c.query("checkpoint");
  const [{ rows: [s] }] = [
    await c.query(
      "select pg_size_pretty(pg_total_relation_size('crm.record_values')) as v, pg_size_pretty(pg_total_relation_size('crm.contacts')) as c",
    ),
  ];
  console.log(n, s);
  await c.query("set session authorization postgres");
  const hashes = Array.from({ length: 1000 }, (_, i) => hashCredential(`svc_growth_0_${i + 1}`));
  let h = 0;
  const probes: Record<string, unknown> = {
    "no filter": {},
    "eq few": { custom: { plano: { eq: "few" } } },
    "eq many": { custom: { plano: { eq: "many" } } },
    "eq one": { custom: { plano: { eq: "501" } } },
    "eq none": { custom: { plano: { eq: "x" } } },
    "narrow range": { custom: { lojas: { gte: "1", lte: "60" } } },
    "half": { custom: { lojas: { gte: String(n / 2) } } },
    "oldest half": { custom: { lojas: { lte: String(n / 2) } } },
    "two": { custom: { plano: { eq: "many" }, t3: { eq: "many" } } },
    "two disjoint": { custom: { plano: { eq: "many" }, t3: { eq: "few" } } },
    "tag many": { tag: ["many"] },
    "tag few sorted": { tag: ["few"], sort: "-updated_at" },
    "many sorted": { custom: { plano: { eq: "many" } }, sort: "updated_at" },
    "q + many": { q: "name", custom: { plano: { eq: "many" } } },
  };
  for (let round = 0; round < 15; round++) {
    for (const [name, args] of Object.entries(probes)) {
      const t = performance.now();
      const { rows } = await c.query({
        name: "api",
        text: GATES.key.door.text,
        values: [
          hashes[h++ % 1000],
          "contacts:read",
          "contact_list",
          JSON.stringify({ limit: 50, ...args as object }),
          null,
          null,
        ],
      });
      const ms = performance.now() - t;
      if (rows[0].error_code) throw new Error(name + rows[0].error_code + JSON.stringify(rows[0].details));
      if (round >= 3) ((results[name] ??= {})[n] ??= []).push(ms);
    }
  }
  await c.end();
}
for (const [name, by] of Object.entries(results)) {
  const m = Object.entries(by).map(([n, a]) => [n, a.sort((x, y) => x - y)[a.length >> 1]!] as const);
  console.log(
    name,
    m.map(([n, v]) => `${n}: ${v.toFixed(2)} ms`).join("  "),
    "ratio",
    (m.at(-1)![1] / m[0]![1]).toFixed(2),
  );
}
