// @ts-types="@types/pg"
import pg from "pg";
import { Socket } from "node:net";
import { setImmediate } from "node:timers";
import type { KillPoint, KillReport, Stage } from "./dispatcher.ts";

/** Long enough to send a request, and shorter than the 20 ms after which the receiver answers. */
const SENDING_MS = 5;

/**
 * Makes this process kill itself with SIGKILL at a stage of an attempt. The dispatcher has no hook for this, so the
 * functions that it calls at the stages are replaced.
 */
export function killAt({ stage, claimed: enough }: KillPoint): void {
  let claimed = 0;
  const dueAt = (here: Stage) => stage === here && claimed >= enough;

  replaceQuery(async ({ text, values }, send) => {
    if (text.includes("crm.delivery_record(")) {
      const [{ delivery_id: id }] = JSON.parse(String(values[0])) as [Claimed];
      if (dueAt("before recording")) killSelf(stage, id);
      if (dueAt("in recording")) onceWritten(id, () => killSelf(stage, id));
    }
    const result = await send();
    if (text.includes("crm.delivery_claim(")) {
      const rows = result.rows as Claimed[];
      claimed += rows.length;
      if (dueAt("after claim") && rows[0]) killSelf(stage, rows[0].delivery_id);
    }
    return result;
  });
  replaceTls((connection) => {
    if (dueAt("in TLS")) {
      const { handshake } = connection;
      connection.handshake = () => {
        // In the next turn of the event loop the handshake has begun and cannot have ended.
        setTimeout(killSelf, 0, stage, null);
        return handshake.call(connection);
      };
    }
    const { write } = connection;
    connection.write = (bytes) => {
      if (dueAt("after sending")) {
        connection.read = () => new Promise(() => {});
        setTimeout(killSelf, SENDING_MS, stage, deliveryId(bytes));
      }
      return write.call(connection, bytes);
    };
  });
}

function killSelf(killed: Stage, delivery_id: string | null): void {
  console.log(JSON.stringify({ killed, delivery_id } satisfies KillReport));
  Deno.kill(Deno.pid, "SIGKILL");
}

interface Claimed {
  delivery_id: string;
}

/** Passes each statement of the driver to `around`, which sends it with `send`. */
function replaceQuery(
  around: (
    statement: { text: string; values: readonly unknown[] },
    send: () => Promise<pg.QueryResult>,
  ) => Promise<pg.QueryResult>,
): void {
  const prototype = pg.Client.prototype as unknown as {
    query(statement: { text: string; values: readonly unknown[] }): Promise<pg.QueryResult>;
  };
  const { query } = prototype;
  prototype.query = function (statement) {
    return around(statement, () => query.call(this, statement));
  };
}

function replaceTls(prepare: (connection: Deno.TlsConn) => void): void {
  const deno = Deno as { startTls: typeof Deno.startTls };
  const { startTls } = deno;
  deno.startTls = async (...args) => {
    const connection = await startTls(...args);
    prepare(connection);
    return connection;
  };
}

/** Calls back when a statement about the delivery has been written, before its answer can be read. */
function onceWritten(id: string, callback: () => void): void {
  const { prototype } = Socket;
  const original = prototype.write as (...args: unknown[]) => boolean;
  prototype.write = function (this: Socket, ...args: unknown[]): boolean {
    const [bytes] = args;
    // In the next turn of the event loop, because the driver sends the parts of a statement at the end of this turn.
    if (bytes instanceof Uint8Array && new TextDecoder().decode(bytes).includes(id)) setImmediate(callback);
    return original.apply(this, args);
  };
}

function deliveryId(request: Uint8Array): string | null {
  return /^X-Service-Delivery-Id: (\S+)/m.exec(new TextDecoder().decode(request))?.[1] ?? null;
}
