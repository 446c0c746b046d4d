// @ts-types="@types/pg"
import pg from "pg";
import { Socket } from "node:net";
import { setImmediate } from "node:timers";
import type { Death, LastWords, Stage } from "./dispatcher.ts";

/** For a request to leave the process; the receiver answers after 20. */
const SENDING_MS = 5;

interface Statement {
  text: string;
  values: unknown[];
}

interface Result {
  rows: { delivery_id: string }[];
}

/** What is done before a statement is sent, and once its rows have come. */
interface Around {
  before(statement: Statement): void;
  after(statement: Statement, result: Result): void;
}

/**
 * Lets this process kill itself with SIGKILL at a stage of an attempt. The dispatcher has no hook for it: what it calls
 * at that stage is replaced from outside.
 */
export function dieAt({ stage, claimed: enough }: Death): void {
  let claimed = 0;
  const dueAt = (here: Stage) => stage === here && claimed >= enough;

  replaceQuery({
    before({ text, values }) {
      if (!text.includes("crm.delivery_record(")) return;
      const id = String(values[1]);
      if (dueAt("before recording")) die(stage, id);
      if (dueAt("in recording")) onceWritten(id, () => die(stage, id));
    },
    after({ text }, { rows }) {
      if (!text.includes("crm.delivery_claim(")) return;
      claimed += rows.length;
      if (dueAt("after claim") && rows[0]) die(stage, rows[0].delivery_id);
    },
  });
  replaceTls((connection) => {
    if (dueAt("in TLS")) {
      const { handshake } = connection;
      connection.handshake = () => {
        // A turn later: by then the handshake has begun, and the receiver has not had the time to end it.
        setTimeout(die, 0, stage, null);
        return handshake.call(connection);
      };
    }
    const { write } = connection;
    connection.write = (bytes) => {
      if (dueAt("after sending")) {
        connection.read = () => new Promise(() => {});
        setTimeout(die, SENDING_MS, stage, deliveryId(bytes));
      }
      return write.call(connection, bytes);
    };
  });
}

function die(killed: Stage, delivery_id: string | null): void {
  console.log(JSON.stringify({ killed, delivery_id } satisfies LastWords));
  Deno.kill(Deno.pid, "SIGKILL");
}

function replaceQuery({ before, after }: Around): void {
  const prototype = pg.Client.prototype as unknown as {
    query(statement: Statement): Promise<Result>;
  };
  const original = prototype.query;
  prototype.query = function (statement) {
    before(statement);
    const sent = original.call(this, statement);
    return sent.then((result) => {
      after(statement, result);
      return result;
    });
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

/** Calls back once a statement about the delivery has been written to the database, before its answer can be read. */
function onceWritten(id: string, callback: () => void): void {
  const { prototype } = Socket;
  const original = prototype.write as (...args: unknown[]) => boolean;
  prototype.write = function (this: Socket, ...args: unknown[]): boolean {
    const [bytes] = args;
    // The driver gathers the parts of a statement and sends them at the end of this turn.
    if (bytes instanceof Uint8Array && new TextDecoder().decode(bytes).includes(id)) setImmediate(callback);
    return original.apply(this, args);
  };
}

function deliveryId(request: Uint8Array): string | null {
  return /^X-Service-Delivery-Id: (\S+)/m.exec(new TextDecoder().decode(request))?.[1] ?? null;
}
