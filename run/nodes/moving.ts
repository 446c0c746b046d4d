import type { Sql } from "postgres";
import type { Table } from "./tables.ts";

/** A node of a move. */
export interface Side {
  number: number;
  url: string;
  /** One connection, whose session locks the slot against other commands. */
  sql: Sql;
}

/** A move in progress, with open connections. */
export interface Move {
  slot: string;
  /** The workspaces of the slot, in practice one. */
  ids: string[];
  source: Side;
  target: Side;
  tables: Table[];
  /** All proxies. The first is the operator's, which has the row in nodes.moves. */
  proxies: Sql[];
  log: (what: string) => void;
  /** How long calls waited, in milliseconds; null before the cut. */
  waitedMs: number | null;
}
