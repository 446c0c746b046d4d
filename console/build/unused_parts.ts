import type { Plugin } from "esbuild";

/** Ways to sign in, second factors and grants that the console does not offer: methods of GoTrueClient. */
const UNUSED_OF_CLIENT = [
  "_acquireLock",
  "_approveAuthorization",
  "_challenge",
  "_challengeAndVerify",
  "_deletePasskey",
  "_denyAuthorization",
  "_enroll",
  "_exchangeCodeForSession",
  "_generateRecoveryCodes",
  "_getAuthenticatorAssuranceLevel",
  "_getAuthorizationDetails",
  "_getCodeChallengeAndMethod",
  "_getRecoveryCodesStatus",
  "_getSessionFromURL",
  "_getUrlForProvider",
  "_handleProviderSignIn",
  "_listFactors",
  "_listOAuthGrants",
  "_listPasskeys",
  "_reauthenticate",
  "_regenerateRecoveryCodes",
  "_revokeOAuthGrant",
  "_startPasskeyAuthentication",
  "_startPasskeyRegistration",
  "_unenroll",
  "_unenrollRecoveryCodes",
  "_updatePasskey",
  "_verify",
  "_verifyPasskeyAuthentication",
  "_verifyPasskeyRegistration",
  "_verifyRecoveryCode",
  "exchangeCodeForSession",
  "fetchJwk",
  "getClaims",
  "getUserIdentities",
  "linkIdentity",
  "linkIdentityIdToken",
  "linkIdentityOAuth",
  "reauthenticate",
  "registerPasskey",
  "resend",
  "signInAnonymously",
  "signInWithEthereum",
  "signInWithIdToken",
  "signInWithOAuth",
  "signInWithOtp",
  "signInWithPasskey",
  "signInWithSolana",
  "signInWithSSO",
  "signUp",
  "unlinkIdentity",
  "verifyOtp",
];
const EXPORTED = /^export (?:async )?(?:function|class|const) (\w+)/gm;
/** A method of a class: the compiler of auth-js indents it, and its last brace, by four spaces. */
const METHOD = /^ {4}(?:async )?(\w+)\([^\n]*\{$.*?^ {4}\}$/gms;
/** In a constructor: the methods of one kind, each bound to the client. */
const GROUP = /^ {8}this\.(\w+) = \{$.*?^ {8}\};$/gms;

/** Leaves out of auth-js what the console never calls, more than half of its bytes: to call it throws a TypeError. */
export const unusedParts: Plugin = {
  name: "unused parts",
  setup: ({ onLoad }) => {
    onLoad({ filter: /auth-js\/dist\/module\/GoTrueClient\.js$/ }, async ({ path }) => ({
      contents: without(
        without(await Deno.readTextFile(path), METHOD, UNUSED_OF_CLIENT),
        GROUP,
        ["mfa", "oauth", "passkey"],
      ),
    }));
    onLoad({ filter: /auth-js\/dist\/module\/GoTrueAdminApi\.js$/ }, async ({ path }) => {
      const source = await Deno.readTextFile(path);
      // Signing out is the one method that the client itself calls.
      const unused = [...source.matchAll(METHOD)].map(([, name]) => name!)
        .filter((name) => name !== "constructor" && name !== "signOut");
      return {
        contents: without(without(source, METHOD, unused), GROUP, [
          "mfa",
          "oauth",
          "customProviders",
          "passkey",
        ]),
      };
    });
    onLoad({ filter: /auth-js\/dist\/module\/lib\/webauthn\.js$/ }, async ({ path }) => {
      const names = (await Deno.readTextFile(path)).matchAll(EXPORTED);
      return { contents: [...names].map(([, name]) => `export class ${name} {}`).join("\n") };
    });
  },
};

function without(source: string, part: RegExp, names: string[]): string {
  const left = new Set(names);
  const rest = source.replace(part, (whole, name: string) => left.delete(name) ? "" : whole);
  if (left.size > 0) {
    throw new Error(`auth-js has no ${[...left].join()} any more: see build/unused_parts.ts`);
  }
  return rest;
}
