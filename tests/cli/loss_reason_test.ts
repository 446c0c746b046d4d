import assert from "node:assert/strict";
import { json, say } from "./crm.ts";
import { test } from "../support/scenario.ts";

test("loss-reason create, list and update manage the loss reasons of deals", async ({ workspace: { id: workspace }, api }) => {
  const { id } = await json("loss-reason", "create", "--workspace", workspace, "--name", "Preço");
  const lose = async () => {
    const deal = await api.post("/api-v1-deals", { title: "Venda" });
    return await api.post(`/api-v1-deals/${deal.body.id}/lose`, { loss_reason_id: id });
  };
  assert.equal((await lose()).body.loss_reason_id, id);
  const update = ["loss-reason", "update", id, "--active", "false"];
  assert.equal(await say(...update), `Loss reason ${id} is inactive\n`);
  assert.equal((await lose()).status, 422);
  const [listed] = await json("loss-reason", "list", "--workspace", workspace);
  assert.deepEqual([listed.id, listed.name, listed.is_active], [id, "Preço", false]);
});
