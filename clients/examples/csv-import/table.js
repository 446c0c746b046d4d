// Reads the file: detects its encoding, separator and columns, and finds faulty lines before anything is sent.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { CsvError, parse } from "csv-parse/sync";

/** The names that a column may have. Capitals and accents do not matter. */
const COLUMNS = {
  external_id: ["código", "id", "external_id"],
  name: ["nome", "nome completo", "name"],
  email: ["e-mail", "email"],
  phone: ["telefone", "celular", "phone"],
  whatsapp: ["whatsapp"],
  job_title: ["cargo", "job_title"],
  company_id: ["código da empresa", "company_id"],
  company: ["empresa", "company"],
};
const REQUIRED = ["external_id", "name"];
/** Columns that the file of rejected lines adds. An import ignores them, so the corrected file can be imported. */
export const ADDED = ["linha", "motivo"];

/** An error that the user can correct. The message says how, so no stack trace is shown. */
export class UserError extends Error {}

/**
 * Reads a CSV in UTF-8, or in Windows-1252 as Excel in Portuguese saves it, with commas, semicolons or tabs.
 *
 * @throws UserError if the file cannot be read or parsed, is empty, or lacks a required column
 */
export async function readTable(file) {
  const bytes = await readFile(file).catch(({ code }) => {
    throw new UserError(
      code === "ENOENT" ? `O arquivo ${file} não existe.` : `Não consegui ler ${file} (${code}).`,
    );
  });
  const text = decode(bytes);
  const firstLine = text.split("\n", 1)[0];
  const delimiter = [";", "\t", ","].find((candidate) => firstLine.includes(candidate)) ?? ",";
  const [header, ...lines] = parseLines(text, delimiter);
  if (header === undefined) throw new UserError(`O arquivo ${file} está vazio.`);

  const fields = header.record.map(fieldOf);
  const missing = REQUIRED.filter((field) => !fields.includes(field));
  if (missing.length > 0) {
    const wanted = missing.map((field) => `Falta a coluna ${COLUMNS[field].map(quoted).join(" ou ")}.`);
    throw new UserError(
      `${wanted.join("\n")}\nAs colunas do arquivo são: ${header.record.map(quoted).join(", ")}.`,
    );
  }
  const unknown = header.record.filter((name, at) => fields[at] === null && !ADDED.includes(name));
  const seen = new Map();
  const rows = lines.map(({ record, line }) => {
    const filled = fields.map((field, at) => [field, record[at]?.trim()]).filter(([field, value]) =>
      field && value
    );
    const data = Object.fromEntries(filled);
    const reason = record.length === header.record.length
      ? faultOf(data, seen.get(data.external_id))
      : `a linha tem ${record.length} colunas, e o cabeçalho ${header.record.length}`;
    if (!seen.has(data.external_id)) seen.set(data.external_id, line);
    return { line, cells: record, data, reason };
  });
  const nameOf = (field) => header.record[fields.indexOf(field)] ?? field;
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { header: header.record, rows, unknown, delimiter, nameOf, hash };
}

const quoted = (name) => `"${name}"`;

function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function parseLines(text, delimiter) {
  try {
    const options = { delimiter, info: true, relax_column_count: true, skip_empty_lines: true };
    // `lines` is the line where the record ends: a cell with line breaks makes a record span several lines.
    return parse(text, options).map(({ record, info }) => ({ record, line: info.lines }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UserError(`Há aspas fora do lugar perto da linha ${error.lines}: ${error.message}.`);
  }
}

function fieldOf(name) {
  const plain = (text) => text.normalize("NFD").replace(/\p{Mn}/gu, "").trim().toLowerCase();
  const entry = Object.entries(COLUMNS).find(([, names]) =>
    names.some((known) => plain(known) === plain(name))
  );
  return entry?.[0] ?? null;
}

/** Returns what is wrong with a line, or null. The API checks more. */
function faultOf({ external_id, name, email, company_id, company }, earlierLine) {
  if (!external_id) return "sem código";
  if (!name) return "sem nome";
  if (email && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) return `o e-mail ${email} está incompleto`;
  if (company_id && !company) return "tem código da empresa, e não o nome dela";
  if (earlierLine !== undefined) return `o código ${external_id} já está na linha ${earlierLine}`;
  return null;
}
