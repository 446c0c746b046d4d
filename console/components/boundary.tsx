import { Component, type ComponentChildren } from "preact";
import { t } from "../strings/strings.ts";
import { Page } from "./page.tsx";

/** Shows that a page broke, instead of an empty one; a mistake of the console itself, which loading anew may mend. */
export class Boundary extends Component<{ children: ComponentChildren }, { broken: boolean }> {
  override state = { broken: false };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ broken: true });
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return (
      <Page title={t("app.broken")} text={t("app.broken_text")}>
        <button type="button" class="button primary" onClick={() => location.reload()}>
          {t("app.reload")}
        </button>
      </Page>
    );
  }
}
