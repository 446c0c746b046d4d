// @ts-types="@types/pg"
import type pg from "pg";

/** A parameter of a statement. `pg` would also turn lists, objects and dates into text, by rules of its own. */
export type Value = string | number | null | undefined;

/** A column of rows: its name, and what makes a value of its text. */
interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** What a message of the server says of a column. */
interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The part of a connection that sends a statement; the types of `pg` have an older form of it. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  /** The texts of the named statements that the server knows. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  parse(statement: { name: string; text: string }): void;
  bind(parameters: { statement: string; values: (string | null)[] }): void;
  describe(what: { type: "P" }): void;
  execute(): void;
  sync(): void;
}

/** The columns of the named statements of each connection. The server refuses to execute one whose columns have changed. */
const described = new WeakMap<pg.ClientBase, Map<string, readonly Column[]>>();

/**
 * One execution of a statement, which `pg` runs like a query of its own (as it does cursors). Those take 10 µs more: each
 * is an event emitter, with a copy of its settings, and has its columns described anew.
 */
export class Execution<Row> implements pg.Submittable {
  /** The texts of the values of each row. */
  readonly #received: (string | null)[][] = [];
  readonly #done = Promise.withResolvers<void>();
  #columns: readonly Column[] | undefined;

  /** @param name of a prepared statement, always for the same text; "" where each execution is prepared by itself */
  constructor(
    readonly client: pg.ClientBase,
    readonly name: string,
    readonly text: string,
    readonly values: readonly Value[],
  ) {}

  /**
   * The rows, after the last of them has come.
   *
   * @throws DatabaseError, or the error by which the connection was lost
   */
  async rows(): Promise<Row[]> {
    await this.#done.promise;
    // Here and not as they come, because an exception there would be one of the connection.
    return this.#received.map((texts) => this.#parse(texts));
  }

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire;
    const { name, text } = this;
    const values = this.values.map((value) => value == null ? null : String(value));
    this.#columns = described.get(this.client)?.get(name);
    // In one write, of which the server replies to all.
    wire.stream.cork();
    if (wire.parsedStatements[name] === undefined) wire.parse({ name, text });
    wire.bind({ statement: name, values });
    if (this.#columns === undefined) wire.describe({ type: "P" });
    wire.execute();
    wire.sync();
    wire.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.client.getTypeParser(dataTypeID, "text"),
    }));
    if (this.name === "") return;
    const columnsOf = described.get(this.client) ?? new Map<string, readonly Column[]>();
    described.set(this.client, columnsOf.set(this.name, this.#columns));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#received.push(fields);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#done.resolve();
  }

  handleError(error: Error): void {
    this.#done.reject(error);
  }

  #parse(texts: readonly (string | null)[]): Row {
    const row: Record<string, unknown> = {};
    this.#columns!.forEach(({ name, parse }, index) => {
      const text = texts[index]!;
      row[name] = text === null ? null : parse(text);
    });
    return row as Row;
  }
}
