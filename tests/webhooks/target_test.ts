import assert from "node:assert/strict";
import { checkTarget } from "../../supabase/functions/_shared/webhooks/target.ts";
import { readPolicy, type TargetPolicy } from "../../supabase/functions/_shared/webhooks/target_policy.ts";

const policy = readPolicy("", "https://api.service.com");
const accepts = (url: string) => assert.equal(checkTarget(url, policy).ok, true, url);
const refuses = (url: string) => assert.equal(checkTarget(url, policy).ok, false, url);

Deno.test("A target may be any https address with a public host", () => {
  for (
    const url of `
      https://example.com https://example.com/hook?a=1&b=%20 https://example.com:443/
      https://example.com:1024/ https://example.com:65535/ https://hooks.example.com./x
      https://münchen.de/hook https://a_b.example.com/ https://93.184.216.34/
      https://[2606:4700::1111]:8443/ HTTPS://EXAMPLE.COM/
    `.trim().split(/\s+/)
  ) accepts(url);
});

Deno.test("A target must be https (spec 2.6)", () => {
  for (
    const url of [
      "http://example.com/",
      "ftp://example.com/",
      "file:///etc/passwd",
      "javascript:1",
      "data:,x",
    ]
  ) {
    refuses(url);
  }
});

Deno.test("A target must be a URL, written without white space, control characters or backslashes", () => {
  for (
    const url of [
      "",
      "example.com",
      "/hook",
      "https://",
      "https://exa mple.com/",
      " https://example.com/",
      "https://example.com/\n",
      "https://exam\tple.com/",
      "https://example.com\\@127.0.0.1/",
      "https://ex%00ample.com/",
      "https://256.1.1.1/",
    ]
  ) refuses(url);
});

Deno.test("A target is refused below port 1024, but for 443", () => {
  for (const port of [1, 22, 25, 80, 442, 444, 1023]) refuses(`https://example.com:${port}/`);
});

Deno.test("A target carries no user info and no fragment", () => {
  for (
    const url of [
      "https://u@example.com/",
      "https://u:p@example.com/",
      "https://example.com/#x",
      "https://example.com/#",
    ]
  ) {
    refuses(url);
  }
});

Deno.test("A target may have a reserved name that never resolves: .test, .example and .invalid are no private names (spec 2.6)", () => {
  for (const host of ["x.test", "HOOKS.Test.", "crm.example", "nowhere.invalid"]) {
    accepts(`https://${host}/hook`);
  }
});

Deno.test("A target is refused for names that are never public", () => {
  for (
    const host of [
      "localhost",
      "localhost.",
      "a.localhost",
      "intranet",
      "printer.local",
      "metadata.google.internal",
      "router.home.arpa",
      "x.onion",
      "X.LOCAL.",
      "a..b",
      ".example.com",
      `${"a".repeat(64)}.com`,
    ]
  ) refuses(`https://${host}/`);
});

Deno.test("A target is refused for names that private networks use (spec 2.6)", () => {
  for (
    const host of `
      api.intranet api.private api.corp nas.home nas.lan crm.default.svc crm.default.svc.cluster.local
      db.localdomain API.Corp.
    `.trim().split(/\s+/)
  ) refuses(`https://${host}/`);
  for (const host of ["corp.com", "lan.example.com", "mycorp.io", "svc.dev"]) accepts(`https://${host}/`);
});

Deno.test("A target is refused for every spelling of loopback (spec 2.6)", () => {
  for (
    const host of `
      127.0.0.1 127.0.0.1. 127.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 １２７.0.0.1 %31%32%37.0.0.1 ⓛocalhost
      loc%61lhost 0 [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::127.0.0.1] [2002:7f00:1::]
      [64:ff9b::7f00:1]
    `.trim().split(/\s+/)
  ) refuses(`https://${host}/`);
});

Deno.test("A target is refused for private, link-local and metadata addresses (spec 2.6)", () => {
  for (
    const host of `
      10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 [fd00::1] [fe80::1] [5f00::1]
      [1fff:ffff::1] [4000::1] [2001:db8::1] [2001:0:4136:e378::1] [2002:a00:1::1]
    `.trim().split(/\s+/)
  ) {
    refuses(`https://${host}/`);
  }
});

Deno.test("A target is refused when it is the service itself", () => {
  for (const url of ["https://api.service.com/x", "https://API.SERVICE.COM.:8443/x"]) refuses(url);
  accepts("https://other.service.com/");
});

Deno.test("A target is refused at every address of the project that runs the service (spec 2.6)", () => {
  const own = readPolicy("", "https://crm.service.com", "https://abcdefgh.supabase.co");
  const check = (host: string, policy: TargetPolicy) => checkTarget(`https://${host}/x`, policy).ok;
  for (
    const host of [
      "crm.service.com",
      "abcdefgh.supabase.co",
      "abcdefgh.functions.supabase.co",
      "db.abcdefgh.supabase.co",
      "DB.ABCDEFGH.SUPABASE.CO.",
      "abcdefgh.storage.supabase.co",
    ]
  ) {
    assert.equal(check(host, own), false, host);
    assert.equal(check(host, readPolicy("", "https://zyxwvuts.supabase.co")), true, host);
  }
});

Deno.test("WEBHOOK_DEV_TARGETS exempts exactly its hosts and ports, http too", () => {
  const dev = readPolicy("127.0.0.1:9443, localhost:8080,[::1]:9000", "http://127.0.0.1:54321");
  for (
    const url of [
      "https://127.0.0.1:9443/x",
      "http://127.1:9443/",
      "http://localhost:8080/",
      "http://[::1]:9000/",
    ]
  ) {
    assert.deepEqual(checkTarget(url, dev), { ok: true, url: new URL(url), exempt: true });
  }
  for (
    const url of [
      "https://127.0.0.1:9444/",
      "http://localhost/",
      "https://127.0.0.2:9443/",
      "http://u@localhost:8080/",
    ]
  ) {
    assert.equal(checkTarget(url, dev).ok, false, url);
  }
});

Deno.test("WEBHOOK_DEV_TARGETS that is not a list of host:port is an error that says so", () => {
  for (const text of ["localhost", "https://localhost:1", "a b:1"]) {
    assert.throws(() => readPolicy(text, "http://localhost"), /WEBHOOK_DEV_TARGETS: ".*" is not host:port/);
  }
});

Deno.test("WEBHOOK_DEV_TARGETS exempts nothing unless the service is on loopback", () => {
  const exempts = (...serviceUrls: string[]) =>
    checkTarget("http://127.0.0.1:9443/", readPolicy("127.0.0.1:9443", ...serviceUrls)).ok;
  for (
    const urls of [
      ["http://127.0.0.1:54321"],
      ["http://localhost:54321/functions/v1"],
      ["http://[::1]:8000"],
      ["", "http://127.0.0.1:54321"],
      ["http://127.0.0.1:54321", "http://kong:8000"],
    ]
  ) assert.equal(exempts(...urls), true, urls.join());
  for (
    const urls of [
      [],
      [""],
      ["https://abcdefgh.supabase.co"],
      ["http://kong:8000"],
      ["https://crm.service.com", "http://127.0.0.1:54321"],
      ["https://127.0.0.1.nip.io"],
      ["https://localhost.service.com"],
    ]
  ) assert.equal(exempts(...urls), false, urls.join());
});

Deno.test("A process says once that it ignores WEBHOOK_DEV_TARGETS, or that it has it", async () => {
  const module = new URL("../../supabase/functions/_shared/webhooks/target_policy.ts", import.meta.url);
  const script = `const { targetPolicy } = await import("${module}"); targetPolicy(); targetPolicy();`;
  const said = async (env: Record<string, string>) => {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", script],
      env: { PUBLIC_URL: "", SUPABASE_URL: "", WEBHOOK_DEV_TARGETS: "127.0.0.1:9443", ...env },
    }).output();
    assert.ok(success);
    return new TextDecoder().decode(stderr).trim().split("\n");
  };
  const ignored = await said({
    PUBLIC_URL: "https://crm.service.com",
    SUPABASE_URL: "http://127.0.0.1:54321",
  });
  assert.equal(ignored.length, 1);
  assert.match(ignored[0]!, /^WEBHOOK_DEV_TARGETS is ignored, because the service is not on loopback/);
  const used = await said({ SUPABASE_URL: "http://127.0.0.1:54321" });
  assert.equal(used.length, 1);
  assert.match(used[0]!, /^WEBHOOK_DEV_TARGETS is set: webhooks may reach 127\.0\.0\.1:9443/);
});
