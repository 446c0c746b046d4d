import { Component, type ComponentChildren } from "preact";
import { t } from "../strings/strings.ts";
import { Button } from "./button.tsx";
import { Page } from "./page.tsx";

/** After an error in the console's own code, shows a message with a reload button instead of an empty page. */
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
        <Button class="button primary" text={t("app.reload")} onClick={() => location.reload()} />
      </Page>
    );
  }
}
