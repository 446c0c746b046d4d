import assert from "node:assert/strict";
import { checkTarget } from "../../supabase/functions/_shared/webhooks/target.ts";
import { readPolicy, type TargetPolicy } from "../../supabase/functions/_shared/webhooks/target_policy.ts";
import { deno } from "../support/run.ts";

const policy = readPolicy("", "https://api.service.com");
const words = (text: string) => text.trim().split(/\s+/);
const hosts = (text: string) => words(text).map((host) => `https://${host}/`);

/** Refused targets by reason; each is a URL, or the host of an https address. */
const REFUSED: Record<string, string[]> = {
  "that is not https (spec 2.6)": words(
    "http://example.com/ ftp://example.com/ file:///etc/passwd javascript:1 data:,x",
  ),
  "that is no URL, or is written with white space, control characters or backslashes": [
    ...["", "example.com", "/hook", "https://", "https://exa mple.com/", " https://example.com/"],
    ...["https://example.com/\n", "https://exam\tple.com/", "https://example.com\\@127.0.0.1/"],
    ...["https://ex%00ample.com/", "https://256.1.1.1/"],
  ],
  "at a port below 1024, but for 443": [1, 22, 25, 80, 442, 444, 1023].map((port) =>
    `https://example.com:${port}/`
  ),
  "with user info or a fragment": words(`
    https://u@example.com/ https://u:p@example.com/ https://example.com/#x https://example.com/#`),
  "with a name that is never public": hosts(`
    localhost localhost. a.localhost intranet printer.local metadata.google.internal router.home.arpa x.onion
    X.LOCAL. a..b .example.com ${"a".repeat(64)}.com`),
  "with a name that private networks use (spec 2.6)": hosts(`
    api.intranet api.private api.corp nas.home nas.lan crm.default.svc crm.default.svc.cluster.local
    db.localdomain API.Corp.`),
  "for every spelling of loopback (spec 2.6)": hosts(`
    127.0.0.1 127.0.0.1. 127.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 １２７.0.0.1 %31%32%37.0.0.1 ⓛocalhost
    loc%61lhost 0 [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::127.0.0.1] [2002:7f00:1::]
    [64:ff9b::7f00:1]`),
  "with a private, link-local or metadata address (spec 2.6)": hosts(`
    10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 [fd00::1] [fe80::1] [5f00::1]
    [1fff:ffff::1] [4000::1] [2001:db8::1] [2001:0:4136:e378::1] [2002:a00:1::1]`),
  "that is the service itself": words("https://api.service.com/x https://API.SERVICE.COM.:8443/x"),
};

for (const [reason, urls] of Object.entries(REFUSED)) {
  Deno.test(`A target is refused ${reason}`, () => {
    for (const url of urls) assert.equal(checkTarget(url, policy).ok, false, url);
  });
}

Deno.test("A target may be any https address with a public host, or with a reserved name that never resolves (spec 2.6)", () => {
  const urls = words(`
    https://example.com https://example.com/hook?a=1&b=%20 https://example.com:443/ https://example.com:1024/
    https://example.com:65535/ https://hooks.example.com./x https://münchen.de/hook https://a_b.example.com/
    https://93.184.216.34/ https://[2606:4700::1111]:8443/ HTTPS://EXAMPLE.COM/ https://other.service.com/`);
  const names = hosts(`
    corp.com lan.example.com mycorp.io svc.dev x.test HOOKS.Test. crm.example nowhere.invalid`);
  for (const url of [...urls, ...names]) assert.equal(checkTarget(url, policy).ok, true, url);
});

Deno.test("A target is refused at every address of the project that runs the service (spec 2.6)", () => {
  const own = readPolicy("", "https://crm.service.com", "https://abcdefgh.supabase.co");
  const check = (host: string, policy: TargetPolicy) => checkTarget(`https://${host}/x`, policy).ok;
  const addresses = `
    crm.service.com abcdefgh.supabase.co abcdefgh.functions.supabase.co db.abcdefgh.supabase.co
    DB.ABCDEFGH.SUPABASE.CO. abcdefgh.storage.supabase.co`;
  for (const host of words(addresses)) {
    assert.equal(check(host, own), false, host);
    assert.equal(check(host, readPolicy("", "https://zyxwvuts.supabase.co")), true, host);
  }
});

Deno.test("WEBHOOK_DEV_TARGETS exempts exactly its hosts and ports, for http too", () => {
  const dev = readPolicy("127.0.0.1:9443, localhost:8080,[::1]:9000", "http://127.0.0.1:54321");
  const exempt = "https://127.0.0.1:9443/x http://127.1:9443/ http://localhost:8080/ http://[::1]:9000/";
  for (const url of words(exempt)) {
    assert.deepEqual(checkTarget(url, dev), { ok: true, url: new URL(url), exempt: true });
  }
  const others = "https://127.0.0.1:9444/ http://localhost/ https://127.0.0.2:9443/ http://u@localhost:8080/";
  for (const url of words(others)) assert.equal(checkTarget(url, dev).ok, false, url);
});

Deno.test("WEBHOOK_DEV_TARGETS that is not a list of host:port is an error that says so", () => {
  for (const text of ["localhost", "https://localhost:1", "a b:1"]) {
    assert.throws(() => readPolicy(text, "http://localhost"), /WEBHOOK_DEV_TARGETS: ".*" is not host:port/);
  }
});

Deno.test("WEBHOOK_DEV_TARGETS exempts nothing unless the service is on loopback", () => {
  const exempts = (...serviceUrls: string[]) =>
    checkTarget("http://127.0.0.1:9443/", readPolicy("127.0.0.1:9443", ...serviceUrls)).ok;
  const onLoopback = [
    ...[["http://127.0.0.1:54321"], ["http://localhost:54321/functions/v1"], ["http://[::1]:8000"]],
    ...[["", "http://127.0.0.1:54321"], ["http://127.0.0.1:54321", "http://kong:8000"]],
  ];
  for (const urls of onLoopback) assert.equal(exempts(...urls), true, urls.join());
  const elsewhere = [
    ...[[], [""], ["https://abcdefgh.supabase.co"], ["http://kong:8000"], ["https://127.0.0.1.nip.io"]],
    ...[["https://crm.service.com", "http://127.0.0.1:54321"], ["https://localhost.service.com"]],
  ];
  for (const urls of elsewhere) assert.equal(exempts(...urls), false, urls.join());
});

Deno.test("A process logs once that it ignores WEBHOOK_DEV_TARGETS, or that it applies it", async () => {
  const module = new URL("../../supabase/functions/_shared/webhooks/target_policy.ts", import.meta.url);
  const script = `const { targetPolicy } = await import("${module}"); targetPolicy(); targetPolicy();`;
  const said = async (PUBLIC_URL: string) => {
    const env = { PUBLIC_URL, SUPABASE_URL: "http://127.0.0.1:54321", WEBHOOK_DEV_TARGETS: "127.0.0.1:9443" };
    return (await deno(["eval", script], { env })).stderr;
  };
  assert.match(
    await said("https://crm.service.com"),
    /^WEBHOOK_DEV_TARGETS is ignored, because the service is not on loopback.*\n$/,
  );
  assert.match(await said(""), /^WEBHOOK_DEV_TARGETS is set: webhooks may reach 127\.0\.0\.1:9443.*\n$/);
});
