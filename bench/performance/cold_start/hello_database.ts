/** A minimal function, on the same framework and driver, that sends one query to the database. */
import { Hono } from "hono";
// @ts-types="@types/pg"
import pg from "pg";

const pool = new pg.Pool({ connectionString: Deno.env.get("DATABASE_URL"), max: 1 });
const app = new Hono();
app.all("*", async (c) => c.json((await pool.query("select 1 as one")).rows));
Deno.serve(app.fetch);
