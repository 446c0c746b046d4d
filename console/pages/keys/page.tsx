import { useLocation } from "preact-iso/router";
import { KeyForm } from "./form.tsx";
import { KeyList } from "./list.tsx";
import { KeyOpened } from "./opened.tsx";

/** The list of keys; or the key or form that the address names. */
export default function Keys() {
  const { query } = useLocation();
  if (query.id) return <KeyOpened key={query.id} id={query.id} />;
  return query.nova ? <KeyForm /> : <KeyList />;
}
