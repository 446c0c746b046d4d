import { SCOPES } from "../../../supabase/functions/_shared/contract/scopes.ts";
import { t, textNamed } from "../../strings/strings.ts";

export { SCOPES };
/** The scope whose effect cannot be undone. */
export const ERASE = "contacts:manage";
/** The scope that only an admin may give. */
export const DEFINE = "workspace:manage";

export function resourcesOf(scopes: readonly string[]): { name: string; scopes: string[] }[] {
  return [...Map.groupBy(scopes, (scope) => scope.split(":")[0]!)].map(([name, scopes]) => ({
    name,
    scopes,
  }));
}

/** Whether both lists have the same scopes, in any order. */
export function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((scope) => others.includes(scope));
}

/** The name of a resource in words; the name itself if the console has no words for it. */
export function resourceText(name: string): string {
  return textNamed(`scope.${name}`) ?? name;
}

/** What a scope allows: ler, alterar, enviar, apagar dados… */
export function accessText(scope: string): string {
  if (scope === "leads:write") return t("access.send");
  if (scope === ERASE) return t("access.erase");
  const access = scope.split(":")[1] ?? "";
  return textNamed(`access.${access}`) ?? access;
}

/** All scopes of a key on one line: "Ler e alterar: contatos, negócios · Enviar: leads", or "Tudo". */
export function scopesText(scopes: readonly string[]): string {
  if (isSameSet(scopes, SCOPES)) return t("scopes.preset_all");
  const byAccess = Map.groupBy(
    resourcesOf(scopes),
    ({ scopes }) => scopes.map(accessText).join(` ${t("scopes.and")} `),
  );
  return [...byAccess].map(([access, resources]) =>
    `${capital(access)}: ${resources.map(({ name }) => resourceText(name).toLowerCase()).join(", ")}`
  ).join(" · ");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
