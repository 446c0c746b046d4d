import type { ComponentType } from "preact";
import lazy from "preact-iso/lazy";
import { FailureNote } from "../components/failure_note.tsx";
import { Page } from "../components/page.tsx";
import { t } from "../strings/strings.ts";
import { Failure } from "./failure.ts";

type Importer = () => Promise<{ default: ComponentType }>;

const importers: Importer[] = [];

/** A page whose module is loaded when it is first shown; if that fails, it says so and offers to load it anew. */
export function pageModule(load: Importer) {
  importers.push(load);
  return lazy(() => load().catch(() => ({ default: NotLoaded })));
}

/** Loads the modules of all pages, so that the others open at once, also while the network is away. */
export function loadOtherPages(): void {
  for (const load of importers) load().catch(() => {});
}

/** The network was away, or a new version of the console has taken the place of this one; loading anew serves both. */
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
