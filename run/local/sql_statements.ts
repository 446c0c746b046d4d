/** Comments (not nested), quoted texts, dollar-quoted bodies, words, and single characters. */
const TOKEN =
  /--[^\n]*|\/\*[^]*?\*\/|"(?:[^"]|"")*"|'(?:[^']|'')*'|\$([\p{L}\p{Nd}_]*)\$[^]*?\$\1\$|\\[^]|\w+|[^]/gu;

/** What may stand before a statement: white space and comments (not nested). */
const BEFORE = /^(?:\s|--.*\n|\/\*[^]*?\*\/)*/;

const TRANSACTION_CONTROL =
  /^(?:begin|start\s+transaction|commit|end|abort|rollback|prepare\s+transaction)\b/i;
const ALONE = /^(?:(?:create|drop|reindex|alter\s+table)\b[^;(]*\bconcurrently\b|vacuum\b|alter\s+system\b)/i;

/**
 * Splits SQL into statements as the Supabase CLI records them: each with the comments before it and without its
 * semicolon. Semicolons in brackets (`create rule … do (…; …)`) and in `begin atomic … end` do not end a statement.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let start = 0;
  let depth = 0;
  let previousWord = "";
  for (const { 0: token, index } of sql.matchAll(TOKEN)) {
    const word = /^\w/.test(token) ? token.toLowerCase() : null;
    if (token === ";" && depth === 0) {
      statements.push(sql.slice(start, index));
      start = index + 1;
    } else if (token === "(" || word === "case" || word === "atomic" && previousWord === "begin") depth++;
    else if (token === ")" || word === "end") depth = Math.max(0, depth - 1);
    previousWord = word ?? previousWord;
  }
  statements.push(sql.slice(start));
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== "");
}

/** SQL without the white space and comments before its first statement. */
export function withoutComments(sql: string): string {
  return sql.replace(BEFORE, "");
}

/** Whether a statement cannot run in a transaction. The Supabase CLI runs it outside of a transaction too. */
export function runsAlone(statement: string): boolean {
  return ALONE.test(withoutComments(statement));
}

export function controlsTransaction(statement: string): boolean {
  return TRANSACTION_CONTROL.test(withoutComments(statement));
}
