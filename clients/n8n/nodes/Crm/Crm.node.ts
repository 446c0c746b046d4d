import { type INodeType, type INodeTypeDescription, NodeConnectionTypes } from "n8n-workflow";
import { actions } from "../written/properties";
import { addIdempotencyKey } from "./idempotencyKey";

/** Calls one operation of the API for each item. */
export class Crm implements INodeType {
  description: INodeTypeDescription = {
    displayName: "CRM",
    name: "crm",
    icon: { light: "file:../../icons/crm.svg", dark: "file:../../icons/crm.dark.svg" },
    group: ["output"],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: "Create, find and change leads, contacts, companies, deals, activities and notes",
    defaults: { name: "CRM" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "crmApi", required: true }],
    requestDefaults: {
      baseURL: '={{ $credentials.baseUrl.replace(/\\/+$/, "") }}',
      headers: { Accept: "application/json" },
    },
    properties: [
      ...actions.map((property) =>
        property.name === "resource"
          ? { ...property, routing: { send: { preSend: [addIdempotencyKey] } } }
          : property
      ),
    ],
  };
}
