// @ts-types="@types/pg"
import pg from "pg";
import { bareApp } from "../bare_app.ts";

const { env } = Deno;
const prepare = env.get("DATABASE_PREPARE") === "true";
const pool = new pg.Pool({
  connectionString: env.get("DATABASE_URL"),
  max: Number(env.get("DATABASE_POOL_SIZE")),
});

// The API's own driver: how much of a difference is the driver's.
Deno.serve(
  bareApp(
    "bare-pg",
    async (name, text, values) => (await pool.query({ text, values, ...(prepare && { name }) })).rows,
  ).fetch,
);
