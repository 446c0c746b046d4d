import postgres, { type ISql, type JSONValue } from "postgres";
import { parseDatetime } from "../../supabase/functions/_shared/contract/datetime.ts";
import { isOperatorCode, OperatorError } from "./errors.ts";
import type { Args, RecordKind, Result, VerbName } from "./verbs.ts";

/** The SQLSTATE of crm.raise_code. The message is the code; the detail has the fields. */
const RAISED_CODE = "CRM00";

/**
 * Calls a verb: an SQL function of schema app. A call is one statement, so it is atomic.
 * @throws OperatorError if the verb raises a code.
 */
export async function operate<V extends VerbName>(sql: ISql, verb: V, args: Args<V>): Promise<Result<V>> {
  try {
    const [row] = await sql`
      select app.${sql(verb as string)}(${sql.json(args as JSONValue)}::jsonb) as result
    `;
    return row!["result"];
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== RAISED_CODE) throw error;
    if (!isOperatorCode(error.message)) throw error;
    throw new OperatorError(error.message, JSON.parse(error.detail || "[]"), { verb, args: { ...args } });
  }
}

/**
 * Finds the workspace of a record by the record's id.
 * @throws OperatorError not_found if there is no such record, or this node has only a moving workspace's copy of it.
 */
export async function findWorkspace(sql: ISql, object: RecordKind, id: string): Promise<string> {
  return (await operate(sql, "workspace_find", { object, id })).workspace_id;
}

/**
 * Converts a moment from any form that the API accepts, such as a date, to the form that verbs accept. Returns other
 * text unchanged, so that the verb refuses it.
 */
export function toMoment(text: string | undefined): string | undefined {
  return text === undefined ? undefined : parseDatetime(text) ?? text;
}
