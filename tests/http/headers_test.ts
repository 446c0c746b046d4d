import assert from "node:assert/strict";
import { randomToken } from "../../supabase/functions/_shared/keys/random_token.ts";
import { makeProposal } from "../support/proposals.ts";
import { test } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";

async function headersOf(method: string, path: string, key?: string): Promise<[status: number, Headers]> {
  const reply = await fetch(baseUrl + path, {
    method,
    headers: key === undefined ? {} : { "X-API-Key": key },
  });
  await reply.body?.cancel();
  return [reply.status, reply.headers];
}

test("every reply forbids MIME sniffing", async ({ workspace: { key } }) => {
  const answers: [status: number, method: string, path: string, key?: string][] = [
    [200, "GET", "/api-v1-pipelines", key],
    [404, "DELETE", "/api-v1-webhooks/00000000-0000-7000-8000-000000000000", key],
    [401, "GET", "/api-v1-pipelines"],
    [405, "PUT", "/api-v1-pipelines", key],
    [404, "GET", "/api-v1-owners"],
    [200, "GET", "/api-v1-health"],
    [404, "GET", "/no-such-function"],
    [405, "GET", "/webhook-dispatcher"],
    [401, "POST", "/webhook-dispatcher"],
    [404, "GET", `/proposals/${randomToken()}`],
  ];
  for (const [status, ...request] of answers) {
    const [answered, headers] = await headersOf(...request);
    assert.equal(answered, status, request.join(" "));
    assert.equal(headers.get("X-Content-Type-Options"), "nosniff", request.join(" "));
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
    const [answered, headers] = await headersOf(method, path);
    assert.equal(answered, status);
    assert.equal(headers.get("Referrer-Policy"), "no-referrer");
    assert.equal(headers.get("X-Robots-Tag"), "noindex");
  }
});
