// A client can send any Host header, so neither routing nor the addresses in replies may depend on it.
import assert from "node:assert/strict";
import { sendRaw } from "../support/raw_request.ts";
import { test } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";

const HEALTH = "/functions/v1/api-v1-health";
const PIPELINES = "/functions/v1/api-v1-pipelines";

function withHost(host: string | null): string[] {
  return host === null ? [] : [`Host: ${host}`];
}

test("A request with any Host or none is routed by its path, and Location is under the service's own address", async ({ workspace: { key } }) => {
  const body = '{"name":"Ana"}';
  for (const host of [null, "", "evil.example", "evil.example:80", "EVIL", "127.0.0.1:1", "[::1]:80"]) {
    const response = await sendRaw(baseUrl, [
      "POST /functions/v1/api-v1-contacts HTTP/1.1",
      ...withHost(host),
      "X-Forwarded-Host: evil.example",
      "Forwarded: host=evil.example;proto=https",
      `X-API-Key: ${key}`,
      `Content-Length: ${body.length}`,
    ], body);
    assert.match(response, /^HTTP\/1\.1 201 /, `Host: ${host}`);
    const [, location] = /^location: (.*)\r$/im.exec(response) ?? [];
    assert.ok(location?.startsWith(`${baseUrl}/api-v1-contacts/`), response);
    assert.doesNotMatch(response, /evil/i);
  }
});

Deno.test("A malformed Host is answered with 400, whatever path it contains", async () => {
  const addresses = [`x${HEALTH}?`, `x${HEALTH}#`, `x${PIPELINES}/`, "x/", "x?", "x#"];
  for (const host of [...addresses, "x\\y", "user@x", "x y", "x, y", "[::1", "x:80:80", "xé"]) {
    for (const path of [PIPELINES, HEALTH, "/elsewhere"]) {
      const response = await sendRaw(baseUrl, [`GET ${path} HTTP/1.1`, ...withHost(host)]);
      assert.match(response, /^HTTP\/1\.1 400 /, `${host} ${path}`);
      assert.match(response, /\{"error":\{"code":"bad_request","message":"[^"]+"\}\}/, `${host} ${path}`);
    }
  }
});

Deno.test("A request target in absolute form is routed by its path, whatever its host", async () => {
  const cases: [target: string, status: number][] = [
    [`http://evil.example${HEALTH}`, 200],
    [`https://evil.example:8443${HEALTH}`, 200],
    [`http://api-v1-health${PIPELINES}`, 401],
    ["http://evil.example/elsewhere", 404],
    [`//evil.example${HEALTH}`, 404],
    [`/evil.example/${HEALTH}`, 404],
  ];
  for (const [target, status] of cases) {
    for (const host of ["x", "api-v1-leads"]) {
      const response = await sendRaw(baseUrl, [`GET ${target} HTTP/1.1`, ...withHost(host)]);
      assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `), `${target} ${host}`);
      assert.doesNotMatch(response, /evil/i);
    }
  }
});
