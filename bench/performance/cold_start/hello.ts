/** A minimal function on the same framework. */
import { Hono } from "hono";

const app = new Hono();
app.all("*", (c) => c.json({ message: "Hello, world" }));
Deno.serve(app.fetch);
