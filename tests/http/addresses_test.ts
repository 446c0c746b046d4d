import assert from "node:assert/strict";
import { assertError, call } from "../support/client.ts";
import { makeWorkspaceWithDeal } from "../support/fixtures.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

/** Addresses that are announced but not live, each with the operation that shows their records, if there is one. */
const NOT_LIVE: Record<string, string> = {
  "/api-v1": "",
  "/api-v1/contacts": "",
  "/api-v1/webhooks": "",
  [`/api-v1/webhooks/${UNKNOWN_ID}`]: "",
  "/api-v1-activity-types": "",
  "/api-v1-lead-sources": "",
  "/api-v1-owners": "; use GET /api-v1-workspace",
  "/api-v1-owners/1": "; use GET /api-v1-workspace",
  "/api-v1-loss-reasons": "; use GET /api-v1-workspace",
  "/api-v1-custom-fields": "; use GET /api-v1-workspace/custom-fields",
};

test("addresses that are announced but not live answer 404 not_found to any method, with or without a key (spec 4.5, 9)", async ({ workspace: { key } }) => {
  for (const [path, instead] of Object.entries(NOT_LIVE)) {
    for (const method of ["GET", "POST", "PATCH", "DELETE", "PUT"]) {
      for (const withKey of [null, key, "wrong"]) {
        const reply = await call(method, path, { key: withKey });
        assertError(reply, "not_found");
        assert.equal(reply.body.error.message, `Este endereço ainda não está disponível${instead}`);
        assert.ok(reply.headers.get("X-Request-Id"));
      }
    }
  }
});

Deno.test("GET /api-v1-health needs no key and reports the state of the database and the version", async () => {
  const { status, body } = await call("GET", "/api-v1-health");
  assert.equal(status, 200);
  assert.equal(body.status, "ok");
  assert.match(body.version, /^\d+\.\d+\.\d+$/);
  assert.deepEqual(body.database, { status: "up" }, "it does not name what the database runs on");
  assert.equal((await call("POST", "/api-v1-health")).status, 405);
});

test("a path with a trailing slash is the same address, a path in another letter case is not", async ({ workspace: { key } }) => {
  assert.equal((await call("GET", "/api-v1-pipelines/", { key })).status, 200);
  assert.equal((await call("GET", "/API-V1-pipelines", { key })).status, 404);
});

test("a 404 says whether the address or the record is missing, and another workspace's record counts as missing (spec 7)", async ({ sql, workspace: { key } }) => {
  const { deal } = await makeWorkspaceWithDeal(sql);
  const address = "Este endereço não existe; confira o caminho na documentação";
  const record = "Registro não encontrado";
  const malformed = "Registro não encontrado: o id do endereço não é um UUID";
  const messages = {
    "/api-v1-deals/a/b/c": address,
    [`/api-v1-deals/${UNKNOWN_ID}/fly`]: address,
    "/api-v1-deal": address,
    "/": address,
    [`/api-v1-deals/${UNKNOWN_ID}`]: record,
    [`/api-v1-deals/${deal.id}`]: record,
    "/api-v1-deals/x": malformed,
    [`/proposals/${"a".repeat(43)}`]: record,
    "/proposals/x": record,
  };
  for (const [path, message] of Object.entries(messages)) {
    const reply = await call("GET", path, { key });
    assertError(reply, "not_found");
    assert.equal(reply.body.error.message, message, path);
  }
});
