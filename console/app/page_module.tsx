import type { ComponentType } from "preact";
import lazy from "preact-iso/lazy";
import { FailureNote } from "../components/failure_note.tsx";
import { Page } from "../components/page.tsx";
import { t } from "../strings/strings.ts";
import { Failure } from "./failure.ts";

type Importer = () => Promise<{ default: ComponentType }>;

const importers: Importer[] = [];

/** A page whose module is loaded when the page is first shown. If loading fails, a message offers a reload. */
export function pageModule(load: Importer) {
  importers.push(load);
  return lazy(() => load().catch(() => ({ default: NotLoaded })));
}

/** Loads the modules of all pages in advance, so that the pages open at once, even without a network. */
export function loadOtherPages(): void {
  for (const load of importers) load().catch(() => {});
}

/** Offers a reload, which helps after a lost connection, or if a newer console has replaced the files. */
function NotLoaded() {
  return (
    <Page title={t("app.name")}>
      <FailureNote
        failure={new Failure({ kind: "away", writing: false })}
        onRetry={() => location.reload()}
      />
    </Page>
  );
}
