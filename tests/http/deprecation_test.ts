// No endpoint is deprecated now, so these tests mark an existing endpoint as deprecated.
import assert from "node:assert/strict";
import { operationsText } from "../../clients/sdk/write/operations.ts";
import { endpoint } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { serveResource } from "../../supabase/functions/_shared/http/serve.ts";
import { table } from "../../supabase/functions/api-v1-pipelines/table.ts";
import { toolTable } from "../../tools/mcp/table.ts";
import { openApiDocument } from "../../tools/openapi/document.ts";
import type { OpenApi } from "../../tools/openapi/read_document.ts";
import { apiEndpoints } from "../../tools/resources.ts";
import { routeEntries } from "../../tools/tables/route_entries.ts";
import { eventually } from "../support/mailbox.ts";
import { withEnvironment } from "../support/environment.ts";
import { test } from "../support/scenario.ts";
import { functionsDatabaseUrl } from "../support/stack.ts";

const deprecated = { since: "2027-01-31", sunset: "2027-07-31", page: "https://example.com/api/upgrading" };
const listed = apiEndpoints.find(({ route }) => route.endpoint.operation === "pipeline_list")!;

test("each answer of a deprecated endpoint has the dates of its deprecation and its end, and the page with its replacement", async ({ workspace: { key } }) => {
  const headers = { "Deprecation": "@1801353600", "Sunset": "Sat, 31 Jul 2027 00:00:00 GMT" };
  const routes = table.routes.map((route) => ({ ...route, deprecated }));
  await withEnvironment(
    { DATABASE_URL: functionsDatabaseUrl, CORS_ALLOWED_ORIGINS: "https://pages.example" },
    async (lines) => {
      const serve = serveResource({ ...table, routes });
      for (const [status, given] of [[200, key], [401, "svc_wrong"]] as const) {
        const reply = await serve(
          new Request("http://localhost/api-v1-pipelines", {
            headers: { "X-API-Key": given, "Origin": "https://pages.example" },
          }),
        );
        assert.equal(reply.status, status, await reply.text());
        for (const [name, value] of Object.entries(headers)) assert.equal(reply.headers.get(name), value);
        assert.equal(reply.headers.get("Link"), `<${deprecated.page}>; rel="deprecation"`);
        assert.match(reply.headers.get("Access-Control-Expose-Headers")!, /Deprecation, ?Sunset, ?Link/);
      }
      // Refused calls are counted, and the count is logged after a second.
      await eventually(() => lines.some(({ event }) => event === "refused"), "the count of refusals");
    },
  );
});

Deno.test("an endpoint answers for at least six months after it is deprecated", () => {
  const { summary, reply } = listed.route.endpoint;
  const declare = (sunset: string) =>
    endpoint({ scope: null, summary, reply, verb: "pipeline_list", deprecated: { ...deprecated, sunset } });
  const tooSoon = /^Error: A sunset on 2027-07-30 is less than 6 months after 2027-01-31$/;
  assert.throws(() => declare("2027-07-30"), tooSoon);
  assert.deepEqual(declare("2027-07-31").deprecated, deprecated);
});

Deno.test("the function's table, OpenAPI, the SDK and the tool say that an endpoint is deprecated", async () => {
  Object.assign(listed.route.endpoint, { deprecated });
  try {
    const [entry] = await routeEntries(listed.resource);
    assert.deepEqual(entry!.deprecated, deprecated);
    const document = openApiDocument("api", "en") as OpenApi;
    const operation = document.paths["/api-v1-pipelines"]!["get"]!;
    assert.equal(operation.deprecated, true);
    const text = `Deprecated since 2027-01-31; answers until 2027-07-31. What to use: ${deprecated.page}.`;
    assert.ok(operation.description!.endsWith(text));
    assert.match(operationsText(document), /\/\*\* @deprecated List [^\n]* Deprecated since 2027-01-31;/);
    assert.match(JSON.stringify(toolTable()), /Obsoleto desde 2027-01-31; responde até 2027-07-31/);
  } finally {
    Object.assign(listed.route.endpoint, { deprecated: undefined });
  }
});
