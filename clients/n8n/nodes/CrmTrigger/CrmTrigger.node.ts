import {
  type IDataObject,
  type IHookFunctions,
  type IHttpRequestMethods,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from "n8n-workflow";
import { eventTypes } from "../written/properties";
import { isSigned } from "./signature";

/** The fields of the reply to `POST /api-v1-webhooks` that the node stores while the workflow is active. */
interface Subscription extends IDataObject {
  id: string;
  secret: string;
}

/** Starts a workflow for each event. Its subscription exists while the workflow is active. */
export class CrmTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "CRM Trigger",
    name: "crmTrigger",
    icon: { light: "file:../../icons/crm.svg", dark: "file:../../icons/crm.dark.svg" },
    group: ["trigger"],
    version: 1,
    subtitle: '={{ $parameter["event_types"].join(", ") }}',
    description: "Starts the workflow when something happens in the CRM",
    defaults: { name: "CRM Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "crmApi", required: true }],
    webhooks: [{ name: "default", httpMethod: "POST", responseMode: "onReceived", path: "webhook" }],
    properties: [
      eventTypes,
      {
        displayName: "Filters",
        name: "filters",
        type: "json",
        default: "{}",
        description:
          'Only events that match, by pipeline_id, stage_id, owner_id or changed_fields: {"pipeline_id": "…"}',
      },
    ],
  };

  webhookMethods = {
    default: {
      /** Whether the node's own subscription is active and sends here. The node lacks the secrets of all others. */
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const { id, secret } = this.getWorkflowStaticData("node") as Partial<Subscription>;
        if (!id || !secret) return false;
        const { data } = await request.call(this, "GET") as {
          data: (Subscription & { is_active: boolean; target_url: string })[];
        };
        // Normalized, because the API stores the host in lower case and without the default port.
        const target = new URL(this.getNodeWebhookUrl("default")!).href;
        return data.some((one) => one.id === id && one.is_active && new URL(one.target_url).href === target);
      },

      async create(this: IHookFunctions): Promise<boolean> {
        const filters = this.getNodeParameter("filters");
        const { id, secret } = await request.call(this, "POST", "", {
          event_types: this.getNodeParameter("event_types"),
          target_url: this.getNodeWebhookUrl("default"),
          filters: typeof filters === "string" ? JSON.parse(filters || "{}") : filters,
        }) as Subscription;
        Object.assign(this.getWorkflowStaticData("node"), { id, secret });
        return true;
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        const kept = this.getWorkflowStaticData("node") as Partial<Subscription>;
        if (kept.id) await request.call(this, "DELETE", `/${kept.id}`);
        delete kept.id;
        delete kept.secret;
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const { rawBody } = this.getRequestObject();
    const { secret } = this.getWorkflowStaticData("node") as Partial<Subscription>;
    if (!secret || !isSigned(rawBody, this.getHeaderData(), secret)) {
      this.getResponseObject().status(401).send("The delivery is not signed with the secret").end();
      return { noWebhookResponse: true };
    }
    const delivery = this.getBodyData();
    // The data of a test event is made up, so an active workflow must not act on it.
    if (delivery.test && this.getMode() !== "manual") return { webhookResponse: "Test event" };
    return { workflowData: [this.helpers.returnJsonArray(delivery)] };
  }
}

async function request(this: IHookFunctions, method: IHttpRequestMethods, path = "", body?: IDataObject) {
  const { baseUrl } = await this.getCredentials("crmApi");
  return await this.helpers.httpRequestWithAuthentication.call(this, "crmApi", {
    method,
    url: `${String(baseUrl).replace(/\/+$/, "")}/api-v1-webhooks${path}`,
    body,
    json: true,
  });
}
