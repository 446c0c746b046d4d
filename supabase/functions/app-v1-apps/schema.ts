import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import { name, timestamp, uuid } from "../_shared/contract/fields.ts";
import { field, object } from "../_shared/contract/object.ts";
import { Reference } from "../_shared/contract/reference.ts";
import { SCOPES } from "../_shared/contract/scopes.ts";

const CLIENT_ID = [
  "O aplicativo: o cliente no Supabase Auth",
  "The app: the client in Supabase Auth",
] as const;
const CLIENT_NAME = ["Nome do aplicativo", "The app's name", "Claude"] as const;

export const Grant = object({
  id: field(uuid(), ["Identificador", "Id"]),
  client_id: field(uuid(), CLIENT_ID),
  client_name: field(z.string(), CLIENT_NAME),
  scopes: field(z.array(z.string()), [
    "O que o aplicativo pode fazer, com o papel que o membro tem agora",
    "What the app may do, given the member's present role",
    ["deals:read"],
  ]),
  member: field(Reference, ["Por quem o aplicativo age", "For whom the app acts"]),
  created_at: timestamp(),
  last_used_at: field(timestamp().nullable(), [
    "A última chamada",
    "The last call",
    "2026-11-21T13:04:05.678Z",
  ]),
}).meta(named("Grant", "O acesso de um aplicativo", "An app's access"));

/** The reply to the list: at most 500 grants. */
export const GrantList = object({
  data: field(z.array(Grant), [
    "Os acessos que valem, o mais novo primeiro",
    "The working grants, newest first",
  ]),
  grantable_scopes: field(z.array(z.enum(SCOPES)), [
    "As permissões que você, com o seu papel, pode dar",
    "The scopes that you, with your role, may give",
    ["deals:read", "deals:write"],
  ]),
}).meta(named("GrantList", "Os aplicativos autorizados", "The granted apps"));

export const NewGrant = object({
  client_id: field(uuid(), CLIENT_ID),
  client_name: field(name(), CLIENT_NAME),
  scopes: field(z.array(z.enum(SCOPES)).min(1).max(100), ["As permissões", "The scopes", ["deals:read"]]),
}).meta(named("NewGrant", "O que o aplicativo poderá fazer", "What the app will be able to do"));
