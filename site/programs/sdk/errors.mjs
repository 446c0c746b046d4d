// errors.mjs
import process from "node:process";
import { Crm, CrmError } from "@crm-api/sdk";

const crm = new Crm({ key: process.env.CRM_KEY, baseUrl: process.env.CRM_URL });
try {
  await crm.contacts.create({ name: "Ana", email: "ana@" });
} catch (error) {
  if (!(error instanceof CrmError)) throw error;
  console.log(error.code, error.status); // validation_error 422
  console.log(error.details); // [ { field: "email", message: "Deve ser um e-mail válido" } ]
  console.log(error.requestId);
}
