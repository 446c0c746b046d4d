import assert from "node:assert/strict";
import { join } from "node:path";
import { pause } from "../../bench/harness/waiting.ts";
import { certificate } from "../support/deliver_to.ts";
import { type Behaviour, startHostile } from "../support/hostile.ts";
import { deno } from "../support/run.ts";

const SCRIPT = join(import.meta.dirname!, "../support/attempt_memory.ts");
const AT_ONCE = 16;
const ALLOWED_BYTES = 2 * 1024 * 1024;

const RECEIVERS: [name: string, behaviour: Behaviour][] = [
  ["that sends headers without end", async (connection) => {
    await connection.write("HTTP/1.1 200 OK\r\n");
    for (;;) await connection.write(`X-Filler: ${"x".repeat(1000)}\r\n`);
  }],
  ["that sends a body without end", async (connection) => {
    await connection.readRequest();
    await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
    for (;;) await connection.write("x".repeat(64 * 1024));
  }],
  ["that sends one header byte by byte", async (connection) => {
    await connection.write("HTTP/1.1 200 OK\r\nX: ");
    for (let sent = 0; sent < 2_000; sent++) await connection.write("x");
    await connection.write("\r\n\r\n");
  }],
  ["that sends interim answers without end", async (connection) => {
    for (;;) await connection.write("HTTP/1.1 100 Continue\r\n\r\n".repeat(100));
  }],
];

/** Makes attempts in a separate process, and returns the bytes of memory that each attempt adds. */
async function measureMemory(behaviour: Behaviour, atOnce: number): Promise<number> {
  await using receiver = startHostile(behaviour, certificate);
  const target = `localhost:${receiver.port}`;
  const flags = ["-A", "--no-check", "--v8-flags=--expose-gc"];
  const { stdout } = await deno(["run", ...flags, SCRIPT, `https://${target}/`, String(atOnce)], {
    env: { WEBHOOK_DEV_TARGETS: target, SUPABASE_URL: "http://127.0.0.1:54321" },
  });
  return Number(stdout.trim().split("\n").at(-1));
}

for (const [name, behaviour] of RECEIVERS) {
  Deno.test(`A receiver ${name} adds under 2 MB to the dispatcher`, async () => {
    const bytes = await measureMemory(behaviour, AT_ONCE);
    assert.ok(bytes < ALLOWED_BYTES, `${bytes} bytes for each attempt`);
  });
}

Deno.test("256 attempts that wait for their receivers, the most that a process makes, add under 64 MB to it", async () => {
  const bytes = await measureMemory(async (connection) => {
    await connection.readRequest();
    await pause(5_000);
  }, 256);
  assert.ok(256 * bytes < 64 * 1024 * 1024, `${bytes} bytes for each attempt`);
});
