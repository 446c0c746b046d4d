import type postgres from "postgres";
import { client } from "./client.ts";
import type { TestWorkspace } from "./fixtures.ts";
import { runJob } from "./jobs.ts";
import { customer, makeProposal } from "./proposals.ts";

/** Causes every event of the catalogue: through the API, as a proposal's customer, and by running the jobs. */
export async function causeEveryEvent(sql: postgres.Sql, workspace: TestWorkspace): Promise<void> {
  const api = client(workspace.key);
  const { lead: { deal_id, contact_id, company_id } } = (await api.post("/api-v1-leads", {
    first_name: "Ana",
    company_name: "Padaria Sol",
    external_id: "1",
    utm: { source: "google" },
  })).body;
  await api.patch(`/api-v1-contacts/${contact_id}`, { job_title: "Diretora" });
  await api.patch(`/api-v1-companies/${company_id}`, { employee_count: 40 });
  await api.post("/api-v1-notes", { deal_id, body: "Olá" });
  const { body: activity } = await api.post("/api-v1-activities", { deal_id, due_at: "2020-01-01" });
  await runJob(sql, "activities-overdue");
  await api.patch(`/api-v1-activities/${activity.id}`, { status: "concluida" });

  await sql`update crm.deals set moved_at = now() - interval '15 days' where id = ${deal_id}`;
  await runJob(sql, "deals-stale");
  await api.post(`/api-v1-deals/${deal_id}/move-stage`, { stage_id: workspace.stages[1].id });
  await api.post(`/api-v1-deals/${deal_id}/win`);
  await api.patch(`/api-v1-deals/${deal_id}`, { status: "aberto" });
  await api.post(`/api-v1-deals/${deal_id}/lose`);

  const accepted = customer((await makeProposal(sql, deal_id)).link);
  await accepted.view();
  await accepted.accept();
  const rejected = customer((await makeProposal(sql, deal_id)).link);
  await rejected.reject({ reason: "Caro" });

  const { body: other } = await api.post("/api-v1-contacts", { name: "Ana S." });
  const people = `/api-v1-deals/${deal_id}/contacts`;
  await api.post(people, { contact_id: other.id, role: "decisor" });
  await api.delete(`${people}/${other.id}`);
  await api.post(`/api-v1-contacts/${contact_id}/merge`, { merge_id: other.id });
  const { body: erased } = await api.post("/api-v1-contacts", { name: "Rui" });
  await api.post(`/api-v1-contacts/${erased.id}/erase`);
}
