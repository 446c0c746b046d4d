import { useLocation } from "preact-iso/router";
import { GrantedApps } from "./apps.tsx";
import { KeyForm } from "./form.tsx";
import { KeyList } from "./list.tsx";
import { KeyOpened } from "./opened.tsx";

/** The list of keys; or the key, form or list of apps that the address names. */
export default function Keys() {
  const { query } = useLocation();
  if (query.id) return <KeyOpened key={query.id} id={query.id} />;
  if (query.aplicativos) return <GrantedApps />;
  return query.nova ? <KeyForm /> : <KeyList />;
}
