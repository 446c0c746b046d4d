// The calls of the collections: every operation once, ordered so that each call finds the ids that it needs.
import {
  type ListedOperation,
  type OpenApi,
  type Operation,
  operationsOf,
  singular,
} from "../openapi/read_document.ts";
import { exampleCall } from "../reference/example_call.ts";

/** A value of a reply that later calls use. */
export interface Capture {
  variable: string;
  /** The place of the value in the reply's body: `data[0].id`. */
  path: string;
}

/** A call. Its texts contain variables such as `{{contact_id}}`. */
export interface Step {
  operationId: string;
  title: string;
  description: string;
  method: string;
  path: string;
  query: { name: string; value: string }[];
  needsKey: boolean;
  body?: unknown;
  /** The success statuses that the document declares. */
  statuses: number[];
  captures: Capture[];
  /** Variables that a person must enter. Without them the call is skipped. */
  needs: string[];
}

/** The calls to one resource. */
export interface Folder {
  name: string;
  description: string;
  steps: Step[];
}

/** Resources in the order of their calls: each after the resources that it refers to. Unlisted resources come last. */
const RESOURCES = [
  "me",
  "workspace",
  "pipelines",
  "leads",
  "companies",
  "contacts",
  "deals",
  "activities",
  "notes",
  "webhooks",
];

/** The actions in FIRST create and use records; the actions in LAST end them. All other actions run in between. */
const FIRST = ["create", "list", "get", "update", "upsert", "batch", "test", "deliveries", "delivery"];
const LAST = ["archive", "restore", "merge", "erase", "delete"];

/** What is special about a step. */
interface Particular {
  /** The variable for `{id}`, if it is not the id of the resource's new record. */
  id?: string;
  body?: unknown;
  captures?: Capture[];
  /** Variables for other parameters of the path. */
  parameters?: Record<string, string>;
}

const PARTICULAR: Readonly<Record<string, Particular>> = {
  "pipelines.list": {
    captures: [
      { variable: "pipeline_id", path: "data[0].id" },
      { variable: "stage_id", path: "data[0].stages[1].id" },
    ],
  },
  // `contacts.erase` takes the lead's contact, because later calls use the contact that `contacts.create` makes.
  "leads.create": {
    captures: [{ variable: "lead_contact_id", path: "lead.contact_id" }],
  },
  "contacts.erase": { id: "lead_contact_id" },
  "me.get": { captures: [{ variable: "member_id", path: "member.id" }] },
  // A field keeps its key even when it is archived, so each run needs a new key.
  "custom_fields.create": {
    body: {
      object_type: "deal",
      key: "porte_{{$timestamp}}",
      label: "Porte",
      type: "choice",
      choices: ["Pequeno", "Grande"],
    },
  },
  "deals.reassign": { body: { from_owner_id: "{{member_id}}", to_owner_id: "{{member_id}}" } },
  // A deal that was won cannot be lost as well.
  "deals.lose": { id: "other_deal_id" },
  "webhooks.create": { body: { event_types: ["deal.won"], target_url: "{{webhook_url}}" } },
  "webhooks.deliveries": { captures: [{ variable: "delivery_id", path: "data[0].id" }] },
  "webhooks.recover": { body: { since: "{{yesterday}}" } },
  // An answer is final, so accepting and rejecting need different proposals. No call of the API creates a proposal, so
  // the user of the collection enters both tokens as variables.
  "proposals.reject": { parameters: { token: "other_proposal_token" } },
};

/** The variables that a person enters, with their initial values. */
export const ENTERED: Readonly<Record<string, string>> = {
  api_key: "",
  webhook_url: "https://example.com/hooks/crm",
  proposal_token: "",
  other_proposal_token: "",
  operation_id: "",
};

/** Names of parameters of the path that a person enters. */
const PARAMETERS: Readonly<Record<string, string>> = { token: "proposal_token" };

/** Every call of a document, by resource and in order. */
export function foldersOf(document: OpenApi): Folder[] {
  const calls = operationsOf(document).filter(({ path }) => path !== null);
  const listed = document.tags
    .map(({ name, description }) => ({
      name,
      description,
      calls: calls.filter(({ operation }) => operation.tags.includes(name)),
    }))
    .filter((folder) => folder.calls.length > 0);
  const known = new Set<string>();
  return sortedBy(listed, ({ name }) => position(RESOURCES, name, RESOURCES.length)).map((folder) => ({
    name: folder.name,
    description: folder.description,
    steps: sortedBy(folder.calls, ({ operation }) => rankOf(operation)).map((call) => {
      const step = stepOf(document, call, known);
      for (const { variable } of step.captures) known.add(variable);
      return step;
    }),
  }));
}

function rankOf({ operationId }: Operation): number {
  const action = operationId.split(".").at(-1)!;
  const last = LAST.indexOf(action);
  return last >= 0 ? FIRST.length + 1 + last : position(FIRST, action, FIRST.length);
}

function position(names: string[], name: string, otherwise: number): number {
  const found = names.indexOf(name);
  return found === -1 ? otherwise : found;
}

/** Equal ranks keep their order. */
function sortedBy<T>(items: T[], rank: (item: T) => number): T[] {
  return items.toSorted((a, b) => rank(a) - rank(b));
}

/** @param known the variables that earlier steps capture */
function stepOf(document: OpenApi, listed: ListedOperation, known: ReadonlySet<string>): Step {
  const { operation } = listed;
  const { operationId, tags, summary, description = "" } = operation;
  const particular = PARTICULAR[operationId] ?? {};
  const own = singular(tags[0]!);
  const call = exampleCall(document, listed)!;
  const variableOf = (name: string) =>
    name === "id" ? particular.id ?? `${own}_id` : particular.parameters?.[name] ?? PARAMETERS[name] ?? name;
  const path = call.path.replace(/\{(\w+)\}/g, (_, name) => `{{${variableOf(name)}}}`);
  const used = [...path.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!);
  return {
    operationId,
    title: summary,
    description,
    method: call.method,
    path,
    query: call.query.map(({ name, value }) => ({ name, value: value ?? `{{${name}}}` })),
    needsKey: call.needsKey,
    ...(call.body !== undefined && {
      body: particular.body ?? withVariables(call.body, own, known, operationId.endsWith(".upsert")),
    }),
    statuses: statusesOf(operation),
    captures: [...capturesOf(operation, own), ...particular.captures ?? []],
    needs: used.filter((name) => ENTERED[name] === ""),
  };
}

/** The id that later calls use, from the reply to a creation or to a batch of one item. */
function capturesOf({ operationId, responses }: Operation, own: string): Capture[] {
  const { content } = (responses[201] ?? {}) as { content?: { "application/json": { example?: unknown } } };
  const example = content?.["application/json"].example;
  if (operationId.endsWith(".create") && Object.hasOwn(example ?? {}, "id")) {
    return [{ variable: `${own}_id`, path: "id" }];
  }
  return operationId.endsWith(".batch") ? [{ variable: `other_${own}_id`, path: "results[0].id" }] : [];
}

/**
 * A body with the ids of this run. Leaves out external_id: it must be unique, so with it a second run of the collection
 * would fail. Only an upsert keeps external_id, to find its record.
 */
function withVariables(body: unknown, own: string, known: ReadonlySet<string>, keepsId: boolean): unknown {
  if (Array.isArray(body)) return body.map((item) => withVariables(item, own, known, keepsId));
  if (body === null || typeof body !== "object") return body;
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => keepsId || name !== "external_id")
      .map(([name, value]) => {
        const variable = name === "merge_id" ? `other_${own}_id` : name;
        return [name, known.has(variable) ? `{{${variable}}}` : withVariables(value, own, known, keepsId)];
      }),
  );
}

function statusesOf({ responses }: Operation): number[] {
  const statuses = Object.keys(responses).filter((status) => status.startsWith("2"));
  // 2XX stands for the reply to a repeated call, whose status is 200.
  return statuses.map((status) => status === "2XX" ? 200 : Number(status)).sort();
}
