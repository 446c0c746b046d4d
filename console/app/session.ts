/** The session of the signed-in person. Supabase's client stores it in this browser and refreshes it. */
import { AuthClient, isAuthRetryableFetchError, type Session } from "@supabase/auth-js";
import { signal } from "@preact/signals";
import { Failure } from "./failure.ts";
import { keepPreference, readPreference } from "./preferences_store.ts";
import { clearTab, ownTab } from "./drafts.ts";
import { href, publishableKey, supabaseUrl } from "./settings.ts";
import { forgetWorkspace } from "./workspace_choice.ts";

/** Who is signed in. */
export interface Person {
  id: string;
  email: string;
}

const STORAGE_KEY = "crm.session";
const TIMEOUT_MS = 10_000;
const OFFLINE_TIMEOUT_MS = 1_000;

/** Why the sign-in page is shown, in the cases that the page explains. */
export type Ending = "expired" | "signing_out" | "signed_out" | "unconfirmed_sign_out";

const fragment = new URLSearchParams(location.hash.slice(1));
const accessInLink = fragment.get("access_token");

/** The purpose of the e-mailed link that opened this page; `invalid` if the link was used before or is too old. */
export const linkType: "invite" | "recovery" | "invalid" | null = fragment.has("error_code")
  ? "invalid"
  : fragment.get("type") === "invite" || fragment.get("type") === "recovery"
  ? fragment.get("type") as "invite" | "recovery"
  : null;
if (linkType !== null) {
  // The project's settings may make the link open another page, but the person must choose a password first.
  history.replaceState(null, "", href("senha/") + location.hash);
} else if (accessInLink !== null) {
  // An attacker can make a link with the attacker's own session. Opening it must not sign the victim in as the
  // attacker.
  history.replaceState(null, "", location.pathname + location.search);
}

/** The signed-in person. Undefined until the browser's storage was read; null if nobody is signed in. */
export const person = signal<Person | null | undefined>(undefined);
/**
 * The id of the second factor whose code this session still lacks; null if it lacks none. While an id is set, `person`
 * is null, because the functions refuse the session.
 */
export const factorToProve = signal<string | null>(null);
/** Why the sign-in page is shown; null if it has nothing to explain. */
export const ending = signal<Ending | null>(null);

const auth = new AuthClient({
  url: `${supabaseUrl}/auth/v1`,
  headers: { apikey: publishableKey },
  storageKey: STORAGE_KEY,
  autoRefreshToken: true,
  persistSession: true,
  // If true, the client would accept the session in any link, and leave the link's tokens in the browser's history.
  detectSessionInUrl: false,
  // PKCE works only on the device that started the flow, but people open invitations on another device.
  flowType: "implicit",
});

/**
 * Reads the session from this browser or from the link that was opened; call it once. A person with a stored session
 * sees the console at once, because refreshing the session may take long. The functions check every session anyway.
 */
export async function startSession(): Promise<void> {
  const stored = storedSession();
  if (stored && linkType === null) arrive(stored);
  // Opens the link before the stored session is used. Otherwise the password page could belong to the person who used
  // this browser before.
  if (linkType !== null) await openLink();
  auth.onAuthStateChange((_event, session) => {
    if (session) arrive(session);
    else leaveIfEnded();
  });
  // When another tab signs out, its message may arrive before this tab sees the change of storage, so check then too.
  addEventListener("storage", leaveIfEnded);
  const { error } = await auth.initialize();
  if (error && person.value === undefined) person.value = null;
}

/** Starts the session of the link, and removes its tokens from the address and from the browser's history. */
async function openLink(): Promise<void> {
  const refreshInLink = fragment.get("refresh_token");
  if (accessInLink !== null && refreshInLink !== null) {
    const { error } = await auth.setSession({ access_token: accessInLink, refresh_token: refreshInLink });
    // The tokens stay in the address, so that a reload tries again.
    if (error && isAuthRetryableFetchError(error)) return;
  }
  history.replaceState(null, "", href("senha/"));
}

function storedSession(): Session | null {
  try {
    const session = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") as Partial<Session>;
    return session.user?.id ? session as Session : null;
  } catch {
    return null;
  }
}

/** Shows the sign-in page, unless a session is stored: that session may be valid, and only the server unreachable. */
function leaveIfEnded(): void {
  if (storedSession()) return;
  if (person.value && ending.value === null) ending.value = "expired";
  factorToProve.value = null;
  person.value = null;
}

/** Signs in the session's person, unless the session still lacks the code of their second factor. */
function arrive({ user, access_token }: Session): void {
  const factor = user.factors?.find(({ factor_type, status }) =>
    factor_type === "totp" && status === "verified"
  );
  const lacking = factor && levelOf(access_token) === "aal1" ? factor.id : null;
  if (lacking !== null) person.value = null;
  else if (user.id !== person.value?.id) welcome({ id: user.id, email: user.email ?? "" });
  factorToProve.value = lacking;
}

/** The token's assurance level (`aal1` or `aal2`), which only chooses the page: the functions check it themselves. */
function levelOf(token: string): string | undefined {
  try {
    return JSON.parse(atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/"))).aal;
  } catch {
    return undefined;
  }
}

/** Records who is signed in, and forgets what another person left in this browser and in this tab. */
function welcome(arrived: Person): void {
  const last = readPreference("person");
  if (last !== arrived.id) {
    if (last !== null) forgetWorkspace();
    keepPreference("person", arrived.id);
  }
  // A link that is opened in another tab signs a person in without signing the previous person out. This page may still
  // show what the previous person sees, so remove the page and reload.
  if (ownTab(arrived.id) && person.value !== undefined) {
    person.value = undefined;
    return void setTimeout(() => location.replace(href("chaves/")));
  }
  ending.value = null;
  person.value = arrived;
}

/**
 * The token for a call. Throws a Failure if there is no session, if a refresh does not reach the server, or if another
 * person has signed in in another tab.
 */
export async function accessToken(writing: boolean): Promise<string> {
  // While the server is unreachable, Supabase's client retries the refresh for longer than a person waits.
  const timeout = new Promise<null>((resolve) =>
    setTimeout(resolve, navigator.onLine ? TIMEOUT_MS : OFFLINE_TIMEOUT_MS, null)
  );
  const read = await Promise.race([auth.getSession(), timeout]);
  if (read === null) throw new Failure({ kind: "away", writing });
  const { data, error } = read;
  if (data.session) return tokenOf(data.session, writing);
  throw new Failure({ kind: error && isAuthRetryableFetchError(error) ? "away" : "session", writing });
}

/** Returns a new token after the functions refused the old one; null if the session has ended. */
export async function renewSession(writing: boolean): Promise<string | null> {
  const { data, error } = await auth.refreshSession();
  if (error && isAuthRetryableFetchError(error)) throw new Failure({ kind: "away", writing });
  return data.session && tokenOf(data.session, writing);
}

/** The session's token. Throws if another person has signed in meanwhile: the page must send nothing in their name. */
function tokenOf(session: Session, writing: boolean): string {
  if (person.value === null || session.user.id === person.value?.id) return session.access_token;
  // While `person` is undefined, another call has already noticed the other person, and the page is about to reload.
  if (person.value) arrive(session);
  throw new Failure({ kind: "session", writing });
}

/** Continues with the tokens that Supabase Auth returned for this session. */
export async function adoptSession(tokens: { access_token: string; refresh_token: string }): Promise<void> {
  const { error } = await auth.setSession(tokens);
  if (error) throw failureOf(error);
}

/** Ends the person's other sessions, also those of apps. */
export async function endOtherSessions(): Promise<void> {
  const { error } = await auth.signOut({ scope: "others" });
  if (error) throw failureOf(error);
}

/** Forgets a session that the functions refused; the sign-in page says that it has expired. */
export async function dropSession(): Promise<void> {
  ending.value = "expired";
  await auth.signOut({ scope: "local" });
}

/** Signs out of this browser, and ends the session on the server at once. */
export async function signOut(): Promise<void> {
  ending.value = "signing_out";
  clearTab();
  forgetWorkspace();
  const { error } = await auth.signOut({ scope: "local" });
  // While the server was ending the session, somebody may have signed in again.
  if (ending.value === "signing_out") ending.value = error ? "unconfirmed_sign_out" : "signed_out";
}

/** Signs in; rejects with a Failure that has a code of Supabase Auth, such as `invalid_credentials`. */
export async function signIn(email: string, password: string): Promise<void> {
  const { error } = await auth.signInWithPassword({ email, password });
  if (error) throw failureOf(error);
}

/** Sends an e-mail with a link for choosing another password, if there is an account with this address. */
export async function recoverPassword(email: string): Promise<void> {
  const { error } = await auth.resetPasswordForEmail(email, {
    redirectTo: location.origin + href("senha/"),
  });
  if (error) throw failureOf(error);
}

/** Sets the password of the person who is signed in. */
export async function savePassword(password: string): Promise<void> {
  const { error } = await auth.updateUser({ password });
  if (error) throw failureOf(error);
}

/** Converts an error of Supabase Auth to a Failure. */
export function failureOf(
  error: { name: string; status?: number | undefined; code?: string | undefined },
): Failure {
  const status = error.status ?? 0;
  return new Failure({
    kind: status === 0
      ? "away"
      : status === 429
      ? "limited"
      : status >= 500
      ? "server"
      : error.name === "AuthSessionMissingError"
      ? "session"
      : "refused",
    code: error.code ?? `http_${status}`,
    writing: true,
  });
}
