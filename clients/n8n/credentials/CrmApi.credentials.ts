import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from "n8n-workflow";

/** The address of the API and a key. To test them, n8n calls `/api-v1-me`, which any key may call. */
export class CrmApi implements ICredentialType {
  name = "crmApi";

  displayName = "CRM API";

  icon: Icon = { light: "file:../icons/crm.svg", dark: "file:../icons/crm.dark.svg" };

  documentationUrl = "https://crm.example.com/en/n8n/";

  properties: INodeProperties[] = [
    {
      displayName: "Address",
      name: "baseUrl",
      type: "string",
      default: "",
      required: true,
      placeholder: "https://project.supabase.co/functions/v1",
      description: "Address of the API, without the path of a resource (/api-v1-…)",
    },
    {
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      default: "",
      required: true,
      placeholder: "svc_…",
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { "X-API-Key": "={{ $credentials.apiKey }}" } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: '={{ $credentials.baseUrl.replace(/\\/+$/, "") }}', url: "/api-v1-me" },
  };
}
