// Sends a form as a lead: deno serve with_sdk.ts, or bun with_sdk.ts. Environment: CRM_KEY, CRM_URL.
import process from "node:process";
import { Crm, CrmError } from "@crm-api/sdk";

const crm = new Crm({ key: process.env["CRM_KEY"], baseUrl: process.env["CRM_URL"], retries: 3 });

export default {
  async fetch(request: Request): Promise<Response> {
    const form = await request.formData();
    const field = (name: string) => form.get(name)?.toString() || undefined;
    // Take only these fields: a visitor must not choose the owner or the value of the deal.
    const person = { first_name: field("name") ?? "", email: field("email"), phone: field("phone") };
    try {
      const { lead } = await crm.leads.create({ ...person, source: "Formulário do site" });
      return Response.json({ deal_id: lead.deal_id }, { status: 201 });
    } catch (error) {
      if (!(error instanceof CrmError)) throw error;
      const status = error.code === "validation_error" ? 422 : 503;
      return Response.json({ message: error.message, details: error.details }, { status });
    }
  },
};
