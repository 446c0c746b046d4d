import type { Plugin } from "esbuild";

/** Methods of GoTrueClient for sign-ins, second factors and grants that the console does not offer. */
const UNUSED_OF_CLIENT = `
  _acquireLock _approveAuthorization _challenge _challengeAndVerify _deletePasskey _denyAuthorization
  _enroll _exchangeCodeForSession _generateRecoveryCodes _getAuthenticatorAssuranceLevel
  _getAuthorizationDetails _getCodeChallengeAndMethod _getRecoveryCodesStatus _getSessionFromURL
  _getUrlForProvider _handleProviderSignIn _listFactors _listOAuthGrants _listPasskeys _reauthenticate
  _regenerateRecoveryCodes _revokeOAuthGrant _startPasskeyAuthentication _startPasskeyRegistration
  _unenroll _unenrollRecoveryCodes _updatePasskey _verify _verifyPasskeyAuthentication
  _verifyPasskeyRegistration _verifyRecoveryCode exchangeCodeForSession fetchJwk getClaims
  getUserIdentities linkIdentity linkIdentityIdToken linkIdentityOAuth reauthenticate registerPasskey
  resend signInAnonymously signInWithEthereum signInWithIdToken signInWithOAuth signInWithOtp
  signInWithPasskey signInWithSolana signInWithSSO signUp unlinkIdentity verifyOtp
`.trim().split(/\s+/);
const EXPORTED = /^export (?:async )?(?:function|class|const) (\w+)/gm;
/** Matches a method of a class. In the compiled auth-js, a method and its closing brace are indented by four spaces. */
const METHOD = /^ {4}(?:async )?(\w+)\([^\n]*\{$.*?^ {4}\}$/gms;
/** Matches a group of methods that a constructor creates, such as `this.mfa = {…}`. */
const GROUP = /^ {8}this\.(\w+) = \{$.*?^ {8}\};$/gms;

/** Removes from auth-js the methods that the console never calls: more than half of its bytes. */
export const unusedParts: Plugin = {
  name: "unused parts",
  setup: ({ onLoad }) => {
    onLoad({ filter: /auth-js\/dist\/module\/GoTrueClient\.js$/ }, async ({ path }) => {
      const source = await Deno.readTextFile(path);
      return { contents: without(source, UNUSED_OF_CLIENT, ["mfa", "oauth", "passkey"]) };
    });
    onLoad({ filter: /auth-js\/dist\/module\/GoTrueAdminApi\.js$/ }, async ({ path }) => {
      const source = await Deno.readTextFile(path);
      // Of GoTrueAdminApi, GoTrueClient calls only signOut.
      const unused = [...source.matchAll(METHOD)].map(([, name]) => name!)
        .filter((name) => name !== "constructor" && name !== "signOut");
      return { contents: without(source, unused, ["mfa", "oauth", "customProviders", "passkey"]) };
    });
    onLoad({ filter: /auth-js\/dist\/module\/lib\/webauthn\.js$/ }, async ({ path }) => {
      const names = (await Deno.readTextFile(path)).matchAll(EXPORTED);
      return { contents: [...names].map(([, name]) => `export class ${name} {}`).join("\n") };
    });
  },
};

function without(source: string, methods: string[], groups: string[]): string {
  const left = new Set([...methods, ...groups]);
  const drop = (whole: string, name: string) => left.delete(name) ? "" : whole;
  const rest = source.replace(METHOD, drop).replace(GROUP, drop);
  if (left.size > 0) {
    throw new Error(`auth-js has no ${[...left].join()} any more: see build/unused_parts.ts`);
  }
  return rest;
}
