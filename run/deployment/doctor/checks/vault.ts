import {
  BEARER_SECRET,
  type DispatcherSecrets,
  dispatcherUrl,
  readDispatcherSecrets,
  URL_SECRET,
} from "../../dispatcher_secrets.ts";
import { type Check, deployAgain, type Finding, fine, type Remedy, skipped } from "../check.ts";
import { probe } from "../probe.ts";

/** The Vault has the address and the secret of this project's dispatcher. No secret is printed. */
export const vault: Check = {
  name: "Vault",
  async look(project) {
    const { sql, functionsUrl } = project;
    const secrets = await readDispatcherSecrets(sql);
    // The check `extensions` reports a missing Vault.
    if (secrets === null) return fine("not on this Postgres");
    // Without FUNCTIONS_REGION the address may name any region.
    const wanted = dispatcherUrl(functionsUrl, project.region ?? regionOf(secrets));
    const urlFinding = checkUrl(secrets, wanted);
    if (urlFinding !== null && (await probe(wanted, { method: "POST" })).code !== "invalid_api_key") {
      // The address in --url may itself be wrong, so the doctor must not advise to store it in the Vault.
      return skipped("the dispatcher does not answer: see functions");
    }
    // The secret is sent only to this project's dispatcher.
    const secretFinding = await checkSecret(
      secrets,
      urlFinding === null ? wanted : null,
      deployAgain(project),
    );
    return { findings: [urlFinding, secretFinding].filter((finding) => finding !== null) };
  },
};

function regionOf({ url }: DispatcherSecrets): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).searchParams.get("forceFunctionRegion") : null;
}

function checkUrl({ url }: DispatcherSecrets, wanted: string): Finding | null {
  if (url === null) {
    return {
      message: `The Vault has no ${URL_SECRET}, so the schedule calls no dispatcher`,
      remedy: { sql: `select vault.create_secret('${wanted}', '${URL_SECRET}');` },
    };
  }
  if (url === wanted) return null;
  return {
    message: `The Vault's ${URL_SECRET} is ${url}, but this project's dispatcher is ${wanted}`,
    remedy: {
      sql: `select vault.update_secret(id, '${wanted}') from vault.secrets where name = '${URL_SECRET}';`,
    },
  };
}

async function checkSecret(
  { bearer }: DispatcherSecrets,
  url: string | null,
  mendRefused: Remedy,
): Promise<Finding | null> {
  if (bearer === null) {
    return {
      message: `The Vault has no ${BEARER_SECRET}, so the schedule calls no dispatcher`,
      remedy: { sql: `select vault.create_secret('<WEBHOOK_DISPATCHER_SECRET>', '${BEARER_SECRET}');` },
    };
  }
  if (url === null) return null;
  // Waking the dispatcher does no harm: the schedule sends the same request whenever there is work.
  const reply = await probe(url, { method: "POST", headers: { authorization: `Bearer ${bearer}` } });
  if (reply.status !== 401 || reply.code !== "invalid_api_key") return null;
  return {
    message: `The dispatcher refuses the Vault's ${BEARER_SECRET}: it is not the functions' ` +
      "WEBHOOK_DISPATCHER_SECRET",
    remedy: mendRefused,
  };
}
