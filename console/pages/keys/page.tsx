import { useLocation } from "preact-iso/router";
import { KeyList } from "./list.tsx";

/** The list of keys, or what the address names: a key, or the form of a new one. */
export default function Keys() {
  const { query } = useLocation();
  void query;
  return <KeyList />;
}
