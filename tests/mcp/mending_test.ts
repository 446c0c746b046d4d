// Makes wrong calls as assistants do: the error reply, which is the API's, must suffice to correct each call.
import assert from "node:assert/strict";
import { TOOLS } from "../../supabase/functions/mcp/tools.ts";
import { toolClient } from "../support/mcp.ts";
import { makeContact, makeLossReason, makePipeline, UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

type Arguments = Record<string, unknown>;

interface Detail {
  field: string;
  message: string;
  choices?: { id: string; name: string }[];
}

/** The reply to a call; `error` is set if the call was refused. */
interface Answer {
  error?: { code: string; message: string; details?: Detail[] };
  // deno-lint-ignore no-explicit-any -- the tests know the replies
  data: any;
}

/** Calls an operation by the name of its tool. */
type Send = (name: string, args: Arguments) => Promise<Answer>;

function overMcp(key: string): Send {
  const send = toolClient(key);
  return async (name, args) => {
    const { isError, data } = await send(name, args);
    return isError ? { error: data.error, data: null } : { data };
  };
}

/** Corrects a call from the names, choices and operations in the error reply, without any knowledge of the API. */
function mended(name: string, args: Arguments, { message, details = [] }: NonNullable<Answer["error"]>) {
  const next = { ...args };
  for (const detail of [...details, { field: "id", message } as Detail]) {
    const operation = operationIn(detail.message);
    if (operation !== null && !detail.choices) {
      const id = /(^|_)id$/.test(detail.field) ? args[detail.field] : args["id"];
      return { name: operation, args: TOOLS.get(operation)!.request.path.includes(":id") ? { id } : {} };
    }
    const { field, choices } = detail;
    const [, meant] = /talvez "(\w+)"/.exec(detail.message) ?? [];
    if (meant !== undefined) next[meant] = args[field];
    if (choices) next[field] = choices[0]!.id;
    else if (/desconhecido|Só de leitura/.test(detail.message)) delete next[field];
  }
  return { name, args: next };
}

/** The tool that a message names, either by the method and path of its operation or by the tool's name. */
function operationIn(message: string): string | null {
  const [, method, path] = /\b(GET|POST) (\/[\w/:-]+)/.exec(message) ?? [];
  if (path === undefined) {
    return [...TOOLS.keys()].find((name) => message.split(/[^a-z_]/).includes(name)) ?? null;
  }
  const declared = path.replace(/\/[0-9a-f-]{36}/, "/:id");
  const found = [...TOOLS].find(([, { request }]) =>
    request.method === method && `/${request.resource}${request.path}`.replace(/\/$/, "") === declared
  );
  assert.ok(found, `${path} is no operation`);
  return found[0];
}

/** The ids that the wrong calls name. */
interface Ids {
  deal: string;
  contact: string;
  member: string;
  otherStage: string;
}

const WRONG: Record<string, (ids: Ids) => [string, Arguments]> = {
  "winning by the status": ({ deal }) => ["deals_update", { id: deal, status: "ganho" }],
  "losing by the status": ({ deal }) => ["deals_update", { id: deal, status: "perdido" }],
  "a status in English": ({ deal }) => ["deals_update", { id: deal, status: "won" }],
  "the name of another CRM": () => ["deals_create", { title: "Plano", amount: 5, assigned_to: null }],
  "a required field by its Portuguese name": () => ["deals_create", { titulo: "Plano", valor: 5 }],
  "two required fields by other names": ({ deal }) => ["notes_create", { negocio: deal, texto: "Ligou" }],
  "a slip of the keyboard": () => ["contacts_create", { name: "Ana", emial: "ana@exemplo.com.br" }],
  "camel case": () => ["contacts_create", { name: "Ana", jobTitle: "Compradora" }],
  "a field that is only read":
    () => ["contacts_create", { name: "Ana", created_at: "2026-01-01T00:00:00.000Z" }],
  "a filter by another name": ({ member }) => ["deals_list", { assigned_to: member, page_size: 5 }],
  "the name of a stage": ({ deal }) => ["deals_move_stage", { id: deal, stage_id: "Proposta" }],
  "the name of a loss reason": ({ deal }) => ["deals_lose", { id: deal, loss_reason_id: "Preço" }],
  "the e-mail address of an owner": () => ["deals_list", { owner_id: "ana@exemplo.com.br" }],
  "an unknown owner": () => ["contacts_create", { name: "Ana", owner_id: UNKNOWN_ID }],
  "an unknown stage": () => ["deals_create", { title: "Plano", stage_id: UNKNOWN_ID }],
  "an unknown pipeline": () => ["deals_create", { title: "Plano", pipeline_id: UNKNOWN_ID }],
  "a lead into an unknown stage": () => ["leads_create", { first_name: "Ana", stage_id: UNKNOWN_ID }],
  "a stage of another pipeline": (
    { deal, otherStage },
  ) => ["deals_move_stage", { id: deal, stage_id: otherStage }],
  "an unknown loss reason": ({ deal }) => ["deals_lose", { id: deal, loss_reason_id: UNKNOWN_ID }],
  "the id of a contact as an owner's": (
    { contact },
  ) => ["contacts_create", { name: "Ana", owner_id: contact }],
  "a filter by an unknown owner": () => ["deals_list", { owner_id: UNKNOWN_ID }],
  "a filter by an unknown stage": () => ["deals_list", { stage_id: UNKNOWN_ID }],
  "sums by an unknown pipeline": () => ["deals_summary", { pipeline_id: UNKNOWN_ID }],
  "the id of a contact as a deal's": ({ contact }) => ["deals_get", { id: contact }],
  "winning a contact": ({ contact }) => ["deals_win", { id: contact }],
  "a note on a contact": ({ contact }) => ["notes_create", { deal_id: contact, body: "Ligou" }],
  "the id of a member as a contact's": ({ member }) => ["contacts_get", { id: member }],
};

test("One further call corrects each mistake of an assistant", async ({ sql, workspace, newDeal }) => {
  await makeLossReason(sql, workspace);
  const contact = await makeContact(sql, workspace);
  const [otherStage] = (await makePipeline(sql, workspace)).stages;
  const send = overMcp(workspace.key);
  for (const [mistake, wrong] of Object.entries(WRONG)) {
    const { id: deal } = await newDeal();
    const [name, args] = wrong({ deal, contact, member: workspace.memberId, otherStage: otherStage! });
    const { error } = await send(name, args);
    assert.ok(error, `${name} accepts ${JSON.stringify(args)}`);
    const next = mended(name, args, error);
    const { error: left } = await send(next.name, next.args);
    assert.equal(left, undefined, `${mistake}: ${JSON.stringify({ ...next, left })}`);
  }
});
