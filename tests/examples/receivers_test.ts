// Both receivers of clients/examples/receiver, run as its README says. A stack's dispatcher delivers to them over TLS,
// through a proxy as the README asks for.
import assert from "node:assert/strict";
import { join } from "node:path";
import { startReceiver } from "../../bench/harness/receiver.ts";
import { freePort } from "../../run/local/free_port.ts";
import { stopPostgres } from "../../run/local/postgres.ts";
import { openSql } from "../../run/local/sql.ts";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { call } from "../support/client.ts";
import { type Example, openExample, type Running } from "../support/examples.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openFolder } from "../support/folder.ts";
import { eventually } from "../support/mailbox.ts";
import { makeStartedDataDir } from "../support/own_stack.ts";

/** Replaces work.js: fails while a file `broken` exists, otherwise appends each event to a file. */
const NOTING_WORK = `import { appendFileSync, existsSync } from "node:fs";
export function work({ event_id, data }) {
  if (existsSync("broken")) throw new Error("broken");
  appendFileSync("worked", event_id + " " + data.name + "\\n");
}
`;

/** Starts a stack whose dispatcher delivers to `port` on loopback, through a proxy that terminates TLS. */
async function openStack(port: number) {
  await using opening = new AsyncDisposableStack();
  const dataDir = await makeStartedDataDir();
  opening.defer(() => Deno.remove(dataDir, { recursive: true }));
  const { path: folder } = opening.use(await openFolder());
  const proxy = await startReceiver(folder, async (request) => {
    const { pathname } = new URL(request.url);
    const { body, headers, method } = request;
    const reply = await fetch(`http://127.0.0.1:${port}${pathname}`, { method, headers, body }).catch(() =>
      null
    );
    await reply?.body?.cancel();
    return new Response(null, { status: reply?.status ?? 502 });
  });
  opening.defer(() => proxy.close());
  opening.defer(() => stopPostgres(dataDir));
  const stack = await startStackProcess(dataDir, proxy.env);
  opening.defer(async () => void await stack.stop());
  const { base_url: base, database_url } = stack.file;
  const sql = opening.use(openSql(database_url, { max: 1 }));
  const { key } = await makeWorkspace(sql);
  const opened = opening.move();
  return {
    target: `https://localhost:${proxy.port}/hooks/crm`,
    sql,
    async call(method: string, path: string, body?: object) {
      const reply = await call(method, path, { base, key, body });
      assert.ok(reply.status < 300, reply.text);
      return reply.body;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

type Stack = Awaited<ReturnType<typeof openStack>>;

for (const command of ["npm start", "npm run hono"]) {
  Deno.test(`The receiver that ${command} starts takes only genuine deliveries, signed with either secret of a rotation, and processes each event once`, async (t) => {
    const port = freePort();
    await using stack = await openStack(port);
    const { id, secret } = await stack.call("POST", "/api-v1-webhooks", {
      event_types: ["contact.created"],
      target_url: stack.target,
    });
    await using example = await openExample("receiver", {
      CRM_WEBHOOK_SECRET: secret,
      PORT: String(port),
      RETRY_SECONDS: "1",
    });
    await tryReceiver(t, stack, example, { id, secret, port, command });
  });
}

interface Subscription {
  /** Starts the receiver. */
  command: string;
  id: string;
  secret: string;
  port: number;
}

async function tryReceiver(
  t: Deno.TestContext,
  stack: Stack,
  example: Example,
  { command, id, secret, port }: Subscription,
) {
  const address = `http://127.0.0.1:${port}/hooks/crm`;
  const start = async () => {
    const receiver = example.start(command);
    await receiver.prints(`Receptor em ${address}`);
    return receiver;
  };
  const createContact = (name: string) => stack.call("POST", "/api-v1-contacts", { name });
  /** Waits until this many deliveries have succeeded; returns the newest. */
  const delivered = (count: number) =>
    eventually(async () => {
      const { data } = await stack.call("GET", `/api-v1-webhooks/${id}/deliveries?state=delivered`);
      return data.length === count && data[0];
    }, `${count} deliveries`);
  const worked = async () => {
    const text = await Deno.readTextFile(join(example.folder, "worked")).catch(() => "");
    return text.split("\n").filter(Boolean).map((line) => line.split(" ")[1]);
  };
  /**
   * Waits until the inbox holds no event's data. A receiver that is killed earlier may process an event again,
   * if it has not marked the event as done or SQLite still has the journal that undoes the mark.
   */
  const emptied = () =>
    eventually(async () => {
      const file = new TextDecoder().decode(await Deno.readFile(join(example.folder, "inbox.db")));
      const written = await Deno.stat(join(example.folder, "inbox.db-journal")).then(() => false, () => true);
      return written && !/contact\.created|João|Maria|Rita|Antes/.test(file);
    }, "an inbox without data");
  let receiver: Running = await start();

  await t.step("an event that is delivered twice is processed once", async () => {
    await createContact("João");
    await receiver.prints("Contato novo: João");
    const delivery = await delivered(1);
    await stack.call("POST", `/api-v1-webhooks/${id}/deliveries/${delivery.id}/redeliver`);
    await eventually(async () => {
      const again = await stack.call("GET", `/api-v1-webhooks/${id}/deliveries/${delivery.id}`);
      return again.attempts_made.length === 2 && again.state === "delivered";
    }, "the second attempt");
    // Events are processed in order, so a second processing of the first event would come before this test event.
    await stack.call("POST", `/api-v1-webhooks/${id}/test`);
    await receiver.prints("Teste recebido: contact.created");
    assert.equal(receiver.output().split("João").length, 2, receiver.output());
  });

  await t.step("forged requests are refused", async () => {
    const headers = {
      "X-Service-Timestamp": String(Math.floor(Date.now() / 1000)),
      "X-Service-Signature": `sha256=${"0".repeat(64)}`,
    };
    for (const init of [{ body: "{}" }, { body: "{}", headers }, { headers }, {}]) {
      const reply = await fetch(address, { method: "POST", ...init });
      await reply.body?.cancel();
      assert.equal(reply.status, 401);
    }
    // A request with neither a body nor a Content-Length.
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode("POST /hooks/crm HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    const answer = new Uint8Array(100);
    await connection.read(answer);
    assert.match(new TextDecoder().decode(answer), /^HTTP\/1\.1 401 /);
    assert.ok(!receiver.output().includes("Error"), receiver.output());
    const large = await fetch(address, { method: "POST", body: new Uint8Array(3_000_000) });
    assert.equal(large.status, 413);
    assert.ok(!(await large.text()).includes(example.folder));
  });

  await t.step("work that fails is repeated, also after a restart", async () => {
    await emptied();
    await receiver.kill();
    await Deno.writeTextFile(join(example.folder, "work.js"), NOTING_WORK);
    await Deno.writeTextFile(join(example.folder, "broken"), "");
    receiver = await start();
    await createContact("Maria");
    await receiver.prints("ainda não processado");
    await delivered(3);
    await receiver.kill();
    await Deno.remove(join(example.folder, "broken"));
    receiver = await start();
    await eventually(async () => (await worked()).length > 0, "the work");
    assert.deepEqual(await worked(), ["Maria"]);

    await Deno.writeTextFile(join(example.folder, "broken"), "");
    await createContact("Rita");
    await receiver.prints("ainda não processado");
    await Deno.remove(join(example.folder, "broken"));
    await eventually(async () => (await worked()).length > 1, "the work, without a restart");
    await emptied();
    await receiver.kill();
    assert.deepEqual(await worked(), ["Maria", "Rita"]);
    receiver = await start();
  });

  await t.step("accepts both secrets during a rotation", async () => {
    const { secret: next } = await stack.call("POST", `/api-v1-webhooks/${id}/rotate-secret`, {
      overlap_seconds: 3600,
    });
    await createContact("Antes");
    await delivered(5);
    await emptied();
    await receiver.kill();
    await example.configure({ CRM_WEBHOOK_SECRET_NEXT: next });
    receiver = await start();
    await createContact("Durante");
    await delivered(6);
    await stack.sql`update crm.webhook_secrets set next_from = now() where subscription_id = ${id}`;
    await createContact("Depois");
    await delivered(7);
    await eventually(async () => (await worked()).length === 5, "the work");
    assert.deepEqual(await worked(), ["Maria", "Rita", "Antes", "Durante", "Depois"]);
    for (const text of [secret, next]) assert.ok(!receiver.output().includes(text));
  });

  await t.step("does not start without a secret", async () => {
    await receiver.kill();
    await example.configure({ CRM_WEBHOOK_SECRET: "", CRM_WEBHOOK_SECRET_NEXT: "" });
    const { code, output } = await example.run(command);
    assert.equal(code, 1);
    assert.match(output, /Preencha CRM_WEBHOOK_SECRET/);
  });
}
