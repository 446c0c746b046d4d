import { openSql } from "../../../../local/sql.ts";
import { bareApp } from "../bare_app.ts";

const { env } = Deno;
const prepare = env.get("DATABASE_PREPARE") === "true";
const sql = openSql(env.get("DATABASE_URL")!, { max: Number(env.get("DATABASE_POOL_SIZE")) });

Deno.serve(
  bareApp("bare", (_name, text, values) => sql.unsafe(text, values as string[], { prepare })).fetch,
);
