import postgres, { type ISql, type JSONValue } from "postgres";
import { isOperatorCode, OperatorError } from "./errors.ts";
import type { Args, RecordKind, Result, VerbName } from "./verbs.ts";

/** The sqlstate of crm.raise_code: the message is a code, the detail the fields. */
const FAILED = "CRM00";

/**
 * Calls a verb of schema app: one statement, so what it does is done whole or not at all.
 * @throws OperatorError where the verb refuses.
 */
export async function operate<V extends VerbName>(sql: ISql, verb: V, args: Args<V>): Promise<Result<V>> {
  try {
    const [row] = await sql`
      select app.${sql(verb as string)}(${sql.json(args as JSONValue)}::jsonb) as result
    `;
    return row!["result"];
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== FAILED) throw error;
    if (!isOperatorCode(error.message)) throw error;
    throw new OperatorError(error.message, JSON.parse(error.detail || "[]"), { verb, args: { ...args } });
  }
}

/**
 * The workspace of a record, for callers that know the record's id alone.
 * @throws OperatorError not_found where there is no such record.
 */
export async function findWorkspace(sql: ISql, object: RecordKind, id: string): Promise<string> {
  return (await operate(sql, "workspace_find", { object, id })).workspace_id;
}
