// Prism's mock of the API answers every call as the OpenAPI document says.
import assert from "node:assert/strict";
import { getHttpOperationsFromSpec } from "@stoplight/prism-http";
import { createServer } from "@stoplight/prism-http-server";
import { API_DOCUMENT, readDocument } from "./support/documents.ts";
import { jsonValidator } from "./support/json_validator.ts";

const SILENT = Object.fromEntries(
  ["fatal", "error", "warn", "info", "debug", "trace", "success"].map((level) => [level, () => {}]),
);
const logger = Object.assign(SILENT, { child: () => logger });

const ID = "019cae6b-6600-7e31-8ab6-43c44f7a0ec8";
/** Values for path parameters and required query parameters. */
const VALUES: Readonly<Record<string, string>> = {
  id: ID,
  delivery_id: ID,
  deal_id: ID,
  match_by: "external_id",
  token: "a".repeat(43),
};

Deno.test("A mock made by Prism answers 201 to creations, and every call with a reply that is valid", async (t) => {
  const document = await readDocument(API_DOCUMENT);
  const validate = jsonValidator(document);
  const server = createServer(await getHttpOperationsFromSpec(API_DOCUMENT), {
    // deno-lint-ignore no-explicit-any -- Prism wants the whole type of its own logger
    components: { logger: logger as any },
    cors: false,
    config: {
      isProxy: false,
      mock: { dynamic: false },
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      upstreamProxy: undefined,
    },
  });
  const address = await server.listen(0, "127.0.0.1");
  try {
    for (const { title, method, path, operation } of operationsOf(document)) {
      await t.step(title, async () => {
        const example = operation.requestBody?.content["application/json"].example;
        const reply = await fetch(address + path, {
          method: method.toUpperCase(),
          headers: { "X-API-Key": "svc_x", ...(example && { "Content-Type": "application/json" }) },
          ...(example && { body: JSON.stringify(example) }),
        });
        const body = await reply.text();
        const expected = Object.keys(operation.responses).filter((status) =>
          /^2\d\d$/.test(status)
        ).sort()[0];
        assert.equal(String(reply.status), expected, body);
        if (title.endsWith(".create")) assert.equal(reply.status, 201);
        // Prism's own list of violations in the reply.
        assert.equal(reply.headers.get("sl-violations"), null);
        if (reply.status !== 204) {
          validate(operation.responses[reply.status].content["application/json"].schema, JSON.parse(body));
        }
      });
    }
    await t.step("a call that is wrong", async () => {
      const reply = await fetch(`${address}/api-v1-contacts`, {
        method: "POST",
        headers: { "X-API-Key": "svc_x", "Content-Type": "application/json" },
        body: JSON.stringify({ name: 5 }),
      });
      const body = await reply.json();
      assert.equal(reply.status, 422);
      assert.equal(body.error.code, "validation_error");
    });
  } finally {
    await server.close();
  }
});

/** Every operation of a document, with its path and the query that it requires. */
// deno-lint-ignore no-explicit-any -- see readDocument
function operationsOf(document: any) {
  // deno-lint-ignore no-explicit-any -- see readDocument
  return Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    // deno-lint-ignore no-explicit-any -- see readDocument
    Object.entries<any>(methods).map(([method, operation]) => {
      const needed = (operation.parameters ?? [])
        .filter((parameter: { in?: string; required?: boolean }) =>
          parameter.in === "query" && parameter.required
        )
        .map(({ name }: { name: string }) => [name, VALUES[name]]);
      const address = path.replace(/\{(\w+)\}/g, (_, name) => VALUES[name]!);
      const query = needed.length > 0 ? `?${new URLSearchParams(needed)}` : "";
      return { title: operation.operationId as string, method, path: address + query, operation };
    })
  );
}
