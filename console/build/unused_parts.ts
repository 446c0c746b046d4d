import type { Plugin } from "esbuild";

/** Ways to sign in that the console does not offer. They are methods of one class, which no bundler can leave out. */
const UNUSED_METHODS = [
  "getClaims",
  "linkIdentityIdToken",
  "linkIdentityOAuth",
  "registerPasskey",
  "resend",
  "signInAnonymously",
  "signInWithEthereum",
  "signInWithIdToken",
  "signInWithOtp",
  "signInWithPasskey",
  "signInWithSolana",
  "signInWithSSO",
  "signUp",
  "verifyOtp",
];
const EXPORTED = /^export (?:async )?(?:function|class|const) (\w+)/gm;

/** Leaves out of auth-js what the console never calls, a third of its bytes: to call it throws a TypeError. */
export const unusedParts: Plugin = {
  name: "unused parts",
  setup: ({ onLoad }) => {
    onLoad({ filter: /auth-js\/dist\/module\/GoTrueClient\.js$/ }, async ({ path }) => ({
      contents: UNUSED_METHODS.reduce(withoutMethod, await Deno.readTextFile(path)),
    }));
    onLoad({ filter: /auth-js\/dist\/module\/lib\/webauthn\.js$/ }, async ({ path }) => {
      const names = (await Deno.readTextFile(path)).matchAll(EXPORTED);
      return { contents: [...names].map(([, name]) => `export class ${name} {}`).join("\n") };
    });
  },
};

/** The compiler of auth-js indents each method of the class, and its last brace, by four spaces. */
function withoutMethod(source: string, name: string): string {
  const rest = source.replace(new RegExp(`^ {4}(?:async )?${name}\\(.*?^ {4}}$`, "ms"), "");
  if (rest === source) throw new Error(`auth-js has no method ${name} any more: see build/unused_parts.ts`);
  return rest;
}
