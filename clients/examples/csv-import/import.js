// Imports contacts and their companies from a CSV, 100 lines at a time. Existing contacts are updated, not duplicated.
//   node import.js contatos.csv             imports; after an interruption, the same command continues
//   node import.js contatos.csv --dry-run   only says what would be imported
import process from "node:process";
import { parseArgs } from "node:util";
import { Crm, CrmError } from "@crm-api/sdk";
import { Presets, SingleBar } from "cli-progress";
import { openProgress } from "./progress.js";
import { readTable, UserError } from "./table.js";

const BATCH = 100;
const SCOPES = ["contacts:write", "companies:write"];
const MOST_SHOWN = 10;

/** Ids of the companies that this run has stored, by external_id. */
const companyIds = new Map();

try {
  const { values, positionals: [file] } = readArguments();
  const { CRM_URL, CRM_KEY } = process.env;
  if (!file) throw new UserError("Diga qual arquivo importar: npm run import -- contatos.csv");
  if (!CRM_URL || !CRM_KEY) throw new UserError("Preencha CRM_URL e CRM_KEY no arquivo .env.");
  const table = await readTable(file);
  if (table.unknown.length > 0) console.log(`Colunas que não são importadas: ${table.unknown.join(", ")}.`);
  // Few retries, because the user can run the same command again to continue.
  const crm = new Crm({ baseUrl: CRM_URL, key: CRM_KEY, retries: 3 });
  await checkKey(crm);
  if (values["dry-run"]) simulate(table);
  else await importTable(crm, file, table);
} catch (error) {
  if (error instanceof CrmError) {
    console.error(`\nA API respondeu ${error.code}: ${error.message} (${error.requestId})`);
  } else if (error instanceof UserError) console.error(error.message);
  else throw error;
  process.exitCode = 1;
}

function readArguments() {
  try {
    return parseArgs({ options: { "dry-run": { type: "boolean" } }, allowPositionals: true });
  } catch (error) {
    throw new UserError(`Opção inválida: ${error.message.split(".")[0]}.`);
  }
}

/** Checks the key's scopes before anything is sent, because a missing scope would stop the import halfway. */
async function checkKey(crm) {
  const { key, workspace } = await crm.me();
  const missing = SCOPES.filter((scope) => !key.scopes.includes(scope));
  if (missing.length > 0) {
    throw new UserError(`A chave "${key.name}" não tem o escopo ${missing.join(" nem ")}.`);
  }
  console.log(`Workspace: ${workspace.name}`);
}

function simulate({ rows }) {
  const rejected = rows.filter(({ reason }) => reason !== null);
  for (const { line, reason } of rejected.slice(0, MOST_SHOWN)) console.log(`Linha ${line}: ${reason}`);
  if (rejected.length > MOST_SHOWN) console.log(`… e mais ${rejected.length - MOST_SHOWN}`);
  console.log(
    `Simulação, nada foi enviado: ${rows.length - rejected.length} linhas seguiriam, ${rejected.length} não.`,
  );
}

async function importTable(crm, file, table) {
  const progress = await openProgress(file, table);
  const { state, rejects } = progress;
  if (state.done > 0) console.log(`Continuando: ${state.done} linhas já foram.`);
  const bar = new SingleBar({
    format:
      "{bar} {percentage}% | {value} de {total} linhas | {rejected} rejeitadas | faltam {eta_formatted}",
    noTTYOutput: true,
  }, Presets.shades_classic);
  bar.start(table.rows.length, state.done, { rejected: state.rejected });
  try {
    while (state.done < table.rows.length) {
      const rows = table.rows.slice(state.done, state.done + BATCH);
      const { summary, rejected } = await send(crm, rows, table.nameOf);
      await progress.add(rows, summary, rejected);
      bar.update(state.done, { rejected: state.rejected });
    }
  } catch (error) {
    bar.stop();
    console.error(`Parou depois de ${state.done} linhas. Para continuar, rode o mesmo comando.`);
    throw error;
  }
  bar.stop();
  await progress.end();
  console.log(`${state.created} criados, ${state.updated} atualizados, ${state.rejected} rejeitados.`);
  if (state.rejected > 0) console.log(`Corrija as linhas em ${rejects} e importe esse arquivo.`);
}

/** Sends the companies of these lines, then the contacts. A run may stop anywhere: repeating an upsert is harmless. */
async function send(crm, rows, nameOf) {
  const rejected = rows.filter(({ reason }) => reason !== null);
  const reasonsOfCompanies = await sendCompanies(crm, rows);
  const contacts = rows.filter(({ reason }) => reason === null).filter((row) => {
    const reason = reasonsOfCompanies.get(row.data.company_id);
    if (reason !== undefined) rejected.push({ ...row, reason: `empresa: ${reason}` });
    return reason === undefined;
  });
  const { results, summary } = await upsert(
    crm.contacts,
    contacts.map(({ data: { company: _, ...data } }) => ({
      ...data,
      ...(data.company_id && { company_id: companyIds.get(data.company_id) }),
    })),
  );
  for (const { index, error } of results) {
    if (error) rejected.push({ ...contacts[index], reason: textOf(error, nameOf) });
  }
  return { summary, rejected: rejected.sort((a, b) => a.line - b.line) };
}

/** Sends the companies that this run has not stored yet. Returns the reason for each company that was refused. */
async function sendCompanies(crm, rows) {
  const valid = rows.filter(({ reason, data }) =>
    reason === null && data.company_id && !companyIds.has(data.company_id)
  );
  const names = new Map(valid.map(({ data }) => [data.company_id, data.company]));
  const companies = [...names].map(([external_id, name]) => ({ external_id, name }));
  const { results } = await upsert(crm.companies, companies);
  const reasons = new Map();
  for (const { index, id, error } of results) {
    const { external_id } = companies[index];
    if (error) reasons.set(external_id, textOf(error, (field) => field));
    else companyIds.set(external_id, id);
  }
  return reasons;
}

async function upsert(resource, records) {
  if (records.length === 0) return { results: [], summary: { created: 0, updated: 0, failed: 0 } };
  return await resource.batch(records.map((data) => ({ op: "upsert", match_by: "external_id", data })));
}

/** Why the API refused a record, with the names that `nameOf` gives its fields: `E-mail: Deve ser um e-mail válido`. */
function textOf({ message, details = [] }, nameOf) {
  if (details.length === 0) return message;
  return details.map(({ field, message }) => `${nameOf(field.split(".").at(-1))}: ${message}`).join("; ");
}
