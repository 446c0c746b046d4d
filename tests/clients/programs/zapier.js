// Zapier's platform with the app: runs the event on each line of standard input, and prints its result as a line.
import process from "node:process";
import { createInterface } from "node:readline";
import { createAppHandler } from "zapier-platform-core";
import app from "./index.js";

const handle = createAppHandler(app);
for await (const line of createInterface({ input: process.stdin })) {
  const outcome = await handle(JSON.parse(line)).catch(({ name, message }) => ({ error: { name, message } }));
  console.log(JSON.stringify(outcome));
}
