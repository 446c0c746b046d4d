// A separate file: Deno 2.1 cannot cancel a connect, so the connect of this test would end during another test.
import assert from "node:assert/strict";
import {
  type AttemptOutcome,
  sendAttempt,
} from "../../supabase/functions/webhook-dispatcher/send_attempt.ts";
import { KeptConnections } from "../../supabase/functions/webhook-dispatcher/kept_connections.ts";
import { body, certificate, deliverTo, exempting } from "../support/deliver_to.ts";
import { type Behaviour, startHostile } from "../support/hostile.ts";

const silence: Behaviour = (connection) => connection.silence();

/** Makes an attempt over a kept connection whose receiver answers only the first request. */
async function deliverToKept(): Promise<AttemptOutcome> {
  let requests = 0;
  await using receiver = startHostile(async (connection) => {
    for (; await connection.readRequest() !== ""; requests++) {
      if (requests === 0) await connection.write("HTTP/1.1 204 No Content\r\n\r\n");
    }
  }, certificate);
  const kept = new KeptConnections();
  const options = { policy: exempting(`localhost:${receiver.port}`), kept };
  const attempt = () => sendAttempt(`https://localhost:${receiver.port}/`, {}, body, options);
  assert.equal((await attempt()).ok, true);
  assert.equal(kept.size, 1);
  const outcome = await attempt();
  assert.equal(requests, 2, "the request is not sent again on a new connection");
  return outcome;
}

Deno.test({
  name: "An attempt that hangs at any stage ends in time and names the stage (spec 6.5)",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using unresponsive = await startUnresponsive();
    // The receiver speaks plain TCP where TLS is expected, so it never answers the handshake.
    await using plain = startHostile(silence, null);
    const policy = exempting(`localhost:${unresponsive.port}`, `localhost:${plain.port}`);
    const resolve = () => new Promise<never>(() => {});
    const started = performance.now();
    const timed = async (attempt: Promise<AttemptOutcome>) => {
      const { ok, reason } = await attempt;
      return { ok, reason, seconds: (performance.now() - started) / 1000 };
    };
    const outcomes = await Promise.all([
      timed(sendAttempt("https://x.example.com/", {}, body, { policy, resolve })),
      timed(sendAttempt(`https://localhost:${unresponsive.port}/`, {}, body, { policy })),
      timed(sendAttempt(`https://localhost:${plain.port}/`, {}, body, { policy })),
      timed(deliverTo(silence)),
      timed(deliverToKept()),
      timed(deliverTo(async (connection) => {
        await connection.write("HTTP/1.1 200 OK\r\nServer: x\r\n");
        await connection.silence();
      })),
      timed(deliverTo(async (connection) => {
        await connection.write("HTTP/1.1 100 Continue\r\n\r\n");
        await connection.silence();
      })),
      timed(deliverTo(async (connection) => {
        for (const byte of "HTTP/1.1 200 OK\r\nX: ".padEnd(200, "x")) {
          await connection.write(byte);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      })),
    ]);
    // The attempt must end before the next longer time limit.
    const limits: [reason: string, least: number, next: number][] = [
      ["timeout_dns", 3, 5],
      ["timeout_connect", 5, 10],
      ["timeout_tls", 10, 20],
      ...Array(5).fill(["timeout_response", 10, 20]),
    ];
    for (const [index, [reason, least, next]] of limits.entries()) {
      const { seconds, ...outcome } = outcomes[index]!;
      assert.deepEqual(outcome, { ok: false, reason });
      assert.ok(seconds >= least - 0.05 && seconds < next - 0.1, `${reason}: ${seconds} s`);
    }
  },
});

/** Starts a listener whose queue is full. A connect to it gets no answer, as behind a firewall that drops packets. */
async function startUnresponsive() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const connections: Deno.Conn[] = [];
  let pending: Promise<unknown> = Promise.resolve();
  for (let answered = true; answered;) {
    const opening = Deno.connect({ hostname: "127.0.0.1", port }).then((connection) =>
      connections.push(connection)
    );
    pending = opening.catch(() => {});
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<number>((resolve) => timer = setTimeout(() => resolve(0), 300));
    answered = await Promise.race([opening, patience]) > 0;
    clearTimeout(timer);
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      listener.close();
      // Closing the listener also ends the connection that waits in its queue.
      await pending;
      for (const connection of connections) connection.close();
    },
  };
}
