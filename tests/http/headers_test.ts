import assert from "node:assert/strict";
import { randomToken } from "../../supabase/functions/_shared/keys/random_token.ts";
import { call } from "../support/client.ts";
import { makeProposal } from "../support/proposals.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

test("every reply forbids MIME sniffing", async ({ workspace: { key } }) => {
  const answers: [status: number, method: string, path: string, key?: string][] = [
    [200, "GET", "/api-v1-pipelines", key],
    [404, "DELETE", `/api-v1-webhooks/${UNKNOWN_ID}`, key],
    [401, "GET", "/api-v1-pipelines"],
    [405, "PUT", "/api-v1-pipelines", key],
    [404, "GET", "/api-v1-owners"],
    [200, "GET", "/api-v1-health"],
    [404, "GET", "/no-such-function"],
    [405, "GET", "/webhook-dispatcher"],
    [401, "POST", "/webhook-dispatcher"],
    [404, "GET", `/proposals/${randomToken()}`],
  ];
  for (const [status, method, path, key = null] of answers) {
    const reply = await call(method, path, { key });
    assert.equal(reply.status, status, `${method} ${path}`);
    assert.equal(reply.headers.get("X-Content-Type-Options"), "nosniff", `${method} ${path}`);
  }
});

test("the address of a proposal's link, which contains its token, is sent to no other site and indexed by no search engine", async ({ sql, newDeal }) => {
  const { link } = await makeProposal(sql, (await newDeal()).id);
  const answers: [status: number, method: string, path: string][] = [
    [200, "GET", link],
    [405, "PUT", link],
    [404, "GET", `/proposals/${randomToken()}`],
    [404, "GET", "/proposals/x"],
  ];
  for (const [status, method, path] of answers) {
    const reply = await call(method, path);
    assert.equal(reply.status, status);
    assert.equal(reply.headers.get("Referrer-Policy"), "no-referrer");
    assert.equal(reply.headers.get("X-Robots-Tag"), "noindex");
  }
});
